"""The ratios that benchmarks find, and the table of those that are kept (results/ratios.md).

A benchmark calls `note` for each ratio: hubpair divided by the other tool, so that less is better. Where more is
better (requests a second, photographs read) it is the other one divided by hubpair. `Tests/Benchmarks/run` runs
each benchmark three times; the table keeps the median, and the least and the greatest as the noise.
"""
import json
import os
import statistics

HEAD = """# Ratios of the last kept run

Written by `Tests/Benchmarks/run`. hubpair divided by the tool that is named, less is better; where more is better
(requests a second, photographs read) the other way round. Median, and in brackets the least and the greatest of the runs.
Two rows compare only on one machine.

| benchmark | measured | ratio | commit | machine |
|---|---|---|---|---|
"""


def note(benchmark, measured, ours, theirs):
    """Adds ours / theirs to the file that $HUBPAIR_RATIOS names; does nothing without it."""
    path = os.environ.get("HUBPAIR_RATIOS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps([benchmark, measured, ours / theirs if theirs else None]) + "\n")


def summary(lines):
    """(benchmark, measured) → (median, least, greatest), in the order of the first run.

    >>> summary(['["list", "end: a", 0.5]', '["list", "end: a", 0.7]', '["list", "end: a", 0.6]'])
    {('list', 'end: a'): (0.6, 0.5, 0.7)}
    """
    found = {}
    for line in lines:
        benchmark, measured, ratio = json.loads(line)
        if ratio is not None:
            found.setdefault((benchmark, measured), []).append(ratio)
    return {key: (statistics.median(runs), min(runs), max(runs)) for key, runs in found.items()}


def parse(text):
    """The rows of a kept table: (benchmark, measured) → ((median, least, greatest), commit, machine).

    >>> parse(table({("list", "end: a"): ((0.6, 0.5, 0.7), "abc", "2 × X")}))
    {('list', 'end: a'): ((0.6, 0.5, 0.7), 'abc', '2 × X')}
    """
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 5 and cells[2][:1].isdigit():
            median, noise = cells[2].split(" (")
            least, greatest = noise.rstrip(")").split("–")
            rows[cells[0], cells[1]] = ((float(median), float(least), float(greatest)), cells[3], cells[4])
    return rows


def table(rows):
    """The text of results/ratios.md."""
    return HEAD + "".join(
        f"| {benchmark} | {measured} | {median:.3g} ({least:.3g}–{greatest:.3g}) | {commit} | {machine} |\n"
        for (benchmark, measured), ((median, least, greatest), commit, machine) in sorted(rows.items()))


def worse(kept, new):
    """What got worse by more than the noise: the least of the new runs is above the greatest of the kept ones.

    >>> kept = {("list", "end: a"): ((0.6, 0.5, 0.7), "abc", "x")}
    >>> worse(kept, {("list", "end: a"): (0.75, 0.69, 0.8)})
    []
    >>> worse(kept, {("list", "end: a"): (0.75, 0.71, 0.8)})
    ['list, end: a: 0.75 (0.71–0.8), was 0.6 (0.5–0.7) at abc']

    What is kept has three digits.
    >>> worse(kept, {("list", "end: a"): (0.7001, 0.7001, 0.7001)})
    []
    """
    lines = []
    for key, (median, least, greatest) in new.items():
        if key in kept and float(f"{least:.3g}") > kept[key][0][2]:
            before = kept[key][0]
            lines.append(f"{key[0]}, {key[1]}: {median:.3g} ({least:.3g}–{greatest:.3g}), "
                         f"was {before[0]:.3g} ({before[1]:.3g}–{before[2]:.3g}) at {kept[key][1]}")
    return lines
