"""A file of `Sources/CTexts/languages` as Tests/texts and Tests/said read it; the program reads it by Language.swift."""
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/CTexts/languages"
SECTIONS = ("command line", "help", "page")


def places(line):
    return sorted(set(re.findall(r"\{(\d)!?\}", line)))


class LanguageFile:
    """`lines[section]` has the words by the English ones, and `faults[section]` what no section may have."""

    def __init__(self, path):
        self.name = path.name
        self.lines = {section: {} for section in SECTIONS}
        self.faults = {section: [] for section in SECTIONS}
        section, key = None, None
        text = path.read_text()
        if not re.match(rf"## language {re.escape(path.stem)} \S", text):
            self.faults["page"].append(f"{path.name}:1: it begins with '## language {path.stem} ITS OWN NAME'")
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("## ") and not line.startswith("## language "):
                section = line[3:]
                if section not in SECTIONS:
                    self.faults["page"].append(f"{path.name}:{number}: the sections are {SECTIONS}")
                    return
            if line.startswith("#") or not line:
                continue
            wrong = self.faults[section].append
            if line != line.rstrip() or section is None:
                wrong(f"{path.name}:{number}: {line!r} has a space at its end, or stands in no section")
            if not line.startswith("= "):
                if key is not None:
                    wrong(f"{path.name}:{number}: {key!r} has no second line")
                key = line
                continue
            if key is None:
                wrong(f"{path.name}:{number}: nothing stands before {line!r}")
                continue
            if key in self.lines[section]:
                wrong(f"{path.name}:{number}: {key!r} stands twice")
            # The page quotes the same things in every language; the command line may leave one out.
            same = places(line) == places(key) if section == "page" else set(places(line)) <= set(places(key))
            if not same:
                wrong(f"{path.name}:{number}: {line!r} has other places than {key!r}")
            self.lines[section][key], key = line[2:], None

    @staticmethod
    def all(paths=()):
        return [LanguageFile(path) for path in map(pathlib.Path, paths or sorted(FOLDER.glob("*.txt")))]
