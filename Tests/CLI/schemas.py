"""Checks lines of JSON that hubpair wrote against samples/schemas/hubpair.schema.json."""
import json
import pathlib

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCHEMA = json.loads((ROOT / "samples/schemas/hubpair.schema.json").read_text())
# Every command that writes JSON, and the groups on the way to it.
PATHS = {tuple(name.split("-")) for name in SCHEMA["$defs"]}
GROUPS = {path[:length] for path in PATHS for length in range(1, len(path))}
# What is called without them is listed.
LISTS = {("codes",), ("devices",), ("hubs",), ("home",), ("home", "scene"), ("hub",)}
_validators = {}


class Unknown(Exception):
    pass


def command(arguments):
    """The name of the command in `arguments`, as the schemas have it."""
    if "--version" in arguments:
        return "version"
    path = ()
    for word in arguments:
        if word == "--":
            break
        longer = path + (word,)
        if longer in PATHS or longer in GROUPS:
            path = longer
        elif path and not word.startswith("-"):
            break
    if path not in PATHS:
        raise Unknown(f"no schema for: hubpair {' '.join(arguments)}")
    return "-".join(path)


def check(arguments, stream, value):
    """Returns what is wrong with a line of `stream` ("out" or "err"), or None."""
    name = "message" if stream == "err" else command(arguments)
    if name not in _validators:
        # One document: no reference leads out of it.
        schema = {"$schema": SCHEMA["$schema"], "$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
        jsonschema.Draft202012Validator.check_schema(schema)
        _validators[name] = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(_validators[name].iter_errors(value))
    if error is not None:
        return f"{name}: {error.message} (at {error.json_path})"
    # A kind of message is a key, and no text.
    if stream == "err" and "note" in value and value["note"].startswith(("error:", "warning:", "hint:")):
        return f"a note that is another kind of message: {value['note']}"
    return None


def faults_of_copies(path):
    """What is wrong with the lines of which hubpair left copies in the file `path`."""
    seen = set()
    for text in path.read_text().splitlines():
        if text not in seen:
            seen.add(text)
            arguments, stream, value = json.loads(text)
            if stream not in ("out", "err"):
                continue
            fault = check(arguments, stream, value)
            if fault:
                yield f"hubpair {' '.join(arguments)}: {fault}\n{json.dumps(value)}"


def faults_of_output(arguments, output, messages):
    """What is wrong with what a call with --json wrote to both streams: each line is an object of its kind."""
    for stream, data in (("out", output), ("err", messages)):
        for line in data.decode().splitlines():
            try:
                fault = check(arguments, stream, json.loads(line))
            except ValueError:
                fault = "no JSON"
            if fault:
                yield f"{stream}: {fault}\n{line}"
