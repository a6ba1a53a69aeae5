"""Helpers that several steps share."""

import collections
import os
import time


def env(name, default):
    """Returns a setting from the environment, converted to the type of its default."""
    return type(default)(os.environ.get(name, default))


class Clock:
    """Prints progress with elapsed time."""

    def __init__(self):
        self.start = time.time()

    def __call__(self, *what):
        print(f"{time.time() - self.start:6.1f} s", *what, flush=True)


def groups_of(net, rates):
    """Returns parameter groups. A parameter has the learning rate of the first prefix that matches its name."""
    groups = collections.defaultdict(list)
    for name, parameter in net.named_parameters():
        groups[next(rate for prefix, rate in rates.items() if name.startswith(prefix))].append(parameter)
    return [{"params": p, "lr": rate, "peak": rate} for rate, p in groups.items()]
