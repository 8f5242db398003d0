// Newton's first guess by rigid motions of the body's connected pieces, on the CPU: see rigid_guess.h.
#include "sim/dynamics/rigid_guess.h"

static void add_node(const void *step, int a, int reference, RigidSums *sums) {
  rigid_add_start(step, a, reference, sums);
}

static void take_sums(const void *step, int piece, const RigidSums *sums) {
  rigid_shift(step, piece, sums);
}

static void place_node(const void *step, int a, int reference, int piece) {
  const RigidGuess *g = step;
  rigid_place_node(g, a, reference, &g->pieces.rigid[piece]);
}

bool REAL_NAME(rigid_guess_cpu)(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream;
  const RigidGuess g = rigid_guess(m, step);
  if (!REAL_NAME(rigid_sum_pieces)(m, &g, add_node, take_sums, error)) return false;
  REAL_NAME(spin_visit_nodes)(&g.pieces, &g, place_node);
  // Get u1 of ghost nodes from the processes that own them. With several processes, real is double.
  return halo_refresh(m->halo, (double *)(void *)m->iterate.u1, 3, error);
}
