"""A bar that is fixed at one end and sags: prints the height of its lowest point over time."""
import pliant

scene = pliant.Scene(shapes=[{"kind": "box", "size": [1, 0.2, 0.2], "cells": 3}], young=5e6, gravity=[0, 0, -9.81])
scene.add("pins", {"x": [None, -0.49]})
sim = scene.simulate()
for _ in range(10):
    sim.step(6)
    print(f"{sim.time:.2f} s: lowest point at {sim.positions[:, 2].min():.4f} m")
