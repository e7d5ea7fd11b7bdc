"""Dense retrieval: the bundled embedding model, Chroma, and the follower that keeps them level with the log."""
