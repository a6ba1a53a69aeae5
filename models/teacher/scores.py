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


def even(logs, prior, strength=1.0):
    """Removes the class prior from log probabilities, partly or completely."""
    return logs - strength * np.log(prior)


def emotion_f1(gold, logs, prior, strength):
    guess = even(logs, prior, strength).argmax(1)
    hit = gold[np.arange(len(gold)), guess] > 0
    return macro(np.where(hit, guess, gold.argmax(1)), guess, range(7), "f1")


def calibration_error(gold, shares):
    """Returns the expected calibration error over ten bins of confidence."""
    confidence = shares.max(1)
    right = gold[np.arange(len(gold)), shares.argmax(1)] > 0
    bins = np.minimum(9, (confidence * 10).astype(int))
    return float(sum(abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in range(10)) / len(gold))


def score(label, rows, sentiment, emotion, sources, strength=0.5):
    """Returns the metrics on the dev sets and on the held-out parts of the training sets."""
    names = list(label["sources"])
    out = {}
    tweets = label["source"] == names.index("sentiment/semeval_en_train")
    prior_s = label["sentiment"][tweets].mean(0)
    reddit = label["source"] == names.index("emotion/goemotions_train")
    prior_e = label["emotion"][reddit].mean(0)
    def part(name):
        at = sources == names.index(name)
        return at, rows[at]
    for name, source in (("tweets", "sentiment/semeval_en_train"), ("tweeteval_en", "sentiment/tweeteval_en_dev")):
        at, where = part(source)
        if at.any():
            out[name] = macro(label["sentiment"][where].argmax(1), even(sentiment[at], prior_s).argmax(1), range(3), "recall")
    for name, source in (("umsab_train", "sentiment/umsab_train"), ("umsab", "sentiment/umsab_dev")):
        at, where = part(source)
        if at.any():
            out[name] = macro(label["sentiment"][where].argmax(1), sentiment[at].argmax(1), range(3), "f1")
    for name, source in (("goemotions_train", "emotion/goemotions_train"), ("goemotions", "emotion/goemotions_dev")):
        at, where = part(source)
        if at.any():
            out[name] = emotion_f1(label["emotion"][where], emotion[at], prior_e, strength)
    at, where = part("emotion/tweeteval_emotion_dev")
    if at.any():
        three = [0, 1, 4]
        for name, s in (("tweeteval_emotion_half", 0.5), ("tweeteval_emotion", 1.0)):
            guess = np.array(three)[even(emotion[at], prior_e, s)[:, three].argmax(1)]
            out[name] = macro(label["emotion"][where].argmax(1), guess, three, "f1")
    return {k: round(v, 4) for k, v in out.items()}
