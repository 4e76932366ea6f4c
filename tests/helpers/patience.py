"""How long tests may look: the slow ones try ``PATIENCE`` times as much where the environment says so."""

import os

PATIENCE = int(os.environ.get("PATIENCE", "1"))
