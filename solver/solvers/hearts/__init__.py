"""Hearts Due: no decisions, but scores that are wiped."""
