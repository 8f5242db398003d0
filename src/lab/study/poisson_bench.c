// Solves Poisson's equation on squares and cubes, and times the solves: see poisson_bench.h.
#include "lab/study/poisson_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "mesh/grid.h"

enum { REPEAT_MAX = 100 };

double poisson_relative(Precision precision) {
  return precision == PRECISION_F64 ? 1e-6 : 1e-3;
}

double poisson_sweeps(int side, double relative) {
  return log(relative) / log(cos(acos(-1) / (side - 1)));
}

bool square_or_cube(CellShape shape, int side, double low, double length, double distort, CellMesh *mesh,
                    uint8_t **fixed, Error *error) {
  const int cells = side - 1;
  const Grid grid = { .shape = shape,
                      .cells = { cells, cells, cells },
                      .low = { low, low, low },
                      .size = { length, length, length },
                      .distort = distort,
                      .seed = 1 };
  *fixed = NULL;
  *mesh = (CellMesh){ 0 };
  if (!grid_make(&grid, mesh, error)) return false;
  *fixed = array_new(mesh->node_count, 1, "boundary", error);
  if (*fixed) grid_boundary(&grid, mesh, *fixed);
  return *fixed;
}

bool poisson_time_assembly(Device device, int repeat, Stationary *stationary, double *median, Error *error) {
  double seconds[REPEAT_MAX];
  if (repeat == 0) repeat = device == DEVICE_CUDA ? 20 : 3;
  if (repeat > REPEAT_MAX) repeat = REPEAT_MAX;
  for (int k = 0; k < repeat; k++) {
    if (!interrupt_check(error) || !stationary_assemble(stationary, error)) return false;
    int at = k;
    const double taken = stationary_report(stationary)->assemble_seconds;
    for (; at > 0 && seconds[at - 1] > taken; at--) seconds[at] = seconds[at - 1];
    seconds[at] = taken;
  }
  *median = seconds[repeat / 2];
  return true;
}

// Frees the mesh, the matrix and the solver of the last solve.
static void drop_system(PoissonBench *b) {
  stationary_destroy(b->stationary);
  free(b->fixed);
  free(b->one);
  cell_mesh_destroy(&b->mesh);
  b->stationary = NULL;
  b->fixed = NULL;
  b->one = NULL;
  b->side = 0;
}

void poisson_bench_close(PoissonBench *b) {
  drop_system(b);
  *b = (PoissonBench){ .device = b->device, .precision = b->precision, .repeat = b->repeat };
}

static bool take_grid(PoissonBench *b, CellShape shape, int side, Error *error) {
  if (b->side == side && b->shape == shape) return true;
  drop_system(b);
  if (!square_or_cube(shape, side, 0, 1, 0, &b->mesh, &b->fixed, error) ||
      !(b->one = array_new(b->mesh.node_count, sizeof *b->one, "sources", error)))
    return false;
  for (int a = 0; a < b->mesh.node_count; a++) b->one[a] = 1;
  b->shape = shape;
  b->side = side;
  return true;
}

// Makes the solver named in `settings`. Keeps the present matrix if the new solver works with its format. Otherwise
// creates a new matrix and solver, and times the assembly of the matrix.
static bool take_solver(PoissonBench *b, const StationaryProblem *problem, StationarySettings *settings, Error *error) {
  Error other = { 0 };
  const StationarySettings asked = *settings;
  if (b->stationary && stationary_change_solver(b->stationary, settings, &other))
    return stationary_change(b->stationary, problem, error) && stationary_assemble(b->stationary, error);
  stationary_destroy(b->stationary);
  b->stationary = NULL;
  *settings = asked;
  return stationary_create(&b->stationary, problem, settings, error) &&
         poisson_time_assembly(b->device, b->repeat, b->stationary, &b->assemble_seconds, error);
}

bool poisson_bench_find(const PoissonBench *b, PoissonSize *size) {
  for (int k = 0; k < b->solved_count; k++) {
    const PoissonSize *o = &b->solved[k];
    if (o->shape != size->shape || o->side != size->side || strcmp(o->solver, size->solver) != 0 ||
        o->random != size->random)
      continue;
    *size = *o;
    return true;
  }
  return false;
}

bool poisson_bench_solve(PoissonBench *b, PoissonSize *size, Error *error) {
  if (!take_grid(b, size->shape, size->side, error)) return false;
  const int n = b->mesh.node_count;
  double *load = array_new(n, sizeof *load, "loads", error);
  uint64_t seed = 2;
  for (int a = 0; load && size->random && a < n; a++) load[a] = random_unit(&seed);
  const StationaryProblem problem = { .mesh = &b->mesh,
                                      .element =
                                          stationary_element(size->shape == CELL_TRI3 ? "poisson_tri" : "poisson_tet",
                                                             "poisson", size->shape, error),
                                      .material = { 1 },
                                      .source = size->random ? NULL : b->one,
                                      .load = load,
                                      .fixed = b->fixed };
  StationarySettings settings = stationary_defaults();
  settings.device = b->device;
  settings.precision = b->precision;
  settings.relative = poisson_relative(b->precision);
  settings.iterations_max = (int)(3 * poisson_sweeps(size->side, settings.relative));
  snprintf(settings.solver, sizeof settings.solver, "%s", size->solver);
  const bool ok =
      load && problem.element && take_solver(b, &problem, &settings, error) && stationary_solve(b->stationary, error);
  free(load);
  if (!ok) {
    drop_system(b);
    return false;
  }
  size->nodes = n;
  size->cells = b->mesh.cell_count;
  size->report = *stationary_report(b->stationary);
  size->report.assemble_seconds = b->assemble_seconds;
  if (b->solved_count < POISSON_SIZES_MAX) b->solved[b->solved_count++] = *size;
  return true;
}
