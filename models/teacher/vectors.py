#!/usr/bin/env python3
"""Builds vectors.bin.gz: English word vectors that are small enough for the repository.

    vectors.py GLOVE DATA OUT

GLOVE is GloVe 6B 100d as text, gzipped or not: one word and its 100 numbers per line,
the most frequent words first. DATA is the folder of the training data. The words are
the first FREQUENT words of GLOVE and those that occur at least twice in the training
texts and posts. Their vectors are centered, rotated to their principal axes, truncated
to DIMS numbers and rounded to one byte each. README.md describes the layout.

Uses only the standard library, and is reproducible byte for byte.
"""

import array
import collections
import gzip
import json
import math
import operator
import os
import re
import struct
import sys

DIMS = 64
FREQUENT = 30_000
SAMPLE = 20_000  # The principal axes are computed from this many of the most frequent words.
STEP = 0.25      # Rounding step, in units of the mean deviation of an axis.

TEXTS = [
    "emotion/goemotions_train", "emotion/smile_train", "emotion/xed_train",
    "opinion/banking77_train", "opinion/troll_category_train",
    "sentiment/newsmtsc_train", "sentiment/semeval_en_train",
    "sentiment/uci_review_sentences_train", "sentiment/umsab_train",
]
POSTS = ["blogs", "comments", "forums", "hackernews", "news", "reviews", "twitter"]

WORD = re.compile(r"[^\W_]+")
COMPOUND = re.compile(r"[^\W_]+(?:['.&-][^\W_]+)+")


def texts(data):
    """Yields every training text and post in the data folder."""
    for name in TEXTS:
        with gzip.open(f"{data}/{name}.tsv.gz", "rt", encoding="utf-8", newline="\n") as f:
            column = next(f).rstrip("\n").split("\t").index("text")
            for line in f:
                yield line.rstrip("\n").split("\t")[column]
    for name in POSTS:
        with gzip.open(f"{data}/posts/{name}_posts.jsonl.gz", "rt", encoding="utf-8") as f:
            for line in f:
                post = json.loads(line)
                yield post.get("title") or ""
                yield post["contents"]


def count_words(data):
    """Counts words, words with inner punctuation, and everything between spaces."""
    seen = collections.Counter()
    for text in texts(data):
        text = text.lower().replace("’", "'")
        words = WORD.findall(text) + COMPOUND.findall(text)
        seen.update(words)
        seen.update(set(text.split()).difference(words))
    return seen


def read_glove(path, seen):
    """Returns the words to keep, in the order of the file, and their vectors."""
    words, vectors = [], []
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as f:
        for row, line in enumerate(f):
            word, *numbers = line.split()
            if row < FREQUENT or seen[word] >= 2:
                words.append(word)
                vectors.append(array.array("d", map(float, numbers)))
    return words, vectors


def dot(a, b):
    return sum(map(operator.mul, a, b))


def principal_axes(vectors):
    """Returns the mean of the vectors and their principal axes, widest first."""
    n, d = len(vectors), len(vectors[0])
    columns = list(zip(*vectors))
    mean = [math.fsum(c) / n for c in columns]
    centred = [array.array("d", (x - m for x in c)) for c, m in zip(columns, mean)]
    cov = [[0.0] * d for _ in range(d)]
    for i in range(d):
        for j in range(i, d):
            cov[i][j] = cov[j][i] = dot(centred[i], centred[j]) / n
    values, axes = jacobi(cov)
    order = sorted(range(d), key=lambda i: -values[i])
    # The sign of an axis is arbitrary: make its largest number positive.
    axes = [axes[i] for i in order]
    axes = [a if max(a, key=abs) > 0 else [-x for x in a] for a in axes]
    return mean, axes, [values[i] for i in order]


def jacobi(a):
    """Returns the eigenvalues and eigenvectors of the symmetric matrix a, which it overwrites."""
    d = len(a)
    v = [[float(i == j) for j in range(d)] for i in range(d)]
    for _ in range(12):
        for p in range(d - 1):
            for q in range(p + 1, d):
                if abs(a[p][q]) < 1e-14:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = math.copysign(1, theta) / (abs(theta) + math.hypot(theta, 1))
                c = 1 / math.hypot(t, 1)
                s = t * c
                for row in a:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                rp, rq = a[p], a[q]
                a[p] = [c * x - s * y for x, y in zip(rp, rq)]
                a[q] = [s * x + c * y for x, y in zip(rp, rq)]
                vp, vq = v[p], v[q]
                v[p] = [c * x - s * y for x, y in zip(vp, vq)]
                v[q] = [s * x + c * y for x, y in zip(vp, vq)]
    return [a[i][i] for i in range(d)], v


def main(glove, data, out):
    words, vectors = read_glove(glove, count_words(data))
    mean, axes, variances = principal_axes(vectors[:SAMPLE])
    axes = [array.array("d", a) for a in axes[:DIMS]]
    kept = sum(variances[:DIMS]) / sum(variances)
    scale = STEP * math.sqrt(sum(variances[:DIMS]) / DIMS)
    shift = [dot(mean, a) for a in axes]

    # Axis by axis, so that numbers with the same spread are adjacent, which compresses better.
    body = bytearray()
    for axis, s in zip(axes, shift):
        body += array.array("b", (max(-127, min(127, round((dot(v, axis) - s) / scale))) for v in vectors)).tobytes()
    order = sorted(range(len(words)), key=lambda i: words[i].encode())
    body = b"".join(bytes(body[d * len(words) + i] for i in order) for d in range(DIMS))
    listing = "".join(words[i] + "\n" for i in order).encode()
    head = b"EWV1" + struct.pack("<IIIf", len(words), DIMS, len(listing), scale)
    with open(out, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write(head + listing + body)
    print(f"{len(words)} words, {DIMS} of {len(mean)} axes keep {kept:.1%} of the variance, "
          f"step {scale:.4f}, {os.path.getsize(out)} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
