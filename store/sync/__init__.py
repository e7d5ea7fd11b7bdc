"""Sharing the log between machines: segments of streams as objects in a folder, a git repository or S3.

An object holds a run of one stream's events and never changes its meaning: who reads it twice
learns nothing new. Nothing here opens a database; `store.syncing` brings log and remote together.
"""
