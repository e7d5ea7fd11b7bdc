"""The log and its projections in SQL; the only importer of sqlmodel and sqlalchemy."""
