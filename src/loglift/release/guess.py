"""Guessing the columns of a plan: which are sensitive, public, or better left out, and why.

Names and counts decide, in this order: what the user says; a column that cannot be counted or has
one value; names of what identifies people; names and labels of what is sensitive, in several
languages; columns with nearly as many values as records; survey weights; free text. The rest is
public. It is a proposal to look at: a name tells little, so nothing is released because of it.

No value of a sensitive column is told.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from loglift.errors import TableError
from loglift.tables.overview import Overview
from loglift.values import NUMBERS, ORDERED_TYPES

Role: TypeAlias = Literal["sensitive", "public", "left out"]

MIN_UNIQUE_SHARE = 0.9  # of the records: a column with more values is nearly unique
MIN_UNIQUE_RECORDS = 20  # of a table in which that means anything
MIN_ID_SHARE = 0.05  # of the records: a column named id with fewer values is a code
MAX_DAYS = 400  # different dates of a column without bands
MAX_UNBANDED = {"public": 100, "sensitive": 20}  # numbers of a column without bands
BANDS = {"public": 20, "sensitive": 5}
MANY_TEXTS = 1000  # values of a public column: a taxonomy may help
MIN_TEXT_LENGTH = 40  # letters of a free text, on average
MIN_WEIGHTS = 20  # different numbers of a column of weights

# Words of names, in English, German, French, Spanish, Italian, Portuguese, Dutch; without accents.
_SENSITIVE = """
diagnosis diagnoses diagnose diagnostic diagnostico diagnosi diag dx disease illness ill sickness
symptom krankheit krank maladie enfermedad malattia doenca ziekte icd hiv aids cancer diabetes
pregnant pregnancy schwanger medication medicine drug drugs medikament medicament medicamento
farmaco therapy therapie treatment behandlung disability disabled behinderung handicap discapacidad
disabilita health gesundheit sante salud salute saude gezondheid mental depression suicide genetic
genotype
income incomes salary wage wages earnings pay einkommen gehalt lohn verdienst revenu revenus
salaire ingreso ingresos sueldo salario reddito stipendio renda inkomen salaris loon wealth
vermogen fortune patrimonio debt debts schulden dette deuda debito divida schuld loan bankrupt
bankruptcy insolvency benefit benefits welfare sozialhilfe
religion religious relig faith konfession glaube confession religione religiao godsdienst
race ethnicity ethnic ethn ethnie etnia raza raca etniciteit rasse
party vote voted voting politics political partei wahl parti voto partido partito partij
sexuality orientation transgender
crime criminal conviction convicted offence offense arrest arrested vorstrafe straftat abuse
violence victim union gewerkschaft syndicat sindicato sindacato vakbond
"""
_IDENTIFYING = """
email mail phone telephone telefon telefono telefone mobile handy fax ssn sin nhs ahv nino iban bic
passport passeport pasaporte passaporto reisepass licence plate kennzeichen surname lastname
firstname fullname forename nachname vorname prenom apellido apellidos cognome sobrenome voornaam
achternaam address adresse direccion indirizzo endereco adres street strasse rue calle via uuid guid
username login url ip imei mac
"""
_NAMES = "name nom nombre nome naam first last full family given middle client kunde"
_NUMBERING = "id ids key nr no num number nummer numero record row index pid idx"
SENSITIVE, IDENTIFYING, NAMES, NUMBERING = (
    frozenset(words.split()) for words in (_SENSITIVE, _IDENTIFYING, _NAMES, _NUMBERING)
)
WEIGHING = re.compile(
    r"(^|\W)p?w(ei)?gh?ts?($|\W)|wgt|pweight|gewicht|poids|hochrechnung|^pw$|^wt$"
)
# Numbers that stand for a missing value, where the others are not near them.
NEGATIVE_CODES = frozenset(
    -int(digit * length) for digit in "789" for length in (1, 2, 3, 4, 5)
) | {-1, -97, -98, -997, -998}
POSITIVE_CODES = frozenset(int("9" * length) for length in (2, 3, 4, 5, 6, 7))


@dataclass(frozen=True)
class Guess:
    """What a column is taken for, and why.

    `cut` proposes bands, `codes` are numbers that may stand for a missing value (for a sensitive
    column they are not told, and `has_codes` only says that there are some), `weighs` says that it
    looks like survey weights.
    """

    column: Overview
    role: Role
    why: str
    cut: str | None = None
    codes: tuple[float, ...] = ()
    has_codes: bool = False
    weighs: bool = False

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name


def guesses(
    columns: Sequence[Overview], sensitive: Sequence[str] = (), public: Sequence[str] = ()
) -> tuple[Guess, ...]:
    """Guess what each column is; `sensitive` and `public` are what the user says.

    With `sensitive`, no other column is taken for sensitive: one that looks it is left out. With
    `public`, no other column is public.
    """
    for name in sensitive:
        if name in public:
            raise TableError(
                f"column {name!r} is named as public and as sensitive: it can only be one"
            )
    found = []
    for column in columns:
        role, why = _role(column, sensitive, public)
        cut = None if role == "left out" else _cut(column, role)
        if cut is not None:
            why = f"{why}; in bands ({cut})"
        codes = _codes(column) if role != "left out" else ()
        found.append(
            Guess(
                column,
                role,
                why,
                cut=cut,
                codes=() if role == "sensitive" else codes,
                has_codes=bool(codes),
                weighs=role == "left out" and _weighs(column),
            )
        )
    return tuple(found)


def words_of(name: str) -> list[str]:
    """Return the words of a column's name, in lower case and without accents.

    `netIncome_2020` has the words net, income and 2020.
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain)
    return re.findall(r"[a-z]+|[0-9]+", split.lower()) or [plain.lower()]


def _role(  # noqa: C901, PLR0911, one question a line, in their order
    column: Overview, sensitive: Sequence[str], public: Sequence[str]
) -> tuple[Role, str]:
    words = words_of(column.name)
    filled = column.records - column.nulls
    telling = _telling(column)
    if column.name in sensitive:
        return "sensitive", "you named it"
    if column.name in public:
        return "public", _public_words(column, "you named it")
    if column.fault is not None:
        return "left out", "it cannot be counted"
    if column.distinct + (column.nulls > 0) <= 1:
        return "left out", "it has the same value in every record"
    if public:
        return "left out", "you did not name it"
    if any(word in IDENTIFYING for word in _whole_and_parts(words)) or set(words) <= NAMES:
        return "left out", "its name identifies people"
    if telling is not None and not sensitive:
        return "sensitive", telling
    if telling is not None:
        return "left out", f"{telling}, and you named others as sensitive"
    if words[-1] in NUMBERING and column.distinct > max(
        MIN_UNIQUE_RECORDS, MIN_ID_SHARE * column.records
    ):
        return "left out", "an identifier, by its name and its many values"
    if _weighs(column):
        return "left out", "it looks like survey weights"
    nearly = filled >= MIN_UNIQUE_RECORDS and column.distinct > MIN_UNIQUE_SHARE * filled
    if nearly and column.type in ("text", "integer", "bytes"):
        return "left out", "nearly unique, as an identifier is"
    if column.type == "text" and _mean_length(column.values) > MIN_TEXT_LENGTH:
        return "left out", "it looks like free text"
    return "public", _public_words(column)


def _telling(column: Overview) -> str | None:
    """Return why a column is taken for sensitive: a word of its name, or of its label in a file."""
    for what, text in (("name", column.name), ("label", column.title or "")):
        for word in _whole_and_parts(words_of(text)):
            if word in SENSITIVE:
                return f"its {what} has the word {word!r}"
    return None


def _whole_and_parts(words: Sequence[str]) -> list[str]:
    """Return the words of a name, and neighbours as one word: last name is lastname."""
    pairs = [one + other for one, other in pairwise(words)]
    return [*words, *pairs, "".join(words)]


def _public_words(column: Overview, first: str = "") -> str:
    """Return what there is to know about a public column."""
    said = [first] if first else []
    if column.type in ORDERED_TYPES:
        said.append("ordered")
    elif column.distinct > MANY_TEXTS:
        said.append("it has many values: a taxonomy may help, or leaving it out")
    return "; ".join(said)


def _weighs(column: Overview) -> bool:
    """Whether a column has the name of survey weights, and many positive numbers."""
    named = WEIGHING.search(" ".join(words_of(column.name))) is not None
    numbers = _numbers(column)
    return named and column.distinct > MIN_WEIGHTS and bool(numbers) and min(numbers) > 0


def _numbers(column: Overview) -> dict[float, int]:
    """Return the finite numbers of a column, and how many records have each."""
    if column.type not in NUMBERS:
        return {}
    found = {value: records for value, records in column.values.items() if value == value}  # noqa: PLR0124, NaN
    return {value: records for value, records in found.items() if abs(value) != math.inf}


def _codes(column: Overview) -> tuple[float, ...]:
    """Return numbers that may stand for a missing value: apart from all the others."""
    numbers = sorted(_numbers(column))
    negative = [number for number in numbers if number < 0]
    rest = [number for number in numbers if number >= 0]
    found = negative if rest and set(negative) <= NEGATIVE_CODES else []
    # Between a code and the largest other number there is a gap: 65, 99 or 120, 999.
    if len(rest) > 1 and rest[-1] in POSITIVE_CODES and rest[-2] < 0.7 * rest[-1]:
        found = [*found, rest[-1]]
    return tuple(int(code) for code in found)  # floats and decimals, too: all codes are whole


def _cut(column: Overview, role: Role) -> str | None:
    """Return how to cut a column with many numbers or dates, as `--bin` takes it.

    Quantile bands have about as many records each, so that no band of a sensitive column is rare:
    a rare one caps what a release keeps.
    """
    if column.type in NUMBERS and column.distinct > MAX_UNBANDED[role]:
        return f"quantiles:{BANDS[role]}"
    days = column.type in ORDERED_TYPES - NUMBERS and column.type != "time"
    return "year" if days and column.distinct > MAX_DAYS else None


def _mean_length(values: Mapping[Any, int]) -> float:
    total = sum(values.values())
    return sum(len(str(value)) * records for value, records in values.items()) / max(total, 1)
