#!/usr/bin/env python3
"""Converts Universal Sentence Encoder Lite, as published for TensorFlow.js, to the format of nets.py.

    encoder.py PUBLISHED OUT

PUBLISHED contains model.json, its weight files and vocab.json. OUT gets encoder.json (the names
and shapes of the weights), encoder.bin (the weights as half floats) and vocab.json.
"""

import json
import math
import os
import shutil
import struct
import sys


def main(published, out):
    os.makedirs(out, exist_ok=True)
    [group] = json.load(open(f"{published}/model.json"))["weightsManifest"]
    raw = b"".join(open(f"{published}/{path}", "rb").read() for path in group["paths"])
    listing, at = [], 0
    with open(f"{out}/encoder.bin", "wb") as f:
        for weight in group["weights"]:
            size = math.prod(weight["shape"])
            # Small tensors are not weights but constants of the graph, which nets.py defines.
            if weight["dtype"] == "float32" and size >= 256:
                f.write(struct.pack(f"<{size}e", *struct.unpack_from(f"<{size}f", raw, at)))
                listing.append((weight["name"].replace("ConcatPartitions/", ""), weight["shape"]))
            at += 4 * size
    json.dump(listing, open(f"{out}/encoder.json", "w"))
    shutil.copy(f"{published}/vocab.json", out)


if __name__ == "__main__":
    main(*sys.argv[1:])
