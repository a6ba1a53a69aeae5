"""Blends the predictions of all teachers."""

import json
import lzma
import os

import numpy as np
import torch
import torch.nn.functional as F

from scores import calibration_error, report_scores

COLUMNS = {"sentiment": slice(0, 3), "emotion": slice(3, 10)}
LEVELS = 31  # Probabilities are rounded to multiples of 1/31, so that they compress well.


def collect(work, n):
    """Returns the mean log probabilities of every kind of teacher, and which rows it predicted."""
    out = {}
    files = sorted(f for f in os.listdir(work) if f.startswith("judged_"))
    for kind in sorted({f.split("_")[1] for f in files}):
        sums, counts = np.zeros((n, 10), "f4"), np.zeros(n, "f4")
        for f in files:
            if f.split("_")[1] == kind:
                saved = np.load(f"{work}/{f}")
                sums[saved["rows"]] += np.concatenate([saved["sentiment"], saved["emotion"]], 1)
                counts[saved["rows"]] += 1
        out[kind] = (sums / np.maximum(1, counts)[:, None], counts > 0)
    return out


def weigh(logs, gold, weight, domain, masked, neutral):
    """Fits a weight per kind, and a scale and biases per domain, to the labels. It returns all three.

    Rows of sets without neutral say nothing about it, so it is excluded from their sum.
    """
    x, y = torch.tensor(np.stack(logs, 1)).cuda(), torch.tensor(gold).cuda()
    weight, domain = torch.tensor(weight).cuda(), torch.tensor(domain).cuda()
    hidden = torch.tensor(masked).cuda()[:, None] & (torch.arange(x.shape[2], device="cuda") == neutral)
    domains = 256
    w = torch.full((x.shape[1],), 1 / x.shape[1], device="cuda", requires_grad=True)
    scale = torch.ones(domains, device="cuda", requires_grad=True)
    bias = torch.zeros(domains, x.shape[2], device="cuda", requires_grad=True)
    optimizer = torch.optim.LBFGS([w, scale, bias], max_iter=150, line_search_fn="strong_wolfe")
    def closure():
        optimizer.zero_grad()
        z = (x * w.clamp(min=0)[None, :, None]).sum(1) * scale[domain, None] + bias[domain]
        loss = (F.cross_entropy(z.masked_fill(hidden, -1e4), y, reduction="none") * weight).sum()
        loss = loss + 20 * (bias * bias).sum() + 50 * ((scale - 1) ** 2).sum()
        loss = loss / weight.sum()
        loss.backward()
        return loss
    optimizer.step(closure)
    return [p.detach().cpu().numpy() for p in (w.clamp(min=0), scale, bias)]


def blend(work, out):
    """Fits the weights of the kinds to held-out predictions on the training sets and writes the soft labels."""
    label = dict(np.load(f"{work}/labels.npz"))
    n = len(label["fold"])
    judged = collect(work, n)
    english = label["language"] == "en"
    final, report = np.zeros((n, 10), "f4"), {}
    for task, columns in COLUMNS.items():
        domain = label["domain"][:, 0 if task == "sentiment" else 1]
        masked, neutral = (label["two"], 1) if task == "sentiment" else (label["no_neutral"], 2)
        for name, rows in (("English", english), ("others", ~english)):
            kinds = [k for k in judged if k != "sentences" or name == "English"]
            seen = np.logical_and.reduce([judged[k][1] for k in kinds])
            weight = label[task + "_weight"]
            known = np.flatnonzero(rows & seen & label["train"] & (weight > 0))
            fitted = weigh([judged[k][0][known, columns] for k in kinds], label[task][known], weight[known],
                           domain[known], masked[known], neutral)
            weights, scale, bias = fitted
            at = np.flatnonzero(rows & seen)
            total = sum(w * judged[k][0][at, columns] for w, k in zip(weights, kinds))
            final[at, columns] = log_softmax(total * scale[domain[at], None] + bias[domain[at]])
            report[f"weights of {task}, {name}"] = dict(zip(kinds, (round(float(w), 3) for w in weights)))
    for kind, (logs, seen) in judged.items():
        report[kind] = report_scores(label, logs, seen)
    report["blend"] = report_scores(label, final, np.ones(n, bool))
    names = list(label["sources"])
    for source, columns, task in (("sentiment/tweeteval_en_dev", slice(0, 3), "sentiment"), ("emotion/goemotions_dev", slice(3, 10), "emotion")):
        at = label["source"] == names.index(source)
        report[f"calibration error of {source}"] = round(calibration_error(label[task][at], np.exp(final[at, columns])), 4)
    print(json.dumps(report, indent=1), flush=True)
    json.dump(report, open(f"{out}/scores.json", "w"), indent=1)
    write(label, np.exp(final), out)


def log_softmax(x):
    x = x - x.max(1, keepdims=True)
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def write(label, shares, out):
    """Writes the probabilities of the training files, posts and fragments: file by file, column by column."""
    listing = []
    with lzma.open(f"{out}/labels.xz", "wb", preset=6) as f:
        for i, name in enumerate(label["sources"]):
            if not str(name).startswith(("sentiment/", "emotion/", "posts/")) or str(name).endswith("_dev"):
                continue
            rows = np.flatnonzero(label["source"] == i)
            kept = ~label["empty"][rows]
            levels = (8 * np.round(LEVELS * shares[rows[kept]])).astype("u1")
            f.write(np.packbits(kept, bitorder="little").tobytes())
            f.write(np.ascontiguousarray(levels.T).tobytes())
            listing.append((str(name), len(rows), int(kept.sum())))
    json.dump(listing, open(f"{out}/labels.json", "w"))
