"""What happened at a site, as its clients saw it, and what must not have happened (as Jepsen's checkers read a history).

An operation that was not answered may have been done, or be done later; one that was answered has been.
"""
import collections
import dataclasses
import json
import threading
import time


@dataclasses.dataclass
class Operation:
    kind: str  # pair, approve, revoke, ask, list
    began: float
    ended: float
    gate: str
    device: str
    code: str = ""
    answer: str = ""  # "": none; else what the gate said


class History:
    def __init__(self):
        self.lock, self.operations, self.counts = threading.Lock(), [], collections.Counter()

    def note(self, kind, began, gate, device, answer, code=""):
        with self.lock:
            self.operations.append(Operation(kind, began, time.monotonic(), gate, device, code, answer))
            self.counts[kind, answer] += 1

    def count(self, kind, *answers):
        with self.lock:
            return sum(self.counts[kind, answer] for answer in answers)

    def write(self, path):
        with open(path, "w") as file:
            for each in self.operations:
                file.write(json.dumps(dataclasses.asdict(each)) + "\n")


def faults(operations, stale):
    """Sentences about what must not have happened; `list` operations are what each gate says in the end.

    - A code let in one device at most.
    - Who was let in, and whom nobody tried to revoke, is in the list of each gate in the end, and so is each approval.
    - Who was revoked is so at each gate in the end, and was let in by none that was asked `stale` seconds after the
      revocation was confirmed, or later.
    - A gate that has refused a device as revoked never lets it in again.
    """
    said = []
    of = {}
    for each in operations:
        of.setdefault(each.device, []).append(each)
    winners = {}
    for each in operations:
        if each.kind == "pair" and each.answer == "approved":
            winners.setdefault(each.code, set()).add(each.device)
    for code, devices in winners.items():
        if len(devices) > 1:
            said.append(f"code {code} let in {sorted(devices)}")
    listed_codes = {}
    for device, own in of.items():
        own.sort(key=lambda each: each.began)
        revocations = [each for each in own if each.kind == "revoke"]
        revoked = min((each.ended for each in revocations if each.answer == "done"), default=None)
        is_in = any(each.kind == "pair" and each.answer == "approved" or each.kind == "approve" and each.answer == "done"
                    for each in own)
        was_refused = {}
        for each in own:
            if each.kind == "list":
                if revoked is not None and each.answer != "revoked":
                    said.append(f"{device} was revoked, and is {each.answer or 'unknown'} at {each.gate} in the end")
                if is_in and not revocations and each.answer != "approved":
                    said.append(f"{device} was let in, and is {each.answer or 'unknown'} at {each.gate} in the end")
                if each.answer == "approved" and each.code:
                    listed_codes.setdefault(each.code, set()).add(device)
            if each.kind == "ask" and each.answer == "let in":
                if revoked is not None and each.began > revoked + stale:
                    said.append(f"{device} was let in at {each.gate} {each.began - revoked:.2f} s after it was revoked")
                if each.began > was_refused.get(each.gate, float("inf")):
                    said.append(f"{device} was let in at {each.gate} after that gate had called it revoked")
            if each.kind == "ask" and each.answer == "revoked":
                was_refused.setdefault(each.gate, each.ended)
    for code, devices in listed_codes.items():
        if len(devices) > 1:
            said.append(f"code {code} has let in {sorted(devices)} in the end")
    return said
