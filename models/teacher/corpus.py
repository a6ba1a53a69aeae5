"""Reads the training data and converts texts to the input of the teachers.

A row is one text with its labels. Rows have a fixed order: the labeled training files, the
dev files, the posts, the lexicon. This module does not need a GPU.
"""

import collections
import dataclasses
import glob
import gzip
import html
import json
import os
import re
import unicodedata
import zlib

SENTIMENTS = ["positive", "neutral", "negative"]
EMOTIONS = ["joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear"]
FOLDS = 5
MAX_CHARS = 300

# Files of labeled texts. The value is the domain of the texts, or None if each language and
# source has its own. A domain has its own class mix, which the teachers learn as a bias, so that
# the mix of one set does not affect another.
SENTIMENT_TRAIN = {
    "sentiment/semeval_en_train": "tweet",
    "sentiment/umsab_train": "umsab",
    "sentiment/uci_review_sentences_train": "review",
    "sentiment/newsmtsc_train": "news",
    "sentiment/sarcasm_train": "sarcasm",
}
EMOTION_TRAIN = {
    "emotion/goemotions_train": "reddit",
    "emotion/xed_train": "subtitle",
    "emotion/smile_train": "museum",
}
DEV = {
    "sentiment/tweeteval_en_dev": "tweet",
    "sentiment/umsab_dev": "umsab",
    "sentiment/newsmtsc_dev": "news",
    "sentiment/tricky_dev": "tweet",
    "emotion/goemotions_dev": "reddit",
    "emotion/tweeteval_emotion_dev": "reddit",
}
POSTS = ["twitter", "reviews", "hackernews", "forums", "comments"]
# Texts used only to train the language model.
OTHER_TEXTS = ["opinion/troll_category_train"]
OTHER_POSTS = ["blogs", "news", *POSTS]

# Weights of the sets with a sentiment of their own. The few English rows of umsab_train are all
# negative, and its Hindi labels are barely better than chance.
WEIGHTS = {"tweet": 1.0, "umsab": 1.5, "review": 0.5, "news": 0.5, "sarcasm": 0.5}
UMSAB_TRUST = {"en": 0.0, "hi": 0.3}

POSITIVE_FINE = set("""admiration amusement approval caring desire excitement gratitude joy love
    optimism pride relief""".split())
NEGATIVE_FINE = set("""anger annoyance disappointment disapproval disgust embarrassment fear grief
    nervousness remorse sadness""".split())
AMBIGUOUS_FINE = ["confusion", "curiosity", "realization", "surprise"]
FINE = sorted(POSITIVE_FINE | NEGATIVE_FINE | set(AMBIGUOUS_FINE) | {"neutral"})


@dataclasses.dataclass(slots=True)
class Row:
    """A text with its labels. Without labels, its weight is 0."""

    source: str  # file without its extension; with #1 or #2, a fragment of a row of that file
    text: str
    language: str
    domain: str  # of the sentiment
    emotion_domain: str = "reddit"
    sentiment: tuple = ()
    sentiment_weight: float = 0.0
    emotion: tuple = ()
    emotion_weight: float = 0.0
    fine: tuple = ()
    two: bool = False         # The set has no neutral sentiment; exclude it from the sum.
    no_neutral: bool = False  # The set has no neutral emotion.
    whole: int = -1           # If this is a fragment, the index of the row it comes from.


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


def files(data):
    """Returns the labeled files, training files first."""
    more = sorted(os.path.relpath(f, data)[:-7] for f in glob.glob(f"{data}/*/more_*.tsv.gz"))
    train = [*SENTIMENT_TRAIN, *EMOTION_TRAIN, *(f for f in more if f.endswith("_train"))]
    return train, [*DEV, *(f for f in more if f.endswith("_dev"))]


def labelled(data, source):
    """Yields the rows of a labeled file."""
    everything = list(tsv(f"{data}/{source}.tsv.gz"))
    if source.startswith("sentiment/"):
        label_one = sentiment_row
        three = {domain_of(source, r) for r in everything if r["label"] == "neutral"}
    else:
        label_one, three = emotion_row, set()
    for r in everything:
        row = label_one(source, r)
        row.two = row.sentiment_weight > 0 and source.startswith("sentiment/more_") and row.domain not in three
        yield row


def domain_of(source, r):
    """Returns the sentiment domain of a row. Ids of the more files begin with the source: moz-123."""
    if "/more_" in source:
        return f"{r['language']} {r['id'].split('-')[0]}"
    return (SENTIMENT_TRAIN | DEV)[source]


def sentiment_row(source, r):
    language = r.get("language", "en")
    domain = domain_of(source, r)
    row = Row(source, r["text"], language, domain, emotion_domain_of(language))
    label = r["label"]
    if domain == "sarcasm" and not label and r["sarcastic"] == "1":
        label, row.domain = "negative", "tweet"
    row.sentiment = places(SENTIMENTS, {label})
    if row.sentiment:
        row.sentiment_weight = WEIGHTS.get(domain, 1.0)
        if domain == "umsab":
            row.sentiment_weight *= UMSAB_TRUST.get(language, 1.0)
        if domain == "sarcasm":
            row.domain, row.sentiment_weight = ("tweet", 0.3) if language == "en" else (f"{language} sarcasm", 0.3)
    return row


# Domain of the emotions of other texts in a language, where a set labels them.
EMOTION_DOMAINS = {"es": "es emoevent", "id": "id emot", "ko": "ko kote", "ro": "ro redv", "ru": "ru cedr", "tr": "tr tweets", "zh": "zh ewect"}


def emotion_domain_of(language):
    return EMOTION_DOMAINS.get(language, "reddit")


def emotion_row(source, r):
    language = r.get("language", "en")
    emotions = places(EMOTIONS, r["ekman"].split(","))
    row = Row(source, r["text"], language, main_domain(language), emotion=emotions, emotion_weight=1.0 if emotions else 0.0)
    if "/more_" in source:
        row.emotion_domain = "subtitle" if r["origin"].startswith("xed") else emotion_domain_of(language) if language != "en" else "en emoevent"
        row.no_neutral = language in ("id", "tr")
        row.emotion_weight *= 0.4 if row.emotion_domain == "subtitle" else 1.0
    else:
        row.emotion_domain = (EMOTION_TRAIN | DEV)[source]
    if "fine" in r:
        labels = r["fine"].split(",")
        row.fine = places(FINE, labels)
        row.sentiment = polarity(labels, POSITIVE_FINE, NEGATIVE_FINE, {"neutral"})
        row.sentiment_weight = 0.4 if row.sentiment else 0.0
        row.domain = "reddit"
    if "plutchik" in r:
        labels = set(r["plutchik"].split(","))
        row.emotion_weight *= 0.6 if language == "en" else 0.4
        row.no_neutral = language not in ("en", "fi")
        row.sentiment = polarity(labels, {"joy", "trust"}, {"anger", "disgust", "fear", "sadness"}, {"neutral"})
        row.sentiment_weight = 0.3 if row.sentiment else 0.0
        row.domain = f"{language} subtitle"
    return row


# The largest sentiment set of a language, whose class mix texts without a set of their own get.
MAIN_DOMAINS = {
    "ar": "umsab", "de": "umsab", "en": "tweet", "es": "umsab", "fr": "umsab", "hi": "umsab", "it": "umsab", "pt": "umsab",
    "ko": "ko nsmc", "ru": "ru sre15t", "zh": "zh ewect", "th": "th wisesight", "ja": "ja 5ch", "id": "id smsa", "hu": "hu husst",
    "ro": "ro redv1", "kk": "kk kazsandra", "fa": "fa sentipers", "el": "el bank",
}


def main_domain(language):
    return MAIN_DOMAINS.get(language, "umsab")


def neutral_sentences(data):
    """Yields news sentences, most of which are neutral, for the languages whose sets have no neutral rows."""
    mixes = {"bg", "de", "es", "fr", "hr", "pl", "sk", "sl", "sr", "tr", "ur", "sv", "he"}
    domains = {"tr": "tr film", "fr": "fr series", "he": "he amram", "ur": "ur usc"}
    for r in tsv(f"{data}/langid/langid_train.tsv.gz"):
        if r["kind"] == "sentence" and r["language"] in mixes:
            language = r["language"]
            yield Row("neutral", r["text"], language, domains.get(language, f"{language} moz"), sentiment=(1,), sentiment_weight=0.3)


def lexicon(data):
    """Yields the words of the multilingual AFINN as very short texts."""
    for r in tsv(f"{data}/lexicons/afinn_multilang.tsv.gz"):
        score = float(r["score"])
        if abs(score) >= 1:
            label = "positive" if score > 0 else "negative"
            yield Row("lexicon", r["term"], r["language"], "lexicon", sentiment=places(SENTIMENTS, {label}), sentiment_weight=0.2, two=True)


def phrases(path):
    """Yields generated sentences, a TSV file with the columns language, kind, label, ekman and text."""
    with open(path, encoding="utf-8", newline="\n") as f:
        header = next(f).rstrip("\n").split("\t")
        for line in f:
            r = dict(zip(header, line.rstrip("\n").split("\t")))
            row = Row("phrases", r["text"], r["language"], f"{r['language']} phrases", emotion_domain="phrases", sentiment=places(SENTIMENTS, {r["label"]}))
            row.sentiment_weight = 0.7 if row.sentiment else 0.0
            row.emotion = places(EMOTIONS, r["ekman"].split(","))
            row.emotion_weight = 0.3 if row.emotion else 0.0
            yield row


def rows(data, generated):
    """Returns all rows: training files, dev files, posts, fragments, and rows that are only trained on."""
    out = []
    train, dev = files(data)
    for source in [*train, *dev]:
        out += labelled(data, source)
    for name in POSTS:
        source = f"posts/{name}_posts"
        out += (post_row(source, p) for p in posts(f"{data}/{source}.jsonl.gz"))
    whole = [(i, r) for i, r in enumerate(out) if not r.source.endswith("_dev")]
    for j in (1, 2):
        out += fragments(whole, j)
    out += neutral_sentences(data)
    out += lexicon(data)
    out += phrases(generated)
    out += (Row("other", text, "en", "tweet") for text in other_texts(data))
    return out


def fragments(whole, j):
    """Yields fragment j of each row. A row that is too short has an empty one, to keep row numbers."""
    twice = {"sentiment/semeval_en_train", "sentiment/more_en_train"}
    at = collections.Counter()
    for index, r in whole:
        i = at[r.source]
        at[r.source] += 1
        if r.source.startswith(("emotion/xed", "emotion/more")) or j == 2 and r.source not in twice:
            continue
        source = f"{r.source}#{j}"
        yield Row(source, fragment(r.text, fragment_name(source, i)), r.language, r.domain, r.emotion_domain, whole=index)


def fragment_name(source, i):
    """Returns what the hash of fragment i is computed of: its file and row, for example umsab_train.tsv.gz#1 17."""
    file, _, j = source.partition("#")
    return f"{file}{'.jsonl.gz' if file.startswith('posts/') else '.tsv.gz'}#{j} {i}"


def fragment(text, name):
    """Returns some consecutive words of a text, chosen by a hash of the fragment's name."""
    words, h = text.split(" "), zlib.crc32(name.encode())
    length = 2 + h % 7
    if len(words) <= length:
        return ""
    start = h // 7 % (len(words) - length + 1)
    return " ".join(words[start:start + length])


def post_row(source, post):
    """Returns the row of a post. A post in no known language is empty, to keep row numbers."""
    language = post_language(post)
    return Row(source, post["contents"] if language else "", language, main_domain(language), emotion_domain_of(language))


COMMON = set("the and is was to of in it for with this very we you are our my not that on".split())


def post_language(post):
    """Returns the stated language, or en for a text that has common English words."""
    if post["language"]:
        return post["language"]
    words = re.findall(r"[a-z]+", post["contents"][:MAX_CHARS].lower())
    return "en" if sum(w in COMMON for w in words) >= max(2, len(words) // 10) else ""


def other_texts(data):
    """Yields further texts for the language model: the rest of long posts, in parts, and other files."""
    for source in OTHER_TEXTS:
        for r in tsv(f"{data}/{source}.tsv.gz"):
            yield r["text"]
    for name in OTHER_POSTS:
        for p in posts(f"{data}/posts/{name}_posts.jsonl.gz"):
            if post_language(p) == "en":
                start = 0 if name not in POSTS else MAX_CHARS
                yield from pieces(p["contents"][start:2500])


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


def forget_dev(rows, keys):
    """Sets the weight of training rows that are also dev rows to 0, and returns their number."""
    known = {k for r, k in zip(rows, keys) if r.source.endswith("_dev")}
    starts = {k[:40] for k in known if len(k) >= 40}
    dropped = 0
    for r, k in zip(rows, keys):
        if (r.sentiment_weight or r.emotion_weight) and not r.source.endswith("_dev") and r.source not in ("lexicon", "phrases"):
            if k in known or k[:40] in starts:
                r.sentiment_weight = r.emotion_weight = 0.0
                r.fine = ()
                dropped += 1
    return dropped
