"""Coding assistants: hooks that put a file's decisions before it is edited, and remember what a session decided."""
