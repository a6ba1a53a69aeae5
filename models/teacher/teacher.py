#!/usr/bin/env python3
"""Trains the teachers and writes what they think of every text.

    teacher.py prepare  DATA ENCODER VECTORS WORK   texts to numbers
    teacher.py pretrain WORK                        the language model, on all texts
    teacher.py fit      WORK KIND FOLD SEED         one teacher, on all folds but one
    teacher.py blend    WORK OUT                    teachers to soft labels, with scores

README.md says what the teachers are. WORK is a scratch folder. A teacher of fold k has
not seen the texts of fold k, and only such teachers judge them.
"""

import sys

import blend
import fit
import prepare
import pretrain

STEPS = {"prepare": prepare.prepare, "pretrain": pretrain.pretrain, "fit": fit.fit, "blend": blend.blend}

if __name__ == "__main__":
    STEPS[sys.argv[1]](*sys.argv[2:])
