"""What stands on the disk: files written whole, tables of values, what was checked once, layers of a killed run."""
