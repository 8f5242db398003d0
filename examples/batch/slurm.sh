#!/usr/bin/env bash
# A job array of Slurm that computes 40 simulations on one core each. Submit it by: sbatch slurm.sh
# A minute before the time limit Slurm sends SIGTERM, so that a simulation writes a checkpoint. Without "B:" Slurm would
# send the signal to programs started by srun, but not to this script. --requeue lets Slurm start a task again after the
# failure of a machine.
#SBATCH --job-name=pliant
#SBATCH --array=0-39
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=01:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
set -euo pipefail
# Slurm runs a copy of this script in another folder. SLURM_SUBMIT_DIR is the folder in which sbatch was called; it
# contains run-one.sh.
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
exec "${SLURM_SUBMIT_DIR:-.}/run-one.sh" "$SLURM_ARRAY_TASK_ID" "${RESULTS:-$PWD/results}"
