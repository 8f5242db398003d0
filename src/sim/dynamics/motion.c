// The functions of MotionMethod on the CPU (motion.h). Loops are divided into chunks, ranges of a fixed number of
// indices. Each chunk has its own sum in double, and the sums of chunks are added in order, so results are
// bit-identical for any number of threads.
#include <string.h>

#include "base/parallel.h"
#include "sim/dynamics/integrator.h"
#include "sim/dynamics/self_contact.h"
#include "sim/dynamics/energy_keep.h"
#include "sim/dynamics/rigid_guess.h"
#include "sim/dynamics/turn_back.h"
#include "sim/dynamics/spin.h"
#include "sim/operator/operator.h"

enum { CHUNK = 2048 };

static int chunks(int count) {
  return (count + CHUNK - 1) / CHUNK;
}

static size_t scratch_bytes(const Motion *m) {
  const size_t sums = sizeof(Energy) * (size_t)chunks(m->body.n);
  const size_t cells = sizeof(double) * (size_t)m->element->parts(m->cells.count);
  return sums > cells ? sums : cells;
}

// Defines NAME_loop, which calls NAME_at (integrator.h) for the indices `first` to `last` - 1.
#define LOOP(name)                                                 \
  static void name##_loop(const void *loop, int first, int last) { \
    for (int k = first; k < last; k++) name##_at(loop, k);         \
  }

// Computes the rows of the k-th node under pressure in the antisymmetric part of the tangent matrix of the pressures.
static void pressure_antisymmetric_at(const Loop *l, int k) {
  const Pressures *p = &l->motion.forces.pressure;
  pressure_part(p, &l->motion.body, l->step.theta, l->motion.iterate.u1,
                (double)l->step.impulse * (double)l->step.theta, 1, p->row[k], p->antisymmetric);
}

LOOP(pressure_antisymmetric)
LOOP(couple)
LOOP(sweep)
LOOP(move_held)
LOOP(held_rest)
LOOP(take_product)
LOOP(target)
LOOP(given)
LOOP(coast)
LOOP(repeat)
LOOP(shorten)
LOOP(trial)
LOOP(shift)
LOOP(shift_separate_forces)
LOOP(separate_forces)
LOOP(pressure_tangent)
LOOP(end_step)
LOOP(before)
LOOP(extrapolate)
LOOP(origin)
LOOP(follow_origin)
LOOP(reset_anchor)
LOOP(spring)
LOOP(load)
LOOP(copy)
LOOP(row)
LOOP(position)
LOOP(velocity)
LOOP(outside_force)
LOOP(external_force)

static bool run(const Loop *loop, LoopBody body, int count) {
  parallel_for_light(count, CHUNK, body, loop);
  return true;
}

static bool find_velocity(const Motion *m, Stream stream, Error *error) {
  (void)stream;
  const MassRows *rows = &m->body.rows;
  if (!rows->value) return true;
  memset(rows->velocity, 0, sizeof(real) * (size_t)m->body.n);
  memset(rows->change, 0, sizeof(real) * (size_t)m->body.n);
  Loop loop = loop_over(m, NULL);
  Sweeps sweeps = sweeps_of(rows);
  for (int k = 0; k < sweeps.count; k++) {
    next_sweep(&sweeps, &loop);
    parallel_for_light(m->body.node_count, CHUNK / 16, sweep_loop, &loop);

    // The next sweep also reads ghost nodes, which other processes own: get their values from these processes. With
    // several processes, real is double.
    if (!halo_refresh(m->halo, (double *)(void *)loop.motion.body.rows.next, 3, error)) return false;
  }
  return true;
}

// Computes MassRows.moved for a step that ends with displacements u: the consistent mass matrix, without its diagonal,
// times u - u0. Does nothing with lumped masses.
static void couple_masses(const Motion *m, const real *u) {
  const Loop loop = loop_at_end(m, NULL, u, false);
  if (m->body.rows.value) parallel_for_light(m->body.node_count, CHUNK / 16, couple_loop, &loop);
}

// Operands of the product y += *rows->factor * M x, with M the consistent mass matrix without its diagonal.
typedef struct Product {
  const MassRows *rows;
  const real *x;
  real *y;
} Product;

static void multiply_rows(const void *product, int first, int last) {
  const Product *p = product;
  const real factor = *p->rows->factor;
  for (int a = first; a < last; a++) {
    real sum[3];
    couple(p->rows, a, p->x, NULL, sum);
    p->rows->dot[a] = 0;
    for (int i = 0; i < 3; i++) {
      p->y[3 * a + i] += factor * sum[i];
      p->rows->dot[a] += (double)factor * sum[i] * p->x[3 * a + i];
    }
  }
}

static bool apply_masses(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                         Error *error) {
  (void)dot_count, (void)stream, (void)error;
  const Body *body = &((const Motion *)term->context)->body;
  double sum = 0;
  parallel_for_light(body->node_count, CHUNK / 16, multiply_rows, &(Product){ &body->rows, x, y });
  for (int a = 0; a < body->node_count; a++) sum += body->rows.dot[a];
  if (dots) dots[0] += sum;
  return true;
}

static void mass_entries(const OperatorTerm *term, OperatorTake take, void *user) {
  const MassRows *rows = &((const Motion *)term->context)->body.rows;
  const int nodes = ((const Motion *)term->context)->body.node_count;
  for (int a = 0; a < nodes; a++)
    for (int64_t k = rows->start[a]; k < rows->start[a + 1] && rows->neighbour[k] < a; k++) {
      const double m = (double)*rows->factor * (double)rows->value[k];
      take(user, a, rows->neighbour[k], (double[9]){ m, 0, 0, 0, m, 0, 0, 0, m });
    }
}

// Operands of the product y += T x, with T the tangent of the pressures.
typedef struct PressureProduct {
  const Pressures *pressure;
  const real *x;
  real *y;
} PressureProduct;

static void multiply_pressure_rows(const void *product, int first, int last) {
  const PressureProduct *p = product;
  for (int r = first; r < last; r++) {
    const int a = p->pressure->row[r];
    double sum[3], dot = 0;
    pressure_product(p->pressure, a, p->x, sum);
    for (int i = 0; i < 3; i++) {
      p->y[3 * a + i] += (real)sum[i];
      dot += sum[i] * p->x[3 * a + i];
    }
    p->pressure->dot[r] = dot;
  }
}

static bool apply_pressure(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                           Error *error) {
  (void)dot_count, (void)stream, (void)error;
  const Pressures *p = &((const Motion *)term->context)->forces.pressure;
  double sum = 0;
  parallel_for_light(p->row_count, CHUNK / 16, multiply_pressure_rows, &(PressureProduct){ p, x, y });
  for (int r = 0; r < p->row_count; r++) sum += p->dot[r];
  if (dots) dots[0] += sum;
  return true;
}

// Calls `take` with each 3x3 block of a part of the tangent of the pressures: Pressures.tangent or
// Pressures.antisymmetric. If `lower` is true, only with the blocks below the diagonal.
static void take_blocks(const Pressures *p, const real *part, bool lower, OperatorTake take, void *user) {
  for (int r = 0; r < p->row_count; r++) {
    const int a = p->row[r];
    for (int k = p->start[a]; k < p->start[a + 1]; k++) {
      const int *node = p->node + p->entry[k] / p->nodes * p->nodes;
      for (int b = 0; b < p->nodes; b++) {
        const real *t = part + 3 * (k * p->nodes + b);
        if (lower && node[b] >= a) continue;
        take(user, a, node[b], (double[9]){ 0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0 });
      }
    }
  }
}

static void pressure_entries(const OperatorTerm *term, OperatorTake take, void *user) {
  const Pressures *p = &((const Motion *)term->context)->forces.pressure;
  take_blocks(p, p->tangent, true, take, user);
}

// Operands of the product y += N x, with N the antisymmetric part of the tangent of the pressures.
typedef struct AntisymmetricProduct {
  const double *x;
  double *y;
} AntisymmetricProduct;

static void add_block_product(void *product, int a, int b, const double block[9]) {
  const AntisymmetricProduct *p = product;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) p->y[3 * a + i] += block[3 * i + j] * p->x[3 * b + j];
}

static void apply_antisymmetric(const OperatorTerm *term, const double *x, double *y) {
  const Pressures *p = &((const Motion *)term->context)->forces.pressure;
  take_blocks(p, p->antisymmetric, false, add_block_product, &(AntisymmetricProduct){ x, y });
}

static bool guess(const Motion *m, const TimeStep *step, FirstGuess first, Stream stream, Error *error) {
  if (first == FIRST_GUESS_RIGID) return REAL_NAME(rigid_guess_cpu)(m, step, stream, error);
  const Loop loop = loop_over(m, step);
  if (first == FIRST_GUESS_VELOCITY && !find_velocity(m, stream, error)) return false;
  return run(&loop, first == FIRST_GUESS_VELOCITY ? coast_loop : repeat_loop, m->body.n);
}

static bool move_held(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Loop loop = loop_over(m, step);
  return run(&loop, move_held_loop, m->body.n);
}

static bool held_rest(const Motion *m, const TimeStep *step, bool keep_others, Stream stream, Error *error) {
  (void)stream, (void)error;
  Loop loop = loop_over(m, step);
  loop.keep = keep_others;
  return run(&loop, held_rest_loop, m->body.n);
}

static bool take_product(const Motion *m, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Loop loop = loop_over(m, NULL);
  return run(&loop, take_product_loop, m->body.n);
}

static bool shorten(const Motion *m, const void *from, double factor, Stream stream, Error *error) {
  (void)stream, (void)error;
  Loop loop = loop_over(m, NULL);
  loop.from = from;
  loop.factor = (real)factor;
  return run(&loop, shorten_loop, m->body.n);
}

static bool set_trial(const Motion *m, const TimeStep *step, double factor, Stream stream, Error *error) {
  (void)stream, (void)error;
  Loop loop = loop_over(m, step);
  loop.factor = (real)factor;
  return run(&loop, trial_loop, m->body.n);
}

// Computes forces at displacements u: first those that have a separate loop over nodes, such as contact with obstacles
// (FORCE_IN_SEPARATE_LOOP in forces.def), then self-contact. `stick` is true at the end of a step; friction anchors are
// then stored. `listed` is true if the list of contact pairs is known to be valid at u.
static bool find_separate_forces(const Motion *m, const TimeStep *step, const real *u, bool stick, bool listed,
                                 Error *error) {
  const Loop loop = loop_at_end(m, step, u, stick);
  if (has_separate_loop(&m->forces)) {
    run(&loop, separate_forces_loop, m->body.node_count);
  } else if (m->forces.self) {
    memset(m->iterate.contact_force, 0, sizeof(real) * (size_t)m->body.n);
    memset(m->iterate.contact_energy, 0, sizeof(real) * (size_t)m->body.node_count);
  }
  return !m->forces.self ||
         self_contact_evaluate(&REAL_NAME(self_contact_cpu), m, m->forces.self, u, listed, (Stream){ 0 }, error);
}

static void residual_chunk(const void *loop, int first, int last) {
  const Loop *l = loop;
  ResidualSums sums = no_residual(), *partial = l->motion.iterate.scratch;
  for (int i = first; i < last; i++) l->motion.iterate.residual[i] = residual_at(l, i, &sums);
  partial[first / CHUNK] = sums;
}

// Replaces *sums by sums over all processes, and min_J by the minimum, so that all processes take equal decisions.
static bool sum_over_ranks(const Halo *halo, ResidualSums *sums, Error *error) {
  double squares[5] = { sums->residual2, sums->momentum2, sums->internal2, sums->external2, sums->rounding2 };
  if (!halo_sum(halo, squares, 5, error)) return false;
  sums->residual2 = squares[0];
  sums->momentum2 = squares[1];
  sums->internal2 = squares[2];
  sums->external2 = squares[3];
  sums->rounding2 = squares[4];
  return halo_smallest(halo, &sums->min_J, error);
}

static bool residual(const Motion *m, const TimeStep *step, const void *min_J_, int min_J_count, bool check_trial,
                     Stream stream, Error *error) {
  const Loop loop = loop_over(m, step);
  const ResidualSums *partial = m->iterate.scratch;
  const double *trial_J = m->iterate.scratch;
  const real *min_J = min_J_;
  ResidualSums sums = no_residual();
  if (!find_separate_forces(m, step, m->iterate.trial, false, true, error)) return false;
  couple_masses(m, m->iterate.trial);
  const int n = 3 * halo_nodes(m->halo, m->body.node_count);
  parallel_for(n, CHUNK, residual_chunk, &loop);
  for (int c = 0; c < chunks(n); c++) add_residuals(&sums, &partial[c]);
  if (check_trial && !m->element->smallest_J(&m->cells, m->iterate.trial, m->iterate.scratch, stream, error))
    return false;
  for (int c = 0; check_trial && c < m->element->parts(m->cells.count); c++)
    sums.min_J = smaller_J(sums.min_J, trial_J[c]);
  for (int k = 0; k < min_J_count; k++) sums.min_J = smaller_J(sums.min_J, min_J[k]);
  if (m->halo && !sum_over_ranks(m->halo, &sums, error)) return false;
  *m->iterate.norms_host = residual_norms(&sums);
  return true;
}

static bool set_shift(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Loop loop = loop_over(m, step);
  // The separate loop adds the tangent of obstacles, and sets off-diagonal entries of Iterate.shift. Without obstacles
  // and touching pairs, the assembly reads no entries that only this loop sets (crosses() in newton_loop.c).
  const bool adds = has_separate_tangent(&m->forces) ||
                    (m->forces.self && (acts_on_nodes(&m->forces) || !contact_idle(m->forces.self)));
  if (!run(&loop, shift_loop, m->body.node_count)) return false;
  if (adds && !run(&loop, shift_separate_forces_loop, m->body.node_count)) return false;
  if (!run(&loop, pressure_tangent_loop, m->forces.pressure.row_count)) return false;
  if (!run(&loop, pressure_antisymmetric_loop, m->forces.pressure.row_count)) return false;
  return !m->forces.self || self_contact_shift(&REAL_NAME(self_contact_cpu), m, m->forces.self, step, stream, error);
}

// Gets the momenta of ghost nodes from the processes that own these nodes, since this process lacks some of the cells
// at ghost nodes. Displacements of ghost nodes need no copy: each process computes them by the same operations from the
// same directions du. With several processes, real is double (simulation_ranks.c).
static bool refresh_momenta(const Motion *m, Error *error) {
  return halo_refresh(m->halo, (double *)(void *)m->body.p, 3, error);
}

static bool end_step(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Loop loop = loop_over(m, step);
  couple_masses(m, m->iterate.u1);
  return find_separate_forces(m, step, m->iterate.u1, true, true, error) &&
         run(&loop, end_step_loop, m->body.node_count) && refresh_momenta(m, error);
}

static bool make_before(const Motion *m, double dt, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.factor = (real)dt;
  return find_velocity(m, stream, error) && run(&loop, before_loop, m->body.n);
}

static bool extrapolate(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Loop loop = loop_over(m, step);
  return run(&loop, extrapolate_loop, m->body.n);
}

static bool move_origin(const Motion *m, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Loop loop = loop_over(m, NULL);
  return run(&loop, origin_loop, 3) && run(&loop, follow_origin_loop, m->body.n);
}

static bool reset_anchors(const Motion *m, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Loop loop = loop_over(m, NULL);
  return run(&loop, reset_anchor_loop, m->body.node_count);
}

static bool set_springs(const Motion *m, const int *nodes, const double *values, int count, Stream stream,
                        Error *error) {
  (void)stream, (void)error;
  Loop loop = loop_over(m, NULL);
  loop.nodes = nodes;
  loop.values = values;
  return run(&loop, spring_loop, count);
}

static bool set_targets(const Motion *m, const int *nodes, const double *values, int count, Stream stream,
                        Error *error) {
  (void)stream, (void)error;
  Loop loop = loop_over(m, NULL);
  loop.nodes = nodes;
  loop.values = values;
  return run(&loop, target_loop, count);
}

static bool set_load(const Motion *m, const int *nodes, const double *values, int count, Stream stream, Error *error) {
  (void)stream, (void)error;
  Loop loop = loop_over(m, NULL);
  loop.nodes = nodes;
  loop.values = values;
  return run(&loop, load_loop, count);
}

static bool give_load(const Motion *m, const void *values, Precision precision, Stream stream, Error *error) {
  (void)stream, (void)error;
  Loop loop = loop_over(m, NULL);
  loop.values = precision == PRECISION_F64 ? values : NULL;
  loop.single_values = precision == PRECISION_F32 ? values : NULL;
  return run(&loop, given_loop, m->body.n);
}

static bool split(const Motion *m, const int (*nodes)[2], const double *values, int count, int first_copy,
                  Stream stream, Error *error) {
  (void)stream, (void)error;
  Loop rows = loop_over(m, NULL), copies = rows;
  rows.nodes = &nodes[0][0];
  rows.values = values;
  copies.nodes = &nodes[first_copy][0];
  return run(&copies, copy_loop, count - first_copy) && run(&rows, row_loop, count);
}

static bool gather(void *to, const void *from, size_t item, const int *list, int count, Stream stream, Error *error) {
  (void)stream, (void)error;
  for (int k = 0; k < count; k++)
    memcpy((char *)to + item * (size_t)k, (const char *)from + item * (size_t)list[k], item);
  return true;
}

static bool rename_all(int *numbers, int64_t count, const int *names, Stream stream, Error *error) {
  (void)stream, (void)error;
  for (int64_t k = 0; k < count; k++) numbers[k] = names[numbers[k]];
  return true;
}

static void energy_chunk(const void *loop, int first, int last) {
  Energy sums = { 0 }, *partial = ((const Loop *)loop)->motion.iterate.scratch;
  for (int a = first; a < last; a++) energy_at(loop, a, &sums);
  partial[first / CHUNK] = sums;
}

// Replaces the energies and momenta *sums by their sums over all processes.
static bool add_energies_of_ranks(const Halo *halo, Energy *sums, Error *error) {
  double values[9] = { sums->kinetic, sums->elastic, sums->potential };
  for (int i = 0; i < 3; i++) {
    values[3 + i] = sums->linear[i];
    values[6 + i] = sums->angular[i];
  }
  if (!halo_sum(halo, values, 9, error)) return false;
  sums->kinetic = values[0];
  sums->elastic = values[1];
  sums->potential = values[2];
  for (int i = 0; i < 3; i++) {
    sums->linear[i] = values[3 + i];
    sums->angular[i] = values[6 + i];
  }
  return true;
}

static bool energy(const Motion *m, const double *material, Energy *sums, Stream stream, Error *error) {
  const Loop loop = loop_over(m, NULL);
  const Energy *partial = m->iterate.scratch;
  const double *elastic = m->iterate.scratch;
  ElementCells own = m->cells;
  const int nodes = halo_nodes(m->halo, m->body.node_count);
  own.count = halo_cells(m->halo, own.count);
  *sums = (Energy){ 0 };
  if (!find_separate_forces(m, NULL, m->body.u, false, false, error) || !find_velocity(m, stream, error)) return false;
  parallel_for(nodes, CHUNK, energy_chunk, &loop);
  for (int c = 0; c < chunks(nodes); c++) add_energies(sums, &partial[c]);
  if (!m->element->energy(&own, m->body.u, material, m->iterate.scratch, stream, error)) return false;
  for (int c = 0; c < m->element->parts(own.count); c++) sums->elastic += elastic[c];
  return !m->halo || add_energies_of_ranks(m->halo, sums, error);
}

static bool positions(const Motion *m, float *out, Stream stream, Error *error) {
  (void)stream, (void)error;
  Loop loop = loop_over(m, NULL);
  loop.positions = out;
  return run(&loop, position_loop, m->body.n);
}

static bool vectors(const Motion *m, VectorKind kind, float *out, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.positions = out;
  if (!find_velocity(m, stream, error)) return false;
  return kind == VECTORS_VELOCITY ? run(&loop, velocity_loop, m->body.n)
                                  : run(&loop, outside_force_loop, m->body.node_count);
}

static bool external_forces(const Motion *m, Stream stream, Error *error) {
  const Loop loop = loop_over(m, NULL);
  return find_velocity(m, stream, error) && run(&loop, external_force_loop, m->body.node_count);
}

extern const MotionMethod REAL_NAME(motion_cpu);
const MotionMethod REAL_NAME(motion_cpu) = {
  .stage = { .kind = STAGE_BODY,
             .name = "body",
             .summary = "nodal vectors of the body",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .preferred = true,
             .bytes = motion_bytes },
  .scratch_bytes = scratch_bytes,
  .find_velocity = find_velocity,
  .guess = guess,
  .move_held = move_held,
  .held_rest = held_rest,
  .take_product = take_product,
  .shorten = shorten,
  .set_trial = set_trial,
  .residual = residual,
  .set_shift = set_shift,
  .end_step = end_step,
  .turn_back = REAL_NAME(turn_back_cpu),
  .keep_momenta = REAL_NAME(spin_keep_cpu),
  .keep_energy = REAL_NAME(energy_keep_cpu),
  .make_before = make_before,
  .extrapolate = extrapolate,
  .move_origin = move_origin,
  .reset_anchors = reset_anchors,
  .set_springs = set_springs,
  .set_targets = set_targets,
  .set_load = set_load,
  .give_load = give_load,
  .split = split,
  .apply_masses = apply_masses,
  .mass_entries = mass_entries,
  .apply_pressure = apply_pressure,
  .pressure_entries = pressure_entries,
  .pressure_antisymmetric = apply_antisymmetric,
  .energy = energy,
  .positions = positions,
  .vectors = vectors,
  .external_forces = external_forces,
  .gather = gather,
  .rename = rename_all,
};
