"""`INSERT … ON CONFLICT` for what lies beside the log, on SQLite and Postgres alike.

SQLAlchemy has a construct of each dialect's own. Postgres' compiles for SQLite too, to the very text that SQLite's
own gives, as long as conflicts are named by columns; a test holds it to that.
"""

from __future__ import annotations

from sqlalchemy.dialects.postgresql import insert

__all__ = ["insert"]
