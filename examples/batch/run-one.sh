#!/usr/bin/env bash
# Computes one simulation of a series: a bar that is held at one end bends under its weight. Young's modulus of the bar
# depends on NUMBER. The script continues an interrupted simulation from its checkpoint, and ends at once if the
# simulation is complete.
# usage: run-one.sh NUMBER FOLDER     NUMBER: 0, 1, 2, ...; FOLDER: the results are written to FOLDER/run-NUMBER
set -euo pipefail
usage="usage: run-one.sh NUMBER FOLDER"
if [[ $# -ne 2 || ! $1 =~ ^[0-9]{1,9}$ ]]; then
  echo "run-one.sh: expected a whole number and a folder; $usage" >&2
  exit 2
fi
number=$((10#$1))  # decimal, so that 08 is 8
folder=$2/run-$number frames=${FRAMES:-60}
# The path becomes absolute, because the script changes its working folder below.
found=$(command -v "${PLIANT:-pliant}") || { echo "run-one.sh: no program ${PLIANT:-pliant}; set PLIANT" >&2; exit 1; }
pliant=$(realpath "$found")

young=$((100000 * (number + 1)))  # Pa
mkdir -p "$folder"
cd "$folder"
[[ -e complete ]] && exit 0

# if an earlier run was killed before its first checkpoint, it is repeated from the beginning
start=(--overwrite)
[[ -e run.ckpt ]] && start=(--resume run.ckpt)
"$pliant" record --shapes '[{"kind": "box", "size": [0.4, 0.1, 0.1], "cells": 2}]' --young $young --density 1000 \
  --gravity 0,0,-9.81 --pins '[{"x": [null, -0.19]}]' --frames "$frames" --vtu frames --checkpoint run.ckpt --every 10 \
  --state end.npz "${start[@]}" &
simulation=$!

# Slurm and Kubernetes send SIGTERM to this script only, so it must send the signal on to the simulation, and wait until
# the simulation has written its checkpoint. The signal also ends the command `wait`, which is then repeated.
trap 'kill -TERM $simulation' TERM
until wait $simulation; do
  code=$?
  kill -0 $simulation 2>/dev/null || exit $code
done
touch complete
