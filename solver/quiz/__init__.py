"""A quiz: positions worth learning, drawn from games, and asked again when they were missed."""
