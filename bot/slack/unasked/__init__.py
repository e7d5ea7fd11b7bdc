"""What nobody asked for: how did it go, the weekly digest, offers, the budget notice."""
