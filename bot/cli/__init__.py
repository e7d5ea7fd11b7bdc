"""The command `why`: cold commands in plain argparse, the others in typer; the only importer of typer and rich."""
