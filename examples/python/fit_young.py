"""Finds Young's modulus from the measured sag of a bar with a root finder of scipy (needs scipy). The "measurement" is
the computed sag of a bar of 0.8 MPa, so the search must find 0.8 MPa again."""
import pliant
from scipy.optimize import brentq

TRUE = 8e5  # Pa


def make():
    scene = pliant.Scene(shapes=[{"kind": "box", "size": [0.5, 0.1, 0.1], "cells": 2}], gravity=[0, 0, -9.81], degree=2,
                         young=TRUE, precision="double", newton_relative=1e-8, cg_relative=1e-8)
    scene.add("pins", {"x": [None, -0.249]})
    return scene.simulate()


sim = make()


def sag(young):
    sim.reset()
    sim["young"] = young
    sim.equilibrium()
    return -sim.field("displacements")[:, 2].min()


measured = sag(TRUE)
found = brentq(lambda young: sag(young) - measured, 3e5, 3e6, rtol=1e-4)
print(f"a sag of {1e3 * measured:.3f} mm gives E = {found:.4g} Pa")
assert abs(found / TRUE - 1) < 1e-3
