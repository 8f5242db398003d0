"""A sweep over stiffness and friction with Dask on processes (needs dask and distributed). Each result is appended to a
CSV file. A sweep that was interrupted or killed computes only the missing rows.

With --slurm, the processes are N jobs of a Slurm cluster (needs dask-jobqueue).

usage: sweep.py FILE.csv [COUNT] [--slurm N]
"""
import argparse
import csv
import fcntl
import pathlib
import sys

HEADER = ["set", "young_Pa", "friction", "kinetic_J", "elastic_J"]


def parameters(k):
    """Returns the parameters of simulation k of the sweep: Young's modulus, Pa, and the coefficient of friction."""
    return 10 ** (4 + 3 * (k % 20) / 19), 0.05 * (k // 20)


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


def open_table(path):
    """Opens the table for new rows and locks it until this process ends. Returns its file, and the numbers k of the
    simulations that it already contains. If the last line is incomplete, because the computer failed or the disk was
    full, deletes this line."""
    try:
        file = path.open("a+", newline="")
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}; give a file in a folder that exists and can be written")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"{path}: another sweep writes to this table; wait for its end, or give another file")
    file.seek(0)
    text = file.read()
    header = ",".join(HEADER)
    if not text.startswith(header[:len(text)]):
        sys.exit(f"{path}: this is not the table of a sweep; give another file")
    text = text[:text.rfind("\n") + 1]

    done = set()
    for line, row in enumerate(csv.reader(text.splitlines()[1:]), 2):
        k = int(row[0]) if row and row[0].isdecimal() else -1
        if len(row) != len(HEADER) or row[1:3] != [str(value) for value in parameters(k)]:
            sys.exit(f"{path}:{line}: this is not a row of this sweep; give another file")
        done.add(k)

    file.truncate(len(text.encode()))
    if not text:
        csv.writer(file).writerow(HEADER)
        file.flush()
    return file, done


def main():
    from dask.distributed import Client, as_completed
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--slurm", type=int, default=0, metavar="N")
    given = parser.parse_args()
    file, done = open_table(given.file)
    missing = [k for k in range(given.count) if k not in done]
    failed = 0
    with file, make_cluster(given.slurm) as cluster, Client(cluster) as client:
        futures = {client.submit(slide, *parameters(k)): k for k in missing}
        writer = csv.writer(file)
        for future in as_completed(futures):
            k = futures[future]
            if future.exception():
                print(f"set {k}: {future.exception()}", file=sys.stderr)
                failed += 1
                continue
            writer.writerow([k, *parameters(k), *future.result()])
            file.flush()
    print(f"{given.count} sets, {len(missing) - failed} of them computed now")
    if failed:
        sys.exit(f"number of sets that failed: {failed}; start the sweep again to compute them")


if __name__ == "__main__":
    main()
