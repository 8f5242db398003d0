// Sums over the nodes of each piece (connected part of the body), on the CPU: see rigid_motion.h. The GPU has
// rigid::queue (rigid_motion.cuh).
#include "sim/dynamics/rigid_motion.h"

#include "base/parallel.h"

// Inputs of the sums over the nodes of the chunks.
typedef struct ChunkSums {
  const SpinPieces *pieces;
  const void *step;
  RigidAddNode add_node;
} ChunkSums;

static void sum_chunks(const void *context, int first, int last) {
  const ChunkSums *s = context;
  for (int c = first; c < last; c++) {
    const SpinChunk *chunk = &s->pieces->chunk[c];
    const int reference = spin_reference(s->pieces, chunk);
    RigidSums sums = { 0 };
    for (int k = chunk->first; k < chunk->last; k++) s->add_node(s->step, s->pieces->node[k], reference, &sums);
    s->pieces->rigid_sums[c] = sums;
  }
}

bool REAL_NAME(rigid_sum_pieces)(const Motion *m, const void *step, RigidAddNode add_node, RigidTakeSums take,
                                 Error *error) {
  const SpinPieces *p = m->pieces;
  parallel_for(p->chunk_count, 1, sum_chunks, &(ChunkSums){ p, step, add_node });
  for (int k = 0; k < p->count; k++) {
    RigidSums sums = { 0 };
    for (int c = p->first_chunk[k]; c < p->first_chunk[k + 1]; c++) rigid_add(&sums, &p->rigid_sums[c]);
    if (!halo_sum(m->halo, (double *)&sums, RIGID_SUMS, error)) return false;
    take(step, k, &sums);
  }
  return true;
}
