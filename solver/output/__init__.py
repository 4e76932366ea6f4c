"""Output for people and other programs: sheets, charts, exported files and the adviser page."""
