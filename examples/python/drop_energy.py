"""Drops a ball onto a floor and plots its energies over time into drop_energy.png (needs matplotlib).

usage: drop_energy.py [FILE.png]
"""
import sys

import matplotlib
import pliant

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

scene = pliant.Scene(young=1e5, gravity=[0, 0, -9.81], floor=0, self_contact=True, dt=1 / 240)
scene.add("bodies", {"shape": {"kind": "sphere", "size": [0.3, 0.3, 0.3], "cells": 3}, "place": [0, 0, 0.4]})
sim = scene.simulate()
names = ["kinetic", "elastic", "gravitational", "energy"]
times, energies = [], []
for _ in range(240):
    sim.step()
    times.append(sim.time)
    energies.append(sim.observe(*names))

for k, name in enumerate(names):
    pyplot.plot(times, [row[k] for row in energies], label=name)
pyplot.xlabel("time, s")
pyplot.ylabel("energy, J")
pyplot.legend()
pyplot.savefig(sys.argv[1] if len(sys.argv) > 1 else "drop_energy.png", dpi=120)
print(f"energy at the start {energies[0][3]:.3f} J, after 1 s {energies[-1][3]:.3f} J")
