#!/usr/bin/env python3
"""Packs the output of teacher.py into labels.bin.gz. README.md describes the layout.

    labels.py WRITTEN DATA OUT

WRITTEN is the folder that teacher.py blend wrote, DATA the folder of the training data.
It includes all rows of labeled files, and the English posts.
"""

import gzip
import hashlib
import json
import os
import struct
import sys

COLUMNS = 10


def pack(name, source, shares, kept):
    """Returns the part for one file: its header, the labeled rows, and their probabilities by column."""
    bits = bytearray((len(kept) + 7) // 8)
    for i, keep in enumerate(kept):
        if keep:
            bits[i // 8] |= 1 << i % 8
    rows = [shares[COLUMNS * i:COLUMNS * (i + 1)] for i, keep in enumerate(kept) if keep]
    columns = b"".join(bytes(row[c] for row in rows) for c in range(COLUMNS))
    head = struct.pack("<H", len(name)) + name.encode() + hashlib.sha256(source).digest()
    return head + struct.pack("<II", len(kept), len(rows)) + bytes(bits) + columns


def main(written, data, out):
    counts = json.load(open(f"{written}/counts.json"))
    shares = open(f"{written}/labels.u1", "rb").read()
    english = open(f"{written}/english.u1", "rb").read()
    parts, at = [], 0
    for source, count in counts.items():
        is_posts = source.startswith("posts/")
        name = source + (".jsonl.gz" if is_posts else ".tsv.gz")
        kept = english[at:at + count] if is_posts else b"\1" * count
        content = open(f"{data}/{name}", "rb").read()
        lines = gzip.decompress(content).count(b"\n") - (not is_posts)
        if lines != count:
            raise SystemExit(f"{name} has {lines} rows, not {count}")
        parts.append(pack(name, content, shares[COLUMNS * at:COLUMNS * (at + count)], kept))
        print(f"{name}: {sum(kept)} of {count} rows")
        at += count
    with open(out, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write(b"ESL1" + struct.pack("<I", len(parts)) + b"".join(parts))
    print(os.path.getsize(out), "bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
