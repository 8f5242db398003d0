// Turns velocities back at the start of a step, on the CPU: see turn_back.h.
#include "sim/dynamics/turn_back.h"

#include <string.h>

#include "base/parallel.h"

static void sum_chunks(const void *context, int first, int last) {
  const TurnBack *t = context;
  for (int c = first; c < last; c++) {
    const SpinChunk *chunk = &t->pieces.chunk[c];
    const int reference = spin_reference(&t->pieces, chunk);
    RigidSums *sums = &t->pieces.rigid_sums[c];
    memset(sums, 0, sizeof *sums);
    for (int k = chunk->first; k < chunk->last; k++) turn_back_add(t, t->pieces.node[k], reference, sums);
  }
}

static void turn_chunks(const void *context, int first, int last) {
  const TurnBack *t = context;
  for (int c = first; c < last; c++) {
    const SpinChunk *chunk = &t->pieces.chunk[c];
    const int reference = spin_reference(&t->pieces, chunk);
    const SpinChange *change = &t->pieces.change[chunk->piece];
    for (int k = chunk->first; k < chunk->last; k++) turn_back_node(t, t->pieces.node[k], reference, change);
  }
}

bool REAL_NAME(turn_back_cpu)(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream;
  const TurnBack t = turn_back_of(m, step);
  const SpinPieces *p = &t.pieces;
  parallel_for(p->chunk_count, 1, sum_chunks, &t);
  for (int k = 0; k < p->count; k++) {
    RigidSums sums = { 0 };
    for (int c = p->first_chunk[k]; c < p->first_chunk[k + 1]; c++) rigid_add(&sums, &p->rigid_sums[c]);
    if (!halo_sum(m->halo, (double *)&sums, RIGID_SUMS, error)) return false;
    turn_back_find(&t, k, &sums);
  }
  parallel_for(p->chunk_count, 1, turn_chunks, &t);
  // Get the changes of ghost nodes from the processes that own them. With several processes, real is double.
  return halo_refresh(m->halo, (double *)(void *)m->iterate.back, 3, error);
}
