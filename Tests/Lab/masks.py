"""What differs from run to run in the output of hubpair, masked; for the README's examples and the picture.

Fingerprints, typed codes, addresses, times and dates become words of their kind. Runs of spaces count as two,
since a column is as wide as its content.
"""
import re

# In this order: each takes away what a later one could mistake for its own.
MASKS = [
    (r"(?:HUBPAIR:|HTTPS://\S+/#)[0-9A-HJKMNP-TV-Z]+", "CODE"),
    (r"sha256//[A-Za-z0-9+/]{43}=", "PIN"),
    # A fingerprint, a typed code or a line of it: as many groups as it has.
    (r"\b[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4})+\b", lambda m: re.sub("[0-9A-Z]", "X", m[0])),
    (r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ| \d\d:\d\d(?::\d\d)?)?", "TIME"),
    (r"\b\d\d:\d\d(?::\d\d)?\b", "TIME"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}\b", "ADDRESS"),
    (r"\[?(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:%\w+)?\]?", "ADDRESS"),
    (r"(?<=ADDRESS:8000) \(\+\d+\)", ""),
    (r" {2,}", "  "),
]


def masked(text):
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text, flags=re.M)
    return "\n".join(line.rstrip() for line in text.split("\n"))
