"""What several steps need."""

import collections
import os
import time


def env(name, default):
    """Returns a setting of the environment, of the type of its default."""
    return type(default)(os.environ.get(name, default))


class Clock:
    """Prints what was done, and when."""

    def __init__(self):
        self.start = time.time()

    def __call__(self, *what):
        print(f"{time.time() - self.start:6.1f} s", *what, flush=True)


def groups_of(net, rates):
    """Returns the parameter groups: the rate of the first prefix that fits a parameter's name."""
    groups = collections.defaultdict(list)
    for name, parameter in net.named_parameters():
        groups[next(rate for prefix, rate in rates.items() if name.startswith(prefix))].append(parameter)
    return [{"params": p, "lr": rate, "peak": rate} for rate, p in groups.items()]
