"""Rule files: the keys that they have, how they are read and checked, and what they say in words."""
