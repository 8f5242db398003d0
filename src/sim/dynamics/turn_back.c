// Turns velocities back at the start of a step, on the CPU: see turn_back.h.
#include "sim/dynamics/turn_back.h"

static void add_node(const void *step, int a, int reference, RigidSums *sums) {
  turn_back_add(step, a, reference, sums);
}

static void take_sums(const void *step, int piece, const RigidSums *sums) {
  turn_back_find(step, piece, sums);
}

static void turn_node(const void *step, int a, int reference, int piece) {
  const TurnBack *t = step;
  turn_back_node(t, a, reference, &t->pieces.change[piece]);
}

bool REAL_NAME(turn_back_cpu)(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream;
  const TurnBack t = turn_back_of(m, step);
  if (!REAL_NAME(rigid_sum_pieces)(m, &t, add_node, take_sums, error)) return false;
  REAL_NAME(spin_visit_nodes)(&t.pieces, &t, turn_node);
  // Get the changes of ghost nodes from the processes that own them. With several processes, real is double.
  return halo_refresh(m->halo, (double *)(void *)m->iterate.back, 3, error);
}
