"""A sweep over stiffness and friction with Dask on processes (needs dask and distributed). Each result is appended to a
CSV file. A sweep that was interrupted computes only the missing rows.

With --slurm, the processes are N jobs of a Slurm cluster (needs dask-jobqueue).

usage: sweep.py FILE.csv [COUNT] [--slurm N]
"""
import argparse
import csv
import pathlib


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


def make_cluster(jobs):
    """Returns a cluster of Dask: two processes on this machine, or `jobs` jobs of Slurm with one core each."""
    if not jobs:
        from dask.distributed import LocalCluster
        return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    from dask_jobqueue import SLURMCluster
    cluster = SLURMCluster(cores=1, processes=1, memory="2GB", walltime="01:00:00")
    cluster.scale(jobs=jobs)
    return cluster


def main():
    from dask.distributed import Client, as_completed
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--slurm", type=int, default=0, metavar="N")
    given = parser.parse_args()
    path, count = given.file, given.count
    sets = [(10 ** (4 + 3 * (k % 20) / 19), 0.05 * (k // 20)) for k in range(count)]
    done = set()
    if path.exists():
        with path.open() as file:
            done = {int(row["set"]) for row in csv.DictReader(file) if row["elastic_J"]}
    with make_cluster(given.slurm) as cluster, Client(cluster) as client:
        futures = {client.submit(slide, *sets[k]): k for k in range(count) if k not in done}
        with path.open("a", newline="") as file:
            writer = csv.writer(file)
            if file.tell() == 0:
                writer.writerow(["set", "young_Pa", "friction", "kinetic_J", "elastic_J"])
            for future in as_completed(futures):
                k = futures[future]
                writer.writerow([k, *sets[k], *future.result()])
                file.flush()
    print(f"{count} sets, {count - len(done)} of them computed now")


if __name__ == "__main__":
    main()
