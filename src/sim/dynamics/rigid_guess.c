// Newton's first guess by rigid motions of the body's connected pieces, on the CPU: see rigid_guess.h.
#include "sim/dynamics/rigid_guess.h"

#include "base/parallel.h"

static void add_node(const void *step, int a, int reference, RigidSums *sums) {
  rigid_add_start(step, a, reference, sums);
}

static void take_sums(const void *step, int piece, const RigidSums *sums) {
  rigid_shift(step, piece, sums);
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
  if (!REAL_NAME(rigid_sum_pieces)(m, &g, add_node, take_sums, error)) return false;
  parallel_for(g.pieces.chunk_count, 1, place_chunks, &g);
  // Get u1 of ghost nodes from the processes that own them. With several processes, real is double.
  return halo_refresh(m->halo, (double *)(void *)m->iterate.u1, 3, error);
}
