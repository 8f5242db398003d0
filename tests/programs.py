"""Finds the program that has a command, pliant or pliant-lab, and whether a program has the address sanitizer."""
import os
import subprocess
import unittest

PROBLEMS = ("poisson", "plate", "elasticity")


def program_of(given, words):
    """Returns the path of the program that runs the command `words`; a test was given one of the two programs. The
    other program has its path with "-lab", or the environment names it."""
    lab = (words[0] == "study" or "--system" in words or any(word.startswith("binbcsr") for word in words) or
           (words[0] == "solve" and words[1] in PROBLEMS))
    is_lab = os.path.basename(given) == "pliant-lab"
    if lab == is_lab:
        return given
    beside = given + "-lab"
    return beside if lab and os.path.exists(beside) else os.environ["PLIANT_LAB" if lab else "PLIANT"]


def sanitized(program):
    """Returns true for a program that was built with the address sanitizer."""
    return "__asan_init" in subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout


def skip_sanitized(program):
    """Decorates a case that takes more than a second with sanitizers, where other cases run its code."""
    return unittest.skipIf(sanitized(program), "takes long with sanitizers, and other cases run its code")
