"""Converts texts to the numeric input of the teachers."""

import collections
import gzip
import itertools
import json
import multiprocessing
import os
import struct
import zlib

import numpy as np

import corpus
from common import Clock
from rows import read as read_rows

LENGTH = 96          # Maximum number of pieces or words of a text.
PIECES = 48_000      # Size of the language model's vocabulary.
GRAM_BITS = 21
PART_BITS = 18


def prepare(path, data, encoder, vectors, work):
    os.makedirs(work, exist_ok=True)
    clock = Clock()
    rows = read_rows(path)
    clock("rows", len(rows))
    labeled = [r for r in rows if r.source != "other"]
    texts = [r.text for r in labeled]
    with multiprocessing.Pool(16) as pool:
        keys = pool.map(corpus.key, texts, 2000)
        clock("dropped", corpus.forget_dev(labeled, keys))
        save_labels(labeled, [zlib.crc32(keys[r.whole if r.whole >= 0 else i].encode()) % corpus.FOLDS for i, r in enumerate(labeled)], work)
        clock("labels")
        plain = pool.map(corpus.for_language_model, [r.text for r in rows], 2000)
        spelled = pool.map(corpus.described, texts, 2000)
        tokens = pool.map(corpus.words, texts, 2000)
        clock("texts")
        grams = pool.map(gram_array, texts, 2000)
    clock("grams")
    save_grams(grams, work)
    ready(work, "grams")
    prepare_words(tokens, vectors, data, work)
    ready(work, "words")
    clock("words")
    prepare_sentences(spelled, encoder, work)
    ready(work, "sentences")
    clock("sentences")
    every = [t for r, t in zip(rows, plain) if "#" not in r.source and not r.source.endswith("_dev") and r.source != "lexicon"]
    prepare_pieces(plain[: len(labeled)], list(dict.fromkeys(every)), vectors, work)
    ready(work, "pieces")
    clock("pieces")


def ready(work, kind):
    """Says that the input of a kind of teacher is complete, so that its training can start."""
    open(f"{work}/{kind}.ready", "w").close()


def save_labels(rows, folds, work):
    """Saves the targets, weights and source of each row."""
    n = len(rows)
    sentiment, emotion, fine = np.zeros((n, 3), "f4"), np.zeros((n, 7), "f4"), np.zeros((n, len(corpus.FINE)), "f4")
    for i, r in enumerate(rows):
        for target, given in ((sentiment, r.sentiment), (emotion, r.emotion)):
            for k in given:
                target[i, k] = 1 / len(given)
        fine[i, list(r.fine)] = 1
    sources = list(dict.fromkeys(r.source for r in rows))
    number = {s: i for i, s in enumerate(sources)}
    domains = sorted({r.domain for r in rows} | {r.emotion_domain for r in rows})
    place = {d: i for i, d in enumerate(domains)}
    posts = np.array([r.source.startswith("posts/") for r in rows])
    dev = np.array([r.source.endswith("_dev") for r in rows])
    fragment = np.array(["#" in r.source for r in rows])
    train = ~posts & ~dev & ~fragment
    np.savez(f"{work}/labels.npz", sentiment=sentiment, emotion=emotion, fine=fine, train=train, dev=dev,
             fold=np.where(dev | posts, -1, np.array(folds)).astype("i1"),
             sentiment_weight=np.array([r.sentiment_weight for r in rows], "f4"),
             emotion_weight=np.array([r.emotion_weight for r in rows], "f4"),
             two=np.array([r.two for r in rows]), no_neutral=np.array([r.no_neutral for r in rows]),
             domain=np.array([(place[r.domain], place[r.emotion_domain]) for r in rows], "i8"), domains=np.array(domains),
             source=np.array([number[r.source] for r in rows], "i2"), sources=np.array(sources),
             language=np.array([r.language for r in rows]), empty=np.array([not r.text for r in rows]))
    print(len(domains), "domains", flush=True)


def gram_array(text):
    return np.array(corpus.ngrams(text, GRAM_BITS), "i4")


def save_grams(grams, work):
    counts = np.array([len(g) for g in grams], "i4")
    flat = np.concatenate(grams)
    seen = np.bincount(flat, minlength=1 << GRAM_BITS)
    importance = np.log((1 + len(grams)) / (1 + seen)).astype("f4")
    np.savez(f"{work}/grams.npz", flat=flat, counts=counts, importance=importance)


def matrix(ids, padding):
    """Returns a list of id lists as one array, truncated to LENGTH, and the lengths."""
    out = np.full((len(ids), LENGTH), padding, "i4")
    lengths = np.zeros(len(ids), "i4")
    for i, row in enumerate(ids):
        row = row[:LENGTH]
        out[i, : len(row)] = row
        lengths[i] = max(1, len(row))
    return out, lengths


def read_vectors(path):
    """Returns the words of vectors.bin.gz and their vectors."""
    raw = gzip.open(path).read()
    n, d, size, scale = struct.unpack("<IIIf", raw[4:20])
    words = raw[20:20 + size].decode().split("\n")[:-1]
    body = np.frombuffer(raw, "i1", n * d, 20 + size).reshape(d, n).T
    return words, (body * scale).astype("f4")


def prepare_words(tokens, vectors, data, work):
    counts = collections.Counter(itertools.chain.from_iterable(tokens))
    known, table = read_vectors(vectors)
    place = {w: i for i, w in enumerate(known)}
    kept = [w for w, c in counts.items() if c >= 4 or (w in place and c >= 2)]
    ids = {w: i + 1 for i, w in enumerate(kept)}
    fixed = np.zeros((len(kept) + 1, table.shape[1]), "f4")
    parts = np.zeros((len(kept) + 1, 20), "i4")
    scores = np.zeros((len(kept) + 1, 3), "f4")
    lexicons = read_lexicons(data)
    for w, i in ids.items():
        if w in place:
            fixed[i] = table[place[w]]
        grams = [zlib.crc32(f"<{w}>"[a:a + n].encode()) % ((1 << PART_BITS) - 1) + 1
                 for n in (5, 4, 3) for a in range(len(w) + 3 - n)][:20]
        parts[i, : len(grams)] = grams
        scores[i] = [lexicon.get(w, 0) for lexicon in lexicons]
    table, lengths = matrix([[ids[w] for w in row if w in ids] for row in tokens], 0)
    np.savez(f"{work}/words.npz", table=table, lengths=lengths, fixed=fixed / 2, parts=parts, scores=scores)
    print(len(kept), "words", flush=True)


def read_lexicons(data):
    """Returns three lexicons that map words to scores of about -1 to 1: VADER, AFINN, and AFINN in other languages."""
    vader = {r["token"]: float(r["mean"]) / 4 for r in corpus.tsv(f"{data}/lexicons/vader_lexicon.tsv.gz")}
    afinn = {r["term"]: float(r["score_165"] or 0) / 5 for r in corpus.tsv(f"{data}/lexicons/afinn_en.tsv.gz")}
    other = collections.defaultdict(list)
    for r in corpus.tsv(f"{data}/lexicons/afinn_multilang.tsv.gz"):
        other[r["term"].lower()].append(float(r["score"]) / 5)
    return vader, afinn, {w: sum(s) / len(s) for w, s in other.items()}


def prepare_sentences(texts, encoder, work):
    from tokenizers import Tokenizer, models, pre_tokenizers
    vocabulary = json.load(open(f"{encoder}/vocab.json"))
    # The first six entries are not pieces, and pieces with a colon have lost their scores.
    scored = [(piece, -100.0 if i < 6 else -7.0 if score is None else score) for i, (piece, score) in enumerate(vocabulary)]
    tokenizer = Tokenizer(models.Unigram(scored, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    print(tokenizer.encode("I can't believe how great this is!").tokens, flush=True)
    table, lengths = matrix([e.ids for e in tokenizer.encode_batch(texts)], -1)
    np.savez(f"{work}/sentences.npz", table=table, lengths=lengths)


def prepare_pieces(texts, every, vectors, work):
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE(unk_token="[unk]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(
        Regex(r" ?[\p{L}\p{M}\p{N}_]+| ?[^\s\p{L}\p{M}\p{N}_]{1,3}|\s+"), behavior="isolated")
    tokenizer.train_from_iterator(every, trainers.BpeTrainer(
        vocab_size=PIECES, special_tokens=["[pad]", "[unk]", "[mask]"], limit_alphabet=7000, show_progress=False))
    tokenizer.save(f"{work}/pieces.json")
    print(tokenizer.encode(" i can't believe how great this is! 😂 #lovethis").tokens, flush=True)
    encode = lambda batch: [e.ids for e in tokenizer.encode_batch([" " + t for t in batch])]
    table, lengths = matrix(encode(texts), 0)
    names, known = read_vectors(vectors)
    place = {w: i for i, w in enumerate(names)}
    fixed = np.zeros((tokenizer.get_vocab_size(), known.shape[1]), "f4")
    for piece, i in tokenizer.get_vocab().items():
        if piece.startswith(" ") and piece[1:] in place:
            fixed[i] = known[place[piece[1:]]]
    np.savez(f"{work}/pieces.npz", table=table, lengths=lengths, fixed=fixed / 2)
    table, lengths = matrix(encode(every), 0)
    np.savez(f"{work}/texts.npz", table=table, lengths=lengths)
    print(len(every), "texts,", int(lengths.sum()), "pieces", flush=True)
