#!/usr/bin/env python3
"""Trains the teachers and writes their predictions for every text.

    teacher.py prepare  ROWS DATA ENCODER VECTORS WORK   converts texts to numbers; of DATA only the lexicons
    teacher.py pretrain WORK                        trains the language model on all texts
    teacher.py fit      WORK KIND FOLD SEED         trains one teacher on all folds except one
    teacher.py blend    WORK OUT                    blends the teachers into soft labels, with metrics

README.md describes the teachers. WORK is a scratch folder. A teacher of fold k has not seen
the texts of fold k, and only such teachers predict them.
"""

import sys

import blend
import fit
import prepare
import pretrain

STEPS = {"prepare": prepare.prepare, "pretrain": pretrain.pretrain, "fit": fit.fit, "blend": blend.blend}

if __name__ == "__main__":
    STEPS[sys.argv[1]](*sys.argv[2:])
