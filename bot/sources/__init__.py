"""Where turns come from: one file per format, a parser and its vocabulary as data."""
