"""Files for other programs: rows (``rows``), and decision processes for model checkers (``models``)."""
