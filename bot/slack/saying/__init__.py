"""How something is said: once, to everybody or one person alone, within the noise budget; and how threads are read."""
