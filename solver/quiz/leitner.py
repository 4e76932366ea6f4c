"""What was missed comes again: Leitner's boxes, kept between days.

A position that is missed goes to the first box, and each right answer moves it to the next one. A position in box 1, 2,
... is asked again after ``DAYS`` days, counted from the answer; a right answer to one in the last box ends it. Who is
right at once has nothing to learn there, so only positions that were missed are kept. (Sebastian Leitner, So lernt man
lernen, 1972; doubled intervals.)
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from ..storage.files import READ_ERRORS, error_reason, write_atomically
from ..util.errors import InputError

DAYS = (1, 2, 4, 8, 16)
LARGEST = 4_000_000  # bytes


def today() -> date:
    """The day."""
    return date.today()


def record() -> Path:
    """Where the boxes are kept."""
    import platformdirs

    return Path(platformdirs.user_data_dir("keepwise", appauthor=False)) / "quiz.json"


class Boxes:
    """The positions to ask again, by id: their box (from 1), the day from which they are due, and the last wrong
    answer.

    Raises:
        InputError: the file that keeps them cannot be read.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or record()
        self.kept: dict[str, tuple[int, date, str]] = {}
        try:
            if self.path.stat().st_size > LARGEST:
                raise ValueError
            told: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
            self.kept = {
                one: (range(1, len(DAYS) + 1).index(row["box"]) + 1, date.fromisoformat(row["due"]), str(row["said"]))
                for one, row in told.items()
            }
        except FileNotFoundError:
            pass
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(f"{self.path} is no record of a quiz: move it away, and a new one is begun") from None
        except READ_ERRORS as error:
            raise InputError(f"{self.path} cannot be read: {error_reason(error)}") from None

    def due(self, name: str, day: date) -> list[tuple[str, str]]:
        """The positions of one question (``Table.name``) that are due, the longest first, and what was said of each."""
        kept = ((due, one, said) for one, (_, due, said) in self.kept.items() if one.startswith(f"{name}/"))
        return [(one, said) for due, one, said in sorted(kept) if due <= day]

    def answered(self, position: str, right: bool, said: str, day: date) -> None:
        """Move a position by an answer to it, and write that down."""
        box = self.kept[position][0] if position in self.kept else 0
        if not right or 0 < box < len(DAYS):
            box, said = (box + 1, self.kept[position][2]) if right else (1, said)
            self.kept[position] = box, day + timedelta(days=DAYS[box - 1]), said
        elif box:
            del self.kept[position]
        else:
            return
        told = {one: {"box": box, "due": due.isoformat(), "said": said} for one, (box, due, said) in self.kept.items()}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(self.path) as file:
            file.write(json.dumps(told, indent=1, sort_keys=True).encode())
