"""Leitner's boxes: missed positions are asked again after growing intervals, over several days.

A missed position goes to the first box. Each right answer moves it to the next box, and a right answer in the last box
removes it. A position in box i is due ``DAYS[i - 1]`` days after the last answer. Positions that were
right at once are not stored. (Sebastian Leitner, So lernt man lernen, 1972; with doubled intervals.)
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from ..storage.files import READ_ERRORS, error_reason, write_atomically
from ..util.errors import InputError

DAYS = (1, 2, 4, 8, 16)  # until the next question, by box
MAX_FILE_BYTES = 4_000_000


def today() -> date:
    """Return the current date."""
    return date.today()


def boxes_file() -> Path:
    """Return the path of the file with the user's boxes."""
    import platformdirs

    return Path(platformdirs.user_data_dir("keepwise", appauthor=False)) / "quiz.json"


class LeitnerBoxes:
    """The positions to ask again, stored in a file.

    Attributes:
        path: the file.
        cards: by id of the position, its box (from 1), the day from which it is due, and the last wrong answer.

    Raises:
        InputError: the file cannot be read.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or boxes_file()
        self.cards: dict[str, tuple[int, date, str]] = {}
        try:
            if self.path.stat().st_size > MAX_FILE_BYTES:
                raise ValueError
            rows: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
            self.cards = {position_id: _parse_row(row) for position_id, row in rows.items()}
        except FileNotFoundError:
            pass
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(f"{self.path} is not a quiz record; move it away to begin a new one") from None
        except READ_ERRORS as error:
            raise InputError(f"cannot read {self.path}: {error_reason(error)}") from None

    def due_cards(self, name: str, day: date) -> list[tuple[str, str]]:
        """Return the positions that are due, those due longest first, each with its last wrong answer.

        Args:
            name: the problem, as ``PlayableGame.id_prefix``.
            day: the day of the quiz.
        """
        rows = [
            (due, position_id, wrong_answer)
            for position_id, (_, due, wrong_answer) in self.cards.items()
            if position_id.startswith(f"{name}/")
        ]
        return [(position_id, wrong_answer) for due, position_id, wrong_answer in sorted(rows) if due <= day]

    def record_answer(self, position: str, right: bool, answer: str, day: date) -> None:
        """Move a position to another box after an answer, and save the boxes.

        Args:
            position: the id of the position.
            right: whether the answer was right.
            answer: the answer.
            day: the day of the answer.
        """
        box, _, last_wrong_answer = self.cards.get(position, (0, day, ""))
        if not right:
            self._move_card(position, 1, answer, day)
        elif 0 < box < len(DAYS):
            self._move_card(position, box + 1, last_wrong_answer, day)
        elif box:
            del self.cards[position]
        else:
            return  # right at once: nothing to learn
        self._save()

    def _move_card(self, position: str, box: int, wrong_answer: str, day: date) -> None:
        self.cards[position] = box, day + timedelta(days=DAYS[box - 1]), wrong_answer

    def _save(self) -> None:
        rows = {
            position_id: {"box": box, "due": due.isoformat(), "said": wrong_answer}
            for position_id, (box, due, wrong_answer) in self.cards.items()
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(self.path) as file:
            file.write(json.dumps(rows, indent=1, sort_keys=True).encode())


def _parse_row(row: dict[str, Any]) -> tuple[int, date, str]:
    """Return the box, the due day and the last wrong answer; raise ValueError or KeyError if they are not valid."""
    boxes = range(1, len(DAYS) + 1)
    return boxes.index(row["box"]) + 1, date.fromisoformat(row["due"]), str(row["said"])
