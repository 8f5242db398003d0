// Conservation of energy in steps of the midpoint rule on the CPU: see energy_keep.h.
#include "sim/dynamics/energy_keep.h"

#include <string.h>

#include "base/parallel.h"

typedef struct Loops {
  EnergyStep e;
  double factor;  // the factor s of the correction (energy_keep.h)
} Loops;

static void add_node(const void *step, int a, int reference, RigidSums *sums) {
  energy_add_piece_node(step, a, reference, sums);
}

static void take_sums(const void *step, int piece, const RigidSums *sums) {
  energy_find_piece(step, piece, sums);
}

static void sum_energies(const void *context, int first, int last) {
  const EnergyStep *e = &((const Loops *)context)->e;
  for (int c = first; c < last; c++) {
    const SpinChunk *chunk = &e->pieces.chunk[c];
    const int reference = spin_reference(&e->pieces, chunk);
    const RigidRates *rigid = &e->pieces.rates[chunk->piece];
    EnergySums *sums = &e->pieces.energy_sums[c];
    memset(sums, 0, sizeof *sums);
    for (int k = chunk->first; k < chunk->last; k++) energy_add_node(e, e->pieces.node[k], reference, rigid, sums);
  }
}

static void change_node(const void *context, int a, int reference, int piece) {
  const Loops *l = context;
  energy_change_node(&l->e, a, reference, &l->e.pieces.rates[piece], l->factor);
}

// Computes the strain energy, J, of all cells at displacements u.
static bool strain_energy(const Motion *m, const real *u, const double *material, double *energy, Stream stream,
                          Error *error) {
  double *part = m->pieces->cell_energy;
  ElementCells own = m->cells;
  own.count = halo_cells(m->halo, own.count);
  *energy = 0;
  if (!m->element->energy(&own, u, material, part, stream, error)) return false;
  for (int c = 0; c < m->element->parts(own.count); c++) *energy += part[c];
  return halo_sum(m->halo, energy, 1, error);
}

bool REAL_NAME(energy_keep_cpu)(const Motion *m, const TimeStep *step, const double *material, const void *u0,
                                const void *p0, double *energy_error, Stream stream, Error *error) {
  Loops l = { energy_step(m, step, u0, p0, *energy_error), 0 };
  const SpinPieces *p = m->pieces;
  EnergySums sums = { 0 };
  double strain[2];
  if (!strain_energy(m, u0, material, &strain[0], stream, error) ||
      !strain_energy(m, m->body.u, material, &strain[1], stream, error))
    return false;
  if (!REAL_NAME(rigid_sum_pieces)(m, &l.e, add_node, take_sums, error)) return false;
  parallel_for(p->chunk_count, 1, sum_energies, &l);
  for (int c = 0; c < p->chunk_count; c++) energy_add(&sums, &p->energy_sums[c]);
  if (!halo_sum(m->halo, (double *)&sums, sizeof sums / sizeof(double), error)) return false;
  const EnergyFactor correction = energy_factor(&sums, strain, l.e.size, l.e.owed);
  l.factor = correction.factor;
  *energy_error = correction.error;
  if (l.factor != 0) REAL_NAME(spin_visit_nodes)(p, &l, change_node);

  // Get the momenta of ghost nodes from the processes that own them. With several processes, real is double.
  return halo_refresh(m->halo, (double *)(void *)m->body.p, 3, error);
}
