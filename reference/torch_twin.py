#!/usr/bin/python3
"""The network's training step once more, in torch: inputs, weights, outputs, gradients and ten losses as one .npz.

usage: torch_twin.py OUT.npz        (Debian: python3-torch, python3-numpy)

tests/golden/torch_twin.npz was written by this script; the golden test reads it, and, where torch is installed, runs
this script again and reads the fresh file too.
"""
import sys

import numpy as np
import torch

INPUTS, HIDDEN, CLASSES, BATCH = 48, (20, 12), 7, 32
LAMBDA = (1e4, 1.0, 0.1)
RATE, DECODER_SHARE, STEPS = 2e-3, 0.01, 10


def main(out):
    torch.manual_seed(3)
    torch.set_num_threads(1)
    sizes = [INPUTS, *HIDDEN]
    # encoder, decoder, head: the order of Trainer::parameters; weights are inputs x outputs.
    pairs = list(zip(sizes, sizes[1:])) + list(zip(sizes[::-1], sizes[::-1][1:])) + [(sizes[-1], CLASSES)]
    params = []
    for i, o in pairs:
        bound = (6 / (i + o)) ** 0.5
        params += [torch.empty(i, o).uniform_(-bound, bound), torch.empty(1, o).uniform_(-0.05, 0.05)]
    for p in params:
        p.requires_grad_(True)
    x = torch.randn(BATCH, INPUTS).abs()
    x = x / x.norm(dim=1, keepdim=True)
    y = torch.randint(0, CLASSES, (BATCH,))

    def dense(i, a):
        return a @ params[2 * i] + params[2 * i + 1]

    def loss():
        elu = torch.nn.functional.elu
        h1 = elu(dense(0, x))
        code = elu(dense(1, h1))
        d1 = elu(dense(2, code))
        rebuilt = dense(3, d1)
        mse = torch.nn.functional.mse_loss
        recon = LAMBDA[0] * mse(rebuilt, x) + LAMBDA[1] * mse(d1, h1)
        return torch.nn.functional.cross_entropy(dense(4, code), y) + recon, code, rebuilt

    result = {"x": x.numpy(), "y": y.numpy(), "lambda": np.array(LAMBDA)}
    for i, p in enumerate(params):
        result[f"parameter{i}"] = p.detach().numpy().copy()
    total, code, rebuilt = loss()
    total.backward()
    result["code"], result["rebuilt"] = code.detach().numpy(), rebuilt.detach().numpy()
    for i, p in enumerate(params):
        result[f"gradient{i}"] = p.grad.numpy().copy()

    decoder = params[4:8]
    others = params[:4] + params[8:]
    optimizer = torch.optim.NAdam([{"params": others, "lr": RATE}, {"params": decoder, "lr": RATE * DECODER_SHARE}],
                                  betas=(0.9, 0.999), eps=1e-8, momentum_decay=0.004,
                                  foreach=True)  # torch 1.13 counts one momentum twice in its other code path
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        value = loss()[0]
        value.backward()
        optimizer.step()
        losses.append(value.item())
    result["losses"] = np.array(losses)
    for i, p in enumerate(params):
        result[f"trained{i}"] = p.detach().numpy()
    np.savez(out, **result)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
