"""What hubpair promises of its speed, and the measurements that each promise rests on: RESULTS.md, a row a promise.

A promise names a benchmark, the measurements by a regular expression, and the greatest ratio that keeps it.
"""
import re

# (promise, benchmark, measurements, at most)
PROMISES = [
    ("`scan` of a PNG or a photograph takes less CPU than zbarimg", "tools", r"scan a (PNG|photo \(JPEG\)): zbarimg: CPU", 1),
    ("so does `scan` of many files, with a code, another one or none", "many", r"CPU, .*: zbarimg", 1),
    ("`print` takes at most 5 times the CPU of qrencode, which does less", "tools", r"print (PNG|terminal): qrencode.*: CPU", 5),
    ("`print` of 250 codes takes at most 6 times the CPU of qrencode", "tools", r"print .*250 codes out: qrencode.*: CPU", 6),
    ("of 343 photographs more are read than by zbarimg, ZXingReader or zxing-cpp", "photos", r"photographs read: .*", 1),
    ("a photograph takes less CPU than with zbarimg", "photos", r"CPU for .*", 1),
    ("of several codes in a picture no fewer are read than by zbarimg and zxing-cpp", "crowds", r".*, codes read: .*", 1),
    ("a thousand images take half the time on two processors", "many", r"1000 images, two processors: one", 0.6),
    ("200 mixed files are read as fast as by two ZXingReaders", "many", r"200 mixed files: .*", 1.15),
    ("`list` ends before avahi-browse does", "list", r".*, end: avahi-browse.*", 1),
    ("`list` shows its first row before python-zeroconf does", "list", r".*, first row: python-zeroconf", 1),
    ("`list` of 200 hubs takes no more CPU than avahi-browse with a cold cache", "list", r"200 hubs, cold, CPU: .*", 1.2),
    ("`list` of one hub takes at most 6 times the CPU of avahi-browse", "list", r"1 hubs, .*, CPU: .*", 6),
    ("a kept connection through the gateway costs at most 1.6 times the CPU of nginx", "gateway", r".*, kept, .*: nginx, CPU", 1.6),
    ("a new connection through the gateway costs less CPU than with nginx", "gateway", r".*, new, .*: nginx, CPU", 1),
    ("a pairing with 10,000 devices takes at most twice that with 10", "pairings", r"a pairing with .*", 2),
    ("a look-up among 10,000 devices is as fast as among 10", "pairings", r"a look-up with .*", 1.1),
    ("`home` of 1,000 appliances takes at most 2.5 times as long as curl", "home", r"home .*of 1,000 devices: .*", 2.5),
    ("`home --all-hubs` of 50 hubs takes little longer than the slowest alone", "home", r"home --all-hubs, .*", 1.5),
    ("an alarm is with its watchers within 150 ms", "household", r"alarm to watcher, p99: 150 ms", 1),
    ("100 watchers hear of an order as soon as one does", "household", r"order to the last of 100 watchers, .*", 1.2),
    ("100 watchers cost the server one request", "household", r"requests to the server, 100 watchers: 1", 1),
    ("a scene takes little longer than its slowest appliance", "household", r"scene of 12 appliances: .*", 1.2),
    ("the household beside it slows the gateway by at most 5 %", "household", r"gateway, .*", 1.05),
    ("a relay takes at least 0.8 of the connections a second of HAProxy", "away", r"connections a second: HAProxy", 1.25),
    ("a relay answers within 1.2 times what `ssh -R` takes", "away", r"latency: ssh -R", 1.2),
    ("the page is there after at most 3 times an empty page", "page", r"first paint: an empty page", 3),
]

HEAD = """# What is promised of speed, and kept

Written by `Tests/Benchmarks/run`: hubpair divided by the tool that is named, less is better; where more is better the
other way round. The worst of the ratios that a promise rests on, each the median of three runs. All of them, with their
noise, commit and machine, are in [results/ratios.md](results/ratios.md).

| promise | at most | measured | of | kept |
|---|---|---|---|---|
"""


def table(rows):
    """The text of RESULTS.md, of the rows of `ratios.parse`.

    >>> print(table({("many", "1000 images, two processors: one"): ((0.536, 0.5, 0.6), "abc", "x")})[len(HEAD):], end="")
    | a thousand images take half the time on two processors | 0.6 | 0.536 | 1 ratio of `many` | yes |
    """
    lines = []
    for promise, benchmark, measured, most in PROMISES:
        found = [value[0][0] for (name, text), value in rows.items() if name == benchmark and re.fullmatch(measured, text)]
        if found:
            worst = max(found)
            count = f"{len(found)} ratio{'' if len(found) == 1 else 's'} of `{benchmark}`"
            lines.append(f"| {promise} | {most} | {worst:.3g} | {count} | {'yes' if worst <= most else '**no**'} |\n")
    return HEAD + "".join(lines)
