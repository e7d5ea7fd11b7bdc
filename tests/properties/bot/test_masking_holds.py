"""What holds of masking for any text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot import masking
from bot.masking import mask
from tests.builders_masking import PLANTED

TEXT = st.text(alphabet="abz09_-.:=/@\"' \n<>|&;password", max_size=80)


@settings(deadline=None)  # the first text loads the rules
@given(before=TEXT, after=TEXT, planted=st.sampled_from([one for one in PLANTED if one[0] in ("github", "anthropic")]))
def test_a_token_is_masked_whatever_stands_around_it(before: str, after: str, planted: tuple[str, str, str]) -> None:
    text = f"{before} {planted[1]} {after}"

    assert planted[1] not in mask(text)


@given(text=TEXT, planted=st.lists(st.sampled_from([secret for _, secret, _ in PLANTED]), max_size=3))
def test_masking_twice_is_masking_once(text: str, planted: list[str]) -> None:
    masked = mask(" ".join([text, *planted]))

    assert mask(masked) == masked


TOKENS = [rule.pattern.pattern for rules in (masking._own_rules(), masking._kept_rules()) for rule in rules]


@settings(deadline=None)
@given(token=st.sampled_from(TOKENS).flatmap(lambda pattern: st.from_regex(pattern, fullmatch=True)))
def test_every_token_has_the_run_of_signs_without_which_its_rules_are_passed_over(token: str) -> None:
    assert masking._RUN.search(token) or "xox" in token.lower()
