"""Trains one teacher on all folds except one, and predicts the rows it has not seen."""

import math
import time

import numpy as np
import torch
import torch.nn.functional as F

import nets
from common import Clock, env, groups_of
from scores import report_scores


class Padded:
    """Rows as padded id arrays on the GPU."""

    def __init__(self, saved, device="cuda"):
        self.table, self.lengths = torch.from_numpy(saved["table"]).to(device), saved["lengths"]

    def __call__(self, rows):
        width = -(-int(self.lengths[rows].max()) // 8) * 8
        return (self.table[torch.from_numpy(rows).cuda(), :width].long(),)


class Bags:
    """Rows as bags of n-grams on the GPU."""

    def __init__(self, saved):
        self.lengths = saved["counts"]
        self.flat = torch.from_numpy(saved["flat"]).cuda()
        self.starts = np.concatenate([[0], np.cumsum(self.lengths.astype("i8"))[:-1]])

    def __call__(self, rows):
        counts = torch.from_numpy(self.lengths[rows].astype("i8")).cuda()
        ends = counts.cumsum(0)
        owner = torch.repeat_interleave(torch.arange(len(rows), device="cuda"), counts, output_size=int(self.lengths[rows].sum()))
        first = torch.from_numpy(self.starts[rows]).cuda()
        places = torch.arange(len(owner), device="cuda") + (first - (ends - counts))[owner]
        return self.flat[places].long(), ends - counts, owner


def build(kind, work, encoder):
    """Returns a teacher of the given kind, its inputs, and its epochs, batch size and learning rates."""
    if kind == "pieces":
        saved = np.load(f"{work}/pieces.npz")
        net = nets.PieceReader(torch.from_numpy(saved["fixed"]), torch.load(f"{work}/language_model.pt", map_location="cpu"))
        return net, Padded(saved), 4, 384, {"model": 2.5e-4, "": 1e-3}
    if kind == "sentences":
        net = nets.SentenceReader(nets.SentenceEncoder(encoder))
        return net, Padded(np.load(f"{work}/sentences.npz")), 5, 256, {"model.embed": 2e-4, "model": 1e-4, "": 5e-4}
    if kind == "words":
        saved = np.load(f"{work}/words.npz")
        net = nets.WordReader(*(torch.from_numpy(saved[k]) for k in ("fixed", "parts", "scores")))
        return net, Padded(saved), 4, 512, {"": 1.4e-3}
    saved = np.load(f"{work}/grams.npz")
    return nets.GramReader(torch.from_numpy(saved["importance"])), Bags(saved), 4, 512, {"heads": 1e-3, "": 3e-3}


def losses(out, labels, rows):
    sentiment, emotion, fine = (x.float() for x in out)
    sentiment = sentiment.masked_fill(labels["two"][rows, None] & (torch.arange(3, device="cuda") == 1), -1e4)
    emotion = emotion.masked_fill(labels["no_neutral"][rows, None] & (torch.arange(7, device="cuda") == 2), -1e4)
    weight_s, weight_e = labels["sentiment_weight"][rows], labels["emotion_weight"][rows]
    loss_s = (F.cross_entropy(sentiment, labels["sentiment"][rows], reduction="none") * weight_s).sum()
    loss_e = (F.cross_entropy(emotion, labels["emotion"][rows], reduction="none") * weight_e).sum()
    known = labels["fine"][rows].sum(1) > 0
    loss_f = (F.binary_cross_entropy_with_logits(fine, labels["fine"][rows], reduction="none").sum(1) * known).sum()
    return (loss_s + loss_e + 0.15 * loss_f) / len(rows)


def read_for(kind, label):
    """Returns which rows a kind of teacher can read. The sentence encoder supports only English."""
    if kind != "sentences":
        return np.ones(len(label["fold"]), bool)
    return label["language"] == "en"


def fit(work, kind, fold, seed):
    fold, seed, encoder = int(fold), int(seed), env("ENCODER", "")
    torch.manual_seed(100 * seed + fold)
    rng = np.random.default_rng(100 * seed + fold)
    torch.backends.cuda.matmul.allow_tf32 = True
    label = dict(np.load(f"{work}/labels.npz"))
    on_gpu = {k: torch.from_numpy(label[k]).cuda() for k in
              ("sentiment", "emotion", "fine", "sentiment_weight", "emotion_weight", "two", "no_neutral", "domain")}
    net, inputs, epochs, size, rates = build(kind, work, encoder)
    epochs = env("EPOCHS", epochs)
    net = net.cuda().train()
    readable = read_for(kind, label)
    usable = label["train"] & (label["fold"] != fold) & readable
    usable &= (label["sentiment_weight"] > 0) | (label["emotion_weight"] > 0)
    pool = np.flatnonzero(usable)
    # Subtitles, which are short and noisy, and words of the lexicon would dominate the rest.
    number = {name: i for i, name in enumerate(label["sources"])}
    share_of = {number["emotion/xed_train"]: 0.4, number["lexicon"]: 0.15}
    share = np.array([share_of.get(s, 1.0) for s in label["source"][pool]])
    share[(label["source"][pool] == number["emotion/xed_train"]) & (label["language"][pool] == "en")] = 1
    epoch_rows = [pool[rng.random(len(pool)) < share] for _ in range(epochs)]
    steps = sum(math.ceil(len(r) / size) for r in epoch_rows)
    optimizer = torch.optim.AdamW(groups_of(net, rates), betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    average = [p.detach().clone() for p in net.parameters()]
    limit, start, step, clock = env("FIT_SECONDS", 300.0), time.time(), 0, Clock()
    for rows in epoch_rows:
        for batch in near_lengths(rng.permutation(rows), inputs.lengths, size, rng):
            done = max(step / steps, (time.time() - start) / limit)
            if done >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = group["peak"] * min(1, (step + 1) / 200) * (1.01 - done)
            with torch.autocast("cuda", torch.bfloat16, enabled=kind != "grams"):
                out = net(*inputs(batch), on_gpu["domain"][torch.from_numpy(batch).cuda()])
            loss = losses(out, on_gpu, torch.from_numpy(batch).cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 4 == 0:
                with torch.no_grad():
                    torch._foreach_lerp_(average, list(net.parameters()), 0.01 if step > 400 else 0.1)
            if step % 500 == 0:
                clock(f"{kind} {fold} {seed} step {step} of {steps} loss {loss.item():.3f}")
    with torch.no_grad():
        for p, a in zip(net.parameters(), average):
            p.copy_(a)
    wanted = np.flatnonzero(((label["fold"] == fold) | (label["fold"] < 0)) & readable & ~label["empty"])
    sentiment, emotion = predict(net.eval(), inputs, wanted, on_gpu["domain"], kind)
    np.savez(f"{work}/judged_{kind}_{fold}_{seed}.npz", rows=wanted, sentiment=sentiment.astype("f2"), emotion=emotion.astype("f2"))
    logs, seen = np.zeros((len(label["fold"]), 10), "f4"), np.zeros(len(label["fold"]), bool)
    logs[wanted], seen[wanted] = np.concatenate([sentiment, emotion], 1), True
    found = report_scores(label, logs, seen)
    clock(f"{kind} {fold} {seed} done:", {k: v for k, v in found.items() if k.endswith("_dev") and "more" not in k})


def near_lengths(rows, lengths, size, rng):
    """Yields batches of texts with similar lengths."""
    chunk = size * 40
    out = []
    for at in range(0, len(rows), chunk):
        part = rows[at:at + chunk]
        part = part[np.argsort(lengths[part], kind="stable")]
        out += [part[i:i + size] for i in range(0, len(part), size)]
    rng.shuffle(out)
    return out


@torch.no_grad()
def predict(net, inputs, rows, domain, kind):
    """Returns the log probabilities of each row in the class mix of its domains."""
    order = np.argsort(inputs.lengths[rows], kind="stable")
    sentiment, emotion = np.zeros((len(rows), 3), "f4"), np.zeros((len(rows), 7), "f4")
    for at in range(0, len(order), 4096):
        part = order[at:at + 4096]
        with torch.autocast("cuda", torch.bfloat16, enabled=kind != "grams"):
            s, e, _ = net(*inputs(rows[part]), domain[torch.from_numpy(rows[part]).cuda()])
        sentiment[part] = s.float().log_softmax(-1).cpu().numpy()
        emotion[part] = e.float().log_softmax(-1).cpu().numpy()
    return sentiment, emotion
