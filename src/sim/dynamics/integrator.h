// The struct Motion, and the arithmetic of a time step for one node or one unknown. The loops on the CPU (motion.c) and
// on the GPU (motion.cu) call these functions. This header is compiled for each precision.
//
// Notation:
//   u, p       displacements, m, and momenta, kg m/s; n unknowns, 3 per node
//   u0, p0     state at the start of the step (Body.u, Body.p)
//   u1, p1     state at the end of the step; during Newton's method u1 is the present iterate
//   du         Newton's direction at u1
//   trial      the candidate for the next iterate, u1 + fraction * du
//   u_theta    u0 + theta (trial - u0), the displacements at which forces are evaluated (time_step.h)
//   J          det F of a cell, with its deformation gradient F; a cell with J <= 0 is inverted
//
// A function NAME_at(loop, i) does one iteration of a loop. Its index is an unknown i, a node a, or the index k of an
// element of a list. An obstacle is a rigid body with a prescribed motion. A friction anchor is the position at which a
// node sticks to the floor or an obstacle; the end of a step updates it. A recorded step runs as a CUDA graph, without
// the host (step_graph.h).
#pragma once
#include "base/work_arrays.h"
#include "sim/force/body.h"
#include "sim/dynamics/motion.h"
#include "sim/dynamics/time_step.h"
#include "sim/element/halo.h"
#include "sim/force/forces.h"

typedef struct SpinPieces SpinPieces;

// Data of Newton's method in the present step, on the body's device except norms_host and energy_host.
typedef struct Iterate {
  real *u1, *trial;     // [n] m, displacements at the end of the step. u1: present iterate of Newton's method; trial:
                        // candidate for the next iterate
  real *u_theta;        // [n] m, u0 + theta (trial - u0), at which forces are evaluated
  real *nodal;          // [n] m, nodal data that the assembly reads: either the displacements u_theta, or the positions
                        // X + u_theta
  real *internal;       // [n] kg m/s, internal forces at u_theta times TimeStep.impulse
  real *residual, *du;  // residual: [n] kg m/s, p0 - h(trial), where time_step.h defines h; du: [n] m, Newton's
                        // direction
  real *shift, *diagonal;  // shift: diagonal 3x3 blocks of the tangent without the stiffness of cells. The first [n]
                           // values are xx, yy, zz of each node. With contact, off-diagonal values follow: xy of each
                           // node if only the floor acts, else xy, xz, yz. diagonal: [n], diagonal of the step's
                           // first tangent, cells included
  real *u_backup, *p_backup, *anchor_backup;  // backup for a step that fails: displacements, momenta and friction
                                              // anchors on the floor at the start of the whole step
  real *obstacle_anchor_backup;               // friction anchors on obstacles (Forces.obstacle_anchor) at the start of
                                              // the whole step; NULL without obstacles
  real *contact_force, *contact_energy;  // [n] N and [node_count] J: forces and energies of obstacles, pressure and
                                         // self-contact; NULL without these
  real *between;                         // [n] m, u0 + theta (u1 - u0), at which the line search evaluates energies;
                                         // NULL without self-contact
  real *u_before, *p_before;             // [n] displacements and momenta one step before u0 and p0, for BDF2 and first
                                         // guesses
  real *back;     // [n] kg m/s, change of the momenta p0 at the start of a step with TimeStep.turns_back (turn_back.h)
  void *scratch;  // work memory for partial sums
  ResidualNorms *norms, *norms_host;  // norms of the last evaluation; norms_host: copy in pinned host memory, valid
                                      // after stream_sync
  Energy *energy, *energy_host;       // energies and momenta of the body; energy_host: copy in pinned host memory
} Iterate;

struct Motion {
  const MotionMethod *method;
  Body body;
  Forces forces;
  Iterate iterate;
  const ElementRow *element;  // element whose functions compute energy and det F (J) from displacements
  ElementCells cells;
  // GPU memory for updates after a cut; NULL before the first cut. split_list [split_list_capacity]: copy of one of the
  // host's lists of changed nodes or cells. split_values [split_values_capacity]: copy of MotionRows.value
  int *split_list;
  double *split_values;
  int64_t split_list_capacity, split_values_capacity;
  ElementCells spare;   // second array of cells, into which a removal of cells copies the remaining ones; empty before
                        // the first removal
  WorkArrays *rounded;  // host memory for copies between the doubles of the caller and reals on a GPU; owned
  SpinPieces *pieces;   // the connected pieces of the body (spin.h); NULL until a step needs them
  const Halo *halo;     // division of the nodes among processes, borrowed. NULL if there is one process, and always on
                        // the GPU
};

// Adds the bytes of a consistent mass matrix: its rows on the body's device (MassRows), and on the host the MassMatrix
// and a temporary list of the cells of each node.
static inline void add_mass_bytes(const Stage *stage, const StageSize *size, StageBytes *bytes) {
  const double V = size->nodes, pairs = stage_blocks(size), on_cpu = stage->device == DEVICE_CPU ? 8 * V : 0;
  if (!size->consistent) return;
  bytes->on[stage->device] += 13 * sizeof(real) * V + 8 * V + (4 + sizeof(real)) * pairs + on_cpu;
  bytes->on[DEVICE_CPU] += 8 * (V + pairs) + 8 * V + size->cells * (8 + 4 * size->cell_nodes);
}

// Estimates the memory of a body, and the bytes that its loops read and write (Stage.bytes). The memory consists of
// arrays with one or three values per node, and of the element's constants of each undeformed cell.
static inline StageBytes motion_bytes(const Stage *stage, const StageSize *size) {
  const double V = size->nodes, one = sizeof(real) * V, three = 3 * one;
  const double cells = size->cells * size->supplemental * sizeof(real) +
                       (stage->device == DEVICE_CUDA ? 4 * size->cells * size->cell_nodes : 0);
  const double contact = size->surface > 0 ? 2 * three + one : 0;
  StageBytes bytes = stage_takes(stage, 19 * three + 11 * one + 7 * V + cells + contact);
  add_mass_bytes(stage, size, &bytes);

  // bytes that the loops of one evaluation read and write: first trial_at, then residual_at, then the loop that adds
  // partial sums
  stage_light_pass(stage, &bytes, WORK_EVALUATION, 2 * three, 2 * three);
  stage_pass(stage, &bytes, WORK_EVALUATION, 8 * three + 3 * one + 3 * V, three);
  stage_light_pass(stage, &bytes, WORK_EVALUATION, 0, 0);
  bytes.work[WORK_EVALUATION].waits = 1;
  stage_pass(stage, &bytes, WORK_CHECK, cells + three, 0);
  stage_light_pass(stage, &bytes, WORK_SHIFT, 3 * one, three);

  // bytes that the loops read and write that run once per step: backup of u, backup of p, start of Newton's method,
  // end_step_at
  stage_light_pass(stage, &bytes, WORK_STEP, three, three);
  stage_light_pass(stage, &bytes, WORK_STEP, three, three);
  stage_light_pass(stage, &bytes, WORK_STEP, three, three);
  stage_light_pass(stage, &bytes, WORK_STEP, 3 * three + one + 3 * V, 2 * three);
  return bytes;
}

// Arguments of the functions NAME_at below, each of which reads some of them.
typedef struct Loop {
  Motion motion;
  TimeStep step;
  real factor;       // for trial_at: step length, as a fraction of du. For shorten_at: factor of u1 - u. For sweep_at:
                     // factor of (p - M v) / diagonal. For before_at: duration of the step, s
  real keep;         // for sweep_at: factor of the change in the previous sweep. For held_rest_at: if 0, du of unknowns
                     // without a prescribed motion becomes 0, else it does not change
  const real *from;  // displacements for shorten_at
  const int *nodes;  // nodes: list of nodes, or of pairs of numbers, over which a loop runs; values: new values of the
                     // listed nodes
  const double *values;
  const float *single_values;  // argument of given_at
  float *positions;            // output of position_at, velocity_at and outside_force_at
  FirstGuess guess;            // argument of begin_at
  const real *contact_u;       // [n] m, displacements at the step's end for separate_forces_at and couple_at
  bool stick;                  // true at the end of the step: the new friction anchors on obstacles are stored
  const int *gate;             // on the GPU: if *gate is 0, the loop does nothing; NULL: it always runs
  // On the GPU, for recorded steps; else NULL. *fraction: step length of trial_at, advance_at and shorten_guess_at. If
  // `fraction` is NULL, trial_at uses the step length `factor`, and advance_at uses 1. *slip_fraction replaces
  // step.slip_fraction
  const double *fraction, *slip_fraction;
} Loop;

static inline Loop loop_over(const Motion *motion, const TimeStep *step) {
  Loop loop;
  loop.motion = *motion;
  loop.step = step ? *step : static_step();
  loop.factor = loop.keep = 0;
  loop.from = NULL;
  loop.nodes = NULL;
  loop.values = NULL;
  loop.positions = NULL;
  loop.guess = FIRST_GUESS_STATE;
  loop.gate = NULL;
  loop.fraction = loop.slip_fraction = NULL;
  loop.contact_u = NULL;
  loop.stick = false;
  return loop;
}

// Returns the arguments of separate_forces_at and couple_at for a step that ends with displacements u. If `stick` is
// true, u is the result of the step, and friction anchors are stored. If it is false, u is an iterate, and nodes that
// will touch soon may count as touching (TimeStep.lookahead).
static inline Loop loop_at_end(const Motion *motion, const TimeStep *step, const real *u, bool stick) {
  Loop loop = loop_over(motion, step);
  loop.contact_u = u;
  loop.stick = stick;
  if (stick) loop.step.lookahead = 0;
  return loop;
}

// Computes sum [3]: the sum of M_ab x_b over nodes b other than a, with the consistent mass matrix M. The vector x is
// `to` - `from`, or `to` if `from` is NULL.
HOST_DEVICE void couple(const MassRows *rows, int a, const real *to, const real *from, real sum[3]) {
  sum[0] = sum[1] = sum[2] = 0;
  for (int64_t k = rows->start[a]; k < rows->start[a + 1]; k++) {
    const int b = 3 * rows->neighbour[k];
    for (int i = 0; i < 3; i++) sum[i] += rows->value[k] * (from ? to[b + i] - from[b + i] : to[b + i]);
  }
}

// Stores in rows.moved the sum of M_ab (u - u0)_b over nodes b other than a, with the consistent mass matrix M. u =
// l->contact_u are the displacements at the end of the step.
HOST_DEVICE void couple_at(const Loop *l, int a) {
  real sum[3];
  couple(&l->motion.body.rows, a, l->contact_u, l->motion.body.u, sum);
  for (int i = 0; i < 3; i++) l->motion.body.rows.moved[3 * a + i] = sum[i];
}

// Improves the velocities v at node a in one sweep of Chebyshev's iteration for M v = p, with the consistent mass
// matrix M (Saad, Iterative methods for sparse linear systems, algorithm 12.1; preconditioner: the diagonal of M). A
// sweep changes v by l->keep times the change in the previous sweep, plus l->factor times (p - M v) / diagonal.
HOST_DEVICE void sweep_at(const Loop *l, int a) {
  const Body *body = &l->motion.body;
  const MassRows *rows = &body->rows;
  real sum[3];
  couple(rows, a, rows->velocity, NULL, sum);
  for (int i = 3 * a; i < 3 * a + 3; i++) {
    const real v = rows->velocity[i], own = body->diagonal_mass[a];
    const real change = l->keep * rows->change[i] + l->factor * ((body->p[i] - own * v - sum[i % 3]) / own);
    const bool stays = body->held[i] & HELD_PINNED;
    rows->change[i] = stays ? (real)0 : change;
    rows->next[i] = stays ? (real)0 : v + change;
  }
}

// Coefficients of the sweeps of Chebyshev's iteration (sweep_at). count: number of sweeps after which only rounding
// errors remain.
typedef struct Sweeps {
  int count;
  // middle: mean of the lower and the upper bound of the eigenvalues of M / diagonal. half: half of the difference of
  // these bounds. ratio: middle / half. rho: coefficient of Chebyshev's recurrence in the last sweep
  double middle, half, ratio, rho;
} Sweeps;

static inline Sweeps sweeps_of(const MassRows *rows) {
  const double epsilon = sizeof(real) == sizeof(float) ? 1e-8 : 1e-17, low = rows->low, high = rows->high;
  const double gain = (sqrt(high) - sqrt(low)) / (sqrt(high) + sqrt(low));  // factor by which a sweep reduces the error
  // Sweeps write the arrays `next` and `velocity` in turn. The count is even, so that the last sweep writes `velocity`.
  const Sweeps s = { 2 * (int)ceil(log(epsilon) / log(gain) / 2), (high + low) / 2, (high - low) / 2,
                     (high + low) / (high - low), 0 };
  return s;
}

// Sets the coefficients of the next sweep of Chebyshev's iteration in `loop`. Except before the first sweep, swaps the
// arrays `velocity` and `next`, because the last sweep has written `next`.
static inline void next_sweep(Sweeps *s, Loop *loop) {
  MassRows *rows = &loop->motion.body.rows;
  const bool first = s->rho == 0;
  const double rho = 1 / (first ? s->ratio : 2 * s->ratio - s->rho);
  loop->keep = (real)(first ? 0 : rho * s->rho);
  loop->factor = (real)(first ? 1 / s->middle : 2 * rho / s->half);
  if (!first) {
    real *velocity = rows->next;
    rows->next = rows->velocity;
    rows->velocity = velocity;
  }
  s->rho = rho;
}

// Returns the velocity of unknown i, m/s. With consistent masses, rows.velocity must have been computed before.
HOST_DEVICE real velocity_of(const Body *body, int i) {
  return body->rows.value ? body->rows.velocity[i] : body->p[i] / body->mass[i / 3];
}

// Returns the displacement of a held unknown i at the end of the step, or of the present part of a divided step.
// `before` is its displacement at the start of the whole step.
HOST_DEVICE real held_end(const Body *body, const TimeStep *step, int i, real before) {
  if (body->held[i] != HELD_MOVED) return body->u[i];
  const real target = (real)((double)body->target[i] - body->origin[i % 3]);
  return step->reach == 1 ? target : before + step->reach * (target - before);
}

// Sets u1 of an unknown with a prescribed motion (HELD_MOVED) to its displacement at the end of the step.
HOST_DEVICE void move_held_at(const Loop *l, int i) {
  const Iterate *it = &l->motion.iterate;
  if (l->motion.body.held[i] == HELD_MOVED) it->u1[i] = held_end(&l->motion.body, &l->step, i, it->u_backup[i]);
}

// Sets du of an unknown with a prescribed motion to its remaining displacement, from u1 to the end of the step. Sets du
// of other unknowns to 0, or keeps it if l->keep is not 0.
HOST_DEVICE void held_rest_at(const Loop *l, int i) {
  const Iterate *it = &l->motion.iterate;
  if (l->motion.body.held[i] == HELD_MOVED)
    it->du[i] = held_end(&l->motion.body, &l->step, i, it->u_backup[i]) - it->u1[i];
  else if (l->keep == 0)
    it->du[i] = 0;
}

// Subtracts `trial`, which contains the tangent times the displacements of prescribed unknowns, from the residual. The
// result is the right side of the linear system for the free unknowns.
HOST_DEVICE void take_product_at(const Loop *l, int i) {
  l->motion.iterate.residual[i] -= l->motion.iterate.trial[i];
}

// Sets u1 to the first guess FIRST_GUESS_VELOCITY, which is u0 + dt * velocity for free unknowns.
HOST_DEVICE void coast_at(const Loop *l, int i) {
  const Body *body = &l->motion.body;
  const real u = body->u[i], velocity = velocity_of(body, i);
  l->motion.iterate.u1[i] =
      body->held[i] ? held_end(body, &l->step, i, l->motion.iterate.u_backup[i]) : u + l->step.duration * velocity;
}

// Sets u1 to the first guess FIRST_GUESS_EXTRAPOLATED: free unknowns repeat their displacement in the previous step.
HOST_DEVICE void repeat_at(const Loop *l, int i) {
  const Iterate *it = &l->motion.iterate;
  const real u = it->u_backup[i];
  it->u1[i] = l->motion.body.held[i] ? held_end(&l->motion.body, &l->step, i, u) : u + (u - it->u_before[i]);
}

// Moves u1 towards the displacements u = l->from: u1 = u + l->factor (u1 - u).
HOST_DEVICE void shorten_at(const Loop *l, int i) {
  const real u = l->from[i], u1 = l->motion.iterate.u1[i];
  l->motion.iterate.u1[i] = u + l->factor * (u1 - u);
}

// Stores `trial` at unknown i. Also computes u_theta, the displacement at which forces are evaluated, and the nodal
// data (a displacement or a position) that the assembly reads.
HOST_DEVICE void try_at(const Loop *l, int i, real trial) {
  const Iterate *it = &l->motion.iterate;
  const real u0 = l->motion.body.u[i];
  const real u = u0 + l->step.theta * (trial - u0);
  it->trial[i] = trial;
  it->u_theta[i] = u;
  if (it->nodal != it->u_theta) it->nodal[i] = l->motion.body.X[i] + u;
}

HOST_DEVICE void trial_at(const Loop *l, int i) {
  const Iterate *it = &l->motion.iterate;
  const real factor = l->fraction ? (real)*l->fraction : l->factor;
  try_at(l, i, factor == 0 ? it->u1[i] : it->u1[i] + factor * it->du[i]);
}

// Makes the last trial the new u1, then sets trial = u1 + fraction * du, with fraction = *l->fraction (NULL: 1).
HOST_DEVICE void advance_at(const Loop *l, int i) {
  const Iterate *it = &l->motion.iterate;
  const real u1 = it->u1[i] = it->trial[i], factor = l->fraction ? (real)*l->fraction : (real)1;
  try_at(l, i, factor == 0 ? u1 : u1 + factor * it->du[i]);
}

// Shortens the first guess: u1 = u0 + *l->fraction * (u1 - u0). Also sets the trial state to the new u1.
HOST_DEVICE void shorten_guess_at(const Loop *l, int i) {
  const Iterate *it = &l->motion.iterate;
  const real u = l->motion.body.u[i], factor = (real)*l->fraction;
  if (*l->fraction == 1) return;
  it->u1[i] = u + factor * (it->u1[i] - u);
  try_at(l, i, it->u1[i]);
}

// Returns true if nodes that will soon land count as touching in the first evaluation of a step (TimeStep.lookahead).
// False with consistent masses, for which velocities are not momentum / lumped mass.
static inline bool uses_lookahead(const Motion *m) {
  return has_contact(&m->forces) && !m->body.rows.value;
}

// Returns the part of the tangent's diagonal at node a that is constant in a step: inertia, springs and dampers. The
// node's three unknowns have the same value.
HOST_DEVICE real separate_shift(const Loop *l, int a) {
  real shift = step_mass_shift(&l->step, l->motion.body.diagonal_mass[a]);
  add_unknown_shift(&l->motion.forces, a, l->step.spring_shift, l->step.damper_shift, &shift);
  return shift;
}

// Sets *rows.factor, 1/s, the factor by which products with the tangent multiply the consistent mass matrix.
HOST_DEVICE void set_mass_factor(const Loop *l) {
  if (l->motion.body.rows.value) *l->motion.body.rows.factor = l->step.inertia;
}

// Begins a step at unknown i: backs up the state, and sets u1 and the trial state to the first iterate (l->guess).
// Without a floor and obstacles, also sets the diagonal entries of Iterate.shift; only self-contact then changes them
// in the step.
HOST_DEVICE void begin_at(const Loop *l, int i) {
  const Body *body = &l->motion.body;
  const Iterate *it = &l->motion.iterate;
  it->u_backup[i] = body->u[i];
  it->p_backup[i] = body->p[i];
  if (i == 0) set_mass_factor(l);
  const Forces *f = &l->motion.forces;
  if (!has_contact(f)) it->shift[i] = separate_shift(l, i / 3);
  if (f->floor.present && i < 2 * body->node_count) it->anchor_backup[i] = f->anchor[i];
  for (int k = 0; k < f->obstacle_count; k++) {
    const size_t at = (size_t)k * body->n + i;
    it->obstacle_anchor_backup[at] = f->obstacle_anchor[at];
  }
  it->u1[i] = body->held[i] ? held_end(body, &l->step, i, body->u[i]) : body->u[i];
  if (l->guess == FIRST_GUESS_VELOCITY) coast_at(l, i);
  if (l->guess == FIRST_GUESS_EXTRAPOLATED) repeat_at(l, i);
  try_at(l, i, it->u1[i]);
}

// Returns the impulse of external forces on unknown i, kg m/s, if the step ends with displacement u. `on`: forces that
// depend on all three unknowns of the node, such as the floor's force (FORCE_ON_NODE in forces.def); NULL: none.
HOST_DEVICE real external_impulse(const Loop *l, int i, real u, const NodeForces *on) {
  const Body *body = &l->motion.body;
  const Forces *f = &l->motion.forces;
  const real v = l->step.inverse_dt * (u - body->u[i]);
  real force = force_on_unknown(f, body, i, l->motion.iterate.u_theta[i], v);
  if (on) add_node_force(f, on, i % 3, &force);
  if (l->motion.iterate.contact_force) force += l->motion.iterate.contact_force[i];
  return times_rounded(l->step.impulse, force);
}

HOST_DEVICE double smaller_J(double low, double J) {
  return J >= low ? low : J == J ? J : -(double)INFINITY;
}

// Sums of squares over free unknowns, (kg m/s)^2; their square roots are the norms in ResidualNorms. min_J: smallest
// det F.
typedef struct ResidualSums {
  double residual2, momentum2, internal2, external2, rounding2, min_J;
} ResidualSums;

HOST_DEVICE ResidualSums no_residual(void) {
  const ResidualSums none = { 0, 0, 0, 0, 0, (double)INFINITY };
  return none;
}

HOST_DEVICE void add_residuals(ResidualSums *sums, const ResidualSums *more) {
  sums->residual2 += more->residual2;
  sums->momentum2 += more->momentum2;
  sums->internal2 += more->internal2;
  sums->external2 += more->external2;
  sums->rounding2 += more->rounding2;
  sums->min_J = smaller_J(sums->min_J, more->min_J);
}

HOST_DEVICE ResidualNorms residual_norms(const ResidualSums *sums) {
  const ResidualNorms norms = { sqrt(sums->residual2), sqrt(sums->momentum2), sqrt(sums->internal2),
                                sqrt(sums->external2), sqrt(sums->rounding2), sums->min_J };
  return norms;
}

// Returns the momentum of unknown i at the start of the step, kg m/s. If the step turns velocities back, returns the
// momentum after this rotation (turn_back.h).
HOST_DEVICE real start_momentum(const Motion *m, const TimeStep *step, int i) {
  return step->turns_back ? m->body.p[i] + m->iterate.back[i] : m->body.p[i];
}

// Returns the residual of unknown i in the trial state, kg m/s; 0 if the unknown is held. Adds the squares of the
// residual and of its terms, times the square of the node's weight (Body.weight), to *sums.
HOST_DEVICE real residual_at(const Loop *l, int i, ResidualSums *sums) {
  const Body *body = &l->motion.body;
  const Iterate *it = &l->motion.iterate;
  const bool held = body->held[i];  // read here and tested below, so that no load from memory waits for the test
  const real u = it->trial[i], p = start_momentum(&l->motion, &l->step, i), internal = it->internal[i];
  real external;
  if (acts_on_nodes(&l->motion.forces)) {
    NodeForces on;
    find_node_forces(&l->motion.forces, body, i / 3, it->trial, l->step.lookahead, 0, &on);
    external = external_impulse(l, i, u, &on);
  } else {
    external = external_impulse(l, i, u, NULL);
  }
  real value = step_residual(&l->step, p, body->diagonal_mass[i / 3], u - body->u[i], internal, external);
  if (body->rows.value) value -= l->step.inertia * body->rows.moved[i];
  const double weight = body->weight ? body->weight[i / 3] : 1;
  const double rounding = weight * ((double)it->diagonal[i] * (it->nodal != it->u_theta ? body->X[i] + u : u));
  if (held) return 0;
  const double terms[4] = { weight * value, weight * p, weight * internal, weight * external };
  sums->residual2 += terms[0] * terms[0];
  sums->momentum2 += terms[1] * terms[1];
  sums->internal2 += terms[2] * terms[2];
  sums->external2 += terms[3] * terms[3];
  sums->rounding2 += rounding * rounding;
  return value;
}

HOST_DEVICE real slip_fraction_of(const Loop *l) {
  return l->slip_fraction ? (real)*l->slip_fraction : l->step.slip_fraction;
}

// Computes the diagonal block of the tangent at node a, without the stiffness of cells (Iterate.shift). Some forces,
// such as those of obstacles, are computed in a separate loop over nodes. shift_separate_forces_at adds their tangent
// later.
HOST_DEVICE void shift_at(const Loop *l, int a) {
  const Body *body = &l->motion.body;
  const Forces *f = &l->motion.forces;
  const Iterate *it = &l->motion.iterate;
  const real own = separate_shift(l, a);
  if (a == 0) set_mass_factor(l);
  if (!acts_on_nodes(f)) {
    for (int i = 0; i < 3; i++) it->shift[3 * a + i] = own;
    return;
  }
  NodeForces on;
  real diagonal[3] = { own, own, own }, xy = NO_FORCE;
  find_node_forces(f, body, a, it->u1, l->step.lookahead, slip_fraction_of(l), &on);
  add_node_tangent(f, &on, l->step.impulse, diagonal, &xy);
  for (int i = 0; i < 3; i++) it->shift[3 * a + i] = diagonal[i];
  it->shift[body->n + contact_crosses(f) * a] = xy;
}

// Returns the data of a step on which forces of obstacles depend: start, duration, time of the last update of friction
// anchors, and slip fraction. The duration is 0 for static equilibrium.
HOST_DEVICE StepSpan span_of(const TimeStep *step) {
  const StepSpan span = { step->begins, step->inverse_dt > 0 ? step->duration : (real)0, step->stuck,
                          step->slip_fraction };
  return span;
}

// Returns the arguments of the forces that a separate loop over nodes computes, such as those of obstacles
// (FORCE_IN_SEPARATE_LOOP in forces.def), for a step that ends with displacements u [n].
HOST_DEVICE StepEnd step_end(const TimeStep *step, const real *u, bool stick) {
  const StepEnd end = { span_of(step), u, step->theta, step->lookahead, stick };
  return end;
}

// Adds the tangent of the forces that a separate loop over nodes computes, such as contact with obstacles, to
// Iterate.shift at node a. shift_at must have computed the rest of Iterate.shift before.
HOST_DEVICE void shift_separate_forces_at(const Loop *l, int a) {
  const Forces *f = &l->motion.forces;
  const Iterate *it = &l->motion.iterate;
  StepEnd end = step_end(&l->step, it->u1, false);
  end.span.slip_fraction = slip_fraction_of(l);
  const ObstacleContact c = separate_loop_on_node(f, &l->motion.body, &end, a);
  real *cross = it->shift + l->motion.body.n + 3 * a;
  if (!acts_on_nodes(f)) cross[0] = 0;
  cross[1] = cross[2] = 0;
  for (int i = 0; i < 3; i++) {
    it->shift[3 * a + i] += l->step.impulse * c.tangent[i];
    cross[i] += l->step.impulse * c.tangent[3 + i];
  }
}

// Computes the rows of the k-th node under pressure in the symmetric part of the tangent matrix of the pressures.
HOST_DEVICE void pressure_tangent_at(const Loop *l, int k) {
  const Pressures *p = &l->motion.forces.pressure;
  pressure_part(p, &l->motion.body, l->step.theta, l->motion.iterate.u1,
                (double)l->step.impulse * (double)l->step.theta, -1, p->row[k], p->tangent);
}

// Computes the forces on node a that are not part of residual_at but need a separate loop over nodes, such as contact
// with obstacles. Stores their sum, N, in Iterate.contact_force, and their energy, J, in Iterate.contact_energy.
HOST_DEVICE void separate_forces_at(const Loop *l, int a) {
  const Iterate *it = &l->motion.iterate;
  const StepEnd end = step_end(&l->step, l->contact_u, l->stick);
  const ObstacleContact c = separate_loop_on_node(&l->motion.forces, &l->motion.body, &end, a);
  for (int i = 0; i < 3; i++) it->contact_force[3 * a + i] = c.force[i];
  it->contact_energy[a] = c.energy;
}

// Returns the momentum of a held unknown i at the end of a step with displacement u: 0, or mass times mean velocity in
// the step if its motion is prescribed.
HOST_DEVICE real held_momentum(const Loop *l, int i, real u) {
  const Body *body = &l->motion.body;
  if (body->held[i] != HELD_MOVED) return 0;
  const real moved = body->diagonal_mass[i / 3] * (u - body->u[i]);
  return l->step.inverse_dt * (body->rows.value ? moved + body->rows.moved[i] : moved);
}

// Returns the momentum of unknown i, kg m/s, at the end of a step with displacement u. `on`: forces that depend on all
// three unknowns of the node; NULL: none.
HOST_DEVICE real momentum_at_end(const Loop *l, int i, real u, const NodeForces *on) {
  const Body *body = &l->motion.body;
  const real external = l->step.impulse_at_end ? external_impulse(l, i, u, on) : (real)0;
  const real internal = l->motion.iterate.internal[i];
  real free = step_end_momentum(&l->step, body->diagonal_mass[i / 3], u - body->u[i], internal, external);
  if (body->rows.value) free += l->step.end_inertia * body->rows.moved[i];
  return body->held[i] ? held_momentum(l, i, u) : free;
}

// Ends the step at node a with displacements u1 [n]: stores the node's displacement, momentum and friction anchor on
// the floor, the position at which it sticks. separate_forces_at stores its anchors on obstacles. Different nodes write
// different data, so a parallel loop can call this.
HOST_DEVICE void end_step_with(const Loop *l, int a, const real *u1) {
  const Body *body = &l->motion.body;
  const Forces *f = &l->motion.forces;
  const bool acts = acts_on_nodes(f);
  NodeForces on;
  if (acts) find_node_forces(f, body, a, u1, 0, 0, &on);

  // new u and p of the node. All three components are computed first, because the loop below overwrites the old state.
  real u[3], p[3];
  for (int k = 0; k < 3; k++) {
    u[k] = u1[3 * a + k];
    p[k] = momentum_at_end(l, 3 * a + k, u[k], acts ? &on : NULL);
  }
  for (int k = 0; k < 3; k++) {
    body->p[3 * a + k] = p[k];
    body->u[3 * a + k] = u[k];
  }
  if (acts) stick_node(f, a, &on);
}

HOST_DEVICE void end_step_at(const Loop *l, int a) {
  end_step_with(l, a, l->motion.iterate.u1);
}

// Ends a recorded step (a step as a CUDA graph) at node a: `trial` becomes u1 and the body's state.
HOST_DEVICE void finish_at(const Loop *l, int a) {
  const Iterate *it = &l->motion.iterate;
  end_step_with(l, a, it->trial);
  for (int i = 3 * a; i < 3 * a + 3; i++) it->u1[i] = it->trial[i];
}

// Ends a recorded step at unknown i: `trial` becomes u1 and the body's displacement, and the momentum is updated. Only
// for bodies without forces that depend on all three unknowns of a node (FORCE_ON_NODE in forces.def).
HOST_DEVICE void finish_unknown_at(const Loop *l, int i) {
  const Body *body = &l->motion.body;
  const real u = l->motion.iterate.trial[i], p = momentum_at_end(l, i, u, NULL);
  l->motion.iterate.u1[i] = body->u[i] = u;
  body->p[i] = p;
}

// Estimates the state one step before the present one, u_before and p_before, for the first BDF2 step: as if the body
// had moved at its present velocity. l->factor is the duration of a step, s.
HOST_DEVICE void before_at(const Loop *l, int i) {
  const Body *body = &l->motion.body;
  const real u = body->u[i], velocity = body->held[i] & HELD_PINNED ? (real)0 : velocity_of(body, i);
  l->motion.iterate.u_before[i] = u - l->factor * velocity;
  l->motion.iterate.p_before[i] = body->p[i];
}

HOST_DEVICE void extrapolate_at(const Loop *l, int i) {
  const Body *body = &l->motion.body;
  const Iterate *it = &l->motion.iterate;
  if (body->held[i]) {  // moves by 1/3 of its motion in the step; the solve that follows (backward Euler, 2/3 dt) adds
                        // the rest
    const real u = body->u[i];
    body->u[i] = u + (held_end(body, &l->step, i, u) - u) / 3;
    return;
  }
  body->u[i] = step_extrapolate(body->u[i], it->u_before[i]);
  body->p[i] = step_extrapolate(body->p[i], it->p_before[i]);
}

// Moves component i of the origin from which displacements are measured, so that they and their rounding errors stay
// small. The new origin is where node 0 will be after the next step, if it moves as in the last step. Stores the
// origin's motion in Iterate.scratch for follow_origin_at.
HOST_DEVICE void origin_at(const Loop *l, int i) {
  const real *u = l->motion.body.u, *start = l->motion.iterate.u_backup;
  real *displacement = (real *)l->motion.iterate.scratch;
  displacement[i] = u[i] + (u[i] - start[i]);
  l->motion.body.origin[i] += displacement[i];
}

HOST_DEVICE void follow_origin_at(const Loop *l, int i) {
  const real displacement = ((const real *)l->motion.iterate.scratch)[i % 3];
  l->motion.body.u[i] -= displacement;
  l->motion.iterate.u_before[i] -= displacement;
  const Forces *f = &l->motion.forces;
  if (i % 3 < 2) f->anchor[2 * (i / 3) + i % 3] -= displacement;
  for (int k = 0; k < f->obstacle_count; k++) f->obstacle_anchor[(size_t)k * l->motion.body.n + i] -= displacement;
}

// Sets the friction anchors of node a, on the floor and on obstacles, to its present displacement.
HOST_DEVICE void reset_anchor_at(const Loop *l, int a) {
  const Forces *f = &l->motion.forces;
  const Body *body = &l->motion.body;
  for (int i = 0; i < 2; i++) f->anchor[2 * a + i] = body->u[3 * a + i];
  for (int k = 0; k < f->obstacle_count; k++)
    for (int i = 0; i < 3; i++) f->obstacle_anchor[(size_t)k * body->n + 3 * a + i] = body->u[3 * a + i];
}

// Sets the prescribed displacement at the step's end, Body.target, of the k-th listed node.
HOST_DEVICE void target_at(const Loop *l, int k) {
  for (int i = 0; i < 3; i++) l->motion.body.target[3 * l->nodes[k] + i] = (real)l->values[3 * k + i];
}

// Sets the spring by which grabs (pulls by the mouse or along a path, force/grabs.h) act on the k-th listed node:
// stiffness, damping coefficient, and stiffness times target displacement.
HOST_DEVICE void spring_at(const Loop *l, int k) {
  const Forces *f = &l->motion.forces;
  const double *value = l->values + SPRING_VALUES * k;
  const int a = l->nodes[k];
  f->spring[a] = (real)value[0];
  f->damper[a] = (real)value[1];
  for (int i = 0; i < 3; i++) f->pull[3 * a + i] = (real)value[2 + i];
}

HOST_DEVICE void load_at(const Loop *l, int k) {
  const Forces *f = &l->motion.forces;
  for (int i = 0; i < 3; i++) {
    const int at = 3 * l->nodes[k] + i;
    const real value = (real)l->values[3 * k + i];
    if (f->has_given) f->base[at] = value;
    f->load[at] = f->has_given ? value + f->given[at] : value;
  }
}

// Copies the given load of unknown i from the caller's array, and adds up the loads on this unknown. The array
// l->values or l->single_values, in the user's order of nodes, has doubles or floats. If both are NULL, the given load
// stays.
HOST_DEVICE void given_at(const Loop *l, int i) {
  const Forces *f = &l->motion.forces;
  const int from = 3 * l->motion.body.user_node[i / 3] + i % 3;
  if (l->values) f->given[i] = (real)l->values[from];
  if (l->single_values) f->given[i] = (real)l->single_values[from];
  f->load[i] = f->base[i] + f->given[i];
}

// After a cut has duplicated a node: copies the state of the original to the copy. l->nodes has pairs of a copy and
// its original; k is the index of the pair.
HOST_DEVICE void copy_at(const Loop *l, int k) {
  const Body *body = &l->motion.body;
  const Iterate *it = &l->motion.iterate;
  const Forces *f = &l->motion.forces;
  const int a = l->nodes[2 * k], from = l->nodes[2 * k + 1];
  for (int i = 0; i < 3; i++) {
    const int at = 3 * a + i, was = 3 * from + i;
    body->X[at] = body->X[was];
    body->u[at] = body->u[was];
    body->p[at] = body->p[was];
    it->u_before[at] = it->u_before[was];
    it->p_before[at] = it->p_before[was];
    it->u1[at] = it->u1[was];
    body->held[at] = body->held[was];
  }
  for (int i = 0; i < 2; i++) f->anchor[2 * a + i] = f->anchor[2 * from + i];
  for (int o = 0; o < f->obstacle_count; o++) {
    real *anchor = f->obstacle_anchor + (size_t)o * body->n;
    for (int i = 0; i < 3; i++) anchor[3 * a + i] = anchor[3 * from + i];
  }
  body->user_node[a] = a;
}

// Sets mass, contact stiffness and load of the k-th listed node after a cut (MotionRows). Scales momenta with the mass,
// so that velocities do not change.
HOST_DEVICE void row_at(const Loop *l, int k) {
  const Body *body = &l->motion.body;
  const double *value = l->values + SPLIT_VALUES * k;
  const int a = l->nodes[2 * k];
  real *vectors[2] = { body->p, l->motion.iterate.p_before };
  for (int v = 0; v < 2; v++)
    for (int i = 0; i < 3; i++) {
      real *p = &vectors[v][3 * a + i];
      *p = (real)(value[SPLIT_FRACTION] * (double)*p);
    }
  body->mass[a] = (real)value[SPLIT_MASS];
  l->motion.forces.contact[a] = (real)value[SPLIT_CONTACT];
  for (int i = 0; i < 3; i++) l->motion.forces.load[3 * a + i] = (real)value[SPLIT_LOAD + i];
}

HOST_DEVICE void corner_at(const Loop *l, int k) {
  l->motion.cells.cell[l->nodes[2 * k]] = l->nodes[2 * k + 1];
}

HOST_DEVICE void position_at(const Loop *l, int i) {
  const Body *body = &l->motion.body;
  l->positions[3 * body->user_node[i / 3] + i % 3] = (float)((double)(body->X[i] + body->u[i]) + body->origin[i % 3]);
}

HOST_DEVICE void velocity_at(const Loop *l, int i) {
  const Body *body = &l->motion.body;
  l->positions[3 * body->user_node[i / 3] + i % 3] = body->held[i] & HELD_PINNED ? 0 : (float)velocity_of(body, i);
}

// Computes the external force on node a in the body's state, N. Neither forces of self-contact nor reactions of held
// unknowns are included.
HOST_DEVICE void external_force(const Loop *l, int a, real force[3]) {
  const Body *body = &l->motion.body;
  const Forces *f = &l->motion.forces;
  StepEnd end = step_end(&l->step, body->u, false);
  end.lookahead = 0;
  const ObstacleContact own = separate_loop_on_node(f, body, &end, a);
  const bool acts = acts_on_nodes(f);
  NodeForces on;
  if (acts) find_node_forces(f, body, a, body->u, 0, 0, &on);
  for (int k = 0; k < 3; k++) {
    const int i = 3 * a + k;
    force[k] = force_on_unknown(f, body, i, body->u[i], velocity_of(body, i)) + own.force[k];
    if (acts) add_node_force(f, &on, k, &force[k]);
  }
}

HOST_DEVICE void outside_force_at(const Loop *l, int a) {
  real force[3];
  external_force(l, a, force);
  for (int k = 0; k < 3; k++) l->positions[3 * l->motion.body.user_node[a] + k] = (float)force[k];
}

// Stores the external force on node a, in newtons, in Iterate.residual, which is unused between steps. a is the
// internal index of the node, not the user's.
HOST_DEVICE void external_force_at(const Loop *l, int a) {
  real force[3];
  external_force(l, a, force);
  for (int k = 0; k < 3; k++) l->motion.iterate.residual[3 * a + k] = force[k];
}

HOST_DEVICE void add_energies(Energy *sums, const Energy *more) {
  sums->kinetic += more->kinetic;
  sums->elastic += more->elastic;
  sums->potential += more->potential;
  for (int i = 0; i < 3; i++) {
    sums->linear[i] += more->linear[i];
    sums->angular[i] += more->angular[i];
  }
}

// Adds the energies, J, and momenta of node a to *sums. Does not add the elastic energy, which the element computes for
// each cell.
HOST_DEVICE void energy_at(const Loop *l, int a, Energy *sums) {
  const Body *body = &l->motion.body;
  double x[3], p[3];
  for (int i = 0; i < 3; i++) {
    x[i] = body->X[3 * a + i] + (body->u[3 * a + i] + body->origin[i]);
    p[i] = body->p[3 * a + i];
    sums->linear[i] += p[i];
  }
  if (body->rows.value)
    for (int i = 0; i < 3; i++) sums->kinetic += 0.5 * p[i] * velocity_of(body, 3 * a + i);
  else
    sums->kinetic += (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (2 * (double)body->mass[a]);
  for (int i = 0; i < 3; i++) sums->angular[i] += x[(i + 1) % 3] * p[(i + 2) % 3] - x[(i + 2) % 3] * p[(i + 1) % 3];
  add_external_energy(&l->motion.forces, body, a, &sums->potential);
  if (l->motion.iterate.contact_energy) sums->potential += l->motion.iterate.contact_energy[a];
}
