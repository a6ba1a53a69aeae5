"""Trains the language model to predict masked pieces."""

import time

import numpy as np
import torch
import torch.nn.functional as F

import nets
from common import Clock, env, groups_of


def batches(lengths, tokens, rng):
    """Yields index arrays with about tokens padded pieces each, grouped by similar length, in random order."""
    order = np.argsort(lengths + rng.random(len(lengths)), kind="stable")
    out, at = [], 0
    while at < len(order):
        # The longest text determines the width of a batch; estimate it from the first text.
        size = max(1, tokens // max(8, lengths[order[at]]))
        out.append(order[at:at + size])
        at += size
    rng.shuffle(out)
    return out


def pretrain(work):
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    saved = np.load(f"{work}/texts.npz")
    lengths = saved["lengths"]
    table = torch.from_numpy(saved["table"]).cuda()
    model = nets.LanguageModel(torch.from_numpy(np.load(f"{work}/pieces.npz")["fixed"])).cuda().train()
    size, limit = len(model.guess_bias), env("PRETRAIN_SECONDS", 200.0)
    optimizer = torch.optim.AdamW(groups_of(model, {"": 1e-3}), betas=(0.9, 0.98), weight_decay=0.03, fused=True)
    clock, start, step, seen, epoch, spent = Clock(), time.time(), 0, 0, 0, 0.0
    while spent < 1:
        for rows in batches(lengths, 32_768, rng):
            spent = (time.time() - start) / limit
            if spent >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = group["peak"] * min(1, (step + 1) / 400) * min(1, 1.02 - spent)
            ids = table[torch.from_numpy(rows).cuda(), : int(lengths[rows].max())].long()
            chosen = (torch.rand(ids.shape, device="cuda") < 0.18) & (ids > model.MASK)
            dice = torch.rand(ids.shape, device="cuda")
            shown = torch.where(chosen & (dice < 0.8), model.MASK, ids)
            shown = torch.where(chosen & (dice > 0.9), torch.randint_like(ids, 4, size), shown)
            with torch.autocast("cuda", torch.bfloat16):
                loss = F.cross_entropy(model(shown, chosen).float(), ids[chosen])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step, seen = step + 1, seen + int(lengths[rows].sum())
            if step % 1000 == 0:
                clock(f"epoch {epoch} step {step} loss {loss.item():.3f} pieces {seen / 1e6:.0f}M")
        epoch += 1
    clock(f"pretrained: {step} steps, {epoch} epochs, loss {loss.item():.3f}")
    torch.save(model.state_dict(), f"{work}/language_model.pt")
