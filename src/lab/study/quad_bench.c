// Times assembly, product and solver of a Poisson problem on quadrilaterals: see quad_bench.h.
#include "lab/study/quad_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/timer.h"
#include "mesh/grid.h"
#include "sim/element/device_reals.h"

const char *const quad_boundary_names[] = { "masked", "eliminated", "identity" };
const char *const quad_numbering_names[] = { "original", "aligned", "blocked", "blocked, aligned", "by local index" };

enum { BLOCK_SIDE = 16, REPEAT_MAX = 1000 };

static const CellShape shapes[] = { CELL_QUAD4, CELL_QUAD9, CELL_QUAD16, CELL_QUAD25 };
static const char *const elements[] = { "scalar_quad4", "scalar_quad9", "scalar_quad16", "scalar_quad25" };

// Computes `order` [side^2], the cells of a square in the order in which their nodes get numbers. Cells are listed row
// by row. If `blocked` is true, the square is divided into blocks of BLOCK_SIDE x BLOCK_SIDE cells, and the cells are
// listed block by block.
static void order_cells(int side, bool blocked, int *order) {
  int count = 0;
  const int width = blocked ? BLOCK_SIDE : side;
  for (int y0 = 0; y0 < side; y0 += width)
    for (int x0 = 0; x0 < side; x0 += width)
      for (int y = y0; y < side && y < y0 + width; y++)
        for (int x = x0; x < side && x < x0 + width; x++) order[count++] = y * side + x;
}

// Returns 0 if local node `local` of a cell is a corner, 1 if it is inside an edge, 2 if it is inside the cell.
static int kind_of(int degree, int local) {
  const int x = local % (degree + 1), y = local / (degree + 1);
  return (x % degree != 0) + (y % degree != 0);
}

static bool renumber(CellMesh *mesh, int degree, int side, QuadNumbering numbering, Error *error) {
  const int nodes = (degree + 1) * (degree + 1);
  const bool blocked = numbering == QUAD_BLOCKED || numbering == QUAD_BLOCKED_ALIGNED;
  const bool aligned = numbering == QUAD_ALIGNED || numbering == QUAD_BLOCKED_ALIGNED;
  const bool by_local_index = numbering == QUAD_BY_LOCAL_INDEX;
  int *order = array_new(mesh->cell_count, sizeof *order, "cells", error);
  int *number = array_new(mesh->node_count, sizeof *number, "nodes", error);
  int *cell = array_new((int64_t)mesh->cell_count * nodes, sizeof *cell, "cells", error);
  double(*X)[3] = array_new(mesh->node_count, sizeof *X, "nodes", error);
  const bool ok = order && number && cell && X;
  if (ok) {
    int next = 0;
    order_cells(side, blocked, order);
    memset(number, -1, sizeof *number * (size_t)mesh->node_count);
    for (int pass = 0; pass < (by_local_index ? nodes : aligned ? 3 : 1); pass++)
      for (int k = 0; k < mesh->cell_count; k++)
        for (int i = by_local_index ? pass : 0; i < (by_local_index ? pass + 1 : nodes); i++) {
          const int a = mesh->cell[(int64_t)order[k] * nodes + i];
          if (number[a] < 0 && (!aligned || kind_of(degree, i) == pass)) number[a] = next++;
        }
    for (int k = 0; k < mesh->cell_count; k++)
      for (int i = 0; i < nodes; i++) cell[(int64_t)k * nodes + i] = number[mesh->cell[(int64_t)order[k] * nodes + i]];
    for (int a = 0; a < mesh->node_count; a++) memcpy(X[number[a]], mesh->X[a], sizeof *X);
    free(mesh->cell);
    free(mesh->X);
    mesh->cell = cell;
    mesh->X = X;
    cell = NULL;
    X = NULL;
  }

  free(order);
  free(number);
  free(cell);
  free(X);
  return ok;
}

bool quad_square(CellMesh *mesh, int degree, double dof, double distort, int seed, QuadNumbering numbering,
                 Error *error) {
  const double side = round((sqrt(dof) - 1) / degree);
  const int cells = side < 2 ? 2 : (int)side;
  const Grid g = { .shape = shapes[degree - 1],
                   .cells = { cells, cells, 1 },
                   .size = { 1, 1, 1 },
                   .distort = distort,
                   .seed = (uint64_t)seed };
  if (!grid_make(&g, mesh, error)) return false;
  if (renumber(mesh, degree, cells, numbering, error)) return true;
  cell_mesh_destroy(mesh);
  return false;
}

bool quad_boundary_last(CellMesh *mesh, Error *error) {
  const int nodes = cell_shape_info(mesh->shape)->nodes;
  uint8_t *boundary = array_new(mesh->node_count, sizeof *boundary, "nodes", error);
  int *number = array_new(mesh->node_count, sizeof *number, "nodes", error), next = 0;
  double(*X)[3] = array_new(mesh->node_count, sizeof *X, "nodes", error);
  const bool ok = boundary && number && X && cell_mesh_boundary(mesh, boundary, error);
  for (int pass = 0; ok && pass < 2; pass++)
    for (int a = 0; a < mesh->node_count; a++)
      if (boundary[a] == pass) number[a] = next++;
  if (ok) {
    for (int64_t k = 0; k < (int64_t)mesh->cell_count * nodes; k++) mesh->cell[k] = number[mesh->cell[k]];
    for (int a = 0; a < mesh->node_count; a++) memcpy(X[number[a]], mesh->X[a], sizeof *X);
    free(mesh->X);
    mesh->X = X;
    X = NULL;
  }
  free(boundary);
  free(number);
  free(X);
  return ok;
}

static double source_at(const double X[3]) {
  return sin(M_PI * X[0]) * sin(M_PI * X[1]);
}

static bool put_arrays(QuadBench *b, Error *error) {
  const int n = b->space.node_count;
  const Device device = b->stream.device;
  uint8_t *fixed = array_new(n, 1, "nodes", error);
  double *nodal = array_new(3 * (int64_t)n, sizeof *nodal, "nodes", error);
  uint64_t seed = 17;
  bool ok = fixed && nodal && cell_mesh_boundary(b->mesh, fixed, error);
  if (ok) {
    for (int a = 0; a < n; a++) {
      nodal[3 * (int64_t)a] = b->space.X[a][0];
      nodal[3 * (int64_t)a + 1] = b->space.X[a][1];
      nodal[3 * (int64_t)a + 2] = source_at(b->space.X[a]);
    }
    b->nodal = device_reals(device, b->precision, nodal, 3 * (int64_t)n, error);
    for (int a = 0; a < n; a++) nodal[a] = (float)random_unit(&seed);
    b->x = device_reals(device, b->precision, nodal, n, error);
    for (int a = 0; a < n; a++)
      if (fixed[a]) nodal[a] = 0;
    b->b = device_reals(device, b->precision, nodal, n, error);
    b->fixed = device_clone(device, fixed, (size_t)n, error);
    b->unfixed = device_alloc(device, (size_t)n, error);
    b->fixed_on_host = fixed;
    fixed = NULL;
    void **vectors[] = { &b->F, &b->shift, &b->y };
    for (int k = 0; k < 3; k++) *vectors[k] = device_alloc(device, precision_size(b->precision) * (size_t)n, error);
    ok = b->nodal && b->x && b->b && b->fixed && b->unfixed && b->F && b->shift && b->y;
  }

  free(fixed);
  free(nodal);
  return ok;
}

// Creates the space of the nodes inside the domain. If some node on the boundary has a lower number than one inside,
// the space remains empty.
static bool put_inner(QuadBench *b, Error *error) {
  const Adjacency *graph = &b->space.graph;
  int inner = 0;
  int64_t pairs = 0;
  while (inner < graph->node_count && !b->fixed_on_host[inner]) inner++;
  for (int a = inner; a < graph->node_count; a++)
    if (!b->fixed_on_host[a]) return true;
  b->inner = (Space){ .shape = b->space.shape,
                      .cell_nodes = b->space.cell_nodes,
                      .node_dof = 1,
                      .node_count = inner,
                      .owned_count = inner,
                      .graph = { .node_count = inner } };
  b->inner.graph.start = array_new((int64_t)inner + 1, sizeof *b->inner.graph.start, "nodes", error);
  b->inner.graph.neighbour = array_capacity(graph->start[inner], sizeof *graph->neighbour, "nodes", error);
  if (!b->inner.graph.start || !b->inner.graph.neighbour) return false;
  for (int a = 0; a < inner; a++) {
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
      if (graph->neighbour[pair] < inner) b->inner.graph.neighbour[pairs++] = graph->neighbour[pair];
    b->inner.graph.start[a + 1] = pairs;
  }
  return true;
}

bool quad_bench_open(QuadBench *bench, const CellMesh *mesh, Device device, Precision precision, Error *error) {
  const int degree = cell_shape_info(mesh->shape)->degree;
  *bench = (QuadBench){ .degree = degree, .element = elements[degree - 1], .precision = precision, .mesh = mesh };
  if (space_create_cells(&bench->space, mesh, 1, error) && stream_create(device, &bench->stream, error) &&
      put_arrays(bench, error) && put_inner(bench, error))
    return true;
  quad_bench_close(bench);
  return false;
}

void quad_bench_close(QuadBench *b) {
  void *arrays[] = { b->fixed, b->unfixed, b->nodal, b->F, b->shift, b->x, b->y, b->b };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(b->stream.device, arrays[k]);
  space_destroy(&b->space);
  space_destroy(&b->inner);
  free(b->fixed_on_host);
  stream_destroy(&b->stream);
  *b = (QuadBench){ 0 };
}

static const Stage *stage_of(const QuadBench *b, StageKind kind, const char *name, Error *error) {
  return stage_choose(kind, name, b->stream.device, b->precision, b->element, error);
}

bool quad_system_exists(const QuadBench *b, const char *matrix, const char *assembly) {
  return stage_find(STAGE_OPERATOR, matrix, b->stream.device, b->precision, b->element) &&
         stage_find(STAGE_ASSEMBLY, assembly, b->stream.device, b->precision, b->element);
}

static void set_real(Precision precision, void *values, int64_t k, double value) {
  if (precision == PRECISION_F32)
    ((float *)values)[k] = (float)value;
  else
    ((double *)values)[k] = value;
}

// Sets the rows and columns of nodes on the boundary to those of the identity matrix (method 2 of paper 001, section
// 3.2).
static bool put_identity(QuadSystem *s, const QuadBench *b, Error *error) {
  const Adjacency *graph = &b->space.graph;
  const size_t bytes = precision_size(b->precision) * (size_t)s->A.value_count;
  const bool apart = b->stream.device != DEVICE_CPU;
  void *values = apart ? malloc(bytes) : s->A.values;
  if (!values) return error_set(error, "no memory for %zu bytes of matrix values", bytes);
  bool ok = !apart || (device_download(b->stream, values, s->A.values, bytes, error) && stream_sync(b->stream, error));
  for (int a = 0; ok && a < graph->node_count; a++) {
    if (!b->fixed_on_host[a]) continue;
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int other = graph->neighbour[pair];
      set_real(b->precision, values, operator_slot(&s->A, a, pair, 0, 0), other == a);
      set_real(b->precision, values, operator_slot(&s->A, other, adjacency_find(graph, other, a), 0, 0), other == a);
    }
  }
  ok = ok && (!apart || (device_upload(b->stream, s->A.values, values, bytes, error) && stream_sync(b->stream, error)));
  if (apart) free(values);
  return ok;
}

static bool assemble(QuadSystem *s, QuadBench *b, bool shifts, Error *error) {
  static const AssemblyParameters parameters = { { 1 }, 1, 1 };
  const AssemblyShift none = { .shift = b->shift };
  if (b->boundary == QUAD_IDENTITY)
    return assembly_run(&s->assembly, &parameters, b->nodal, b->F, s->A.values, b->stream, error) &&
           put_identity(s, b, error) && (!shifts || operator_shift(&s->A, b->shift, 0, NULL, NULL, b->stream, error));
  if (shifts) return assembly_run_shifted(&s->assembly, &parameters, b->nodal, b->F, &s->A, &none, b->stream, error);
  return assembly_run(&s->assembly, &parameters, b->nodal, b->F, s->A.values, b->stream, error);
}

bool quad_system_open(QuadSystem *system, QuadBench *b, const char *matrix, const char *assembly, Error *error) {
  *system = (QuadSystem){ 0 };
  const Stage *kind = stage_of(b, STAGE_OPERATOR, matrix, error);
  const Space *space = b->boundary == QUAD_ELIMINATED ? &b->inner : &b->space;
  if (kind && operator_create(&system->A, (const OperatorMethod *)kind, space, error) &&
      quad_system_assemble_by(system, b, assembly, error))
    return true;
  quad_system_close(system);
  return false;
}

bool quad_system_assemble_by(QuadSystem *system, QuadBench *b, const char *assembly, Error *error) {
  const Stage *method = stage_of(b, STAGE_ASSEMBLY, assembly, error);
  assembly_destroy(&system->assembly);
  return method &&
         assembly_create(&system->assembly, (const AssemblyMethod *)method, &b->space, &system->A, PARTITION_GREEDY, 0,
                         error) &&
         assemble(system, b, true, error) && stream_sync(b->stream, error);
}

void quad_system_close(QuadSystem *system) {
  assembly_destroy(&system->assembly);
  operator_destroy(&system->A);
}

// ---- times

typedef bool (*Work)(QuadSystem *system, QuadBench *bench, Error *error);

// Times the function `work`. Calls it in batches of `batch` calls: first one batch as a warm-up, then `repeat` timed
// batches. *seconds gets the median time of a batch, divided by `batch`, s.
static bool time_work(QuadSystem *s, QuadBench *b, Work work, int repeat, int batch, double *seconds, Error *error) {
  double times[REPEAT_MAX];
  Event begin = { 0 }, end = { 0 };
  bool ok = event_create(b->stream.device, &begin, error) && event_create(b->stream.device, &end, error);
  const int count = repeat < 1 ? 1 : repeat < REPEAT_MAX ? repeat : REPEAT_MAX;
  for (int k = -1; ok && k < count; k++) {
    double ms = 0;
    ok = interrupt_check(error) && event_record(&begin, b->stream, error);
    for (int i = 0; ok && i < batch; i++) ok = work(s, b, error);
    ok = ok && event_record(&end, b->stream, error) && stream_sync(b->stream, error) &&
         event_elapsed(&begin, &end, &ms, error);
    if (ok && k >= 0) times[k] = 1e-3 * ms / batch;
  }
  event_destroy(&begin);
  event_destroy(&end);
  if (!ok) return false;
  *seconds = sort_median(times, count);
  return true;
}

static bool assemble_once(QuadSystem *s, QuadBench *b, Error *error) {
  return assemble(s, b, false, error);
}

static bool multiply_once(QuadSystem *s, QuadBench *b, Error *error) {
  return operator_apply(&s->A, b->x, b->y, NULL, b->stream, error);
}

bool quad_time_assembly(QuadSystem *s, QuadBench *b, int repeat, double *seconds, Error *error) {
  return time_work(s, b, assemble_once, repeat, 1, seconds, error) && assemble(s, b, true, error);
}

bool quad_time_product(QuadSystem *s, QuadBench *b, int repeat, double *seconds, Error *error) {
  return time_work(s, b, multiply_once, repeat, b->stream.device == DEVICE_CUDA ? 10 : 1, seconds, error);
}

bool quad_tune(QuadSystem *s, QuadBench *b, int repeat, double *seconds, Error *error) {
  const int *tunings = s->A.method->tunings;
  double best = HUGE_VAL;
  int chosen = 0;
  for (const int *t = tunings; t && *t; t++) {
    double took;
    if (!operator_tune(&s->A, *t, error) || !quad_time_product(s, b, repeat, &took, error)) return false;
    if (took < best) {
      best = took;
      chosen = *t;
    }
  }
  if (!chosen) return quad_time_product(s, b, repeat, seconds, error);
  *seconds = best;
  return operator_tune(&s->A, chosen, error);
}

// ---- solves

// Creates a solver for the right-hand side rhs [n], which is on the device.
static bool create_solver(QuadSystem *s, const QuadBench *b, const char *name, const void *rhs, double relative,
                          int maximum, Solver *solver, Error *error) {
  const Stage *alone = stage_find(STAGE_STATIONARY_SOLVER, name, b->stream.device, b->precision, b->element);
  const Stage *method = alone ? alone : stage_of(b, STAGE_SOLVER, name, error);
  if (!method) return false;
  const SolverSystem system = { .A = &s->A,
                                .fixed = b->boundary == QUAD_MASKED ? b->fixed : b->unfixed,
                                .b = rhs,
                                .x = b->y,
                                .relative = relative,
                                .iterations_max = maximum };
  return solver_create(solver, (const SolverMethod *)method, &system, b->stream, error);
}

static bool run_solver(QuadSystem *s, QuadBench *b, const char *name, const void *rhs, double relative, int maximum,
                       SolverReport *report, double *seconds, Error *error) {
  Solver solver;
  Event begin = { 0 }, end = { 0 };
  double ms = 0;
  if (!create_solver(s, b, name, rhs, relative, maximum, &solver, error)) return false;
  bool ok = event_create(b->stream.device, &begin, error) && event_create(b->stream.device, &end, error);

  // With `seconds`, the solve runs twice and the second run is reported, because a GPU loads kernels in the first one.
  for (int k = 0; ok && k < (seconds ? 2 : 1); k++) {
    ok = event_record(&begin, b->stream, error);
    ok = ok && solver_solve(&solver, b->stream, error);
    ok = ok && event_record(&end, b->stream, error);
    ok = ok && solver_wait(&solver, b->stream, error);
    ok = ok && event_elapsed(&begin, &end, &ms, error);
  }
  if (ok) *report = *solver.report;
  if (ok && seconds) *seconds = 1e-3 * ms / fmax(solver.report->iterations, 1);
  event_destroy(&begin);
  event_destroy(&end);
  solver_destroy(&solver);
  return ok && interrupt_check(error);
}

bool quad_time_iteration(QuadSystem *s, QuadBench *b, const char *solver, int iterations, double *seconds,
                         Error *error) {
  SolverReport report;
  return run_solver(s, b, solver, b->b, 0, iterations, &report, seconds, error);
}

bool quad_take_product(QuadSystem *s, QuadBench *b, double *y, Error *error) {
  return multiply_once(s, b, error) && device_get_reals(b->stream, b->precision, b->y, y, s->A.n, error);
}

// Returns a copy of load [n] on the device, with 0 for nodes on the boundary.
static void *load_device(const QuadBench *b, const double *load, Error *error) {
  const int n = b->space.node_count;
  double *inner = array_copy(load, n, sizeof *load, "load", error);
  for (int a = 0; inner && a < n; a++)
    if (b->fixed_on_host[a]) inner[a] = 0;
  void *rhs = inner ? device_reals(b->stream.device, b->precision, inner, n, error) : NULL;
  free(inner);
  return rhs;
}

// Solves with the load vector load [n], and copies the solution to u [n] unless u is NULL.
static bool solve_load(QuadSystem *s, QuadBench *b, const char *solver, const double *load, double relative,
                       int maximum, double *u, SolverReport *report, Error *error) {
  void *rhs = load_device(b, load, error);
  const bool ok = rhs && run_solver(s, b, solver, rhs, relative, maximum, report, NULL, error);
  device_free(b->stream.device, rhs);
  if (!ok || !u) return ok;
  memset(u, 0, sizeof *u * (size_t)b->space.node_count);
  return device_get_reals(b->stream, b->precision, b->y, u, s->A.n, error);
}

bool quad_iterate(QuadSystem *s, QuadBench *b, const char *solver, const double *load, int count, double *u,
                  Error *error) {
  SolverReport report;
  return solve_load(s, b, solver, load, 0, count, u, &report, error);
}

bool quad_solve(QuadSystem *s, QuadBench *b, const char *solver, const double *load, double relative, double *u,
                int *iterations, Error *error) {
  enum { MAX = 100000 };
  SolverReport report;
  if (!solve_load(s, b, solver, load, relative, MAX, u, &report, error)) return false;
  *iterations = report.iterations;
  return report.end == SOLVER_CONVERGED ||
         error_set(error, "solver %s with matrix %s did not reach the relative residual %g in %d iterations", solver,
                   s->A.method->stage.name, relative, report.iterations);
}

// Runs a solve and sets *seconds to its time, s.
static bool time_solver(Solver *solver, const QuadBench *b, double *seconds, Error *error) {
  Event begin = { 0 }, end = { 0 };
  double ms = 0;
  bool ok = event_create(b->stream.device, &begin, error);
  ok = ok && event_create(b->stream.device, &end, error);
  ok = ok && event_record(&begin, b->stream, error);
  ok = ok && solver_solve(solver, b->stream, error);
  ok = ok && event_record(&end, b->stream, error);
  ok = ok && solver_wait(solver, b->stream, error);
  ok = ok && event_elapsed(&begin, &end, &ms, error);
  event_destroy(&begin);
  event_destroy(&end);
  *seconds = 1e-3 * ms;
  return ok;
}

bool quad_time_solve(QuadSystem *s, QuadBench *b, const char *name, const double *load, double relative, int maximum,
                     QuadSolveTime *time, Error *error) {
  const size_t bytes = precision_size(b->precision) * (size_t)b->space.node_count;
  void *full = load_device(b, load, error), *rhs = full ? device_alloc(b->stream.device, bytes, error) : NULL;
  Solver solver = { 0 };
  double first;

  // The first solve has the right-hand side 0, so it ends without an iteration. It computes the preconditioner, and on
  // a GPU the driver loads kernels. The second solve keeps this preconditioner.
  const double begin = timer_seconds();
  bool ok = rhs && create_solver(s, b, name, rhs, relative, maximum, &solver, error) &&
            time_solver(&solver, b, &first, error);
  time->setup = timer_seconds() - begin;
  solver.keeps = true;
  ok = ok && device_copy(b->stream, rhs, full, bytes, error) && time_solver(&solver, b, &time->seconds, error);
  if (ok) {
    time->iterations = solver.report->iterations;
    time->converged = solver.report->end == SOLVER_CONVERGED;
  }
  solver_destroy(&solver);
  device_free(b->stream.device, full);
  device_free(b->stream.device, rhs);
  return ok && interrupt_check(error);
}
