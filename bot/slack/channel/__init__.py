"""What a channel chose: first contact, settings, how right captures were, looking back."""
