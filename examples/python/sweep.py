"""A sweep over stiffness and friction with Dask on processes (needs dask and distributed). Each result is appended to a
CSV file. A sweep that was interrupted computes only the missing rows.

usage: sweep.py FILE.csv [COUNT]
"""
import csv
import pathlib
import sys


def slide(young, friction):
    """Slides a cube over a floor for half a second. Returns its kinetic and its elastic energy, J."""
    import pliant
    pliant.set_threads(1)  # one thread in each process of the pool
    scene = pliant.Scene(young=young, friction=friction, floor=0, gravity=[0, 0, -9.81], self_contact=True, device="cpu")
    scene.add("bodies", {"shape": {"kind": "box", "size": [0.2, 0.2, 0.2], "cells": 2}, "place": [0, 0, 0.102],
                         "velocity": [1, 0, 0]})
    sim = scene.simulate()
    sim.step(30)
    return sim.observe("kinetic", "elastic")


def main():
    from dask.distributed import Client, LocalCluster, as_completed
    path, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    sets = [(10 ** (4 + 3 * (k % 20) / 19), 0.05 * (k // 20)) for k in range(count)]
    done = set()
    if path.exists():
        with path.open() as file:
            done = {int(row["set"]) for row in csv.DictReader(file) if row["elastic_J"]}
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        # on a cluster: SLURMCluster(cores=1, memory="2GB") of dask_jobqueue in place of LocalCluster
        futures = {client.submit(slide, *sets[k]): k for k in range(count) if k not in done}
        with path.open("a", newline="") as file:
            writer = csv.writer(file)
            if not done:
                writer.writerow(["set", "young_Pa", "friction", "kinetic_J", "elastic_J"])
            for future in as_completed(futures):
                k = futures[future]
                writer.writerow([k, *sets[k], *future.result()])
                file.flush()
    print(f"{count} sets, {count - len(done)} of them computed now")


if __name__ == "__main__":
    main()
