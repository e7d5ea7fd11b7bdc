"""What tells our databases apart: read by the engine and by the quick way alike."""

SCHEMA = 2
"""The schema that this program reads and writes, kept in `PRAGMA user_version`."""

OURS = 0x42535459
"""`PRAGMA application_id` of our databases ("BSTY"), so that another program's file is refused."""
