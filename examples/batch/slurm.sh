#!/usr/bin/env bash
# A job array of Slurm that computes 40 simulations on one core each. Submit it by: sbatch slurm.sh
# A minute before the time limit Slurm sends SIGTERM, so that a simulation writes a checkpoint. --requeue lets Slurm
# start interrupted simulations again.
#SBATCH --job-name=pliant
#SBATCH --array=0-39
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=01:00:00
#SBATCH --signal=TERM@60
#SBATCH --requeue
set -euo pipefail
# Slurm runs a copy of this script in another folder. SLURM_SUBMIT_DIR is the folder in which sbatch was called; it
# contains run-one.sh.
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
exec "${SLURM_SUBMIT_DIR:-.}/run-one.sh" "$SLURM_ARRAY_TASK_ID" "${RESULTS:-$PWD/results}"
