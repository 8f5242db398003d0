// Newton's first guess by rigid motions of the body's connected pieces, on the CPU: see rigid_guess.h.
#include "sim/dynamics/rigid_guess.h"

#include <string.h>

#include "base/parallel.h"

static void sum_chunks(const void *context, int first, int last) {
  const RigidGuess *g = context;
  for (int c = first; c < last; c++) {
    const SpinChunk *chunk = &g->pieces.chunk[c];
    const int reference = spin_reference(&g->pieces, chunk);
    RigidSums *sums = &g->pieces.rigid_sums[c];
    memset(sums, 0, sizeof *sums);
    for (int k = chunk->first; k < chunk->last; k++) rigid_add_start(g, g->pieces.node[k], reference, sums);
  }
}

static void place_chunks(const void *context, int first, int last) {
  const RigidGuess *g = context;
  for (int c = first; c < last; c++) {
    const SpinChunk *chunk = &g->pieces.chunk[c];
    const int reference = spin_reference(&g->pieces, chunk);
    const RigidShift *shift = &g->pieces.rigid[chunk->piece];
    for (int k = chunk->first; k < chunk->last; k++) rigid_place_node(g, g->pieces.node[k], reference, shift);
  }
}

bool REAL_NAME(rigid_guess_cpu)(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream;
  const RigidGuess g = rigid_guess(m, step);
  const SpinPieces *p = &g.pieces;
  parallel_for(p->chunk_count, 1, sum_chunks, &g);
  for (int k = 0; k < p->count; k++) {
    RigidSums sums = { 0 };
    for (int c = p->first_chunk[k]; c < p->first_chunk[k + 1]; c++) rigid_add(&sums, &p->rigid_sums[c]);
    if (!halo_sum(m->halo, (double *)&sums, RIGID_SUMS, error)) return false;
    rigid_shift(&g, k, &sums);
  }
  parallel_for(p->chunk_count, 1, place_chunks, &g);
  // Get u1 of ghost nodes from the processes that own them. With several processes, real is double.
  return halo_refresh(m->halo, (double *)(void *)m->iterate.u1, 3, error);
}
