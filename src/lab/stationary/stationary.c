// Assembles and solves stationary problems: see stationary.h. An unknown with a prescribed value is called held.
#include "lab/stationary/stationary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/timer.h"
#include "lab/stationary/autotune.h"
#include "lab/stationary/shape/tocher_inverse.h"
#include "sim/assembly/assembly.h"
#include "sim/element/device_reals.h"
#include "sim/element/space.h"
#include "sim/solver/solver.h"

_Static_assert((int)STATIONARY_PARAMETERS == (int)MATERIAL_PARAMETERS,
               "an element has as many parameters as a material");

const StationaryElement stationary_elements[] = {
  { "scalar_tri3", "poisson", CELL_TRI3, 1, true, false, "linear triangles, integrated numerically" },
  { "poisson_tri", "poisson", CELL_TRI3, 1, false, false,
    "linear triangles, with a matrix from the cotangents of angles" },
  { "scalar_quad4", "poisson", CELL_QUAD4, 1, true, false, "quads of degree 1, integrated numerically" },
  { "scalar_hex8", "poisson", CELL_HEX8, 1, true, false, "hexes of degree 1, integrated numerically" },
  { "scalar_quad9", "poisson", CELL_QUAD9, 1, true, false, "quads of degree 2, integrated numerically" },
  { "scalar_quad16", "poisson", CELL_QUAD16, 1, true, false, "quads of degree 3, integrated numerically" },
  { "scalar_quad25", "poisson", CELL_QUAD25, 1, true, false, "quads of degree 4, integrated numerically" },
  { "scalar_tet4", "poisson", CELL_TET4, 1, true, false, "linear tets, integrated numerically" },
  { "poisson_tet", "poisson", CELL_TET4, 1, false, false, "linear tets, with a matrix from the cotangents of angles" },
  { "plate_dkt", "plate", CELL_TRI3, 3, true, false, "discrete Kirchhoff triangles, for any mesh" },
  { "plate_tocher", "plate", CELL_TRI3, 3, true, false,
    "triangles with nine polynomial terms, as in paper 003: inaccurate on distorted meshes" },
  { "plate_acm", "plate", CELL_QUAD4, 3, true, false,
    "rectangles with twelve polynomial terms and sides parallel to x and y" },
  { "tet4_neo_hookean", "elasticity", CELL_TET4, 3, false, true,
    "linear tets, the element of `pliant` at small strains" },
  { "tet4_graded_neo_hookean", "elasticity", CELL_TET4, 3, true, true,
    "linear tets whose elastic moduli may differ from cell to cell" },
  { "hex8_neo_hookean", "elasticity", CELL_HEX8, 3, true, true,
    "hexes of degree 1 whose elastic moduli may differ from cell to cell" },
  { "simplex_tet4", "elasticity", CELL_TET4, 3, true, true,
    "linear tets, with a matrix by vertices, edges and faces as in paper 004" },
  { "simplex_tet10", "elasticity", CELL_TET10, 3, true, true,
    "quadratic tets, with a matrix by vertices, edges and faces as in paper 004" },
  { "simplex_tet20", "elasticity", CELL_TET20, 3, true, true,
    "cubic tets, with a matrix by vertices, edges and faces as in paper 004" },
  { "tet10_neo_hookean", "elasticity", CELL_TET10, 3, true, true,
    "quadratic tets, the element of `pliant` at small strains" },
  { "plane_tri3", "elasticity", CELL_TRI3, 2, true, true, "triangles in plane strain or plane stress" },
  { "plane_quad4", "elasticity", CELL_QUAD4, 2, true, true, "quads of degree 1 in plane strain or plane stress" },
  { 0 },
};

const StationaryElement *stationary_element(const char *name, const char *problem, CellShape shape, Error *error) {
  const bool named = name && name[0];
  char known[400] = "";
  for (const StationaryElement *e = stationary_elements; e->name; e++) {
    if (strcmp(e->problem, problem) != 0) continue;
    if (e->shape == shape && (!named || strcmp(e->name, name) == 0)) return e;
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s (%s)", length ? ", " : "", e->name,
             cell_shape_info(e->shape)->name);
  }
  error_set(error, "the problem %s has no element%s%s%s for cells of shape %s; available: %s", problem,
            named ? " \"" : "", named ? name : "", named ? "\"" : "", cell_shape_info(shape)->name, known);
  return NULL;
}

StationarySettings stationary_defaults(void) {
  return (StationarySettings){ .precision = PRECISION_F64, .relative = 1e-10, .iterations_max = 1000000 };
}

struct Stationary {
  StationaryReport report;
  Stream stream;
  Space space;
  Operator A;
  Assembly assembly;
  Solver solver;
  AssemblyParameters parameters;
  Precision precision;
  const char *element;
  // Vectors [n] on the host. load: the loads of the problem at its unknowns. held: the prescribed values, and 0 at all
  // other unknowns. b: right-hand side.
  double *load, *held, *b;
  uint8_t *fixed;  // [n], 1: the unknown has a prescribed value
  // The `void *` members are arrays on the device with elements of type real. nodal: input of element formulas at each
  // node, such as its position. F [n]: load vector of the assembly. y [n]: a product A x. x [n]: solution. shift [n]:
  // diagonal matrix added to A. b_dev, held_dev and fixed_dev are copies of b, held and fixed.
  void *nodal, *F, *y, *b_dev, *x, *held_dev, *shift;
  uint8_t *fixed_dev;
};

static const Stage *choose(StageKind kind, char name[SIMULATION_NAME], const char *usual, const StationarySettings *s,
                           const char *element, Error *error) {
  const Stage *found = stage_choose(kind, name[0] ? name : usual, s->device, s->precision, element, error);
  if (found) snprintf(name, SIMULATION_NAME, "%s", found->name);
  return found;
}

// Finds the solver that the settings name, or `dcg` if they name none. Searches the solvers of simulations and those
// that exist only for stationary problems.
static const Stage *choose_solver(StationarySettings *s, const char *element, Error *error) {
  const char *name = s->solver[0] ? s->solver : "dcg";
  char known[400] = "";
  static const StageKind kinds[] = { STAGE_SOLVER, STAGE_STATIONARY_SOLVER };
  for (int k = 0; k < 2; k++) {
    const Stage *found = stage_find(kinds[k], name, s->device, s->precision, element);
    if (found && !s->solver[0]) snprintf(s->solver, sizeof s->solver, "%s", found->name);
    if (found) return found;
  }
  for (int k = 0; k < 2; k++)
    for (const Stage *o = NULL; (o = stage_next(o, kinds[k], s->device, s->precision, element));) {
      const size_t length = strlen(known);
      snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", o->name);
    }
  error_set(error, "solver \"%s\" does not exist on device %s; available: %s", name, device_name(s->device), known);
  return NULL;
}

// Returns the name of the matrix format that a solver or an assembly uses by default.
static const char *usual_matrix(const Stage *taker) {
  const Stage *usual = stage_matrix_of(taker);
  return usual ? usual->name : "csr";
}

// Chooses assembly, matrix format and solver: those that the settings name, or the defaults. The default solver is
// `dcg`, conjugate gradients with a diagonal preconditioner. The default matrix format is the solver's default format.
// The default assembly is the first one that works with the matrix format.
static bool choose_stages(Stationary *s, const StationaryProblem *problem, StationarySettings *settings,
                          const AssemblyMethod **assembly, const OperatorMethod **matrix, const SolverMethod **solver,
                          Error *error) {
  const char *element = problem->element->name;
  const Device device = settings->device;
  if (!device_present(device))
    return error_set(error, "device %s cannot be used: %s", device_name(device), device_absence());
  if (!stage_next(NULL, STAGE_ASSEMBLY, device, settings->precision, element))
    return error_set(error, "the element %s is not built for device %s", element, device_name(device));
  const Stage *taken = choose_solver(settings, element, error);
  if (!taken) return false;

  // The default matrix format is that of the solver. But if the settings name an assembly that works with only one
  // matrix format, this format is the default.
  const Stage *named = settings->assembly[0]
                           ? stage_find(STAGE_ASSEMBLY, settings->assembly, device, settings->precision, element)
                           : NULL;
  const char *usual = usual_matrix(named && ((const AssemblyMethod *)named)->matrix ? named : taken);
  const Stage *stored = choose(STAGE_OPERATOR, settings->matrix, usual, settings, element, error);
  const Stage *summed = stored ? choose(STAGE_ASSEMBLY, settings->assembly, NULL, settings, element, error) : NULL;
  if (!summed) return false;
  const Stage *const takers[] = { taken, summed };
  for (int k = 0; k < 2; k++)
    if (!stage_fits(takers[k], stored))
      return error_set(error, "%s \"%s\" does not work with matrix \"%s\"; choose another format (--matrix)",
                       stage_kind_name(takers[k]->kind), takers[k]->name, stored->name);
  *assembly = (const AssemblyMethod *)summed;
  *matrix = (const OperatorMethod *)stored;
  *solver = (const SolverMethod *)taken;
  return !(*solver)->suits || (*solver)->suits(&s->space, NULL, error);
}

static bool check_sources(const StationaryProblem *problem, Error *error) {
  for (int a = 0; problem->source && a < problem->mesh->node_count; a++)
    if (!isfinite(problem->source[a]))
      return error_set(error, "the source at node %lld is not a finite number", (long long)problem->mesh->node_tag[a]);
  return true;
}

// Creates the nodal data on the device, the input of element formulas at each node. For a body in space these are its
// displacements, all 0; for a body in the plane, its position; for other problems, position and source.
static void *nodal_data(const Stationary *s, const StationaryProblem *problem, Error *error) {
  const int d = space_dimension(&s->space), size = problem->element->solid ? d : d + 1;
  if (problem->element->solid && d == 3)
    return device_alloc(s->stream.device, 3 * precision_size(s->precision) * (size_t)s->space.node_count, error);
  double *nodal = array_new((int64_t)s->space.node_count * size, sizeof *nodal, "nodal data", error);
  for (int a = 0; nodal && a < s->space.node_count; a++) {
    for (int i = 0; i < d; i++) nodal[(int64_t)a * size + i] = s->space.X[a][i];
    if (size > d) nodal[(int64_t)a * size + d] = problem->source ? problem->source[a] : 0;
  }
  void *memory =
      nodal ? device_reals(s->stream.device, s->precision, nodal, (int64_t)s->space.node_count * size, error) : NULL;
  free(nodal);
  return memory;
}

// Copies the loads and the prescribed values of `problem` to s->load and s->held. Fails if a number is not finite.
static bool take_values(Stationary *s, const StationaryProblem *problem, Error *error) {
  for (int i = 0; i < s->report.n; i++) {
    s->held[i] = s->fixed[i] && problem->value ? problem->value[i] : 0;
    s->load[i] = problem->load ? problem->load[i] : 0;
    if (!isfinite(s->held[i]) || !isfinite(s->load[i]))
      return error_set(error, "node %lld: the %s is not a finite number",
                       (long long)s->space.node_tag[i / s->space.node_dof],
                       isfinite(s->load[i]) ? "prescribed value" : "load");
  }
  return true;
}

static bool create_arrays(Stationary *s, const StationaryProblem *problem, Error *error) {
  const Device device = s->stream.device;
  const int n = space_dof(&s->space);
  const size_t bytes = precision_size(s->precision) * (size_t)n;
  s->load = array_new(n, sizeof *s->load, "loads", error);
  s->held = array_new(n, sizeof *s->held, "held values", error);
  s->b = array_new(n, sizeof *s->b, "right-hand side", error);
  s->fixed = array_new(n, 1, "held unknowns", error);
  if (!s->load || !s->held || !s->b || !s->fixed) return false;
  s->report.n = n;
  for (int i = 0; i < n; i++) {
    s->fixed[i] = problem->fixed && problem->fixed[i];
    s->report.free_count += !s->fixed[i];
  }
  if (!take_values(s, problem, error)) return false;
  void **vectors[] = { &s->F, &s->y, &s->b_dev, &s->x, &s->shift };
  for (int k = 0; k < 5; k++)
    if (!(*vectors[k] = device_alloc(device, bytes, error))) return false;
  s->held_dev = device_reals(device, s->precision, s->held, n, error);
  s->fixed_dev = device_clone(device, s->fixed, (size_t)n, error);
  s->nodal = nodal_data(s, problem, error);
  return s->held_dev && s->fixed_dev && s->nodal;
}

// Fails if a cell is a triangle on which the element plate_tocher is not defined. Does nothing for other elements.
static bool check_shapes(const Stationary *s, const StationaryElement *element, Error *error) {
  const bool tocher = strcmp(element->name, "plate_tocher") == 0;
  double h, inverse[81];
  for (int e = 0; tocher && e < s->space.cell_count; e++)
    if (!tocher_inverse(&s->space, e, &h, inverse))
      return error_set(
          error,
          "plate_tocher: cell %d, counted from 0, has a shape for which this element has no unique deflection; use "
          "--element plate_dkt",
          e);
  return true;
}

static bool create_solver(Stationary *s, const SolverMethod *solver, const StationarySettings *settings, Error *error) {
  const SolverSystem system = { .A = &s->A,
                                .fixed = s->fixed_dev,
                                .b = s->b_dev,
                                .x = s->x,
                                .relative = settings->relative,
                                .iterations_max = settings->iterations_max };
  return solver_create(&s->solver, solver, &system, s->stream, error);
}

static bool create(Stationary *s, const StationaryProblem *problem, StationarySettings *settings, Error *error) {
  const AssemblyMethod *assembly = NULL;
  const OperatorMethod *matrix = NULL;
  const SolverMethod *solver = NULL;
  const StationaryElement *element = problem->element;
  if (element->shape != problem->mesh->shape)
    return error_set(error, "element %s is for cells of shape %s, but the mesh has cells of shape %s", element->name,
                     cell_shape_info(element->shape)->name, cell_shape_info(problem->mesh->shape)->name);
  if (problem->mesh->factor && !element->factors)
    return error_set(error, "element %s does not support a factor for each cell; choose another element",
                     element->name);
  if (element->solid && problem->source)
    return error_set(error, "element %s accepts only nodal loads, not a source", element->name);
  s->precision = settings->precision;
  s->element = element->name;
  s->parameters = (AssemblyParameters){ .vector_scale = 1, .matrix_scale = 1 };
  memcpy(s->parameters.material, problem->material, sizeof problem->material);
  if (!check_sources(problem, error)) return false;
  if (!space_create_cells(&s->space, problem->mesh, element->node_dof, error)) return false;
  if (!check_shapes(s, element, error)) return false;
  if (!choose_stages(s, problem, settings, &assembly, &matrix, &solver, error)) return false;
  if (!stream_create(settings->device, &s->stream, error)) return false;
  if (!create_arrays(s, problem, error)) return false;
  if (!operator_create(&s->A, matrix, &s->space, error)) return false;
  if (!assembly_create(&s->assembly, assembly, &s->space, &s->A, PARTITION_GREEDY, 1e6 * settings->memory_budget,
                       error))
    return false;
  if (settings->autotune &&
      (!autotune_assembly(&s->assembly, &s->parameters, s->nodal, s->F, &s->A, s->stream, error) ||
       !autotune_operator(&s->A, s->x, s->y, s->stream, error)))
    return false;
  s->report.tuning = s->A.tuning;
  s->report.stored = s->A.value_count;
  s->report.nonzeros = space_pairs(&s->space) * element->node_dof * element->node_dof;
  return (!solver->suits || solver->suits(&s->space, &s->A, error)) && create_solver(s, solver, settings, error);
}

bool stationary_create(Stationary **stationary, const StationaryProblem *problem, StationarySettings *settings,
                       Error *error) {
  const double begin = timer_seconds();
  Stationary *s = array_new(1, sizeof *s, "the problem", error);
  if (!s) return false;
  if (!create(s, problem, settings, error)) {
    stationary_destroy(s);
    return false;
  }
  s->report.create_seconds = timer_seconds() - begin;
  *stationary = s;
  return true;
}

void stationary_destroy(Stationary *s) {
  if (!s) return;
  const Device device = s->stream.device;
  solver_destroy(&s->solver);
  assembly_destroy(&s->assembly);
  operator_destroy(&s->A);
  void *arrays[] = { s->nodal, s->F, s->y, s->b_dev, s->x, s->held_dev, s->shift, s->fixed_dev };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(device, arrays[k]);
  free(s->load);
  free(s->held);
  free(s->b);
  free(s->fixed);
  space_destroy(&s->space);
  stream_destroy(&s->stream);
  free(s);
}

bool stationary_change(Stationary *s, const StationaryProblem *problem, Error *error) {
  memcpy(s->parameters.material, problem->material, sizeof problem->material);
  if (!check_sources(problem, error) || !take_values(s, problem, error) ||
      !device_put_reals(s->stream, s->precision, s->held_dev, s->held, s->report.n, error))
    return false;
  void *nodal = nodal_data(s, problem, error);
  if (!nodal) return false;
  device_free(s->stream.device, s->nodal);
  s->nodal = nodal;
  return true;
}

bool stationary_change_solver(Stationary *s, StationarySettings *settings, Error *error) {
  const Stage *stored = &s->A.method->stage, *taken = choose_solver(settings, s->element, error);
  if (!taken) return false;
  const char *wanted = settings->matrix[0] ? settings->matrix : usual_matrix(taken);
  const SolverMethod *solver = (const SolverMethod *)taken;
  if (strcmp(wanted, stored->name) != 0 || !stage_fits(taken, stored))
    return error_set(error, "solver \"%s\" works with matrix format \"%s\", but the present matrix format is \"%s\"",
                     taken->name, wanted, stored->name);
  if (solver->suits && !solver->suits(&s->space, &s->A, error)) return false;
  solver_destroy(&s->solver);
  return create_solver(s, solver, settings, error);
}

// Fails if a cell is inverted: if the smallest det J that the assembly found is not positive. J is the Jacobian matrix
// of the map from the reference cell.
static bool check_cells(Stationary *s, Error *error) {
  const int count = s->assembly.min_J_count;
  double *smallest = array_new(count, sizeof *smallest, "cells", error), least = INFINITY;
  const bool ok = smallest && device_get_reals(s->stream, s->precision, s->assembly.min_J, smallest, count, error);
  for (int k = 0; ok && k < count; k++) least = fmin(least, smallest[k]);
  free(smallest);
  return ok && (least > 0 || error_set(error,
                                       "a cell of the mesh is inverted or flat: the smallest determinant of the map "
                                       "from the reference cell is %g, expected more than 0; correct the mesh",
                                       least));
}

// Computes the right-hand side b = F + load - A held, on the host in double. F is the load vector of the assembly,
// `load` the loads that the problem gives at nodes, and `held` the prescribed values.
static bool right_side(Stationary *s, Error *error) {
  const int n = s->report.n;
  double *F = array_new(n, sizeof *F, "right-hand side", error), *y = array_new(n, sizeof *y, "right-hand side", error);
  const bool ok = F && y && operator_apply(&s->A, s->held_dev, s->y, NULL, s->stream, error) &&
                  device_get_reals(s->stream, s->precision, s->F, F, n, error) &&
                  device_get_reals(s->stream, s->precision, s->y, y, n, error);
  for (int i = 0; ok && i < n; i++) s->b[i] = s->fixed[i] ? 0 : F[i] + s->load[i] - y[i];
  free(F);
  free(y);
  return ok && device_put_reals(s->stream, s->precision, s->b_dev, s->b, n, error);
}

bool stationary_assemble(Stationary *s, Error *error) {
  const double begin = timer_seconds();
  const AssemblyShift none = { .shift = s->shift };
  if (!assembly_run_shifted(&s->assembly, &s->parameters, s->nodal, s->F, &s->A, &none, s->stream, error) ||
      !stream_sync(s->stream, error))
    return false;
  s->report.assemble_seconds = timer_seconds() - begin;
  return check_cells(s, error) && right_side(s, error);
}

// Sets s->report.residual to ||b - A x|| / ||b||, the relative residual of the solution x. Unknowns with prescribed
// values are left out of both norms.
static bool true_residual(Stationary *s, Error *error) {
  const int n = s->report.n;
  double *y = array_new(n, sizeof *y, "residual", error), rr = 0, bb = 0;
  const bool ok = y && operator_apply(&s->A, s->x, s->y, NULL, s->stream, error) &&
                  device_get_reals(s->stream, s->precision, s->y, y, n, error);
  for (int i = 0; ok && i < n; i++) {
    if (s->fixed[i]) continue;
    rr += (s->b[i] - y[i]) * (s->b[i] - y[i]);
    bb += s->b[i] * s->b[i];
  }
  free(y);
  s->report.residual = bb > 0 ? sqrt(rr / bb) : 0;
  return ok;
}

bool stationary_solve(Stationary *s, Error *error) {
  static const char *const ends[] = {
    [SOLVER_CONVERGED] = "converged",
    [SOLVER_OUT_OF_ITERATIONS] = "the limit of iterations is reached",
    [SOLVER_INDEFINITE] = "the matrix is not positive definite",
    [SOLVER_BROKEN] = "a value is not a finite number (check loads and coefficients)",
    [SOLVER_DIVERGED] = "the solver diverges on this matrix (another solver, such as --solver gs, may converge)",
    [SOLVER_STOPPED] = "stopped"
  };
  const double begin = timer_seconds();
  if (!solver_solve(&s->solver, s->stream, error) || !solver_wait(&s->solver, s->stream, error)) return false;
  const SolverReport *r = s->solver.report;
  s->report.solve_seconds = timer_seconds() - begin;
  s->report.iterations = r->iterations;
  s->report.converged = r->end == SOLVER_CONVERGED;
  s->report.end = ends[r->end];
  s->report.relative = r->relative_residual;
  if (!true_residual(s, error)) return false;

  // The solver stops when the residual that it updates in each iteration is small. Test the true residual too: it stays
  // far larger if the right-hand side is inconsistent, as when no unknown has a prescribed value. The bounds of this
  // test are above rounding errors.
  if (s->report.converged && !(s->report.residual <= fmax(10 * s->solver.system.relative, 1e-2))) {
    s->report.converged = false;
    s->report.end = s->precision == PRECISION_F64 ? "the true residual ||b - A x|| is large, though the estimate by "
                                                    "the solver is small (the matrix is nearly singular)"
                                                  : "the true residual ||b - A x|| is large, though the estimate by "
                                                    "the solver is small (use --precision double)";
  }
  return true;
}

bool stationary_result(Stationary *s, double *u, Error *error) {
  if (!device_get_reals(s->stream, s->precision, s->x, u, s->report.n, error)) return false;
  for (int i = 0; i < s->report.n; i++)
    if (s->fixed[i]) u[i] = s->held[i];
  return true;
}

bool stationary_product(Stationary *s, const double *x, double *y, Error *error) {
  const int n = s->report.n;
  void *x_dev = device_reals(s->stream.device, s->precision, x, n, error);
  const bool ok = x_dev && operator_apply(&s->A, x_dev, s->y, NULL, s->stream, error) &&
                  device_get_reals(s->stream, s->precision, s->y, y, n, error);
  device_free(s->stream.device, x_dev);
  return ok;
}

const StationaryReport *stationary_report(const Stationary *stationary) {
  return &stationary->report;
}
