"""Both ports without a model: drafts by rules over the gate's features, answers by quoting what is recorded."""

from bot.offline.calibration import NAME, learned_threshold
from bot.offline.extract import OfflineExtractor
from bot.offline.synthesise import OfflineSynthesiser

__all__ = ["NAME", "OfflineExtractor", "OfflineSynthesiser", "learned_threshold"]
