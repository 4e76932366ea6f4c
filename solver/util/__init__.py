"""Helpers below all other packages: errors, text and numbers for people, arguments, escaping, progress.

Nothing here knows of games.

* Messages and names: ``errors``, ``text``, ``number_format``, ``integers``.
* Arguments of public functions: ``arguments``.
* Output formats: ``escaping``, ``html_document``, ``graphics``, ``histogram``.
* Mathematics: ``multiset``, ``bitsets``.
* Running: ``progress_reporting``, ``threads``, ``optional_imports``.
"""
