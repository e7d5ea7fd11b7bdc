"""The memory's one door. `bot` imports from here and from nowhere below."""

from store.core.model import *
