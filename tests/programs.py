"""Finds the program, pliant or pliant-lab, that runs a command, and tests if a program has the address sanitizer."""
import os
import subprocess
import unittest

PROBLEMS = ("poisson", "plate", "elasticity")


def program_of(given, words):
    """Returns the path of the program, pliant or pliant-lab, that runs the command line `words`.

    `given` is the path of one of them. If this program runs the command, `given` is returned. If the other program is
    pliant-lab, the result is the file pliant-lab next to pliant, or else the environment variable PLIANT_LAB. If the
    other program is pliant, the result is the environment variable PLIANT."""
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
    """Returns a decorator that skips a test if the program was built with the address sanitizer. It is for tests that
    then take more than a second, and whose code other tests also run."""
    return unittest.skipIf(sanitized(program), "takes long with the address sanitizer, and other tests run its code")
