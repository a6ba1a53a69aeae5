"""The networks: four kinds of encoders with the same kind of heads."""

import json
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from corpus import EMOTIONS, FINE, SENTIMENTS


class Heads(nn.Module):
    """Converts the encoding of a text to logits.

    The biases of a domain absorb its class mix, so that the other weights do not have to.
    """

    DOMAINS = 256  # more than there are

    def __init__(self, width):
        super().__init__()
        self.sentiment = nn.Linear(width, len(SENTIMENTS))
        self.emotion = nn.Linear(width, len(EMOTIONS))
        self.fine = nn.Linear(width, len(FINE))
        self.sentiment_mix = nn.Embedding(self.DOMAINS, len(SENTIMENTS))
        self.emotion_mix = nn.Embedding(self.DOMAINS, len(EMOTIONS))
        nn.init.zeros_(self.sentiment_mix.weight)
        nn.init.zeros_(self.emotion_mix.weight)

    def forward(self, x, domain):
        sentiment, emotion = domain[:, 0], domain[:, 1]
        return (self.sentiment(x) + self.sentiment_mix(sentiment), self.emotion(x) + self.emotion_mix(emotion), self.fine(x))


class Pool(nn.Module):
    """Pools a sequence into its mean, its maximum and an average weighted by learned attention."""

    def __init__(self, width, out, drop=0.2):
        super().__init__()
        self.score = nn.Linear(width, 1)
        self.dense = nn.Linear(3 * width, out)
        self.drop = nn.Dropout(drop)

    def forward(self, x, mask):
        m = mask.unsqueeze(-1)
        mean = (x * m).sum(1) / m.sum(1).clamp(min=1)
        top = x.masked_fill(~m, -1e4).amax(1)
        weights = self.score(x).masked_fill(~m, -1e4).softmax(1)
        return self.drop(torch.tanh(self.dense(self.drop(torch.cat([mean, top, (weights * x).sum(1)], -1)))))


class Block(nn.Module):
    """A pre-norm transformer layer."""

    def __init__(self, width, heads, drop):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(drop)

    def forward(self, x, mask):
        b, n, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        x = x + self.drop(self.out(a.transpose(1, 2).reshape(b, n, d)))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)))))


class LanguageModel(nn.Module):
    """A masked language model over word pieces. Piece 0 is padding, 1 unknown, 2 the mask.

    The embedding of a piece that is a word in the vectors is initialized from its vector.
    """

    PAD, UNKNOWN, MASK = 0, 1, 2

    def __init__(self, known, width=512, layers=8, heads=8, length=128, drop=0.1):
        super().__init__()
        size, dims = known.shape
        self.register_buffer("known", known)
        self.pieces = nn.Embedding(size, width)
        self.lift = nn.Linear(dims, width, bias=False)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, drop) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(drop)
        self.guess = nn.Linear(width, width)
        self.guess_norm = nn.LayerNorm(width)
        self.guess_bias = nn.Parameter(torch.zeros(size))
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)
        for block in self.blocks:
            for linear in (block.out, block.down):
                nn.init.normal_(linear.weight, std=0.02 / math.sqrt(2 * layers))

    def table(self):
        return self.pieces.weight + self.lift(self.known)

    def read(self, ids):
        mask = ids != self.PAD
        mask[:, 0] = True  # Attention without any position would be NaN.
        x = F.embedding(ids, self.table()) + self.places.weight[: ids.shape[1]]
        x = self.drop(x)
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x), mask

    def forward(self, ids, chosen):
        """Returns the logits of the pieces at the chosen positions."""
        x, _ = self.read(ids)
        x = self.guess_norm(F.gelu(self.guess(x[chosen])))
        return x @ self.table().T + self.guess_bias


class PieceReader(nn.Module):
    """A classifier on top of the language model."""

    def __init__(self, known, weights=None):
        super().__init__()
        self.model = LanguageModel(known)
        if weights is not None:
            self.model.load_state_dict(weights)
        self.pool = Pool(512, 384)
        self.heads = Heads(384)

    def forward(self, ids, domain):
        if self.training:
            lost = (torch.rand(ids.shape, device=ids.device) < 0.08) & (ids != 0)
            ids = ids.masked_fill(lost, LanguageModel.MASK)
        return self.heads(self.pool(*self.model.read(ids)), domain)


class SentenceEncoder(nn.Module):
    """Universal Sentence Encoder Lite. Piece -1 is padding; 3, which it never saw, represents a dropped piece."""

    PAD, MASK = -1, 3

    def __init__(self, folder):
        super().__init__()
        weights = load_sentence_encoder(folder)
        self.embed = nn.Embedding.from_pretrained(weights.pop("embed"), freeze=False)
        self.w = nn.ParameterDict({name: nn.Parameter(value) for name, value in weights.items()})
        rates = torch.exp(-torch.arange(128) * math.log(1e4) / 127)
        angles = torch.arange(128)[:, None] * rates
        self.register_buffer("timing", torch.cat([angles.sin(), angles.cos()], 1))
        self.drop = nn.Dropout(0.1)

    def layer(self, n, x, residual, mask):
        w = {name[3:]: value for name, value in self.w.items() if name.startswith(f"l{n}_")}
        b, length, d = x.shape
        h = F.layer_norm(x, (d,), w["norm_scale"], w["norm_bias"], 1e-6)
        q, k, v = (h @ w["qkv"] + w["qkv_bias"]).view(b, length, 3, 4, d // 4).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        x = residual + self.drop(a.transpose(1, 2).reshape(b, length, d) @ w["out"] + w["out_bias"])
        h = F.layer_norm(x, (512,), w["ffn_norm_scale"], w["ffn_norm_bias"], 1e-6)
        h = F.relu(h @ w["up"] + w["up_bias"])
        return x + self.drop(self.drop(h) @ w["down"] + w["down_bias"])

    def read(self, ids):
        mask = ids != self.PAD
        mask[:, 0] = True  # Attention without any position would be NaN.
        x = 2 * self.embed(ids.clamp(min=0)) + self.timing[: ids.shape[1]]
        x = self.layer(0, x, x @ self.w["lift"] + self.w["lift_bias"], mask)
        x = self.layer(1, x, x, mask)
        return x, mask

    def sentence(self, x, mask):
        m = mask.unsqueeze(-1)
        return torch.tanh((x * m).sum(1) / m.sum(1) @ self.w["sentence"] + self.w["sentence_bias"])


class SentenceReader(nn.Module):
    """A classifier on top of the sentence encoder."""

    def __init__(self, encoder):
        super().__init__()
        self.model = encoder
        self.pool = Pool(512, 512, 0.3)
        self.drop = nn.Dropout(0.15)
        self.heads = Heads(1024)

    def forward(self, ids, domain):
        if self.training:
            lost = (torch.rand(ids.shape, device=ids.device) < 0.08) & (ids != SentenceEncoder.PAD)
            ids = ids.masked_fill(lost, SentenceEncoder.MASK)
        x, mask = self.model.read(ids)
        return self.heads(torch.cat([self.drop(self.model.sentence(x, mask)), self.pool(x, mask)], -1), domain)


def load_sentence_encoder(folder):
    """Reads the encoder's weights: encoder.json lists names and shapes, encoder.bin contains half floats."""
    listing = json.load(open(f"{folder}/encoder.json"))
    numbers = np.fromfile(f"{folder}/encoder.bin", dtype="<f2").astype("f4")
    short = {"Embeddings_en": "embed", "tanh_layer_0/weights": "sentence", "tanh_layer_0/bias": "sentence_bias",
             "dense/kernel": "lift", "dense/bias": "lift_bias"}
    parts = {"FFN/conv1/Tensordot": "up", "FFN/conv2/Tensordot": "down", "FFN/conv1/bias": "up_bias",
             "FFN/conv2/bias": "down_bias", "FFN/layer_prepostprocess/layer_norm/layer_norm_scale": "ffn_norm_scale",
             "FFN/layer_prepostprocess/layer_norm/layer_norm_bias": "ffn_norm_bias",
             "qkv_transform_single/kernel": "qkv", "qkv_transform_single/bias": "qkv_bias",
             "output_transform_single/kernel": "out", "output_transform_single/bias": "out_bias",
             "layer_norm/layer_norm_scale": "norm_scale", "layer_norm/layer_norm_bias": "norm_bias"}
    out, at = {}, 0
    for name, shape in listing:
        size = math.prod(shape)
        value = torch.from_numpy(numbers[at:at + size].reshape([n for n in shape if n != 1]))
        at += size
        key = next((s for long, s in short.items() if long in name), None)
        if key is None:
            layer = 0 if "Layer_0" in name else 1
            key = f"l{layer}_" + next(s for long, s in parts.items() if long in name)
        out[key] = value
    return out


class WordReader(nn.Module):
    """Two bidirectional LSTM layers over words: word vectors, character n-grams and lexicon scores.

    Word 0 is padding. A word's n-grams are looked up in grams; n-gram 0 is none.
    """

    def __init__(self, vectors, grams, scores, buckets=1 << 18):
        super().__init__()
        self.register_buffer("fixed", vectors)
        self.register_buffer("grams", grams)
        self.register_buffer("scores", scores)
        self.free = nn.Embedding(len(vectors), 64)
        self.parts = nn.Embedding(buckets, 64, padding_idx=0)
        nn.init.normal_(self.free.weight, std=0.02)
        nn.init.normal_(self.parts.weight, std=0.02)
        self.drop = nn.Dropout(0.3)
        width = vectors.shape[1] + 128 + scores.shape[1]
        self.lstm = nn.LSTM(width, 256, 2, batch_first=True, bidirectional=True, dropout=0.3)
        self.pool = Pool(512, 384, 0.3)
        self.heads = Heads(384)

    def forward(self, ids, domain):
        mask = ids != 0
        if self.training:
            ids = ids.masked_fill(torch.rand(ids.shape, device=ids.device) < 0.08, 0)
        grams = self.grams[ids]
        count = (grams != 0).sum(-1, keepdim=True).clamp(min=1)
        parts = self.parts(grams).sum(2) / count.sqrt()
        x = torch.cat([self.fixed[ids], self.free(ids), parts, self.scores[ids]], -1)
        x, _ = self.lstm(self.drop(x))
        return self.heads(self.pool(x, mask), domain)


class GramReader(nn.Module):
    """A bag of hashed n-grams: a linear model with a small hidden layer in parallel."""

    def __init__(self, importance, hidden=64):
        super().__init__()
        self.register_buffer("importance", importance)
        self.linear = nn.Embedding(len(importance), 10)
        self.bag = nn.Embedding(len(importance), hidden)
        nn.init.zeros_(self.linear.weight)
        nn.init.normal_(self.bag.weight, std=0.1)
        self.drop = nn.Dropout(0.3)
        self.heads = Heads(hidden)

    def forward(self, grams, starts, owner, domain):
        weight = self.importance[grams]
        norm = torch.zeros(len(starts), device=grams.device).index_add_(0, owner, weight * weight).sqrt()
        weight = weight / norm.clamp(min=1e-6)[owner]
        if self.training:
            weight = weight * (torch.rand_like(weight) > 0.2)
        bag = F.embedding_bag(grams, self.bag.weight, starts, mode="sum", per_sample_weights=weight)
        linear = F.embedding_bag(grams, self.linear.weight, starts, mode="sum", per_sample_weights=weight)
        sentiment, emotion, fine = self.heads(self.drop(torch.tanh(bag)), domain)
        return sentiment + linear[:, :3], emotion + linear[:, 3:], fine
