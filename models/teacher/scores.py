"""Evaluates predictions on the dev sets and on held-out parts of the training sets."""

import numpy as np


def macro(gold, guess, classes, what):
    recalls, f1s = [], []
    for k in classes:
        hit = ((gold == k) & (guess == k)).sum()
        recall, precision = hit / max(1, (gold == k).sum()), hit / max(1, (guess == k).sum())
        recalls.append(recall)
        f1s.append(2 * recall * precision / max(1e-9, recall + precision))
    return float(np.mean(recalls if what == "recall" else f1s))


def priors(label, task):
    """Returns the class mix of every domain in the training sets; an even mix for domains without labels."""
    domain = label["domain"][:, 0 if task == "sentiment" else 1]
    known = label["train"] & (label[task + "_weight"] > 0)
    out = np.ones((256, label[task].shape[1]))
    np.add.at(out, domain[known], label[task][known])
    return out / out.sum(1, keepdims=True)


def calibration_error(gold, shares):
    """Returns the expected calibration error over ten bins of confidence."""
    confidence = shares.max(1)
    right = gold[np.arange(len(gold)), shares.argmax(1)] > 0
    bins = np.minimum(9, (confidence * 10).astype(int))
    return float(sum(abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in range(10)) / len(gold))


def report_scores(label, logs, seen):
    """Returns the macro recall on every labeled file, among the classes that it has, in an even class mix.

    The emotions of GoEmotions have several labels; any of them is right. UMSAB reports macro F1.
    """
    out = {}
    for task, columns, strength in (("sentiment", slice(0, 3), 1.0), ("emotion", slice(3, 10), 0.5)):
        prior = priors(label, task)
        domain = label["domain"][:, 0 if task == "sentiment" else 1]
        for i, name in enumerate(label["sources"]):
            if not str(name).startswith(task) or "#" in name:
                continue
            gold_known = label[task].sum(1) > 0
            at = np.flatnonzero((label["source"] == i) & seen & gold_known)
            if len(at) < 20:
                continue
            gold = label[task][at]
            classes = np.flatnonzero((gold > 0).sum(0))
            z = logs[at, columns] - strength * np.log(prior[domain[at]])
            other = np.setdiff1d(np.arange(gold.shape[1]), classes)
            z[:, other] = -1e9
            guess = z.argmax(1)
            hit = gold[np.arange(len(gold)), guess] > 0
            one = np.where(hit, guess, gold.argmax(1))
            what = "f1" if "umsab" in name or "goemotions" in name else "recall"
            out[str(name)] = round(macro(one, guess, classes, what), 4)
            if str(name) == "sentiment/tricky_dev":
                out[str(name) + " accuracy"] = round(float(hit.mean()), 4)
    return out
