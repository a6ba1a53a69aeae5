"""Packs the n-gram models of lingua-go for the training of the language model.

    python3 ngrams.py LINGUA ngrams.txt.gz

LINGUA is a copy of github.com/pemistahl/lingua-go 1.4.0. The result is the same on every machine.
Standard library only.
"""
import gzip
import math
import pathlib
import struct
import sys
import zipfile

ORDERS = ["unigrams", "bigrams", "trigrams", "quadrigrams", "fivegrams"]
MIN_SHARE = 2e-6  # of all letters; rarer n-grams are left out

# Languages in scripts that one language uses alone need no n-grams. In Devanagari, lingua's n-grams
# lack the vowel signs. Chinese and Japanese have none.
SKIPPED = "bn el gu he hi hy ja ka ko mr pa ta te th zh".split()


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Yields the number and the value of each field of a protocol buffer message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        yield key >> 3, value


def read(path):
    """Returns the conditional probability of the last letter of each n-gram."""
    with zipfile.ZipFile(path) as archive:
        data = archive.read(archive.namelist()[0])
    found = {}
    for number, message in fields(data):
        if number != 4:
            continue
        share, ngrams = 0.0, []
        for inner, value in fields(message):
            if inner == 1:
                share = value
            else:
                ngrams.append(value.decode())
        found.update(dict.fromkeys(ngrams, share))
    return found


def shares(folder):
    """Returns the share of each n-gram among all letters, from the shortest to the longest."""
    found = {}
    for order in ORDERS:
        for ngram, share in read(folder / f"{order}.pb.bin.zip").items():
            found[ngram] = share * found.get(ngram[:-1], 0 if len(ngram) > 1 else 1)
    return found


def level(share):
    """Returns a letter for the share, in half powers of two: A is 1, B is 0.71, C is 0.5."""
    return chr(ord("A") + round(-2 * math.log2(share)))


def main(lingua, out):
    lines = []
    for folder in sorted(pathlib.Path(lingua, "language-models").iterdir()):
        if folder.name in SKIPPED:
            continue
        kept = {ngram: share for ngram, share in shares(folder).items() if share >= MIN_SHARE}
        lines.append("=" + folder.name)
        lines += [ngram + level(kept[ngram]) for ngram in sorted(kept)]
    text = ("\n".join(lines) + "\n").encode()
    pathlib.Path(out).write_bytes(gzip.compress(text, 9, mtime=0))


main(*sys.argv[1:])
