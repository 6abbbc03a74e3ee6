"""Crosstables as CSV, and back, so that what was published can be rated again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import fields
from itertools import combinations

import numpy as np

from arena.records import Crosstable, CrosstableRow, TableClusters, Tally

COLUMNS = tuple(field.name for field in fields(CrosstableRow))
CLUSTER_COLUMNS = (
    "agents",
    "mirrors",
    "first",
    "second",
    "outcome",
    "with_first",
    "with_second",
    "with_outcome",
    "sum",
)
OUTCOMES = ("won", "drawn", "lost")


def crosstable_csv(crosstable: Crosstable) -> str:
    """Return a crosstable as CSV, a row an ordered pair."""
    return _csv(COLUMNS, ([getattr(row, column) for column in COLUMNS] for row in crosstable))


def clusters_csv(crosstable: Crosstable) -> str:
    """Return what intervals need of larger tables as CSV.

    A row a pairing and two counts: ``sum`` is the sum over its mirrors of the product of how often ``first`` had
    ``outcome`` against ``second``, and ``with_first`` had ``with_outcome`` against ``with_second``. Each two counts
    stand once; ``agents`` is a JSON list.
    """
    rows: list[list[object]] = []
    for table in crosstable.clusters:
        counts = [(*pair, outcome) for pair in combinations(table.agents, 2) for outcome in OUTCOMES]
        agents = json.dumps(table.agents, ensure_ascii=False)
        for one, left in enumerate(counts):
            rows += [
                [agents, table.mirrors, *left, *right, int(table.products[one, one + more])]
                for more, right in enumerate(counts[one:])
            ]
    return _csv(CLUSTER_COLUMNS, rows)


def _csv(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def read_crosstable(rows_csv: str, clusters: str = "") -> Crosstable:
    """Return a crosstable from its files; tallies, which ratings do not need, are empty.

    Args:
        rows_csv: the text of ``crosstable.csv``.
        clusters: the text of ``clusters.csv``, where there is one.

    Raises:
        ValueError: if a column is missing or a number is none.
        KeyError: as that.
    """
    rows = tuple(
        CrosstableRow(first=line["first"], second=line["second"], **{key: int(line[key]) for key in COLUMNS[2:]})
        for line in csv.DictReader(io.StringIO(rows_csv))
    )
    agents = tuple(sorted({row.first for row in rows} | {row.second for row in rows}))
    tables: dict[tuple[str, ...], TableClusters] = {}
    for line in csv.DictReader(io.StringIO(clusters)):
        names = tuple(json.loads(line["agents"]))
        counts = [(*pair, outcome) for pair in combinations(names, 2) for outcome in OUTCOMES]
        table = tables.setdefault(
            names, TableClusters(names, int(line["mirrors"]), np.zeros((len(counts),) * 2, dtype=np.int64))
        )
        one = counts.index((line["first"], line["second"], line["outcome"]))
        other = counts.index((line["with_first"], line["with_second"], line["with_outcome"]))
        table.products[one, other] = table.products[other, one] = int(line["sum"])
    return Crosstable(agents, rows, {name: Tally() for name in agents}, tuple(tables[key] for key in sorted(tables)))
