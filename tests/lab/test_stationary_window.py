#!/usr/bin/env python3
"""Tests a plate in the window. If the user changes the load in the panel, the program must solve again. With `all` it
also tests rotation of the view, a doubled displacement, values under the mouse, and a solve that does not converge.
Exit status 77: the machine has no Xvfb or xdotool.

usage: test_stationary_window.py PLIANT [all]
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "window"))
from driver import Window  # noqa: E402

pliant, whole = sys.argv[1], sys.argv[2:] == ["all"]
PLATE = ["solve", "plate", "square", "--cells", "8", "--load", "lumped", "--show"]


def shown(w):
    """Returns the largest deflection, m, and the displacement factor that the window shows."""
    words = [said["text"] for said in w.events("message") if said["text"].startswith("deflection w from")]
    found = re.match(r"deflection w from \S+ m to (\S+) m(?:, displacements scaled by (\S+))?", words[-1])
    return float(found[1]), float(found[2] or 1)


def enter(w, name, number):
    w.click(name)
    w.xdo("key", "ctrl+a")
    w.xdo("type", "--delay", 30, number)
    w.quick("Return")


def look(w):
    """Tests rotation of the view, keys that change the displacement factor, and the value under the mouse."""
    turn = w.events("view")[-1]["turn"]
    w.xdo("mousemove", 380, 300, "mousedown", 1, "mousemove", 440, 300, "mouseup", 1)
    w.wait_for("another view", lambda: w.events("view")[-1]["turn"] != turn)
    w.key("bracketright")
    w.wait_for("twice the factor", lambda: shown(w) == (0.00403301, 40))
    w.key("bracketleft")
    # the point under the mouse must be on the plate, with a value up to the largest deflection
    w.move(380, 300)
    w.key("i")
    w.wait_for("a value", lambda: w.events("message")[-1]["text"].startswith("at "))
    told = re.match(r"at (\S+), (\S+), (\S+) mdeflection w (\S+) m", w.events("message")[-1]["text"])
    x, y, z, value = map(float, told.groups())
    assert 0.2 < x < 0.8 and 0.2 < y < 0.8 and z == 0 and 0.001 < value <= 0.00403301, (x, y, z, value)
    w.key("i")


with Window(pliant, *PLATE, size=(760, 560), first=True) as w:
    assert w.start["nodes"] == 81 and w.start["triangles"] == 128, w.start
    assert shown(w) == (0.00403301, 20), shown(w)
    if whole:
        look(w)
    w.key("Tab")
    enter(w, "load", "3")
    w.wait_for("three times the load", lambda: abs(shown(w)[0] / 0.01209903 - 1) < 1e-5)
    if whole:
        enter(w, "ratio", "7")  # not a valid ratio: the window must refuse it and keep the previous one
        w.click("section")
        w.click("section:x")
    w.key("Tab")
    assert abs(shown(w)[0] / 0.01209903 - 1) < 1e-5 and shown(w)[1] == 20, shown(w)
    w.leave()

# A solve that does not converge must be reported, and the previous picture must stay visible.
if whole:
    with Window(pliant, "solve", "elasticity", "cube", "--cells", "4", "--held", "z < 0.01", "--iterations",
                "80", "--show", size=(760, 560), first=True) as w:
        w.key("Tab")
        enter(w, "ratio", "0.45")
        w.wait_for("an error message",
                   lambda: "the limit of iterations is reached (80" in w.events("message")[-1]["text"])
        assert len(w.events("message")) == 2, w.events("message")
        w.key("Tab")
        w.leave()
