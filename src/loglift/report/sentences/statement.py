"""A result in words: its headline, its sentences, and whether it is good news."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["good", "bad", "plain"]


@dataclass(frozen=True)
class Statement:
    """A result: its headline, the sentences that go with it, and whether it is good news."""

    tone: Tone
    headline: str
    text: str

    def __str__(self) -> str:
        return f"{self.headline} {self.text}"
