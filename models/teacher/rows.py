#!/usr/bin/env python3
"""Collects the texts and labels of all data files in one compressed file, for the machine with the GPU.

    rows.py DATA PHRASES ROWS

PHRASES contains generated sentences: a TSV file with the columns language, kind, label, ekman and text.
"""

import array
import collections
import gzip
import pickle
import sys

import corpus

FIELDS = [name for name in corpus.Row.__slots__ if name not in ("text", "whole")]


def main(data, generated, path):
    rows = corpus.rows(data, generated)
    kinds, kind, whole = {}, array.array("I"), array.array("i")
    for r in rows:
        if r.whole >= 0 and is_short(rows[r.whole].text):
            r.text = ""  # read makes it again
        kind.append(kinds.setdefault(tuple(getattr(r, name) for name in FIELDS), len(kinds)))
        whole.append(r.whole)
    texts = "\n".join(r.text[: 2 * corpus.MAX_CHARS].replace("\n", " ") for r in rows)
    with gzip.open(path, "wb", 6) as f:
        pickle.dump((list(kinds), kind, whole, texts), f)
    print(len(rows), "rows")


def is_short(text):
    """Reports whether a text is stored as it is."""
    return len(text) <= 2 * corpus.MAX_CHARS and "\n" not in text


def read(path):
    """Returns the rows of a file that main wrote."""
    with gzip.open(path) as f:
        kinds, kind, whole, texts = pickle.load(f)
    rows, at = [], collections.Counter()
    for text, k, w in zip(texts.split("\n"), kind, whole):
        r = corpus.Row(text=text, whole=w, **dict(zip(FIELDS, kinds[k])))
        if w >= 0 and not text:
            r.text = corpus.fragment(rows[w].text, corpus.fragment_name(r.source, at[r.source]))
        at[r.source] += 1
        rows.append(r)
    return rows


if __name__ == "__main__":
    main(*sys.argv[1:])
