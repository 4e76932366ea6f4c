"""Instructions that kernels take, counted by valgrind: a busy machine gives the same numbers as an idle one.

What is counted is one kernel's function and what it calls, in registers of 32 bytes (valgrind knows no wider ones).
"""

import subprocess
import sys
import tempfile
from pathlib import Path

SOLVES = {
    "kw_push_solve": "kw.solve('5000', 'turns', fresh=True, threads=1)",
    "kw_race_solve": "kw.solve(kw.game('5000', target=3000), 'win', fresh=True, threads=1)",
    "kw_seats_solve": "kw.solve(kw.game('pig', target=30), 'win', 3, fresh=True, threads=1)",
    "kw_keep_solve": "kw.solve('double-cameroon', 'points', fresh=True, threads=1)",
}

for kernel, solve in SOLVES.items():
    with tempfile.TemporaryDirectory() as folder:
        counted = Path(folder, "counted")
        valgrind = ("valgrind", "--tool=callgrind", f"--toggle-collect={kernel}", f"--callgrind-out-file={counted}")
        python = (sys.executable, "-c", f"import keepwise as kw; {solve}")
        subprocess.run([*valgrind, *python], check=True, capture_output=True)
        total = next(line for line in counted.read_text().splitlines() if line.startswith("totals: ")).split()[1]
    print(f"{kernel:<14} {int(total):>15,} instructions: {solve}")
