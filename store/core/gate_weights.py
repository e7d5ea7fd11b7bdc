"""The gate's fitted weights: data, remade by `python -m tests.benchmarks.gate_fit --write`."""

FLOOR = 0.125
"""Scores below it are not worth extracting."""

SENTENCE: tuple[tuple[str, float], ...] = (
    ("cue_source", 0.128),
    ("cue_closing", 0.115),
    ("cue_adopt", 0.040),
    ("cue_it_is", 0.417),
    ("cue_we_do", 0.036),
    ("cue_keep", 0.189),
    ("cue_opener", 0.566),
    ("cue_turn_down", 0.404),
    ("cue_norm", 0.315),
    ("cue_when", 0.294),
    ("cue_assign", -0.019),
    ("cue_revisit", 0.193),
    ("cue_because", 0.020),
    ("cue_replaces", 0.188),
    ("not_hedge", -0.343),
    ("not_hypothetical", -0.155),
    ("not_report", -0.146),
    ("not_defer", -0.301),
    ("not_joke", -0.116),
    ("not_retold", -0.036),
    ("not_help", -0.195),
    ("not_mine", -0.210),
    ("not_asks", -0.472),
    ("late", 1.261),
    ("last_word", -0.222),
    ("overlap", 1.146),
    ("overlap_root", 0.680),
    ("overlap_question", 0.464),
    ("fresh", 0.263),
    ("brief", -0.650),
    ("long", 0.540),
    ("figures", 0.170),
    ("question_before", 0.143),
    ("options_before", 0.290),
    ("weighed_before", 0.167),
    ("voices_before", 0.333),
    ("opens_thread", -0.292),
    ("spoke_before", 1.006),
    ("agreed_after", 0.331),
    ("acted_after", 0.254),
    ("asked_after", -0.290),
    ("objected_after", -0.367),
    ("deferred_after", -0.484),
    ("quoted", -0.097),
    ("robot", -0.006),
    ("short_turn", 0.817),
)
SENTENCE_BIAS = -4.230

THREAD: tuple[tuple[str, float], ...] = (
    ("best", 1.298),
    ("second", 0.629),
    ("ends_asking", 0.237),
    ("ends_deferred", -0.943),
    ("ends_closed", 0.064),
    ("root_asks", -0.186),
    ("root_reports", -0.344),
    ("root_hypothetical", -0.403),
    ("jokes", -0.106),
    ("deferrals", -0.219),
    ("options", 0.185),
    ("weighing", 0.222),
    ("robots", -0.472),
)
THREAD_BIAS = 1.248

CONFIDENCE: tuple[tuple[float, int], ...] = (
    (0.000, 1),
    (0.129, 60),
    (0.496, 75),
    (0.770, 90),
    (1.000, 99),
)
"""From score to hundredths of confidence, by straight lines."""
