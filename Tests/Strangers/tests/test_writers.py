"""Several people at their command lines, who change the same rooms, scenes and rules at the same time: what a command
has confirmed is there in the end, and what it has refused is not.

HUBPAIR_WRITERS is the number of commands of each (default 8); the seed is printed."""
import json
import os
import pathlib
import random
import subprocess
import tempfile
import threading
import unittest

from hub import HUBPAIR, Hestia, Hub

COMMANDS = int(os.environ.get("HUBPAIR_WRITERS", "8"))
SEED = int(os.environ.get("HUBPAIR_SEED") or random.SystemRandom().randrange(1 << 31))
WRITERS = 4
REFUSED = 75  # try again


class Person:
    """One computer, and a model of what its own commands have done."""

    def __init__(self, folder, number, hub):
        self.number, self.config = number, os.path.join(folder, f"config{number}")
        self.dice = random.Random(f"{SEED}/{number}")
        self.told, self.retries = {}, 0
        code = hub.run("print", "--format", "text", "--address", "none", "--role", "owner")
        self.run("pair", "-", "--hub", f"127.0.0.1:{hub.port}", input=code, check=True)

    def run(self, *arguments, input=None, check=False):
        done = subprocess.run([HUBPAIR, *arguments, "--config", self.config], input=input, capture_output=True,
                              text=True, timeout=120)
        if check and done.returncode != 0:
            raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
        return done

    def commands(self):
        """Each command with what it makes true: a key, and its value."""
        own = f"Device {self.number}"
        number = self.dice.randrange(1000)
        return [
            (["home", "room", "put", "Shared", own], ("room", own), True),
            (["home", "room", "out", own], ("room", own), False),
            (["home", "rule", "add", f"Rule {self.number}", own, "--when", "on", "--text", f"T{number}"],
             ("rule", f"Rule {self.number}"), f"T{number}"),
            (["home", "rule", "remove", f"Rule {self.number}"], ("rule", f"Rule {self.number}"), None),
            # Of one scene, one person saves the states, and the next one says when it runs.
            (["home", "scene", "save", f"scene {self.number}",
              *(["Device 0"] if number % 2 else ["Device 0", "Device 2"])],
             ("states", f"scene {self.number}"), 2 if number % 2 else 4),
            (["home", "scene", "at", f"scene {(self.number + 1) % WRITERS}", f"{number % 24:02}:{number % 60:02}"],
             ("at", f"scene {(self.number + 1) % WRITERS}"), f"{number % 24:02}:{number % 60:02}")]

    def work(self, faults):
        for _ in range(COMMANDS):
            line, key, value = self.dice.choice(self.commands())
            isThere = self.told.get(key)
            done = self.run(*line)
            if done.returncode == 0:
                self.told[key] = value
            elif done.returncode == REFUSED and "not as it was read" in done.stderr:
                self.retries += 1
            elif done.returncode == 1 and line[2] == "out" and not isThere:
                pass  # it was in no room
            elif done.returncode == 1 and line[2] == "remove" and isThere is None:
                pass  # there is no such rule
            else:
                faults.append(f"{line}: {done.returncode}: {done.stderr}")


class WriterTests(unittest.TestCase):
    def test_nothing_is_lost(self):
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        hestia = Hestia("--plain", "--devices", str(2 * WRITERS))
        self.addCleanup(hestia.stop)
        hub = Hub(hestia.url, ["--max-connections", "512/200"])
        self.addCleanup(hub.remove)
        hub.start()
        with tempfile.TemporaryDirectory() as folder:
            people = [Person(folder, number, hub) for number in range(WRITERS)]
            people[0].run("home", "room", "add", "Shared", check=True)
            for number in range(WRITERS):
                people[0].run("home", "scene", "save", f"scene {number}", "Device 0", check=True)
            faults = []
            threads = [threading.Thread(target=person.work, args=(faults,)) for person in people]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(faults, [])
            told = {key: value for person in people for key, value in person.told.items()}
            found = self.found(people[0])
        for key, value in told.items():
            self.assertEqual(found.get(key, {"room": False}.get(key[0])), value, key)
        print(f"{len(told)} things, {sum(person.retries for person in people)} commands gave up", flush=True)

    def found(self, person):
        lines = lambda *words: [json.loads(line) for line in person.run(*words, "--json", check=True).stdout.splitlines()]
        found = {("room", each["name"]): True for room in lines("home", "room") for each in room["devices"]}
        found.update({("rule", each["rule"]): each["text"] for each in lines("home", "rule")})
        for scene in lines("home", "scene", "list"):
            found["states", scene["scene"]] = scene["states"]
            found["at", scene["scene"]] = scene["at"]
        return found


if __name__ == "__main__":
    unittest.main()
