// The functions of MotionMethod and MotionRecorded on the GPU: the CUDA version of motion.c (see motion.h). Sums are
// computed in double: each thread block stores a partial sum, and one block adds these in a fixed order.
#include "device/cuda_try.h"
#include "sim/dynamics/residual.cuh"
#include "sim/dynamics/self_contact.h"
#include "sim/dynamics/energy_keep.h"
#include "sim/dynamics/rigid_guess.h"
#include "sim/dynamics/turn_back.h"
#include "sim/dynamics/spin.h"
#include "sim/operator/operator.h"

enum { MASS_LANES = 8, MASS_ROWS = 256 / MASS_LANES };
enum { BLOCK = RESIDUAL_BLOCK, EACH_BLOCK = 128 };

static size_t scratch_bytes(const Motion *) {
  return sizeof(MotionScratch);
}

static int blocks_for(int count, int block) {
  return (count + block - 1) / block;
}

template <void (*at)(const Loop *, int)>
static __global__ void __launch_bounds__(EACH_BLOCK) each_kernel(int count, const __grid_constant__ Loop loop) {
  const int k = blockIdx.x * EACH_BLOCK + threadIdx.x;
  if (loop.gate && !*loop.gate) return;
  if (k < count) at(&loop, k);
}

// Queues a kernel with one thread for each k from 0 to count - 1, which calls at(&loop, k).
template <void (*at)(const Loop *, int)>
static bool run(const Loop &loop, int count, Stream stream, Error *error) {
  if (count == 0) return true;
  each_kernel<at><<<blocks_for(count, EACH_BLOCK), EACH_BLOCK, 0, (cudaStream_t)stream.handle>>>(count, loop);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Queues the computation, at displacements u, of the forces that have a separate loop over nodes, such as contact with
// obstacles (FORCE_IN_SEPARATE_LOOP in forces.def). The kernel does nothing if `gate` is not NULL and *gate is 0.
// `stick` is true at the end of a step; friction anchors are then stored.
static bool find_separate_forces(const Motion *m, const TimeStep *step, const real *u, bool stick, const int *gate,
                                 Stream stream, Error *error) {
  Loop loop = loop_at_end(m, step, u, stick);
  loop.gate = gate;
  return !has_separate_loop(&m->forces) || run<separate_forces_at>(loop, m->body.node_count, stream, error);
}

// Queues the computation of forces at displacements u: first those that have a separate loop over nodes, such as
// obstacles, then self-contact. `listed` is true if the list of contact pairs is known to be valid at u.
static bool evaluate_contact(const Motion *m, const TimeStep *step, const real *u, bool stick, bool listed,
                             Stream stream, Error *error) {
  return find_separate_forces(m, step, u, stick, NULL, stream, error) &&
         (!m->forces.self ||
          self_contact_evaluate(&REAL_NAME(self_contact_cuda), m, m->forces.self, u, listed, stream, error));
}

static bool find_velocity(const Motion *m, Stream stream, Error *error) {
  const MassRows *rows = &m->body.rows;
  const size_t bytes = sizeof(real) * (size_t)m->body.n;
  if (!rows->value) return true;
  Loop loop = loop_over(m, NULL);
  Sweeps sweeps = sweeps_of(rows);
  bool ok = device_zero(stream, rows->velocity, bytes, error) && device_zero(stream, rows->change, bytes, error);
  for (int k = 0; ok && k < sweeps.count; k++) {
    next_sweep(&sweeps, &loop);
    ok = run<sweep_at>(loop, m->body.node_count, stream, error);
  }
  return ok;
}

// Computes MassRows.moved for a step that ends with displacements u: the consistent mass matrix, without its diagonal,
// times u - u0. Does nothing with lumped masses.
static bool couple_masses(const Motion *m, const real *u, Stream stream, Error *error) {
  return !m->body.rows.value || run<couple_at>(loop_at_end(m, NULL, u, false), m->body.node_count, stream, error);
}

// Computes y += factor * M x, with M the consistent mass matrix without its diagonal; MASS_LANES threads of a warp
// process one row. Each thread block adds the part of x.(factor * M x) from its rows, which conjugate gradients need,
// to dots[blockIdx.x].
static __global__ void __launch_bounds__(BLOCK)
    masses_kernel(int nodes, const __grid_constant__ MassRows rows, const real *__restrict__ x, real *__restrict__ y,
                  double *dots) {
  const real factor = *rows.factor;
  const int lane = threadIdx.x % MASS_LANES;
  double dot = 0;
  for (int first = blockIdx.x * MASS_ROWS; first < nodes; first += gridDim.x * MASS_ROWS) {
    const int a = first + threadIdx.x / MASS_LANES;
    const int64_t begin = a < nodes ? rows.start[a] : 0, end = a < nodes ? rows.start[a + 1] : 0;
    real sum[3] = { 0, 0, 0 };
    for (int64_t k = begin + lane; k < end; k += MASS_LANES) {
      const int b = 3 * rows.neighbour[k];
      const real value = rows.value[k];
#pragma unroll
      for (int i = 0; i < 3; i++) sum[i] += value * x[b + i];
    }
#pragma unroll
    for (int i = 0; i < 3; i++)
      for (int step = MASS_LANES / 2; step > 0; step /= 2) sum[i] += __shfl_xor_sync(0xffffffff, sum[i], step);
    if (lane != 0 || a >= nodes) continue;
    for (int i = 0; i < 3; i++) {
      y[3 * a + i] += factor * sum[i];
      dot += (double)factor * sum[i] * x[3 * a + i];
    }
  }

  dot = block_combine<BLOCK, double, add>(dot);
  if (threadIdx.x == 0 && dots) dots[blockIdx.x] += dot;
}

static bool apply_masses(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                         Error *error) {
  const Body *body = &((const Motion *)term->context)->body;
  const int all = blocks_for(body->node_count, MASS_ROWS), blocks = all < dot_count ? all : dot_count;
  masses_kernel<<<blocks, BLOCK, 0, (cudaStream_t)stream.handle>>>(body->node_count, body->rows, (const real *)x,
                                                                   (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Computes y += T x, with T the tangent of pressures. Each thread block adds its part of x.(T x), which conjugate
// gradients need, to dots[blockIdx.x].
static __global__ void __launch_bounds__(BLOCK)
    pressure_kernel(const __grid_constant__ Pressures p, const real *__restrict__ x, real *__restrict__ y,
                    double *dots) {
  double dot = 0;
  for (int r = blockIdx.x * BLOCK + threadIdx.x; r < p.row_count; r += gridDim.x * BLOCK) {
    const int a = p.row[r];
    double sum[3];
    pressure_product(&p, a, x, sum);
    for (int i = 0; i < 3; i++) {
      y[3 * a + i] += (real)sum[i];
      dot += sum[i] * x[3 * a + i];
    }
  }
  dot = block_combine<BLOCK, double, add>(dot);
  if (threadIdx.x == 0 && dots) dots[blockIdx.x] += dot;
}

static bool apply_pressure(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                           Error *error) {
  const Pressures *p = &((const Motion *)term->context)->forces.pressure;
  const int all = blocks_for(p->row_count, BLOCK), blocks = all < dot_count ? all : dot_count;
  if (p->row_count == 0) return true;
  pressure_kernel<<<blocks, BLOCK, 0, (cudaStream_t)stream.handle>>>(*p, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Computes a sum over k from 0 to count - 1, and stores one partial sum per thread block. at(&loop, k, &sums) adds the
// term of index k, and add(&sums, &more) adds two sums. `none` is the sum of no terms.
template <typename Sums, void (*at)(const Loop *, int, Sums *), void (*add)(Sums *, const Sums *)>
static __global__ void __launch_bounds__(BLOCK)
    sum_kernel(int count, const __grid_constant__ Loop loop, Sums none, Sums *partial) {
  Sums sums = none;
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) at(&loop, k, &sums);
  sums = block_combine<BLOCK, Sums, add>(sums);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
}

static bool guess(const Motion *m, const TimeStep *step, FirstGuess first, Stream stream, Error *error) {
  if (first == FIRST_GUESS_RIGID) return REAL_NAME(rigid_guess_cuda)(m, step, stream, error);
  const Loop loop = loop_over(m, step);
  return first == FIRST_GUESS_VELOCITY
             ? find_velocity(m, stream, error) && run<coast_at>(loop, m->body.n, stream, error)
             : run<repeat_at>(loop, m->body.n, stream, error);
}

static bool move_held(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  return run<move_held_at>(loop_over(m, step), m->body.n, stream, error);
}

static bool held_rest(const Motion *m, const TimeStep *step, bool keep_others, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.keep = keep_others;
  return run<held_rest_at>(loop, m->body.n, stream, error);
}

static bool take_product(const Motion *m, Stream stream, Error *error) {
  return run<take_product_at>(loop_over(m, NULL), m->body.n, stream, error);
}

static bool shorten(const Motion *m, const void *from, double factor, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.from = (const real *)from;
  loop.factor = (real)factor;
  return run<shorten_at>(loop, m->body.n, stream, error);
}

static bool set_trial(const Motion *m, const TimeStep *step, double factor, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.factor = (real)factor;
  return run<trial_at>(loop, m->body.n, stream, error);
}

// Computes the residual of the trial state and the norms of this residual. If DECIDES is true, also decides about
// Newton's next action.
template <bool DECIDES>
static __global__ void __launch_bounds__(BLOCK)
    residual_kernel(const __grid_constant__ ResidualWork work, const __grid_constant__ StepDecision decision) {
  residual_evaluate<DECIDES>(work, decision);
}

static bool queue_residual(const Motion *m, const TimeStep *step, const void *min_J, int min_J_count, bool check_trial,
                           const StepDecision *decision, Stream stream, Error *error) {
  const Iterate *it = &m->iterate;
  MotionScratch *scratch = (MotionScratch *)it->scratch;
  if (check_trial && !m->element->smallest_J(&m->cells, it->trial, scratch->cells, stream, error)) return false;
  if (!couple_masses(m, it->trial, stream, error)) return false;
  const ResidualWork work = residual_work(m, step, min_J, min_J_count, check_trial);
  (decision ? residual_kernel<true>
            : residual_kernel<false>)<<<residual_blocks(m->body.node_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      work, decision ? *decision : StepDecision{});
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool residual(const Motion *m, const TimeStep *step, const void *min_J, int min_J_count, bool check_trial,
                     Stream stream, Error *error) {
  const Iterate *it = &m->iterate;
  return evaluate_contact(m, step, it->trial, false, true, stream, error) &&
         queue_residual(m, step, min_J, min_J_count, check_trial, NULL, stream, error) &&
         device_download(stream, it->norms_host, it->norms, sizeof *it->norms, error);
}

static bool queue_shift(const Loop &loop, Stream stream, Error *error) {
  const Motion *m = &loop.motion;
  return run<shift_at>(loop, m->body.node_count, stream, error) &&
         ((!has_separate_tangent(&m->forces) && !m->forces.self) ||
          run<shift_separate_forces_at>(loop, m->body.node_count, stream, error)) &&
         run<pressure_tangent_at>(loop, m->forces.pressure.row_count, stream, error);
}

static bool set_shift(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  return queue_shift(loop_over(m, step), stream, error) &&
         (!m->forces.self || self_contact_shift(&REAL_NAME(self_contact_cuda), m, m->forces.self, step, stream, error));
}

static bool end_step(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  return evaluate_contact(m, step, m->iterate.u1, true, true, stream, error) &&
         couple_masses(m, m->iterate.u1, stream, error) &&
         run<end_step_at>(loop_over(m, step), m->body.node_count, stream, error);
}

static bool make_before(const Motion *m, double dt, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.factor = (real)dt;
  return find_velocity(m, stream, error) && run<before_at>(loop, m->body.n, stream, error);
}

static bool extrapolate(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  return run<extrapolate_at>(loop_over(m, step), m->body.n, stream, error);
}

static bool move_origin(const Motion *m, Stream stream, Error *error) {
  const Loop loop = loop_over(m, NULL);
  return run<origin_at>(loop, 3, stream, error) && run<follow_origin_at>(loop, m->body.n, stream, error);
}

static bool reset_anchors(const Motion *m, Stream stream, Error *error) {
  return run<reset_anchor_at>(loop_over(m, NULL), m->body.node_count, stream, error);
}

static bool set_springs(const Motion *m, const int *nodes, const double *values, int count, Stream stream,
                        Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.nodes = nodes;
  loop.values = values;
  return run<spring_at>(loop, count, stream, error);
}

static bool set_targets(const Motion *m, const int *nodes, const double *values, int count, Stream stream,
                        Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.nodes = nodes;
  loop.values = values;
  return run<target_at>(loop, count, stream, error);
}

static bool set_load(const Motion *m, const int *nodes, const double *values, int count, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.nodes = nodes;
  loop.values = values;
  return run<load_at>(loop, count, stream, error);
}

static bool give_load(const Motion *m, const void *values, Precision precision, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.values = precision == PRECISION_F64 ? (const double *)values : NULL;
  loop.single_values = precision == PRECISION_F32 ? (const float *)values : NULL;
  return run<given_at>(loop, m->body.n, stream, error);
}

static bool split(const Motion *m, const int (*nodes)[2], const double *values, int count, int first_copy,
                  Stream stream, Error *error) {
  Loop rows = loop_over(m, NULL), copies = rows;
  rows.nodes = &nodes[0][0];
  rows.values = values;
  copies.nodes = &nodes[first_copy][0];
  return run<copy_at>(copies, count - first_copy, stream, error) && run<row_at>(rows, count, stream, error);
}

static bool change_cells(const Motion *m, const int (*corners)[2], int corner_count, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.nodes = &corners[0][0];
  return run<corner_at>(loop, corner_count, stream, error);
}

// Copies elements, each of which has `width` words: element k of `to` gets the value of element list[k] of `from`. One
// thread copies one word.
template <typename Word>
static __global__ void __launch_bounds__(BLOCK)
    gather_kernel(int64_t words, int width, const int *list, const Word *from, Word *to) {
  const int64_t k = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
  if (k < words) to[k] = from[(int64_t)list[k / width] * width + k % width];
}

static __global__ void __launch_bounds__(BLOCK) rename_kernel(int64_t count, const int *names, int *numbers) {
  const int64_t k = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
  if (k < count) numbers[k] = names[numbers[k]];
}

template <typename Word>
static void gather_words(void *to, const void *from, size_t item, const int *list, int count, Stream stream) {
  const int width = (int)(item / sizeof(Word));
  const int64_t words = (int64_t)width * count;
  gather_kernel<Word><<<(unsigned)((words - 1) / BLOCK + 1), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      words, width, list, (const Word *)from, (Word *)to);
}

static bool gather(void *to, const void *from, size_t item, const int *list, int count, Stream stream, Error *error) {
  (item % sizeof(int) == 0 ? gather_words<int> : gather_words<uint8_t>)(to, from, item, list, count, stream);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool rename_all(int *numbers, int64_t count, const int *names, Stream stream, Error *error) {
  rename_kernel<<<(unsigned)((count - 1) / BLOCK + 1), BLOCK, 0, (cudaStream_t)stream.handle>>>(count, names, numbers);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Adds two kinds of partial sums by one thread block: of energies and momenta, partial [blocks], and of the elastic
// energy, elastic [cell_count].
static __global__ void __launch_bounds__(BLOCK)
    energy_sums_kernel(int blocks, const Energy *__restrict__ partial, int cell_count,
                       const double *__restrict__ elastic, Energy *sums) {
  Energy mine = { 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 } };
  for (int k = threadIdx.x; k < blocks; k += BLOCK) add_energies(&mine, &partial[k]);
  for (int k = threadIdx.x; k < cell_count; k += BLOCK) mine.elastic += elastic[k];
  mine = block_combine<BLOCK, Energy, add_energies>(mine);
  if (threadIdx.x == 0) *sums = mine;
}

static bool energy(const Motion *m, const double *material, Energy *energy, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  const Iterate *it = &m->iterate;
  MotionScratch *scratch = (MotionScratch *)it->scratch;
  const int blocks = residual_blocks(m->body.node_count);
  const Energy none = { 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 } };
  if (!evaluate_contact(m, NULL, m->body.u, false, false, stream, error) || !find_velocity(m, stream, error))
    return false;
  sum_kernel<Energy, energy_at, add_energies>
      <<<blocks, BLOCK, 0, s>>>(m->body.node_count, loop_over(m, NULL), none, scratch->energy);
  CUDA_TRY(cudaGetLastError());
  if (!m->element->energy(&m->cells, m->body.u, material, scratch->cells, stream, error)) return false;
  energy_sums_kernel<<<1, BLOCK, 0, s>>>(blocks, scratch->energy, m->element->parts(m->cells.count), scratch->cells,
                                         it->energy);
  CUDA_TRY(cudaGetLastError());
  if (!device_download(stream, it->energy_host, it->energy, sizeof *energy, error) || !stream_sync(stream, error))
    return false;
  *energy = *it->energy_host;
  return true;
}

static bool positions(const Motion *m, float *out, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.positions = out;
  return run<position_at>(loop, m->body.n, stream, error);
}

static bool vectors(const Motion *m, VectorKind kind, float *out, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.positions = out;
  if (!find_velocity(m, stream, error)) return false;
  return kind == VECTORS_VELOCITY ? run<velocity_at>(loop, m->body.n, stream, error)
                                  : run<outside_force_at>(loop, m->body.node_count, stream, error);
}

static bool external_forces(const Motion *m, Stream stream, Error *error) {
  return find_velocity(m, stream, error) &&
         run<external_force_at>(loop_over(m, NULL), m->body.node_count, stream, error);
}

static bool begin(const Motion *m, const TimeStep *step, FirstGuess guess, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.guess = guess;
  if (guess == FIRST_GUESS_VELOCITY && !find_velocity(m, stream, error)) return false;
  return run<begin_at>(loop, m->body.n, stream, error) &&
         (guess != FIRST_GUESS_RIGID || REAL_NAME(rigid_guess_cuda)(m, step, stream, error));
}

static bool shorten_guess(const Motion *m, const TimeStep *step, const double *fraction, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.fraction = fraction;
  return run<shorten_guess_at>(loop, m->body.n, stream, error);
}

static bool advance(const Motion *m, const TimeStep *step, const double *fraction, const int *wanted, Stream stream,
                    Error *error) {
  Loop loop = loop_over(m, step);
  loop.fraction = fraction;
  loop.gate = wanted;
  return run<advance_at>(loop, m->body.n, stream, error);
}

static bool try_fraction(const Motion *m, const TimeStep *step, const double *fraction, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.fraction = fraction;
  return run<trial_at>(loop, m->body.n, stream, error);
}

static bool set_trial_shift(const Motion *m, const TimeStep *step, const int *wanted, const StepDecision *decision,
                            Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  const NewtonProgress *n = decision->progress;
  loop.gate = wanted;
  loop.motion.iterate.u1 = m->iterate.trial;
  if (decision->sums) loop.slip_fraction = &n->slip_fraction;
  return queue_shift(loop, stream, error) &&
         (!decision->sums ||
          REAL_NAME(self_contact_cuda).recorded->shift(m, step, &n->sliding, &n->slip_fraction, stream, error));
}

static bool residual_and_decision(const Motion *m, const TimeStep *step, const void *min_J, int min_J_count,
                                  bool check_trial, const StepDecision *decision, Stream stream, Error *error) {
  const real *u = m->iterate.trial;
  return find_separate_forces(m, step, u, false, NULL, stream, error) &&
         (!decision->sums ||
          REAL_NAME(self_contact_cuda).recorded->evaluate(m, u, &decision->progress->sliding, stream, error)) &&
         queue_residual(m, step, min_J, min_J_count, check_trial, decision, stream, error);
}

// Accepts or refuses a trial by the change of the step's potential, which follows from energies [3]
// (SelfContactRecorded.energies).
static __global__ void __launch_bounds__(BLOCK)
    weigh_kernel(const double *energies, double impulse, double theta, const __grid_constant__ StepDecision decision) {
  __shared__ Deciding deciding;
  gather_decision(decision, &deciding, threadIdx.x, BLOCK);
  __syncthreads();
  const ContactSums there = deciding.progress.there, here = deciding.progress.here;
  const double pairs_there = there.energy + there.friction_energy, pairs_here = here.energy + here.friction_energy;
  decide(decision, &deciding, NULL,
         newton_higher(energies[0], impulse, theta, energies[1], energies[2], pairs_there, pairs_here));
}

static bool weigh(const Motion *m, const TimeStep *step, const double *material, const StepDecision *decision,
                  Stream stream, Error *error) {
  const double *energies;
  if (!REAL_NAME(self_contact_cuda).recorded->energies(m, step, material, &energies, stream, error)) return false;
  weigh_kernel<<<1, BLOCK, 0, (cudaStream_t)stream.handle>>>(energies, step->impulse, step->theta, *decision);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool finish(const Motion *m, const TimeStep *step, const StepDecision *decision, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.gate = &decision->progress->finished;
  return find_separate_forces(m, step, m->iterate.trial, true, loop.gate, stream, error) &&
         (acts_on_nodes(&m->forces) ? run<finish_at>(loop, m->body.node_count, stream, error)
                                    : run<finish_unknown_at>(loop, m->body.n, stream, error));
}

static const MotionRecorded recorded = {
  .begin = begin,
  .shorten = shorten_guess,
  .advance = advance,
  .try_fraction = try_fraction,
  .set_shift = set_trial_shift,
  .decide = residual_and_decision,
  .weigh = weigh,
  .finish = finish,
};

extern "C" {
extern const MotionMethod REAL_NAME(motion_cuda);
const MotionMethod REAL_NAME(motion_cuda) = {
  .stage = { .kind = STAGE_BODY,
             .name = "body",
             .summary = "nodal vectors of the body",
             .device = DEVICE_CUDA,
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
  .turn_back = REAL_NAME(turn_back_cuda),
  .keep_momenta = REAL_NAME(spin_keep_cuda),
  .keep_energy = REAL_NAME(energy_keep_cuda),
  .make_before = make_before,
  .extrapolate = extrapolate,
  .move_origin = move_origin,
  .reset_anchors = reset_anchors,
  .set_springs = set_springs,
  .set_targets = set_targets,
  .set_load = set_load,
  .give_load = give_load,
  .split = split,
  .change_cells = change_cells,
  .apply_masses = apply_masses,
  .apply_pressure = apply_pressure,
  .energy = energy,
  .positions = positions,
  .vectors = vectors,
  .external_forces = external_forces,
  .recorded = &recorded,
  .gather = gather,
  .rename = rename_all,
};
}
