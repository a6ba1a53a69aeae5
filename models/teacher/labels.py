#!/usr/bin/env python3
"""Packs the output of teacher.py into labels.bin.gz. README.md describes the layout.

    labels.py WRITTEN DATA OUT

WRITTEN is the folder that teacher.py blend wrote, DATA the folder of the training data.
"""

import gzip
import hashlib
import json
import lzma
import os
import struct
import sys

COLUMNS = 10


def main(written, data, out):
    content = lzma.open(f"{written}/labels.xz").read()
    parts, at = [], 0
    for source, count, kept in json.load(open(f"{written}/labels.json")):
        file, _, fragment = source.partition("#")
        file += ".jsonl.gz" if file.startswith("posts/") else ".tsv.gz"
        name = file + ("#" + fragment if fragment else "")
        packed = open(f"{data}/{file}", "rb").read()
        lines = gzip.decompress(packed).count(b"\n") - (not file.startswith("posts/"))
        if lines != count:
            raise SystemExit(f"{file} has {lines} rows, not {count}")
        size = (count + 7) // 8 + COLUMNS * kept
        head = struct.pack("<H", len(name)) + name.encode() + hashlib.sha256(packed).digest()
        parts.append(head + struct.pack("<II", count, kept) + content[at:at + size])
        at += size
        print(f"{name}: {kept} of {count} rows")
    if at != len(content):
        raise SystemExit("the labels do not match their list")
    with open(out, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write(b"ESL1" + struct.pack("<I", len(parts)) + b"".join(parts))
    print(os.path.getsize(out), "bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
