// `pliant solve --problem`: see run_steady.h.
#include "app/run_steady.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/formula.h"
#include "base/log.h"
#include "scene/json_file.h"
#include "sim/moduli.h"

#define AT(field) OPTION_AT(SteadyOptions, field)
const Option steady_options[] = {
  { "problem", OPTION_CHOICE, AT(problem), .choices = "poisson|plate|elasticity", .help = "what is solved" },
  { "size", OPTION_VECTOR, AT(grid.size), OPTION_AT_LEAST(0), .unit = "X,Y,Z",
    .help = "sides of a square or cube, m [1,1,1]" },
  { "cells", OPTION_INTEGER, AT(grid.cells), OPTION_FROM_TO(1, 100000), .help = "of a grid, over its shortest side" },
  GRID_OPTIONS(SteadyOptions, grid),
  { "source", OPTION_TEXT, AT(source), .unit = "FORMULA", .help = "f, or a plate's load q, in x, y, z" },
  { "load", OPTION_CHOICE, AT(load), .choices = "nodes|points|lumped",
    .help = "the source: given at nodes and spread by the shapes, integrated, or at nodes times their shares" },
  { "boundary", OPTION_TEXT, AT(boundary), .unit = "FORMULA", .help = "phi where it is held [--exact, or 0]" },
  { "held", OPTION_TEXT, AT(held), .unit = "FORMULA", .help = "not 0 where nodes of the boundary are held: x < 0.01" },
  { "flux", OPTION_TEXT, AT(flux), .unit = "FORMULA", .help = "k dphi/dn on the boundary that is not held" },
  { "exact", OPTION_TEXT, AT(exact), .unit = "FORMULA", .help = "the solution where it is known: errors are told" },
  { "conductivity", OPTION_NUMBER, AT(conductivity), OPTION_MORE_THAN(0), .help = "k" },
  { "rigidity", OPTION_NUMBER, AT(rigidity), OPTION_MORE_THAN(0), .unit = "Nm",
    .help = "of a plate, E t^3 / (12 (1 - nu^2))" },
  { "ratio", OPTION_NUMBER, AT(ratio), OPTION_BETWEEN(-1, 0.5), .help = "Poisson's ratio of a plate or a body" },
  { "young", OPTION_NUMBER, AT(young), OPTION_MORE_THAN(0), .unit = "Pa", .help = "of a body" },
  { "force", OPTION_VECTOR, AT(force), OPTION_ANY, .unit = "X,Y,Z", .help = "on a body, N/m^3; its held nodes stay" },
  { "support", OPTION_CHOICE, AT(support), .choices = "supported|clamped",
    .help = "what a plate's boundary holds: w, and slopes along sides that run along x or y; or all" },
  { "element", OPTION_TEXT, AT(element), .unit = "NAME", .help = "another than the usual one of the cells' shape" },
  { "device", OPTION_CHOICE, AT(settings.device), .choices = "cpu|cuda", .help = "where it is computed" },
  { "precision", OPTION_CHOICE, AT(settings.precision), .choices = "float|double", .help = "of values" },
  { "assembly", OPTION_TEXT, AT(settings.assembly), .unit = "NAME", .help = "assembly method" },
  { "matrix", OPTION_TEXT, AT(settings.matrix), .unit = "NAME", .help = "matrix format, or operator without one" },
  { "solver", OPTION_TEXT, AT(settings.solver), .unit = "NAME", .help = "linear solver" },
  { "memory-budget", OPTION_NUMBER, AT(settings.memory_budget), OPTION_AT_LEAST(0), .unit = "MB",
    .help = "of a GPU's memory for assembly chunked, which then integrates there; 0: none" },
  { "autotune", OPTION_FLAG, AT(settings.autotune),
    .help = "tune matrix and assembly by time, where they can be; remembered for the device" },
  { "relative", OPTION_NUMBER, AT(settings.relative), OPTION_BETWEEN(0, 1), .help = "bound on ||r|| / ||b||" },
  { "iterations", OPTION_INTEGER, AT(settings.iterations_max), OPTION_FROM_TO(1, 1000000000),
    .help = "at most of the solver" },
  { "output", OPTION_TEXT, AT(output), .unit = "FILE", .help = "the result, .vtu (also -o)" },
  SHOW_OPTIONS(SteadyOptions, show),
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write what was taken and reached as JSON" },
  { 0 },
};

SteadyOptions steady_option_defaults(void) {
  return (SteadyOptions){ .grid = { .cells = 32, .degree = 1 },
                          .conductivity = 1,
                          .rigidity = 1,
                          .ratio = 0.3,
                          .young = 1e5,
                          .force = { 0, 0, -1e3 },
                          .settings = steady_defaults(),
                          .show = show_defaults(),
                          .source = "1",
                          .held = "1",
                          .flux = "0" };
}

static bool make_mesh(const char *name, const SteadyOptions *options, CellMesh *mesh, Error *error) {
  return is_cell_grid(name) ? make_cell_grid(name, &options->grid, mesh, error) : cell_mesh_read(name, mesh, error);
}

// What was found: the range of phi or w, and how far it is from an exact solution, NaN where none is given.
typedef struct Found {
  double low, high, L2, H1;
} Found;

static bool write_json(const char *path, const SteadyElement *element, const CellMesh *mesh, const SteadySettings *s,
                       const SteadyReport *r, const Found *found, Error *error) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "problem", element->problem);
  cJSON_AddStringToObject(root, "element", element->name);
  cJSON_AddStringToObject(root, "device", device_name(s->device));
  cJSON_AddStringToObject(root, "model", device_model(s->device));
  cJSON_AddStringToObject(root, "precision", precision_name(s->precision));
  cJSON_AddStringToObject(root, "assembly", s->assembly);
  cJSON_AddStringToObject(root, "matrix", s->matrix);
  cJSON_AddStringToObject(root, "solver", s->solver);
  if (r->tuning) cJSON_AddNumberToObject(root, "tuning", r->tuning);
  cJSON_AddNumberToObject(root, "nodes", mesh->node_count);
  cJSON_AddNumberToObject(root, "cells", mesh->cell_count);
  cJSON_AddNumberToObject(root, "unknowns", r->n);
  cJSON_AddNumberToObject(root, "free", r->free_count);
  cJSON_AddNumberToObject(root, "nonzeros", (double)r->nonzeros);
  cJSON_AddNumberToObject(root, "iterations", r->iterations);
  cJSON_AddBoolToObject(root, "converged", r->converged);
  cJSON_AddNumberToObject(root, "relative", r->relative);
  cJSON_AddNumberToObject(root, "residual", r->residual);
  cJSON_AddNumberToObject(root, "smallest", found->low);
  cJSON_AddNumberToObject(root, "largest", found->high);
  if (isfinite(found->L2)) cJSON_AddNumberToObject(root, "L2_error", found->L2);
  if (isfinite(found->H1)) cJSON_AddNumberToObject(root, "H1_error", found->H1);
  cJSON_AddNumberToObject(root, "create_s", r->create_seconds);
  cJSON_AddNumberToObject(root, "assemble_s", r->assemble_seconds);
  cJSON_AddNumberToObject(root, "solve_s", r->solve_seconds);
  const bool ok = write_json_file(path, root, error);
  cJSON_Delete(root);
  return ok;
}

// The formulas as they were read.
typedef struct Formulas {
  Formula source, boundary, held, flux, exact;
  bool has_exact;
} Formulas;

static bool read_formulas(const SteadyOptions *options, Formulas *f, Error *error) {
  f->has_exact = options->exact[0];
  const char *boundary = options->boundary[0] ? options->boundary : f->has_exact ? options->exact : "0";
  return formula_read(&f->source, options->source, "--source", error) &&
         formula_read(&f->boundary, boundary, "--boundary", error) &&
         formula_read(&f->held, options->held, "--held", error) &&
         formula_read(&f->flux, options->flux, "--flux", error) &&
         (!f->has_exact || formula_read(&f->exact, options->exact, "--exact", error));
}

static double at_point(const void *formula, const double x[3], double gradient[3]) {
  enum { STEP_BITS = 17 };
  const double step = ldexp(1, -STEP_BITS);  // for the gradient, whose error is some 1e-10 then
  for (int i = 0; gradient && i < 3; i++) {
    double low[3] = { x[0], x[1], x[2] }, high[3] = { x[0], x[1], x[2] };
    low[i] -= step, high[i] += step;
    gradient[i] = (formula_value(formula, high) - formula_value(formula, low)) / (2 * step);
  }
  return formula_value(formula, x);
}

// Arrays of a problem, by nodes [node_count] and by unknowns [n].
typedef struct Arrays {
  uint8_t *held, *fixed;  // nodes that are held, and unknowns
  double *source, *share, *load, *value;
} Arrays;

static bool create_arrays(Arrays *a, int nodes, int n, Error *error) {
  *a = (Arrays){ .held = array_new(nodes, 1, "held nodes", error),
                 .fixed = array_new(n, 1, "held unknowns", error),
                 .source = array_new(nodes, sizeof *a->source, "sources", error),
                 .share = array_new(nodes, sizeof *a->share, "loads", error),
                 .load = array_new(n, sizeof *a->load, "loads", error),
                 .value = array_new(n, sizeof *a->value, "values", error) };
  return a->held && a->fixed && a->source && a->share && a->load && a->value;
}

static void destroy_arrays(Arrays *a) {
  free(a->held), free(a->fixed), free(a->source), free(a->share), free(a->load), free(a->value);
}

// A plate's slopes along the sides of its boundary: where w is held along x, so is w_x.
static bool hold_slopes(const CellMesh *mesh, bool clamped, Arrays *a, Error *error) {
  int count = 0, skew = 0;
  CellFacet *facet = cell_mesh_facets(mesh, &count, error);
  for (int k = 0; facet && k < count; k++) {
    int local[CELL_FACET_NODES_MAX];
    cell_shape_facet(mesh->shape, facet[k].number, local, NULL);
    const int *node = mesh->cell + (int64_t)facet[k].cell * cell_shape_info(mesh->shape)->nodes;
    const int p = node[local[0]], q = node[local[1]];
    if (!a->held[p] || !a->held[q]) continue;
    const double dx = fabs(mesh->X[p][0] - mesh->X[q][0]), dy = fabs(mesh->X[p][1] - mesh->X[q][1]);
    const bool along[2] = { dy <= 1e-9 * dx, dx <= 1e-9 * dy };
    skew += !along[0] && !along[1];
    for (int i = 0; i < 2; i++)
      if (along[i] || clamped) a->fixed[3 * p + 1 + i] = a->fixed[3 * q + 1 + i] = 1;
  }
  const bool ok = facet;
  free(facet);
  if (skew > 0 && !clamped)
    log_notice("%d sides of the boundary run along neither x nor y: there w alone is held", skew);
  return ok;
}

// A body's load: its force, shared among the nodes; held nodes stay where they are.
static bool fill_body(const CellMesh *mesh, const SteadyOptions *options, Arrays *a, Error *error) {
  for (int k = 0; k < mesh->node_count; k++) {
    a->source[k] = 1;
    for (int i = 0; i < 3; i++) a->fixed[3 * k + i] = a->held[k], a->value[3 * k + i] = 0;
  }
  if (!steady_lumped_load(mesh, a->source, a->share, error)) return false;
  for (int k = 0; k < mesh->node_count; k++)
    for (int i = 0; i < 3; i++) a->load[3 * k + i] = a->share[k] * options->force[i];
  return true;
}

static bool fill_arrays(const CellMesh *mesh, const SteadyElement *element, const SteadyOptions *options,
                        const Formulas *f, Arrays *a, Error *error) {
  enum { NODES, POINTS, LUMPED };
  const int dof = element->node_dof, points = cell_shape_info(mesh->shape)->degree + 2;
  if (!cell_mesh_boundary(mesh, a->held, error)) return false;
  int held = 0;
  for (int k = 0; k < mesh->node_count; k++) {
    a->held[k] = a->held[k] && formula_value(&f->held, mesh->X[k]) != 0;
    a->fixed[dof * k] = a->held[k], held += a->held[k];
    a->value[dof * k] = a->held[k] ? formula_value(&f->boundary, mesh->X[k]) : 0;
    a->source[k] = formula_value(&f->source, mesh->X[k]);
  }
  if (held == 0) return error_set(error, "--held: nothing of the boundary is held, so there is no single solution");
  if (element->solid) return fill_body(mesh, options, a, error);
  if (dof == 3 && !hold_slopes(mesh, options->support, a, error)) return false;
  if (options->load == POINTS) steady_load(mesh, at_point, &f->source, points, a->share);
  if (options->load == LUMPED && !steady_lumped_load(mesh, a->source, a->share, error)) return false;
  if (dof == 1 && !steady_boundary_load(mesh, a->held, at_point, &f->flux, points, a->share, error)) return false;
  for (int k = 0; k < mesh->node_count; k++) {
    if (options->load != NODES) a->source[k] = 0;
    a->load[dof * k] = a->share[k];
  }
  return true;
}

static bool solve(const char *name, const CellMesh *mesh, const SteadyOptions *options, const Formulas *f,
                  Error *error) {
  static const char *const problems[] = { "poisson", "plate", "elasticity" };
  bool ok = false;
  Steady *steady = NULL;
  Arrays a = { 0 };
  double *u = NULL, *shown = NULL, (*move)[3] = NULL;
  SteadySettings settings = options->settings;
  const char *kind = problems[options->problem];
  const SteadyElement *element = steady_element(options->element, kind, mesh->shape, error);
  const int dof = element ? element->node_dof : 0;
  if (!element) goto done;
  if (mesh->node_count > INT32_MAX / 3) {
    error_set(error, "%s: %d nodes are too many", name, mesh->node_count);
    goto done;
  }
  if (dof == 1 && options->show.has_factor && cell_shape_info(mesh->shape)->dimension == 3) {
    error_set(error, "--warp: phi in space has no direction that it could be displaced along");
    goto done;
  }
  if (!create_arrays(&a, mesh->node_count, dof * mesh->node_count, error) ||
      !fill_arrays(mesh, element, options, f, &a, error))
    goto done;
  SteadyProblem problem = { .mesh = mesh,
                            .element = element,
                            .material = { options->conductivity },
                            .source = element->solid ? NULL : a.source,
                            .load = a.load,
                            .fixed = a.fixed,
                            .value = a.value };
  if (dof == 3) problem.material[0] = options->rigidity, problem.material[1] = options->ratio;
  if (element->solid) {
    problem.material[0] = lame_mu(options->young, options->ratio);
    problem.material[1] = lame_lambda(options->young, options->ratio);
  }
  u = a.value;
  if (!steady_create(&steady, &problem, &settings, error)) goto done;
  const SteadyReport *r = steady_report(steady);
  printf("%s, %s on %s (%s), %s, assembly %s, matrix %s, solver %s\n%d nodes, %d cells, %d of %d unknowns free\n", name,
         element->name, device_name(settings.device), device_model(settings.device), precision_name(settings.precision),
         settings.assembly, settings.matrix, settings.solver, mesh->node_count, mesh->cell_count, r->free_count, r->n);
  if (!steady_assemble(steady, error) || !steady_solve(steady, error) || !steady_result(steady, u, error)) goto done;
  const char *result = element->solid ? "|u|" : dof == 3 ? "w" : "phi";
  Found found = { HUGE_VAL, -HUGE_VAL, NAN, NAN };
  shown = array_new(mesh->node_count, sizeof *shown, "result", error);
  move = array_new(mesh->node_count, sizeof *move, "displacements", error);
  if (!shown || !move) goto done;
  for (int k = 0; k < mesh->node_count; k++) {
    shown[k] = element->solid ? hypot(hypot(u[3 * k], u[3 * k + 1]), u[3 * k + 2]) : u[dof * k];
    found.low = fmin(found.low, shown[k]), found.high = fmax(found.high, shown[k]);
    if (element->solid)
      memcpy(move[k], u + 3 * k, sizeof move[k]);
    else
      move[k][2] = shown[k];
  }
  if (f->has_exact && dof == 1)
    steady_distance(mesh, shown, at_point, &f->exact, cell_shape_info(mesh->shape)->degree + 3, &found.L2, &found.H1);
  printf("%s after %d iterations, ||r||/||b|| %.3g (computed anew %.3g)\n%s from %.9g to %.9g\n", r->end, r->iterations,
         r->relative, r->residual, result, found.low, found.high);
  if (isfinite(found.L2)) printf("errors: %.7g in L2, %.7g of the gradient\n", found.L2, found.H1);
  printf("made in %.3g s, assembled in %.3g s, solved in %.3g s\n", r->create_seconds, r->assemble_seconds,
         r->solve_seconds);
  const CellField fields[] = { { result, 1, false, shown },
                               { element->solid ? "displacement, m" : "w, w_x, w_y", 3, false, u } };
  // phi moves nothing unless it is asked to
  const bool moves = dof == 3 || options->show.has_factor;
  const CellValues values = { shown, moves ? (const double(*)[3])move : NULL,
                              element->solid ? "displacement" : dof == 3 ? "deflection w" : "phi",
                              dof == 3 ? "m" : "" };
  ok = (!options->output[0] || cell_mesh_write(options->output, mesh, fields, dof == 1 ? 1 : 2, error)) &&
       (!options->json[0] || write_json(options->json, element, mesh, &settings, r, &found, error)) &&
       show_picture(&options->show, mesh, &values, error) &&
       (r->converged || error_set(error, "%s: %s after %d iterations", name, r->end, r->iterations));
done:
  steady_destroy(steady);
  destroy_arrays(&a);
  free(shown);
  free(move);
  return ok;
}

bool run_steady(const char *name, const SteadyOptions *options, Error *error) {
  CellMesh mesh = { 0 };
  Formulas *formulas = array_new(1, sizeof *formulas, "formulas", error);
  const bool ok = formulas && read_formulas(options, formulas, error) &&
                  (!options->json[0] || atomic_file_check(options->json, error)) &&
                  show_check(&options->show, error) &&
                  make_mesh(name, options, &mesh, error) &&
                  (!options->output[0] || cell_mesh_write_check(options->output, mesh.shape, true, error)) &&
                  solve(name, &mesh, options, formulas, error);
  free(formulas);
  cell_mesh_destroy(&mesh);
  return ok;
}
