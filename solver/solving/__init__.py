"""From a question to its values: shipped, kept, or solved now."""
