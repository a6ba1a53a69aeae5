"""Blends the predictions of all teachers."""

import json
import os

import numpy as np
import torch
import torch.nn.functional as F

import corpus
from scores import calibration_error, emotion_f1, macro, score


def collect(work, label):
    """Returns the mean log probabilities of every kind of teacher, and which rows it predicted."""
    out = {}
    files = sorted(f for f in os.listdir(work) if f.startswith("judged_"))
    for kind in sorted({f.split("_")[1] for f in files}):
        n = len(label["fold"])
        sums, counts = np.zeros((n, 10)), np.zeros(n)
        for f in files:
            if f.split("_")[1] == kind:
                saved = np.load(f"{work}/{f}")
                sums[saved["rows"]] += np.concatenate([saved["sentiment"], saved["emotion"]], 1)
                counts[saved["rows"]] += 1
        logs = (sums / np.maximum(1, counts)[:, None]).astype("f4")
        out[kind] = (logs, counts > 0)
    return out


def weigh(logs, gold):
    """Fits a weight per kind and a bias per class, so that the weighted sum of log probabilities fits gold best."""
    x, y = torch.tensor(np.stack(logs, 1)), torch.tensor(gold)
    w = torch.full((x.shape[1],), 1 / x.shape[1], requires_grad=True)
    b = torch.zeros(x.shape[2], requires_grad=True)
    optimizer = torch.optim.LBFGS([w, b], max_iter=200, line_search_fn="strong_wolfe")
    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy((x * w.clamp(min=0)[None, :, None]).sum(1) + b, y) + 1e-3 * (b * b).sum()
        loss.backward()
        return loss
    optimizer.step(closure)
    return w.detach().clamp(min=0).numpy(), b.detach().numpy()


def blend(work, out):
    """Fits the weights of the kinds to held-out predictions on the training sets and writes the soft labels."""
    label = dict(np.load(f"{work}/labels.npz"))
    names, n = list(label["sources"]), len(label["fold"])
    judged = collect(work, label)
    report = {}
    every = np.arange(n)
    for kind, (logs, seen) in judged.items():
        report[kind] = score(label, every[seen], logs[seen, :3], logs[seen, 3:], label["source"][seen])
    from_source = lambda *wanted: np.isin(label["source"], [names.index(w) for w in wanted])
    english = label["language"] == "en"
    umsab = from_source("sentiment/umsab_train", "sentiment/umsab_dev")
    subtitle = label["domain"] == corpus.DOMAINS.index("subtitle")
    trusted = ~np.isin(label["language"], ["en", "hi"])
    everyone = list(judged)
    polyglots = [k for k in everyone if k != "sentences"]
    # Each group has common weights: its columns, its rows, and the labeled rows that determine the weights.
    parts = {
        "sentiment, tweets": (slice(0, 3), english & ~umsab, from_source("sentiment/semeval_en_train"), everyone),
        "sentiment, umsab, English": (slice(0, 3), english & umsab, from_source("sentiment/umsab_train") & english, everyone),
        "sentiment, umsab, others": (slice(0, 3), ~english, from_source("sentiment/umsab_train") & trusted, polyglots),
        "emotion, English": (slice(3, 10), english & ~subtitle, from_source("emotion/goemotions_train"), everyone),
        "emotion, others": (slice(3, 10), ~english & ~subtitle, from_source("emotion/goemotions_train"), polyglots),
        "emotion, subtitles, English": (slice(3, 10), english & subtitle, from_source("emotion/xed_train") & english, everyone),
        "emotion, subtitles, others": (slice(3, 10), ~english & subtitle, from_source("emotion/xed_train") & ~english, polyglots),
    }
    final = np.zeros((n, 10), "f4")
    for name, (columns, rows, deciding, kinds) in parts.items():
        kinds = [k for k in kinds if k in judged]
        what = "sentiment" if columns.start == 0 else "emotion"
        target = label[what]
        deciding = deciding & (label[what + "_weight"] > 0)
        if name == "sentiment, umsab, English":
            bias = 0 * bias  # Too few rows remain for a fit: use the weights for tweets and a uniform class mix.
        else:
            weights, bias = weigh([judged[k][0][deciding, columns] for k in kinds], target[deciding])
        total = sum(w * judged[k][0][:, columns] for w, k in zip(weights, kinds)) + bias
        final[rows, columns] = log_softmax(total[rows])
        report[f"weights of {name}"] = dict(zip(kinds, (round(float(w), 3) for w in weights)))
    reddit = from_source("emotion/goemotions_train")
    prior = label["emotion"][reddit].mean(0)
    strengths = [i / 20 for i in range(21)]
    strength = max(strengths, key=lambda s: emotion_f1(label["emotion"][reddit], final[reddit, 3:], prior, s))
    report["blend"] = score(label, every, final[:, :3], final[:, 3:], label["source"], strength)
    report["strength"] = strength
    for name, columns in (("sentiment/tweeteval_en_dev", slice(0, 3)), ("emotion/goemotions_dev", slice(3, 10))):
        at = from_source(name)
        gold = label["sentiment" if columns.start == 0 else "emotion"][at]
        report[f"calibration error of {name}"] = round(calibration_error(gold, np.exp(final[at, columns])), 4)
    dev = from_source("sentiment/umsab_dev")
    for language in sorted(set(label["language"][dev])):
        at = dev & (label["language"] == language)
        report[f"umsab {language}"] = round(macro(label["sentiment"][at].argmax(1), final[at, :3].argmax(1), range(3), "f1"), 4)
    print(json.dumps(report, indent=1), flush=True)
    json.dump(report, open(f"{out}/scores.json", "w"), indent=1)
    write(label, final, out)


def log_softmax(x):
    x = x - x.max(1, keepdims=True)
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def write(label, final, out):
    """Writes 10 bytes per row of the training files and posts, and which rows are English, in order."""
    names = list(label["sources"])
    kept = np.isin(label["source"], [i for i, s in enumerate(names) if s in corpus.TRAIN or s.startswith("posts/")])
    shares = np.exp(final)
    np.round(255 * shares[kept]).astype("u1").tofile(f"{out}/labels.u1")
    (label["language"][kept] == "en").astype("u1").tofile(f"{out}/english.u1")
    counts = {s: int((label["source"] == i).sum()) for i, s in enumerate(names) if s in corpus.TRAIN or s.startswith("posts/")}
    json.dump(counts, open(f"{out}/counts.json", "w"))
