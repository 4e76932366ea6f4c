"""Races, solo questions and the turn inside them: the push-your-luck family."""
