"""Rule files: their keys, how they are parsed and checked, and their rules in words.

``loader`` reads files. ``schema`` declares keys and parses values; ``push_schema`` and ``card_schema`` have the keys.
``push_file`` and ``card_file`` compile games, ``push_checks`` refuses rules that make no game, and ``description`` says
rules in words.
"""
