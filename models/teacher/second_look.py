#!/usr/bin/env python3
"""Trains the network of the second look: a sentence encoder for English, on labels and on soft labels.

    second_look.py collect ROWS HELDOUT LABELS OUT   selects English rows and their soft labels; no GPU
    second_look.py prepare ROWS ENCODER WORK         converts texts to numbers
    second_look.py fit     WORK ENCODER NAME SEED ALPHA EPOCHS [TEACHERS]
    second_look.py save    WORK NAME OUT             writes the weights for network.py

ROWS is a file of rows.py for collect, and what collect wrote for prepare. HELDOUT lists texts that
calibrate the network, so it must not see them; earshot-train --export writes it. ALPHA is the weight of
soft labels against labels. TEACHERS are names of networks whose mean predictions replace the soft labels.
README.md lists the calls.
"""

import collections
import gzip
import json
import math
import pickle
import random
import struct
import sys
import time

import corpus
import rows as rows_file

# How often rows of a kind are used in each epoch.
FRAGMENTS, POSTS, LEXICON = 0.25, 0.6, 0.15


def soft_labels(path):
    """Returns the soft labels of each file: {name: (index by row, number, columns)}."""
    raw = gzip.open(path).read()
    out, at = {}, 8
    for _ in range(struct.unpack_from("<I", raw, 4)[0]):
        size = struct.unpack_from("<H", raw, at)[0]
        name = raw[at + 2:at + 2 + size].decode().replace(".tsv.gz", "").replace(".jsonl.gz", "")
        at += 2 + size + 32
        count, kept = struct.unpack_from("<II", raw, at)
        bits, body = raw[at + 8:at + 8 + (count + 7) // 8], at + 8 + (count + 7) // 8
        known = (i for i in range(count) if bits[i // 8] >> i % 8 & 1)
        out[name] = ({row: j for j, row in enumerate(known)}, kept, raw[body:body + 10 * kept])
        at = body + 10 * kept
    return out


def collect(path, heldout, labels, out):
    soft = soft_labels(labels)
    labeled = [r for r in rows_file.read(path) if r.source != "other"]
    keys = [corpus.key(r.text) if r.language == "en" else "" for r in labeled]
    corpus.forget_dev(labeled, keys)
    dev = {k for r, k in zip(labeled, keys) if k and r.source.endswith("_dev")}
    dev |= {k[:40] for k in dev if len(k) >= 40}
    with open(heldout, encoding="utf-8", newline="\n") as f:
        held = {corpus.key(line.rstrip("\n")[:2 * corpus.MAX_CHARS]) for line in f}
    hidden = lambda i: keys[i] in dev or keys[i][:40] in dev or corpus.key(labeled[i].text[:2 * corpus.MAX_CHARS]) in held
    chosen, seen = [], collections.Counter()
    for i, r in enumerate(labeled):
        place = seen[r.source]
        seen[r.source] += 1
        if r.language != "en" or not r.text or r.source.endswith("_dev") or hidden(r.whole if r.whole >= 0 else i):
            continue
        index, kept, body = soft.get(r.source, ({}, 0, b""))
        j = index.get(place)
        if j is None and not (r.sentiment_weight or r.emotion_weight):
            continue
        guess = None if j is None else bytes(body[c * kept + j] for c in range(10))
        chosen.append((r.source, corpus.described(r.text), r.domain, r.emotion_domain, r.sentiment, r.sentiment_weight,
                       r.emotion, r.emotion_weight, r.fine, r.two, r.no_neutral, guess))
    with gzip.open(out, "wb", 6) as f:
        pickle.dump(chosen, f)
    print(len(chosen), "rows")


def prepare(path, encoder, work):
    import numpy as np
    from tokenizers import Tokenizer, models, pre_tokenizers
    with gzip.open(path) as f:
        rows = pickle.load(f)
    vocabulary = json.load(open(f"{encoder}/vocab.json"))
    scored = [(piece, -100.0 if i < 6 else -7.0 if score is None else score) for i, (piece, score) in enumerate(vocabulary)]
    tokenizer = Tokenizer(models.Unigram(scored, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    n = len(rows)
    table, lengths = np.full((n, 96), -1, "i2"), np.zeros(n, "i4")
    for i, e in enumerate(tokenizer.encode_batch([r[1] for r in rows])):
        ids = e.ids[:96]
        table[i, :len(ids)], lengths[i] = ids, max(1, len(ids))
    sentiment, emotion, fine = np.zeros((n, 3), "f4"), np.zeros((n, 7), "f4"), np.zeros((n, len(corpus.FINE)), "f4")
    soft, share = np.zeros((n, 10), "f4"), np.ones(n, "f4")
    domains = sorted({r[2] for r in rows} | {r[3] for r in rows})
    for i, r in enumerate(rows):
        sentiment[i, list(r[4])] = 1 / max(1, len(r[4]))
        emotion[i, list(r[6])] = 1 / max(1, len(r[6]))
        fine[i, list(r[8])] = 1
        if r[11] is not None:
            levels = np.frombuffer(r[11], "u1").astype("f4")
            soft[i, :3], soft[i, 3:] = levels[:3] / levels[:3].sum(), levels[3:] / levels[3:].sum()
        share[i] = FRAGMENTS if "#" in r[0] else POSTS if r[0].startswith("posts/") else LEXICON if r[0] == "lexicon" else 1
    np.savez(f"{work}/english.npz", table=table, lengths=lengths, sentiment=sentiment, emotion=emotion, fine=fine, soft=soft, share=share,
             has_soft=np.array([r[11] is not None for r in rows]), sentiment_weight=np.array([r[5] for r in rows], "f4"),
             emotion_weight=np.array([r[7] for r in rows], "f4"), two=np.array([r[9] for r in rows]),
             no_neutral=np.array([r[10] for r in rows]), domain=np.array([(domains.index(r[2]), domains.index(r[3])) for r in rows], "i8"))


def fit(work, encoder, name, seed, alpha, epochs, teachers=""):
    import numpy as np
    import torch
    import torch.nn.functional as F

    import nets
    from common import groups_of
    from fit import near_lengths
    alpha, epochs, size = float(alpha), int(epochs), 256
    torch.manual_seed(int(seed))
    rng = np.random.default_rng(int(seed))
    torch.backends.cuda.matmul.allow_tf32 = True
    data = dict(np.load(f"{work}/english.npz"))
    if teachers:
        mean = np.mean([np.load(f"{work}/predicted_{t}.npy").astype("f4") for t in teachers.split(",")], 0)
        data["soft"] = np.concatenate([softmax(mean[:, :3]), softmax(mean[:, 3:])], 1).astype("f4")
        data["has_soft"][:] = True
    on_gpu = {k: torch.from_numpy(v).cuda() for k, v in data.items() if k not in ("lengths", "share")}
    net = nets.SentenceReader(nets.SentenceEncoder(encoder)).cuda().train()
    runs = [np.flatnonzero(rng.random(len(data["share"])) < data["share"]) for _ in range(epochs)]
    steps, step, start = sum(math.ceil(len(r) / size) for r in runs), 0, time.time()
    optimizer = torch.optim.AdamW(groups_of(net, {"model.embed": 2e-4, "model": 1e-4, "": 5e-4}), betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    average = [p.detach().clone() for p in net.parameters()]

    def loss_of(logits, batch, label, weight, hidden, soft, alone):
        """Mixes labels and soft labels. A row without a label has the soft one alone, with its own weight."""
        logits = logits.float()
        w, known = on_gpu[weight][batch], on_gpu["has_soft"][batch].float() * (alpha > 0)
        hard = F.cross_entropy(logits.masked_fill(hidden, -1e4), on_gpu[label][batch], reduction="none")
        guess = F.cross_entropy(logits, on_gpu["soft"][batch, soft], reduction="none")
        return (hard * w * (1 - alpha * known) + guess * known * torch.where(w > 0, alpha * w, alone)).sum()

    for run in runs:
        for rows in near_lengths(rng.permutation(run), data["lengths"], size, random.Random(step)):
            for group in optimizer.param_groups:
                group["lr"] = group["peak"] * min(1, (step + 1) / 300) * (1.01 - step / steps)
            batch = torch.from_numpy(rows).cuda()
            width = -(-int(data["lengths"][rows].max()) // 8) * 8
            with torch.autocast("cuda", torch.bfloat16):
                s, e, f = net(on_gpu["table"][batch, :width].long(), on_gpu["domain"][batch])
            neutral = lambda kind, n, at: on_gpu[kind][batch, None] & (torch.arange(n, device="cuda") == at)
            loss = loss_of(s, batch, "sentiment", "sentiment_weight", neutral("two", 3, 1), slice(0, 3), 0.6)
            loss = loss + loss_of(e, batch, "emotion", "emotion_weight", neutral("no_neutral", 7, 2), slice(3, 10), 0.3)
            known = on_gpu["fine"][batch].sum(1) > 0
            loss = loss + 0.15 * (F.binary_cross_entropy_with_logits(f.float(), on_gpu["fine"][batch], reduction="none").sum(1) * known).sum()
            loss = loss / len(rows)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 4 == 0:
                with torch.no_grad():
                    torch._foreach_lerp_(average, list(net.parameters()), 0.01 if step > 400 else 0.1)
    with torch.no_grad():
        for p, a in zip(net.parameters(), average):
            p.copy_(a)
        net.eval()
        order, out = np.argsort(data["lengths"], kind="stable"), np.zeros((len(data["lengths"]), 10), "f2")
        for rows in np.array_split(order, math.ceil(len(order) / 1024)):
            width = -(-int(data["lengths"][rows].max()) // 8) * 8
            batch = torch.from_numpy(rows).cuda()
            s, e, _ = net(on_gpu["table"][batch, :width].long(), on_gpu["domain"][batch])
            out[rows] = torch.cat([s.log_softmax(-1), e.log_softmax(-1)], 1).cpu().numpy()
    np.save(f"{work}/predicted_{name}.npy", out)
    torch.save(net.state_dict(), f"{work}/{name}.pt")
    print(f"{name}: {step} steps, {time.time() - start:.0f} s, loss {loss.item():.3f}", flush=True)


def softmax(logs):
    import numpy as np
    e = np.exp(logs - logs.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def save(work, name, out):
    import numpy as np
    import torch
    weights = torch.load(f"{work}/{name}.pt", map_location="cpu")
    np.savez(out, **{k: v.half().numpy() for k, v in weights.items()})


if __name__ == "__main__":
    {"collect": collect, "prepare": prepare, "fit": fit, "save": save}[sys.argv[1]](*sys.argv[2:])
