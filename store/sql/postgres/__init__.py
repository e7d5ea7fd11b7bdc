"""The memory on Postgres: the same SQL text as on SQLite, translated once per statement; the only importer of psycopg.

Rows, states and scopes are the same on both (one contract suite holds them to it); what differs is who
serialises appends (an advisory lock per tenant), who keeps tenants apart (row-level security) and how words are
searched (tsvector, scored in the core).
"""
