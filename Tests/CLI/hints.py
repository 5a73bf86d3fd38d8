#!/usr/bin/env python3
"""Hints: every one can be typed, and which were given and followed by a script.

  Tests/CLI/hints.py            the hints in Sources that no script has met, and the commands in hints that none has run
  Tests/CLI/hints.py --count    the figures alone
  Tests/CLI/hints.py --check    fails if no script has met a hint, and hints-unmet.txt has no reason for that

Tests/CLI/run leaves what its scripts met in .build/hints. A debug build of hubpair tells it each hint, each call that
began and each that failed. A command in a hint that hubpair itself would refuse to read fails the script that met it. A
hint counts as followed if a later call of the same script has the arguments that it names and ends well; words in
capitals stand for anything, and a hint that only names an option is followed by the same command with that option.
"""
import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RECORDS = ROOT / ".build/hints"
# What is put for words in capitals to see whether the line can be read; others are names.
SAMPLES = {
    "HOST:PORT": "192.0.2.1:8000", "THIS-SERVER": "192.0.2.1:8000", "HOST": "192.0.2.1", "NUMBER": "1",
    "MEMBERS": "https://etcd1:2379", "http://127.0.0.1:PORT": "http://127.0.0.1:8001", "PORT": "8001", "MINUTES": "10", "DAYS": "mon", "TIME": "07:30",
}
CAPITALS = re.compile(r"[A-Z][A-Z-]+(?::[A-Z]+)?|\S*\b[A-Z]{2,}\b\S*")


def commands(hint):
    """The calls of hubpair in a hint, each as a list of words without `hubpair`; sudo in front of it is left out."""
    found = []
    for match in re.finditer(r"(?<![\w/-])hubpair (?=\S)(?!did |does |that )", hint):
        before = re.sub(r"sudo (-u \S+ )?$", "", hint[:match.start()])
        if before.endswith("'"):
            # 'hubpair X' in a sentence: no quotation marks in it.
            rest, closed, _ = hint[match.end():].partition("'")
            if closed:
                found.append(words(rest))
        elif not before or re.search(r"(: |; |&& |, |\(|\b(or|say|run|with|it|and) )$", before):
            found.append(words(hint[match.end():]))
    return [command for command in found if command]


def words(text):
    """The words of a shell's line that ends with the text or where the sentence goes on."""
    found = []
    for match in re.finditer(r"\s*((?:'[^']*'|\"[^\"]*\"|\\.|[^\s'\"\\])+)", text):
        word = match[1]
        if re.match(r"\(|&&|\||>|<|or$|and$|where$", word):
            break
        bare = re.sub(r"\)?[;,?]?$", "", word)
        try:
            found += shlex.split(bare)
        except ValueError:
            break
        if bare != word:
            break
    return found


def options(hint):
    """The options of hubpair in a hint without a whole command, but those that are to be left out."""
    if re.search(r"\b(sudo|cp -p|apt|docker|rsvg-convert) |\bmembers' --", hint):
        return []
    return re.findall(r"(?<![\w-])--[a-z][a-z-]+", re.sub(
        r"\b([Ll]eave( out)?|without) --[a-z-]+( out)?((,| and|, or| or) --[a-z-]+)*", "", hint))


def is_placeholder(word):
    return bool(CAPITALS.fullmatch(word)) and not word.startswith("/")


def fits(command, arguments):
    """True if the call `arguments` is that of the hint. A command that is only named is followed by any call of it."""
    if command and path(command) == command:
        return arguments[:len(command)] == command
    if len(command) != len(arguments):
        return False
    return all(is_placeholder(one) or one == other for one, other in zip(command, arguments))


# Which hub, and which files of it, is no part of what a hint says.
PLACES = ("--state", "--config", "--passphrase-file")


def without_places(arguments):
    return [
        word for before, word in zip(["", *arguments], arguments) if word not in PLACES and before not in PLACES]


def path(arguments):
    """The first words of a call, up to the first that is none of a command's."""
    found = []
    for word in arguments:
        if not re.fullmatch(r"[a-z-]+", word) or word.startswith("-"):
            break
        found.append(word)
    return found[:2]


def kind(line):
    """The command and the options of a line: what its names and values are makes no difference."""
    arguments = shlex.split(line)
    named = sorted({re.split("=", word)[0] for word in arguments if re.match(r"--[a-z]", word)})
    return " ".join([*path(arguments), *named]) or "hubpair"


def to_run(text, values, last):
    """What the last hint in what `last` wrote says, with `values` put for words in capitals: words to execute."""
    found = re.findall(r"^ *(?:hint: |\{.*\"hint\":\")(.*?)(?:\"[,}].*)?$", text, re.M)
    if not found:
        sys.exit(f"there is no hint in:\n{text}")
    hint = found[-1]
    if calls := commands(hint):
        return ["hubpair", *(values.get(word, word) for word in calls[0])]
    # An option: behind what was typed, or in the place of the one that is unknown.
    if added := re.match(r"add (--?[a-z][^\s;,]*(?: [^\s;,]+(?=[;,]|$))?)", hint):
        return [*last, *shlex.split(added[1])]
    if (meant := re.match(r"did you mean '(--[^']*)'", hint)) and (unknown := re.search(r"(?:unknown option|unexpected argument) '([^']*)'", text)):
        return [part for word in last for part in (shlex.split(meant[1]) if word == unknown[1] else [word])]
    # A command of the system's behind a colon, or alone; a script is root, or needs no root.
    line = re.sub(r"^sudo ", "", re.sub(r" \(that .*", "", hint.rpartition(": ")[2]))
    return ["sh", "-c", line]


class Met:
    """What one script met."""

    def __init__(self, copies):
        self.hints, calls, failed = [], [], {}
        for number, text in enumerate(copies.read_text().splitlines()):
            arguments, stream, value = json.loads(text)
            if stream == "hint":
                self.hints.append((number, arguments, value))
            elif stream == "run":
                calls.append((number, arguments, value))
            # 78 is doctor's answer that it has found something.
            elif stream == "failed" and value[1] and not (value[1] == 78 and arguments[:1] == ["doctor"]):
                failed[value[0]] = value[1]
        self.good = [(number, arguments) for number, arguments, pid in calls if pid not in failed]

    def followed(self, hint, given, number):
        """What of a hint has been done later: a list of [command, True or False]."""
        later = [arguments for place, arguments in self.good if place > number]
        later += [without_places(arguments) for arguments in later]
        lines = commands(hint)
        if lines:
            return [[shlex.join(line), any(fits(line, arguments) for arguments in later)] for line in lines]
        return [
            [option, any(
                option in arguments and path(given)[:len(path(arguments))] == path(arguments) for arguments in later)]
            for option in options(hint)]

    def rows(self):
        return [[hint, given, self.followed(hint, given, number)] for number, given, hint in self.hints]


def sample(command):
    return [SAMPLES.get(word, "x" if is_placeholder(word) else word) for word in command]


def refused(command, binary, environment):
    """What hubpair says of a command that it cannot read, or None."""
    done = subprocess.run(
        [binary, *sample(command)], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
        env={**environment, "HUBPAIR_READ_ONLY_ARGUMENTS": "1", "HUBPAIR_JSON_COPY": "/dev/null"})
    # `pair` asks a terminal for the code.
    return done.stderr if done.returncode and "at a terminal, and standard input" not in done.stderr else None


def faults_of_copies(copies, name, binary, environment):
    """Hints of a script that cannot be typed; what it met is kept for the list."""
    met = Met(copies)
    try:
        RECORDS.mkdir(parents=True, exist_ok=True)
        (RECORDS / f"{name.replace('/', '.')}.json").write_text(json.dumps(met.rows()))
    except OSError:
        pass  # another user's tree: the list is not made there
    seen = set()
    for _, given, hint in met.hints:
        for command in commands(hint):
            line = shlex.join(command)
            if line in seen or "…" in line or "..." in line:
                continue
            seen.add(line)
            if said := refused(command, binary, environment):
                yield f"hubpair {shlex.join(given)}\nhint: {hint}\nhubpair {line} cannot be typed: {said}"


# The list of what Sources have.

LITERAL = re.compile(r'"""\n(.*?)\n\s*"""|"((?:\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\\.|[^"\\\n])*)"', re.S)


def pattern(literal):
    """A regular expression of what a Swift literal becomes; None if little of it is fixed."""
    parts = re.split(r"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", literal)
    parts = [re.sub(r"\\(.)", r"\1", part) for part in parts]
    if max(map(len, parts)) < 6:
        return None
    # A first letter is written small where the sentence goes on.
    return re.compile("(?i:" + re.escape(parts[0][:1]) + ")" + re.escape(parts[0][1:])
                      + "".join(".*?" + re.escape(part) for part in parts[1:]), re.S)


def block(text, start):
    """The text from a brace to the one that closes it."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place]
    return text[start:]


def sources():
    """Each literal of a hint in Sources: (file:line, literal)."""
    found = {}
    for file in sorted((ROOT / "Sources").rglob("*.swift")):
        text = file.read_text()
        pieces = [
            (match.end() - 1, block(text, match.end() - 1)) for match in re.finditer(
                r"(?:var|func) \w*(?:hint|advice|remedy)\w*(?:\([^{]*\))?\s*(?:->|:)\s*String\??\s*\{", text, re.I)]
        # An argument with that name, to the end of the call's line or of the lines that go on with "+".
        for match in re.finditer(r"\b(?:hint|mend|meant): *(?=\S)", text):
            rest = re.match(r"[^\n]*(?:\n\s*[+?:][^\n]*)*|\n\s*[^\n]*(?:\n\s*[+?:][^\n]*)*", text[match.end():])
            if '"' in rest[0]:
                pieces.append((match.end(), rest[0]))
        for match in re.finditer(r'"hint: ', text):
            rest = re.match(r"[^\n]*(?:\n\s*\+[^\n]*)*", text[match.start():])
            pieces.append((match.start(), rest[0]))
        for start, piece in pieces:
            for match in LITERAL.finditer(piece):
                # What has been seen, or is looked for, in the same line.
                if re.search(r"(\.(ok|warning|problem|skipped)|contains)\($", piece[:match.start()]):
                    continue
                # What a case is compared with.
                if re.search(r"\bcase\b[^:\n]*$|^\s*\"[^:\n]*$", piece[:match.start()].rpartition("\n")[2]) and re.match(
                        r"[^\n?]*:\s*(\n|\w|\")", piece[match.end():]):
                    continue
                literal = re.sub(r"\\\n\s*", "", match[1] or match[2] or "").removeprefix("hint: ")
                literal = re.sub(r"\n\s*", " ", literal)
                # A word of a `case` is no hint.
                if " " in literal and pattern(literal):
                    line = text.count("\n", 0, start + match.start()) + 1
                    found[(file.relative_to(ROOT), line)] = literal
    return found


def excepted(file, literal):
    """The reason for which no script meets a hint; None if there is none."""
    for line in (ROOT / "Tests/CLI/hints-unmet.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        place, *beginning, reason = line.split(" | ")
        if str(file).startswith(place) and all(text in literal for text in beginning):
            return reason
    return None


def main():
    rows = [row for file in sorted(RECORDS.glob("*.json")) for row in json.loads(file.read_text())]
    if not rows:
        sys.exit("nothing is known: Tests/CLI/run first")
    texts = "\n".join({hint for hint, _, _ in rows})
    literals = sources()
    unmet = {place: literal for place, literal in literals.items() if not pattern(literal).search(texts)}
    if "--check" in sys.argv:
        new = [f"{file}:{line}: {literal}" for (file, line), literal in unmet.items() if not excepted(file, literal)]
        said = "no script meets these hints; follow each in one, or give the reason in hints-unmet.txt:"
        sys.exit("\n".join([said, *new]) if new else 0)
    # A line of a hint, with names left out, so that the same of two appliances is one.
    done = collections.defaultdict(lambda: [False, 0, ""])
    for hint, given, followed in rows:
        for line, was_run in followed:
            # Every help is read by the unit tests.
            if line.endswith("--help"):
                continue
            key = kind(line)
            done[key][0] |= was_run
            done[key][1] += 1
            done[key][2] = done[key][2] or f"hubpair {shlex.join(given)}: {hint}"
    left = {key: value for key, value in done.items() if not value[0]}
    if "--count" not in sys.argv:
        for (file, line), literal in unmet.items():
            print(f"{file}:{line}: {literal}")
        print()
        for key, (_, count, example) in sorted(left.items(), key=lambda item: -item[1][1]):
            print(f"{count} × {key}\n      {example[:300]}")
    print(
        f"{len(literals) - len(unmet)} of {len(literals)} hints in Sources were met; "
        f"{len(done) - len(left)} of {len(done)} kinds of command in them were run")


if __name__ == "__main__":
    main()
