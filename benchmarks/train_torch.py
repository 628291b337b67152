#!/usr/bin/python3
"""The torch side of train_vs_torch.sh: the same training step in plain torch, with its fastest settings.

usage: train_torch.py [--threads N] [--rounds N] [--rows N] [--variant NAME ...]     (Debian: python3-torch)

Prints one line of JSON: samples per second of each variant, best of the rounds, and the BLAS that torch uses.
A variant is how the elementwise work is done: "foreach" or "single" (NAdam over all parameters at once or one by one),
with "-flush" when denormal numbers are flushed to zero.
"""
import argparse
import json
import math
import os
import time

import torch

FEATURES, HIDDEN, CLASSES, BATCH = 2048, (140, 130), 50, 450
LAMBDA = (1e4, 1.0)
RATE, DECODER_SHARE, DROPOUT = 2e-3, 0.01, 0.25
VARIANTS = ("foreach", "single", "foreach-flush", "single-flush")


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        h1, h2 = HIDDEN
        self.encoder1, self.encoder2 = torch.nn.Linear(FEATURES, h1), torch.nn.Linear(h1, h2)
        self.decoder1, self.decoder2 = torch.nn.Linear(h2, h1), torch.nn.Linear(h1, FEATURES)
        self.head = torch.nn.Linear(h2, CLASSES)
        for p in self.parameters():
            torch.nn.init.zeros_(p) if p.dim() == 1 else torch.nn.init.xavier_uniform_(p)

    def loss(self, x, y):
        f = torch.nn.functional
        h1 = f.elu(self.encoder1(x))
        code = f.dropout(f.elu(self.encoder2(f.dropout(h1, DROPOUT))), DROPOUT)
        d1 = f.elu(self.decoder1(code))
        rebuilt = self.decoder2(f.dropout(d1, DROPOUT))
        return (f.cross_entropy(self.head(code), y) + LAMBDA[0] * f.mse_loss(rebuilt, x)
                + LAMBDA[1] * f.mse_loss(d1, h1))


class Training:
    """One network and optimizer, trained an epoch at a time."""

    def __init__(self, x, y, variant):
        self.x, self.y, self.flush = x, y, variant.endswith("-flush")
        self.network = Network()
        decoder = [*self.network.decoder1.parameters(), *self.network.decoder2.parameters()]
        others = [p for p in self.network.parameters() if all(p is not d for d in decoder)]
        self.optimizer = torch.optim.NAdam([{"params": others, "lr": RATE}, {"params": decoder, "lr": RATE * DECODER_SHARE}],
                                           momentum_decay=0.004, foreach=variant.startswith("foreach"))
        self.batch = torch.empty(BATCH, FEATURES)

    def epoch(self):
        torch.set_flush_denormal(self.flush)
        for picked in torch.randperm(len(self.x)).split(BATCH):
            batch = self.batch[:len(picked)]
            torch.index_select(self.x, 0, picked, out=batch)
            self.optimizer.zero_grad(set_to_none=True)
            self.network.loss(batch, self.y[picked]).backward()
            self.optimizer.step()


def blas():
    with open("/proc/self/maps") as maps:
        files = {os.path.basename(line.split()[-1]) for line in maps if ".so" in line}
    known = [f for f in sorted(files) if f.startswith(("libopenblas", "libmkl_rt", "libblis"))]
    return known[0] if known else "reference BLAS"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=25000)
    parser.add_argument("--variant", nargs="+", choices=VARIANTS, default=VARIANTS)
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    x = torch.nn.functional.normalize(torch.randn(a.rows, FEATURES))
    y = torch.randint(0, CLASSES, (a.rows,))
    trainings = {variant: Training(x, y, variant) for variant in a.variant}
    best = dict.fromkeys(a.variant, math.inf)
    for _ in range(a.rounds):
        for variant, training in trainings.items():
            start = time.perf_counter()
            training.epoch()
            best[variant] = min(best[variant], time.perf_counter() - start)
    print(json.dumps({"threads": a.threads, "torch": torch.__version__, "blas": blas(),
                      "samples_per_second": {v: a.rows / s for v, s in best.items()}}))


if __name__ == "__main__":
    main()
