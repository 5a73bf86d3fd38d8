"""The gate and the house are two processes: either is killed at random times, the other goes on, and what was told is
still there.

HUBPAIR_HOUSEHOLD_KILLS is the number of kills (default 4, each twice); HUBPAIR_SEED repeats a run."""
import http.client
import json
import os
import random
import subprocess
import tempfile
import threading
import time

import test_household
from hub import HUBPAIR
from test_household import HouseholdTests, Stream

KILLS = 2 * test_household.KILLS


def load_tests(loader, tests, pattern):
    # Not those that are imported.
    return loader.loadTestsFromTestCase(EitherTests)


class EitherTests(HouseholdTests):
    """Two processes, as two units of a service manager."""

    def setUp(self):
        sockets = tempfile.TemporaryDirectory()
        self.addCleanup(sockets.cleanup)
        os.environ["HUBPAIR_HOUSE"] = sockets.name
        self.addCleanup(os.environ.pop, "HUBPAIR_HOUSE")
        super().setUp()
        self.house = None
        self.start_house()
        self.addCleanup(self.kill_house)

    def start_house(self):
        program = os.path.join(os.path.dirname(os.path.realpath(HUBPAIR)), "hubpair-house")
        with open(self.hub.log_path, "a") as log:
            self.house = subprocess.Popen(
                [program, self.hub.state], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill_house(self):
        self.house.kill()
        self.house.wait()

    def wait_for_house(self):
        # Only against what hangs.
        for _ in range(3000):
            if self.ask("GET", "messages")[0] == 200:
                return
            time.sleep(0.02)
        self.fail("the house does not come back: " + self.hub.log())

    def test_either_is_killed_while_messages_arrive(self):
        seed = int(os.environ.get("HUBPAIR_SEED") or time.time_ns() % 1_000_000)
        dice = random.Random(seed)
        with self.subTest(seed=seed):
            self.kill_either(dice)

    def kill_either(self, dice):
        self.wait_for_house()
        self.wait_for_messages(1)
        last = f"{self.get('messages')['log']}-0"
        names, seen, counts = [], [], {"gate": 0, "house": 0}
        for number in range(KILLS):
            names += self.add_devices(dice.choice((1, 5, 40)), seed=f"e{number}")
            stream = Stream(self.hub, self.device, "messages/stream", last)
            victim = dice.choice(("gate", "house")) if number > 1 else ("gate", "house")[number]
            counts[victim] += 1
            killer = threading.Timer(dice.uniform(0, 0.2), self.hub.kill if victim == "gate" else self.kill_house)
            killer.start()
            try:
                for _, message in stream.events():
                    seen.append(message)
                    last = stream.last
            except (OSError, json.JSONDecodeError, ValueError, http.client.HTTPException):
                pass
            killer.join()
            stream.close()
            if victim == "gate":
                self.assertIsNone(self.house.poll())
                self.hub.start()
            else:
                # What is the server's passes, and what the house keeps is refused in plain words.
                self.assertEqual(self.ask("GET", "/devices/", base="")[0], 200)
                status, answer = self.ask("GET", "messages")
                self.assertEqual((status, answer["error"]), (503, "house_away"))
                self.assertIsNone(self.hub.process.poll())
                self.start_house()
            self.wait_for_house()
            # Whoever was told of a message finds it.
            listed = {each["id"]: each["text"] for each in self.all_messages()}
            for message in seen:
                self.assertEqual(listed.get(message["id"]), message["text"])
        messages = self.wait_for_messages(len(names) + 1)
        self.assertEqual([each["id"] for each in messages], list(range(1, len(names) + 2)))
        self.assertEqual(sorted(each["text"].split(" ")[0] for each in messages[1:]), sorted(names))
        stream = self.stream("messages/stream", last)
        while len(seen) < len(messages):
            seen.append(stream.next()[1])
        self.assertEqual([each["id"] for each in seen], [each["id"] for each in messages])
        print(f"killed {counts['gate']} times the gate, {counts['house']} times the house: {len(messages)} messages",
              flush=True)
