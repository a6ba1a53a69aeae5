"""Reads the training data and converts texts to the input of the teachers.

A row is one text with its labels. Rows have a fixed order: the labeled training files, the
dev files, the posts, the lexicon. This module does not need a GPU.
"""

import dataclasses
import gzip
import html
import json
import re
import unicodedata
import zlib

SENTIMENTS = ["positive", "neutral", "negative"]
EMOTIONS = ["joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear"]
FOLDS = 5
MAX_CHARS = 300

# The domain of a text. Each domain has its own class mix, which the teachers learn as a
# bias, so that the mix of one set does not affect another.
DOMAINS = ["tweet", "umsab", "review", "news", "reddit", "subtitle", "museum", "lexicon"]

TRAIN = {
    "sentiment/semeval_en_train": "tweet",
    "sentiment/umsab_train": "umsab",
    "sentiment/uci_review_sentences_train": "review",
    "sentiment/newsmtsc_train": "news",
    "emotion/goemotions_train": "reddit",
    "emotion/xed_train": "subtitle",
    "emotion/smile_train": "museum",
}
DEV = {
    "sentiment/tweeteval_en_dev": "tweet",
    "sentiment/umsab_dev": "umsab",
    "emotion/goemotions_dev": "reddit",
    "emotion/tweeteval_emotion_dev": "reddit",
}
POSTS = ["twitter", "reviews", "hackernews", "forums", "comments"]
# Texts used only to train the language model.
OTHER_TEXTS = ["opinion/troll_category_train"]

# The English rows of umsab_train are also in tweeteval_en_dev, and the few others are all negative.
# Its Hindi labels are barely better than chance.
UMSAB_TRUST = {"en": 0.0, "hi": 0.3}

LEXICON_LANGUAGES = {"ar", "de", "en", "es", "fr", "it", "pt"}

POSITIVE_FINE = set("""admiration amusement approval caring desire excitement gratitude joy love
    optimism pride relief""".split())
NEGATIVE_FINE = set("""anger annoyance disappointment disapproval disgust embarrassment fear grief
    nervousness remorse sadness""".split())
AMBIGUOUS_FINE = ["confusion", "curiosity", "realization", "surprise"]
FINE = sorted(POSITIVE_FINE | NEGATIVE_FINE | set(AMBIGUOUS_FINE) | {"neutral"})


@dataclasses.dataclass(slots=True)
class Row:
    """A text with its labels. Without labels, its weight is 0."""

    source: str
    text: str
    language: str
    domain: str
    sentiment: tuple = ()
    sentiment_weight: float = 0.0
    emotion: tuple = ()
    emotion_weight: float = 0.0
    fine: tuple = ()
    no_neutral: bool = False  # The set has no label neutral; exclude it from the sum.


def tsv(path):
    """Yields the rows of a gzipped TSV file as dictionaries."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as f:
        header = next(f).rstrip("\n").split("\t")
        for line in f:
            yield dict(zip(header, line.rstrip("\n").split("\t")))


def posts(path):
    """Yields the posts of a gzipped JSON lines file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as f:
        for line in f:
            yield json.loads(line)


def places(names, given):
    return tuple(i for i, name in enumerate(names) if name in given)


def polarity(labels, positive, negative, neutral):
    """Returns the sentiments that fine-grained labels imply, or none if any label is ambiguous."""
    out = set()
    for label in labels:
        if label in positive:
            out.add("positive")
        elif label in negative:
            out.add("negative")
        elif label in neutral:
            out.add("neutral")
        else:
            return ()
    return places(SENTIMENTS, out)


def labelled(data, source, domain):
    """Yields the rows of a labeled file."""
    sentiment_weight = {"tweet": 1.0, "umsab": 1.5, "review": 0.5, "news": 0.3}
    for r in tsv(f"{data}/{source}.tsv.gz"):
        row = Row(source, r["text"], r.get("language", "en"), domain)
        if "/umsab" in source or domain in ("tweet", "review", "news"):
            row.sentiment = places(SENTIMENTS, {r["label"]})
            row.sentiment_weight = sentiment_weight[domain]
            if domain == "umsab":
                row.sentiment_weight *= UMSAB_TRUST.get(row.language, 1.0)
        else:
            row.emotion = places(EMOTIONS, r["ekman"].split(","))
            row.emotion_weight = 1.0 if row.emotion else 0.0
        if "fine" in r:
            labels = r["fine"].split(",")
            row.fine = places(FINE, labels)
            row.sentiment = polarity(labels, POSITIVE_FINE, NEGATIVE_FINE, {"neutral"})
            row.sentiment_weight = 0.4 if row.sentiment else 0.0
        if "plutchik" in r:
            labels = set(r["plutchik"].split(","))
            row.emotion_weight *= 0.6 if row.language == "en" else 0.4
            row.no_neutral = row.language != "fi"
            row.sentiment = polarity(labels, {"joy", "trust"}, {"anger", "disgust", "fear", "sadness"}, {"neutral"})
            row.sentiment_weight = 0.3 if row.sentiment else 0.0
        yield row


def lexicon(data):
    """Yields the words of the multilingual AFINN as very short texts."""
    for r in tsv(f"{data}/lexicons/afinn_multilang.tsv.gz"):
        score = float(r["score"])
        if r["language"] in LEXICON_LANGUAGES and abs(score) >= 1:
            label = "positive" if score > 0 else "negative"
            yield Row("lexicon", r["term"], r["language"], "lexicon", places(SENTIMENTS, {label}), 0.2)


def rows(data):
    """Returns all rows, in the order described at the top of this module."""
    out = []
    for source, domain in (TRAIN | DEV).items():
        out += labelled(data, source, domain)
    for name in POSTS:
        source = f"posts/{name}_posts"
        out += (post_row(source, p) for p in posts(f"{data}/{source}.jsonl.gz"))
    out += lexicon(data)
    return out


def post_row(source, post):
    """Returns the row of a post. Only English posts are predicted; the others are empty, to keep row numbers."""
    language = post_language(post)
    return Row(source, post["contents"] if language == "en" else "", language, "tweet")


COMMON = set("the and is was to of in it for with this very we you are our my not that on".split())


def post_language(post):
    """Returns the stated language, or en for a text that has common English words."""
    if post["language"]:
        return post["language"]
    words = re.findall(r"[a-z]+", post["contents"][:MAX_CHARS].lower())
    return "en" if sum(w in COMMON for w in words) >= max(2, len(words) // 10) else ""


def unlabelled(data):
    """Yields the texts for the language model (all labeled texts and the English posts), splitting long ones."""
    for source in [*TRAIN, *OTHER_TEXTS]:
        for r in tsv(f"{data}/{source}.tsv.gz"):
            yield r["text"]
    for name in POSTS:
        for p in posts(f"{data}/posts/{name}_posts.jsonl.gz"):
            if post_language(p) != "en":
                continue
            if name == "forums" and p.get("title"):
                yield p["title"]
            yield from pieces(p["contents"][:2500])


def pieces(text, size=400):
    """Splits a long text into parts of about size characters, at ends of lines and sentences."""
    piece = ""
    for part in re.split(r"(?<=[.!?])\s+|\n+", text):
        if piece and len(piece) + len(part) > size:
            yield piece
            piece = ""
        piece = f"{piece} {part[:size]}".strip()
    if piece:
        yield piece


URL = re.compile(r"(?:https?://|www\.)\S+|\bhttp\b")
MENTION = re.compile(r"@\w+")
REPEATED = re.compile(r"(.)\1{3,}")
SHOUTED = re.compile(r"\b([^\W\d_a-z]{3,})\b")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
HASHTAG = re.compile(r"#(\w+)")


ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def unescape(text):
    """Removes the escapes and outer quotes that some sets have in their texts."""
    if "\\u" in text:
        text = ESCAPE.sub(lambda m: chr(int(m[1], 16)), text)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return html.unescape(text).replace('""', '"').strip('" ')


def normal(text):
    """Replaces links and mentions, shortens repeated characters and truncates the text."""
    text = unescape(text[: 3 * MAX_CHARS])
    text = unicodedata.normalize("NFKC", text[: 2 * MAX_CHARS]).replace("’", "'")
    text = MENTION.sub("@user", URL.sub("http", text))
    text = REPEATED.sub(r"\1\1\1", text)
    return " ".join(text.split())[: MAX_CHARS + 100]


def for_language_model(text):
    """Returns the text in lower case, with a marker before words in all caps."""
    return SHOUTED.sub(lambda m: "⇧" + m[1] if m[1].isupper() else m[1], normal(text)).lower()


def described(text):
    """Spells out emoji and splits hashtags, for models that know only words."""
    text = HASHTAG.sub(lambda m: CAMEL.sub(" ", m[1].replace("_", " ")), normal(text))
    text = text.replace("@user", "").replace("http", "")
    return " ".join("".join(emoji_name(c) for c in text).split())


def emoji_name(c):
    if c < "\u2600":
        return c
    category = unicodedata.category(c)
    if category == "So":
        return f" {unicodedata.name(c, '').lower()} "
    return "" if category in ("Sk", "Mn", "Cs", "Co") and c > "\uf000" else c


WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[^\w\s]{1,3}")
NOT = re.compile(r"(\w+)n't\b")


def words(text):
    """Returns the lower-case words and punctuation of a text."""
    text = NOT.sub(r"\1 not", described(text).lower().replace("can't", "can not").replace("won't", "will not"))
    text = re.sub(r"'(s|m|re|ve|ll|d)\b", r" \1", text)
    return WORD.findall(text)


def ngrams(text, bits=20):
    """Returns the hashes of words, pairs of words and character 2- to 5-grams within words."""
    out = set()
    tokens = WORD.findall(for_language_model(text))
    mask = (1 << bits) - 1
    for a, b in zip(tokens, tokens[1:] + [""]):
        out.add(zlib.crc32(f"w {a}".encode()) & mask)
        out.add(zlib.crc32(f"p {a} {b}".encode()) & mask)
    for token in tokens:
        token = f" {token} "
        for n in range(2, 6):
            for i in range(len(token) - n + 1):
                out.add(zlib.crc32(token[i:i + n].encode()) & mask)
    return sorted(out)


def key(text):
    """Returns the letters and digits of a text, so that case and punctuation do not matter."""
    return "".join(c for c in normal(text).lower() if c.isalnum())


def fold(text):
    return zlib.crc32(key(text).encode()) % FOLDS


def forget_dev(rows):
    """Sets the weight of training rows that are also dev rows to 0.

    Most of tweeteval_en_dev is also in umsab_train, which would inflate the scores.
    """
    keys = {key(r.text) for r in rows if r.source in DEV}
    starts = {k[:40] for k in keys if len(k) >= 40}
    dropped = 0
    for r in rows:
        if r.source in TRAIN and ((k := key(r.text)) in keys or k[:40] in starts):
            r.sentiment_weight = r.emotion_weight = 0.0
            r.fine = ()
            dropped += 1
    return dropped
