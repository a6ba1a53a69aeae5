#!/usr/bin/env python3
"""Writes the network of the second look as an ONNX file with 8-bit weights.

    network.py WEIGHTS VOCABULARY OUT

WEIGHTS is an .npz file with the weights of a SentenceReader as half floats, VOCABULARY the vocab.json
that encoder.py copied. OUT gets network.onnx, tokenizer.json and emoji.txt. Standard library only.

The output of the network is the logits of three sentiments and seven emotions, without the class mix
of a domain, followed by the mixes of the domains in DOMAINS: each ten numbers that a class mix adds.
"""

import ast
import gzip
import json
import math
import os
import struct
import sys
import unicodedata
import zipfile

FLOAT, INT8, INT64 = 1, 3, 7
HEADS = 4


def arrays(path):
    """Returns the arrays of an .npz file as (shape, list of floats)."""
    out = {}
    with zipfile.ZipFile(path) as z:
        for name in z.namelist():
            raw = z.read(name)
            size = struct.unpack_from("<H", raw, 8)[0]
            head = ast.literal_eval(raw[10:10 + size].decode())
            if head["descr"] != "<f2" or head["fortran_order"]:
                raise SystemExit(f"{name}: not an array of half floats in C order")
            count = math.prod(head["shape"])
            out[name.removesuffix(".npy")] = (head["shape"], list(struct.unpack_from(f"<{count}e", raw, 10 + size)))
    return out


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n & (1 << 64) - 1)


def data(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


class Graph:
    """An ONNX graph under construction. Methods that add nodes return the name of the result."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def add(self, op, *inputs, **attributes):
        self.count += 1
        name = f"{op.lower()}{self.count}"
        node = b"".join(data(1, i) for i in inputs) + data(2, name) + data(4, op)
        for key, value in attributes.items():
            if isinstance(value, float):
                body = varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
            elif isinstance(value, int):
                body = number(3, value) + number(20, 2)
            else:
                body = b"".join(number(8, v) for v in value) + number(20, 7)
            node += data(5, data(1, key) + body)
        self.nodes.append(data(1, node))
        return name

    def constant(self, kind, shape, raw):
        self.count += 1
        name = f"c{self.count}"
        dims = b"".join(number(1, n) for n in shape)
        self.constants.append(data(5, dims + number(2, kind) + data(8, name) + data(9, raw)))
        return name

    def floats(self, shape, values):
        return self.constant(FLOAT, shape, struct.pack(f"<{len(values)}f", *values))

    def ints(self, *values):
        return self.constant(INT64, [len(values)], struct.pack(f"<{len(values)}q", *values))

    def quantized(self, shape, values, axis):
        """Adds a matrix with a step for each row (axis 0) or column (axis 1)."""
        rows, columns = shape
        steps = []
        for i in range(shape[axis]):
            line = values[i * columns:(i + 1) * columns] if axis == 0 else values[i::columns]
            steps.append(max(max(map(abs, line)), 1e-8) / 127)
        levels = bytes(round(v / steps[i // columns if axis == 0 else i % columns]) & 255 for i, v in enumerate(values))
        return self.add("DequantizeLinear", self.constant(INT8, shape, levels), self.floats([shape[axis]], steps), axis=axis)

    def encode(self, inputs, output):
        value = lambda name, kind, dims: data(1, name) + data(2, data(1, number(1, kind) + data(2, b"".join(
            data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in dims))))
        graph = b"".join(self.nodes) + data(2, "second look") + b"".join(self.constants)
        for name in inputs:
            graph += data(11, value(name, INT64, [1, "tokens"]))
        graph += data(12, value(output, FLOAT, [1, 10]))
        return number(1, 8) + data(7, graph) + data(8, data(1, "") + number(2, 17))


class Network(Graph):
    """The network, made of the weights of a SentenceReader."""

    def __init__(self, weights):
        super().__init__()
        self.weights = weights

    def dense(self, x, name, bias=None, transposed=False, columns=None, scale=1.0):
        """Multiplies x by a matrix, or some columns of it, and adds a bias."""
        (rows, width), values = self.weights[name]
        if transposed:
            values = [values[j * width + i] for i in range(width) for j in range(rows)]
            rows, width = width, rows
        at = columns or range(width)
        values = [scale * values[i * width + j] for i in range(rows) for j in at]
        y = self.add("MatMul", x, self.quantized([rows, len(at)], values, 1))
        offsets = self.weights[bias or name + "_bias"][1]
        return self.add("Add", y, self.floats([len(at)], [scale * offsets[j] for j in at]))

    def norm(self, x, name):
        scale, bias = (self.weights[f"{name}_{part}"] for part in ("scale", "bias"))
        return self.add("LayerNormalization", x, self.floats(*scale), self.floats(*bias), axis=-1, epsilon=1e-6)

    def heads(self, x, width, order):
        split = self.add("Reshape", x, self.ints(1, -1, HEADS, width // HEADS))
        return self.add("Transpose", split, perm=order)

    def layer(self, n, x, residual, width):
        w = f"model.w.l{n}_"
        h = self.norm(x, w + "norm")
        part = lambda i, scale=1.0: self.dense(h, w + "qkv", columns=range(i * width, (i + 1) * width), scale=scale)
        q = self.heads(part(0, (width // HEADS) ** -0.5), width, [0, 2, 1, 3])
        k = self.heads(part(1), width, [0, 2, 3, 1])
        v = self.heads(part(2), width, [0, 2, 1, 3])
        a = self.add("MatMul", self.add("Softmax", self.add("MatMul", q, k), axis=-1), v)
        a = self.add("Reshape", self.add("Transpose", a, perm=[0, 2, 1, 3]), self.ints(1, -1, width))
        x = self.add("Add", residual, self.dense(a, w + "out"))
        h = self.add("Relu", self.dense(self.norm(x, w + "ffn_norm"), w + "up"))
        return self.add("Add", x, self.dense(h, w + "down"))

    def build(self):
        shape, pieces = self.weights["model.embed.weight"]
        embedded = self.add("Gather", self.quantized(shape, [2 * v for v in pieces], 0), "input_ids")
        rates = [math.exp(-i * math.log(1e4) / 127) for i in range(128)]
        timing = [f(place * rate) for place in range(96) for f in (math.sin, math.cos) for rate in rates]
        x = self.add("Add", embedded, self.add("Gather", self.floats([96, 256], timing), "position_ids"))
        x = self.layer(0, x, self.dense(x, "model.w.lift"), 256)
        x = self.layer(1, x, x, 512)
        mean = self.add("ReduceMean", x, axes=[1], keepdims=0)
        top = self.add("ReduceMax", x, axes=[1], keepdims=0)
        weight = self.add("Softmax", self.dense(x, "pool.score.weight", "pool.score.bias", True), axis=1)
        chosen = self.add("ReduceSum", self.add("Mul", x, weight), self.ints(1), keepdims=0)
        sentence = self.add("Tanh", self.dense(mean, "model.w.sentence"))
        pool = self.add("Concat", mean, top, chosen, axis=1)
        pool = self.add("Tanh", self.dense(pool, "pool.dense.weight", "pool.dense.bias", True))
        both = self.add("Concat", sentence, pool, axis=1)
        logits = [self.dense(both, f"heads.{head}.weight", f"heads.{head}.bias", True) for head in ("sentiment", "emotion")]
        return self.encode(["input_ids", "position_ids"], self.add("Concat", *logits, axis=1))


def tokenizer(vocabulary):
    # The first six entries are not pieces, and pieces with a colon have lost their scores.
    scored = [[piece, -100.0 if i < 6 else -7.0 if score is None else score] for i, (piece, score) in enumerate(vocabulary)]
    return {"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            "model": {"type": "Unigram", "unk_id": 0, "vocab": scored}}


def emoji():
    """Returns the symbols that corpus.described spells out, with their names."""
    ranges = [range(0x2600, 0x2C00), range(0x1F000, 0x1FB00)]
    return "".join(f"{chr(c)} {unicodedata.name(chr(c)).lower()}\n" for r in ranges for c in r if unicodedata.category(chr(c)) == "So")


def main(weights, vocabulary, out):
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/network.onnx", "wb") as f:
        f.write(Network(arrays(weights)).build())
    files = {"tokenizer.json": json.dumps(tokenizer(json.load(open(vocabulary))), ensure_ascii=False), "emoji.txt": emoji()}
    for name, content in files.items():
        with open(f"{out}/{name}.gz", "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
            z.write(content.encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
