"""What a new user meets: lines that a grammar makes, each typed in every state that a machine can be in.

For scripts of Tests/CLI (mistakes/campaign, mistakes/asked), which first run campaign.sh. The exit code is a documented one,
one error is said, and with it a hint; the command in the hint is executed in that state: it is taken, and either it ends
well or its own hint does, within four steps; no secret is said again, and what is refused has changed no file.
HUBPAIR_SEED and HUBPAIR_LINES choose other lines; HUBPAIR_SAID names a file for what was typed and answered."""
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import hints

SEED, LINES = int(os.environ.get("HUBPAIR_SEED", 42)), int(os.environ.get("HUBPAIR_LINES", 60))
HERE = pathlib.Path.cwd()
CODES = {0, 1, 64, 65, 66, 69, 73, 75, 77, 78}
SECRET = (HERE / "typed").read_text().strip()
# What is on the machine, as $HUBPAIR_STATE and $HUBPAIR_CONFIG: nothing; the package and no hub; a hub that is not served; one
# that is, at an owner's computer; an owner's computer; a guest's; one whose hub has gone.
STATES = {
    "fresh": ("none", "nobody"), "package": (None, "nobody"), "hub": ("still", "nobody"), "own": ("hub", "owner"), "owner": ("none", "owner"),
    "guest": ("none", "guest"), "away": ("none", "gone"),
}
# What is put for the words in capitals of a hint.
VALUES = {
    "HUB": "House", "NAME": "Attic", "DEVICE": "tablet", "APPLIANCE": "Desk lamp", "LOCK": "Front door", "ROOM": "Kitchen",
    "SCENE": "evening", "CODE": "ABCD", "HOST": "127.0.0.1", "HOST:PORT": "127.0.0.1:8101", "FILE": "made.out", "NUMBER": "1",
    "IMAGE": "owner.png", "TIME": "22:00", "DAYS": "mon", "http://127.0.0.1:PORT": "http://127.0.0.1:3000",
}


def files(hub):
    """What a refused line must leave alone."""
    # What is known of a hub is brought up to date by every visit, but each hub stays.
    def content(path):
        return sorted(re.findall(rb"^\[hub.*", path.read_bytes(), re.M)) if path.name == "known-hubs" else path.read_bytes()

    return {
        path: content(path) for folder in ("kept", hub if hub in ("still", "copy") else "")
        for path in (HERE / folder).rglob("*") if folder and path.is_file() and not path.name.startswith((".", "last-seen"))}


def run(words, state):
    # Of a state that is not alive a copy is used, so that nothing that is done stays.
    hub, config = STATES.get(state, ("copy", "nobody"))
    scratch = HERE / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.rmtree(HERE / "none", ignore_errors=True)
    scratch.mkdir()
    for name in "owner.png", "photo.jpg":
        if (HERE / name).exists():
            shutil.copy(HERE / name, scratch / name)
    kept = HERE / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    if (HERE / config).exists():
        shutil.copytree(HERE / config, kept)
    environment = {**os.environ, "HUBPAIR_CONFIG": str(kept)}
    if hub is None:
        # The package makes no directory; who is root here needs no sudo.
        words = ["unshare", "-Urm", "sh", "-c", 'mount -t tmpfs none /var/lib && exec env -u HUBPAIR_STATE "$@"', "sh", *words]
    else:
        environment["HUBPAIR_STATE"] = str(HERE / hub)
    if hub == "copy":
        subprocess.run("rm -rf copy; cp -a hub copy", shell=True, cwd=HERE)
    if hub == "still":
        shutil.rmtree(HERE / "still", ignore_errors=True)
        shutil.copytree(HERE / "still.kept", HERE / "still")
    before = files(hub)
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, cwd=scratch, env=environment,
                              errors="replace")
        done.lost = done.returncode == 64 and files(hub) != before
        return done
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 999, "", "hangs")


# These go on until they are stopped, or change what others stand on.
ENDLESS = {("serve",), ("home", "watch"), ("messages", "watch"), ("logs",), ("home", "listen"), ("relay", "serve")}
DEADLY = {("hubs", "reset"), ("hub", "restore"), ("setup",)}


def may_run(words, state):
    stopped = ENDLESS | (DEADLY - {("setup",)} if state in ("fresh", "package") else DEADLY)
    return not any(tuple(words[:count]) in stopped for count in (1, 2))


def fault(line, state):
    done = run(["hubpair", *line], state)
    text = done.stdout + done.stderr
    if "HUBPAIR_SAID" in os.environ:
        with open(os.environ["HUBPAIR_SAID"], "a") as said:
            said.write(f"[{state}] hubpair {shlex.join(line)}\n  {done.returncode} {text[:300].strip()}\n")
    plain = re.sub("[^0-9A-Z]", "", text.upper())
    if re.sub("[^0-9A-Z]", "", SECRET) in plain:
        return "the secret is said", done
    if done.returncode not in CODES:
        return f"the exit code {done.returncode}", done
    if "Fatal error" in text or "Traceback" in text:
        return "it crashed", done
    if getattr(done, "lost", False):
        return "it is refused, and has changed a file", done
    if done.returncode == 0:
        return None, done
    if not re.search(r'^(error|problem|warning)\b|^\{"', text, re.M) and done.returncode not in (0, 1):
        return "no error is named", done
    if done.returncode == 64 and "hint" not in text:
        return "no hint", done
    if done.returncode == 64 and len(re.findall(r'^error: |^\{"error"', text, re.M)) != 1:
        return "not one error", done
    seen = [done.stderr]
    for step in range(4):
        found = re.findall(r"^ *hint: (.*)$", done.stderr, re.M)
        calls = hints.commands(found[-1]) if found else []
        if not calls:
            # An option that is to be added to what was typed.
            return None, done
        # A word that stands for a name gives that of this state; what is to be done on the hub is done there.
        words = [VALUES.get(word, word) for word in calls[0]]
        place = "copy" if found[-1].startswith("on the hub:") and state in ("fresh", "package", "owner", "guest", "away") else state
        if words[0] == "list" and re.search(r"--timeout \d+[mh]", " ".join(words)):
            return None, done  # it is as long as it says
        if words == ["pair"]:
            return None, done  # it asks a terminal
        if not may_run(words, state) or any("…" in word for word in words):
            return None, done
        done = run(["hubpair", *words], place)
        if done.returncode not in CODES:
            return f"the hint ends with {done.returncode}", done
        # It asks for what only the person knows, or wants a yes.
        if done.returncode == 64 and not re.search(
                r"at a terminal|on a terminal|--yes|hint: say which: |hint: choose another name$", done.stderr, re.M):
            return f"the hint is refused (step {step + 1})", done
        if done.returncode == 0 or words[0] in ("doctor", "list") and done.returncode in (1, 78):
            return None, done
        if done.stderr in seen:
            return f"the hint changes nothing (step {step + 1})", done
        seen.append(done.stderr)
    return "there is no end to the hints", done


def main(line_of):
    """`line_of()` gives a line, and what kind of mistake it is; IndexError or ValueError if none was found."""
    count_of_each = max(1, LINES // len(STATES))
    faults, count = 0, 0
    for state in STATES:
        random.seed(f"{SEED} {state}")
        for _ in range(count_of_each):
            while True:
                try:
                    line, mistake = line_of()
                except (IndexError, ValueError):
                    continue
                if not may_run(line, state) or "watch" in line or "\0" in " ".join(line):
                    continue
                break
            count += 1
            what, done = fault(line, state)
            if what:
                faults += 1
                print(f"FAULT [{state}/{mistake}] hubpair {shlex.join(line)}: {what}\n{done.args}\n{done.stdout[:600]}{done.stderr[:900]}\n")
            sys.stdout.flush()
    print(f"{count} lines in {len(STATES)} states, seed {SEED}: {faults} faults")
    sys.exit(bool(faults))
