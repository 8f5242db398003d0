// The command `pliant-lab solve`: solves a stationary problem (Poisson's equation, a plate, or linear elasticity) on a
// grid or a mesh.
#include "lab/stationary/run_stationary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command_line.h"
#include "base/array.h"
#include "base/atomic_file.h"
#include "lab/stationary/raise_tets.h"
#include "lab/stationary/stationary_problem.h"
#include "mesh/node_values.h"
#include "scene/json_file.h"
#include "sim/element/number_range.h"

#define AT(field) OPTION_AT(StationaryOptions, field)
#define FORMULA(name, which, words) \
  { name, OPTION_TEXT, AT(formula[which]), .unit = "FORMULA", .help = words }
static void note_force(void *options) {
  ((StationaryOptions *)options)->has_force = true;
}

static void note_plane(void *options) {
  ((StationaryOptions *)options)->has_plane = true;
}

// Names of the problems, as the user types them, in the order of the enum StationaryKind.
static const char *const stationary_problems[] = { "poisson", "plate", "elasticity", NULL };

static const Option stationary_options[] = {
  { "size", OPTION_VECTOR, AT(grid.size), OPTION_AT_LEAST(0), .unit = "X,Y,Z",
    .help = "side lengths of the mesh square or cube, m [1,1,1]" },
  { "cells", OPTION_INTEGER, AT(grid.cells), OPTION_FROM_TO(1, 100000),
    .help = "number of grid cells along the shortest side" },
  GRID_OPTIONS(StationaryOptions, grid),
  FORMULA("source", STATIONARY_SOURCE,
          "source f of the problem poisson, or load q of a plate, as a formula in x, y, z [1; 0 if a flux, a shear "
          "force, a moment or a prescribed value other than 0 is given]"),
  { "field", OPTION_TEXT, AT(field), .unit = "FILE", .input_file = true,
    .help = "file of values at nodes: each line has the number of a node and its value; in formulas, the word "
            "field means this value" },
  { "load", OPTION_CHOICE, AT(load), .choices = "nodes|points|lumped",
    .help = "evaluation of the source. nodes: interpolated between its values at nodes; points: at integration points; "
            "lumped: value at a node times the node's part of the area or volume" },
  FORMULA("boundary", STATIONARY_BOUNDARY,
          "prescribed value of phi in the problem poisson, or of the deflection w of a plate, on the held boundary "
          "[--exact, or 0]"),
  FORMULA(
      "held", STATIONARY_HELD,
      "selects boundary nodes with a prescribed value: a formula that is not 0 at these nodes, such as x < 0.01, or "
      "the name of a mesh group [1]"),
  FORMULA("flux", STATIONARY_FLUX,
          "inward flux k dphi/dn, with the conductivity k, on the free boundary, which --held does not select [0]"),
  FORMULA("exact", STATIONARY_EXACT, "exact solution, if known; the errors of the result are printed"),
  { "conductivity", OPTION_NUMBER, AT(conductivity), OPTION_MORE_THAN(0),
    .help = "conductivity k in the problem poisson" },
  { "rigidity", OPTION_NUMBER, AT(rigidity), OPTION_MORE_THAN(0), .unit = "Nm",
    .help = "bending rigidity of a plate: E t^3 / (12 (1 - nu^2)), from Young's modulus E, thickness t and Poisson's "
            "ratio nu" },
  FORMULA("factor", STATIONARY_FACTOR,
          "formula for a factor on each cell's conductivity, rigidity or moduli, evaluated at the cell's centre [1]"),
  { "ratio", OPTION_NUMBER, AT(ratio), OPTION_BETWEEN(-1, 0.5), .help = "Poisson's ratio of a plate or body" },
  { "young", OPTION_NUMBER, AT(young), OPTION_MORE_THAN(0), .unit = "Pa", .help = "Young's modulus of a body" },
  { "plane", OPTION_CHOICE, AT(plane), .choices = "strain|stress", .noted = note_plane,
    .help = "for a plane body: plane strain, or plane stress as in a thin sheet" },
  { "force", OPTION_VECTOR, AT(force), OPTION_ANY, .unit = "X,Y,Z", .noted = note_force,
    .help = "force per volume on a body, N/m^3 [0,0,-1000, for a plane body 0,-1000,0; 0 if a traction, a pressure, "
            "--force-x, --force-y, --force-z or a displacement other than 0 is given]" },
  FORMULA("force_x", STATIONARY_FORCE_X, "force per volume along x as a formula, N/m^3"),
  FORMULA("force_y", STATIONARY_FORCE_Y, "force per volume along y as a formula, N/m^3"),
  FORMULA("force_z", STATIONARY_FORCE_Z, "force per volume along z as a formula, N/m^3"),
  { "support", OPTION_CHOICE, AT(support), .choices = "supported|clamped",
    .help = "unknowns held on the boundary of a plate; supported: deflection, and slopes along sides parallel to x or "
            "y; clamped: deflection and all slopes" },
  FORMULA("slope_x", STATIONARY_SLOPE_X, "prescribed slope dw/dx of a plate [derivative of --boundary]"),
  FORMULA("slope_y", STATIONARY_SLOPE_Y, "prescribed slope dw/dy of a plate [derivative of --boundary]"),
  FORMULA("shear", STATIONARY_SHEAR,
          "shear force in the direction of the deflection, on the free edges of a plate, N/m"),
  FORMULA("moment", STATIONARY_MOMENT,
          "moment on the edges of a plate, N m/m; if positive, it increases the slope of the deflection along the "
          "outward normal"),
  FORMULA("traction_x", STATIONARY_TRACTION_X, "traction on the free boundary of a body along x, Pa"),
  FORMULA("traction_y", STATIONARY_TRACTION_Y, "traction on the free boundary of a body along y, Pa"),
  FORMULA("traction_z", STATIONARY_TRACTION_Z, "traction on the free boundary of a body along z, Pa"),
  FORMULA("pressure", STATIONARY_PRESSURE, "inward pressure on the free boundary of a body, Pa"),
  FORMULA("held_x", STATIONARY_HELD_X,
          "selects boundary nodes that cannot move along x: a formula that is not 0 at these nodes; if --held-x, "
          "--held-y or --held-z is given, the default of --held is 0"),
  FORMULA("held_y", STATIONARY_HELD_Y,
          "selects boundary nodes that cannot move along y: a formula that is not 0 at these nodes"),
  FORMULA("held_z", STATIONARY_HELD_Z,
          "selects boundary nodes that cannot move along z: a formula that is not 0 at these nodes"),
  FORMULA("move_x", STATIONARY_MOVE_X, "prescribed displacement of a body along x, m [--exact-x, or 0]"),
  FORMULA("move_y", STATIONARY_MOVE_Y, "prescribed displacement of a body along y, m"),
  FORMULA("move_z", STATIONARY_MOVE_Z, "prescribed displacement of a body along z, m"),
  FORMULA("exact_x", STATIONARY_EXACT_X,
          "exact displacement of a body along x, if known, m; the errors of the result are printed"),
  FORMULA("exact_y", STATIONARY_EXACT_Y, "exact displacement of a body along y, m"),
  FORMULA("exact_z", STATIONARY_EXACT_Z, "exact displacement of a body along z, m"),
  { "element", OPTION_TEXT, AT(element), .unit = "NAME",
    .help = "element, the formula for the matrix of a cell; the default depends on problem and cells; `pliant-lab "
            "info` lists all elements" },
  { "device", OPTION_CHOICE, AT(settings.device), .choices = "cpu|cuda",
    .help = "device on which the program computes: cpu or cuda" },
  { "precision", OPTION_CHOICE, AT(settings.precision), .choices = "float|double", .help = "floating-point precision" },
  { "assembly", OPTION_TEXT, AT(settings.assembly), .unit = "NAME",
    .help = "method that computes the matrix; `pliant-lab info` lists all methods" },
  { "matrix", OPTION_TEXT, AT(settings.matrix), .unit = "NAME",
    .help = "format in which the matrix is stored; matrixfree: not stored; `pliant-lab info` lists all formats" },
  { "solver", OPTION_TEXT, AT(settings.solver), .unit = "NAME",
    .help = "method that solves the linear system; `pliant-lab info` lists all solvers" },
  { "memory-budget", OPTION_NUMBER, AT(settings.memory_budget), OPTION_AT_LEAST(0), .unit = "MB",
    .help = "largest GPU memory of the assembly methods globalnz and chunked; 0: globalnz has no limit, and chunked "
            "computes on the CPU" },
  { "autotune", OPTION_FLAG, AT(settings.autotune),
    .help =
        "choose tuning numbers of the matrix format and the assembly by timing, such as GPU threads per matrix row, "
        "and store them for this device" },
  { "relative", OPTION_NUMBER, AT(settings.relative), OPTION_BETWEEN(0, 1),
    .help =
        "the solver stops when the norm of the residual is below this fraction of the norm of the right-hand side" },
  { "iterations", OPTION_INTEGER, AT(settings.iterations_max), OPTION_FROM_TO(1, 1000000000),
    .help = "largest number of iterations of the solver" },
  { "output", OPTION_TEXT, AT(output), .unit = "FILE", .help = "write the result as .vtu (also -o)" },
  SHOW_OPTIONS(StationaryOptions, show),
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write options and results as JSON" },
  { 0 },
};

static StationaryOptions stationary_option_defaults(void) {
  return (StationaryOptions){ .grid = { .cells = 32, .degree = 1 },
                              .conductivity = 1,
                              .rigidity = 1,
                              .ratio = 0.3,
                              .young = 1e5,
                              .force = { 0, 0, -1e3 },
                              .source_times = 1,
                              .boundary_times = 1,
                              .edge_times = 1,
                              .settings = stationary_defaults(),
                              .show = show_defaults() };
}

// Makes the grid, or reads the mesh. Both have linear tets only, so for elasticity in space tets are raised to the
// requested degree afterwards.
static bool make_mesh(const char *name, const StationaryOptions *options, CellMesh *mesh, Error *error) {
  GridOptions grid = options->grid;
  const bool elastic = options->problem == STATIONARY_ELASTICITY;
  if (elastic && strcmp(name, "square") != 0) grid.degree = 1;
  const bool made = is_cell_grid(name) ? make_cell_grid(name, &grid, mesh, error) : cell_mesh_read(name, mesh, error);
  return made &&
         (!elastic || cell_shape_info(mesh->shape)->dimension == 2 || raise_tets(mesh, options->grid.degree, error));
}

// Summary of a solution; NaN if a number does not apply to the problem. low, high: smallest and largest value of the
// solution, which is phi of Poisson's equation, the deflection w of a plate, or the length |u| of a body's
// displacement. mises: largest von Mises stress of a body, Pa. L2, H1: L2 norm and H1 seminorm of the error, which is
// the difference from the exact solution that the user gave.
typedef struct Found {
  double low, high, mises, L2, H1;
} Found;

static bool write_json(const char *path, const StationaryElement *element, const CellMesh *mesh,
                       const StationarySettings *s, const StationaryReport *r, const Found *found, Error *error) {
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
  cJSON_AddNumberToObject(root, "stored", (double)r->stored);
  cJSON_AddNumberToObject(root, "iterations", r->iterations);
  cJSON_AddBoolToObject(root, "converged", r->converged);
  cJSON_AddNumberToObject(root, "relative", r->relative);
  cJSON_AddNumberToObject(root, "residual", r->residual);
  cJSON_AddNumberToObject(root, "smallest", found->low);
  cJSON_AddNumberToObject(root, "largest", found->high);
  if (isfinite(found->mises)) cJSON_AddNumberToObject(root, "largest_von_mises_Pa", found->mises);
  if (isfinite(found->L2)) cJSON_AddNumberToObject(root, "L2_error", found->L2);
  if (isfinite(found->H1)) cJSON_AddNumberToObject(root, "H1_error", found->H1);
  cJSON_AddNumberToObject(root, "create_s", r->create_seconds);
  cJSON_AddNumberToObject(root, "assemble_s", r->assemble_seconds);
  cJSON_AddNumberToObject(root, "solve_s", r->solve_seconds);
  const bool ok = write_json_file(path, root, error);
  cJSON_Delete(root);
  return ok;
}

// A stationary problem, its solver, and its solution.
typedef struct Solving {
  const char *name;  // name of the mesh, for messages
  CellMesh mesh;
  const StationaryElement *element;
  double *field;  // [node_count], values of the word `field` in formulas, read from a file; NULL: no file
  StationaryFormulas formulas;
  StationaryArrays arrays;
  StationarySettings settings;
  Stationary *stationary;
  double *u;                    // [n], the solution: node_dof numbers per node
  double *shown;                // [node_count], the value shown by colours: phi, w or |u|
  double (*move)[3];            // [node_count], displacements of the nodes in the picture, m
  double (*stress)[6], *mises;  // [cell_count], stress of each cell of a body and its von Mises stress, Pa
  Found found;
} Solving;

static void solving_destroy(Solving *s) {
  stationary_destroy(s->stationary);
  stationary_formulas_destroy(&s->formulas);
  stationary_arrays_destroy(&s->arrays);
  free(s->u);
  free(s->shown);
  free(s->move);
  free(s->stress);
  free(s->mises);
  free(s->field);
  cell_mesh_destroy(&s->mesh);
}

// Returns the element that the options name. If they name none, returns the first element for the problem and the shape
// of the cells that has an assembly on the device and, if the mesh has a factor for each cell, uses such factors. If
// there is none, returns the first element for the problem and the shape.
static const StationaryElement *choose_element(const StationaryOptions *options, const CellMesh *mesh, Error *error) {
  const char *problem = stationary_problems[options->problem];
  const StationarySettings *s = &options->settings;
  const StationaryElement *usual = stationary_element(options->element, problem, mesh->shape, error);
  if (!usual || options->element[0]) return usual;
  for (const StationaryElement *e = usual; e->name; e++)
    if (strcmp(e->problem, problem) == 0 && e->shape == mesh->shape && (!mesh->factor || e->factors) &&
        stage_next(NULL, STAGE_ASSEMBLY, s->device, s->precision, e->name))
      return e;
  return usual;
}

static bool solving_create(Solving *s, const StationaryOptions *options, Error *error) {
  const CellMesh *mesh = &s->mesh;
  s->settings = options->settings;
  s->element = choose_element(options, mesh, error);
  if (!s->element) return false;
  if (mesh->node_count > INT32_MAX / 3)
    return error_set(error, "%s: %d nodes are too many, the limit is %d; use a coarser mesh", s->name, mesh->node_count,
                     INT32_MAX / 3);
  if (options->problem == STATIONARY_POISSON && options->show.has_factor &&
      cell_shape_info(mesh->shape)->dimension == 3)
    return error_set(
        error, "--warp: the problem poisson has one value per node, which does not move a 3D mesh; leave --warp out");
  s->u = array_new((int64_t)mesh->node_count * s->element->node_dof, sizeof *s->u, "result", error);
  s->shown = array_new(mesh->node_count, sizeof *s->shown, "result", error);
  s->move = array_new(mesh->node_count, sizeof *s->move, "displacements", error);
  if (s->element->solid) {
    s->stress = array_new(mesh->cell_count, sizeof *s->stress, "stresses", error);
    s->mises = array_new(mesh->cell_count, sizeof *s->mises, "stresses", error);
    if (!s->stress || !s->mises) return false;
  }
  return s->u && s->shown && s->move && stationary_arrays_create(&s->arrays, mesh, s->element, error);
}

static bool assemble_and_solve(Solving *s, Error *error) {
  return stationary_assemble(s->stationary, error) && stationary_solve(s->stationary, error);
}

// Copies the solution u from the solver. Computes the values that colours show, their range, the displacements that are
// drawn and, for a body, its stresses.
static bool take_result(Solving *s, const StationaryProblem *problem, Error *error) {
  const int dof = s->element->node_dof;
  if (!stationary_result(s->stationary, s->u, error)) return false;
  s->found = (Found){ HUGE_VAL, -HUGE_VAL, NAN, NAN, NAN };
  for (int k = 0; k < s->mesh.node_count; k++) {
    const double *u = s->u + (int64_t)dof * k;

    // a plane body has two components; the third stays 0
    if (s->element->solid)
      memcpy(s->move[k], u, sizeof *u * (size_t)dof);
    else
      s->move[k][2] = u[0];
    s->shown[k] = s->element->solid ? hypot(hypot(s->move[k][0], s->move[k][1]), s->move[k][2]) : u[0];
    s->found.low = fmin(s->found.low, s->shown[k]);
    s->found.high = fmax(s->found.high, s->shown[k]);
  }
  if (!s->element->solid) return true;
  stationary_stress(&s->mesh, s->u, problem->material, s->stress, s->mises);
  s->found.mises = 0;
  for (int e = 0; e < s->mesh.cell_count; e++) s->found.mises = fmax(s->found.mises, s->mises[e]);
  return true;
}

// A function that is 0 everywhere. It replaces a component of the exact displacement for which the user gave no
// formula.
static double nowhere(const void *user, const double x[3], double gradient[3]) {
  (void)user, (void)x;
  for (int i = 0; gradient && i < 3; i++) gradient[i] = 0;
  return 0;
}

// If the user gave the exact solution as formulas, computes the L2 norm and the H1 seminorm of the error of phi or, for
// a body, of the displacement.
static void take_errors(Solving *s, const StationaryOptions *options) {
  const int dof = s->element->node_dof, points = cell_shape_info(s->mesh.shape)->degree + 3;
  const int first = s->element->solid ? STATIONARY_EXACT_X : STATIONARY_EXACT, count = s->element->solid ? dof : 1;
  bool given = false;
  for (int i = 0; i < count; i++) given = given || options->formula[first + i][0];
  if (!given) return;
  s->found.L2 = s->found.H1 = 0;
  for (int i = 0; i < count; i++) {
    // The array `of` gets component i of the solution at each node. It may use the memory of arrays.share, which only
    // the setup of the problem needs.
    double L2, H1, *of = s->arrays.share;
    for (int k = 0; k < s->mesh.node_count; k++) of[k] = s->u[(int64_t)dof * k + i];
    stationary_distance(&s->mesh, of, options->formula[first + i][0] ? stationary_formula_at : nowhere,
                        &s->formulas.of[first + i], points, &L2, &H1);
    s->found.L2 = hypot(s->found.L2, L2);
    s->found.H1 = hypot(s->found.H1, H1);
  }
}

static bool check_converged(const Solving *s, Error *error) {
  const StationaryReport *r = stationary_report(s->stationary);
  return r->converged || error_set(error, "%s: no solution: %s (%d iterations)", s->name, r->end, r->iterations);
}

// Solves again with `options`, which the user changed in the window. On failure the shown values stay unchanged.
static bool solve_again(void *solving, const void *options, Error *error) {
  Solving *s = solving;
  StationaryProblem problem;
  if (!stationary_problem_fill(&problem, &s->arrays, &s->mesh, s->element, options, &s->formulas, error)) return false;
  if (!stationary_change(s->stationary, &problem, error)) return false;
  if (!assemble_and_solve(s, error)) return false;
  if (!check_converged(s, error)) return false;
  return take_result(s, &problem, error);
}

static bool write_result(const Solving *s, const char *path, Error *error) {
  const bool body = s->element->solid;
  const int dof = s->element->node_dof;
  const CellField plain[] = { { dof == 3 ? "w" : "phi", 1, false, s->shown }, { "w, w_x, w_y", 3, false, s->u } };
  const CellField of_body[] = { { "|u|", 1, false, s->shown },
                                { "displacement, m", 3, false, &s->move[0][0] },
                                { "stress, Pa", 6, true, body ? &s->stress[0][0] : NULL },
                                { "von Mises stress, Pa", 1, true, s->mises } };
  return cell_mesh_write(path, &s->mesh, body ? of_body : plain, body ? 4 : dof == 1 ? 1 : 2, error);
}

static bool solve_first(Solving *s, const StationaryOptions *options, Error *error) {
  const CellMesh *mesh = &s->mesh;
  const StationarySettings *settings = &s->settings;
  const int dof = s->element->node_dof;
  StationaryProblem problem;
  if (!stationary_problem_fill(&problem, &s->arrays, mesh, s->element, options, &s->formulas, error) ||
      !stationary_create(&s->stationary, &problem, &s->settings, error))
    return false;
  const StationaryReport *r = stationary_report(s->stationary);
  printf("%s, %s on %s (%s), %s, assembly %s, matrix %s, solver %s\n%d nodes, %d cells, free unknowns: %d of %d\n",
         s->name, s->element->name, device_name(settings->device), device_model(settings->device),
         precision_name(settings->precision), settings->assembly, settings->matrix, settings->solver, mesh->node_count,
         mesh->cell_count, r->free_count, r->n);
  stationary_loads_print(options);
  if (!assemble_and_solve(s, error) || !take_result(s, &problem, error)) return false;
  const char *result = s->element->solid ? "|u|" : dof == 3 ? "w" : "phi";
  if (s->element->solid || dof == 1) take_errors(s, options);
  printf(
      "%s, %d iteration%s; relative residual ||r||/||b|| %.3g by the solver, %.3g recomputed from the solution\n%s "
      "from %.9g to %.9g\n",
      r->end, r->iterations, r->iterations == 1 ? "" : "s", r->relative, r->residual, result, s->found.low,
      s->found.high);
  if (isfinite(s->found.mises)) printf("von Mises stress up to %.6g Pa\n", s->found.mises);
  if (isfinite(s->found.L2))
    printf("error of the solution: L2 norm %.7g, H1 seminorm (L2 norm of the gradient's error) %.7g\n", s->found.L2,
           s->found.H1);
  printf("data structures created in %.3g s, matrix assembled in %.3g s, linear system solved in %.3g s\n",
         r->create_seconds, r->assemble_seconds, r->solve_seconds);
  fflush(stdout);
  return (!options->output[0] || write_result(s, options->output, error)) &&
         (!options->json[0] || write_json(options->json, s->element, mesh, settings, r, &s->found, error));
}

// Options in the window's panel, in one table for each problem. Most are factors by which the window multiplies loads
// or prescribed values.
#define TIMES(name, field, words) \
  { name, OPTION_NUMBER, AT(field), OPTION_ANY, .unit = "times", .slider = { -2, 4 }, .help = words }
static const Option poisson_rows[] = {
  TIMES("source", source_times, "factor on the source"),
  TIMES("boundary", boundary_times, "factor on the prescribed values"),
  TIMES("flux", edge_times, "factor on the boundary flux"),
  { "conductivity", OPTION_NUMBER, AT(conductivity), OPTION_MORE_THAN(0), .slider = { 0.01, 100 },
    .help = "conductivity k in the problem poisson" },
  { 0 },
};
static const Option plate_rows[] = {
  TIMES("load", source_times, "factor on the load"),
  TIMES("boundary", boundary_times, "factor on prescribed deflections and slopes"),
  TIMES("edges", edge_times, "factor on shear and moments at the edges"),
  { "rigidity", OPTION_NUMBER, AT(rigidity), OPTION_MORE_THAN(0), .unit = "Nm", .slider = { 0.01, 100 },
    .help = "bending rigidity of the plate: E t^3 / (12 (1 - nu^2))" },
  { "ratio", OPTION_NUMBER, AT(ratio), OPTION_BETWEEN(-1, 0.5), .slider = { 0, 0.49 }, .help = "Poisson's ratio" },
  { 0 },
};
static const Option elasticity_rows[] = {
  { "plane", OPTION_CHOICE, AT(plane), .choices = "strain|stress", .help = "plane strain or plane stress" },
  { "force", OPTION_VECTOR, AT(force), OPTION_ANY, .help = "constant force per volume, N/m^3" },
  TIMES("forces", source_times, "factor on the forces given as formulas"),
  TIMES("tractions", edge_times, "factor on tractions and pressure"),
  TIMES("moves", boundary_times, "factor on the prescribed displacements"),
  { "young", OPTION_NUMBER, AT(young), OPTION_MORE_THAN(0), .unit = "Pa", .slider = { 1e3, 1e12 },
    .help = "Young's modulus" },
  { "ratio", OPTION_NUMBER, AT(ratio), OPTION_BETWEEN(-1, 0.5), .slider = { 0, 0.49 }, .help = "Poisson's ratio" },
  { 0 },
};

// Writes the picture and opens the window, if the user requested them. In the window the user may change `options` and
// solve again.
static bool show(Solving *s, StationaryOptions *options, Error *error) {
  const bool space = cell_shape_info(s->mesh.shape)->dimension == 3;
  const Option *const rows[] = { poisson_rows, plate_rows, elasticity_rows + space };
  static const char *const titles[] = { "phi", "deflection w", "displacement" };
  const bool poisson = options->problem == STATIONARY_POISSON;
  char line[200];
  snprintf(line, sizeof line, "%.120s, %s, %d unknowns", s->name, s->element->name,
           stationary_report(s->stationary)->n);
  const ShownResult result = {
    .mesh = &s->mesh,
    .values = { .value = s->shown,
                .move = poisson && space ? NULL : (const double(*)[3])s->move,
                .title = titles[options->problem],
                .unit = poisson ? "" : "m" },
    .flat = poisson,
    .line = line,
    .rows = rows[options->problem],
    .target = options,
    .size = sizeof *options,
    .solve = solve_again,
    .user = s,
  };
  return show_picture(&options->show, &result, error) && show_window(&options->show, &result, error);
}

// Sets formulas->largest, the largest magnitude that values of formulas may have. It is the largest number that Pliant
// permits in the precision (float or double) of the problem (number_range.h). Returns `formulas`.
static const StationaryFormulas *set_largest(StationaryFormulas *formulas, const StationaryOptions *options) {
  formulas->largest = range_largest(NULL, options->settings.precision);
  return formulas;
}

// Runs the command: solves, prints iterations and times, and writes and shows the result. Fails if the solver does not
// converge.
static bool run_stationary(const CommandInput *input, Error *error) {
  const StationaryOptions *options = input->options;
  const char *name = input->paths[1];
  Solving *s = array_new(1, sizeof *s, "the problem", error);
  StationaryOptions *changed = array_new(1, sizeof *changed, "options of the command", error);
  if (changed) *changed = *options;
  bool ok = s;
  ok = ok && changed;
  ok = ok && stationary_formulas_check(options, error);
  ok = ok && (!options->json[0] || atomic_file_check(options->json, error));
  ok = ok && show_check(&options->show, error);
  ok = ok && make_mesh(name, options, &s->mesh, error);
  ok = ok && stationary_options_settle(changed, &s->mesh, name, error);
  ok = ok && (!options->field[0] || (s->field = node_values_read(options->field, &s->mesh, error)));
  ok = ok && stationary_formulas_read(&s->formulas, options, &s->mesh, s->field, name, error);
  ok = ok && stationary_factors(set_largest(&s->formulas, options), &s->mesh, error);
  ok = ok && (!options->output[0] || cell_mesh_write_check(options->output, s->mesh.shape, true, error));
  if (ok) {
    s->name = name;
    ok = solving_create(s, options, error);
    ok = ok && solve_first(s, changed, error);
    ok = ok && check_converged(s, error);
    ok = ok && show(s, changed, error);
  }

  if (s) solving_destroy(s);
  free(s);
  free(changed);
  return ok;
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(StationaryOptions *)options = stationary_option_defaults();
}

// Sets options->problem from the first word after the command, the name of a problem.
static bool check_problem(const CommandInput *input, Error *error) {
  StationaryOptions *options = input->options;
  for (int k = 0; stationary_problems[k]; k++) {
    options->problem = k;
    if (strcmp(input->paths[0], stationary_problems[k]) == 0) return true;
  }
  return error_set(error, "%.200s: unknown problem, expected poisson, plate or elasticity", input->paths[0]);
}

extern const CommandRow stationary_command;
const CommandRow stationary_command = {
  .name = "solve",
  .usage = "poisson|plate|elasticity square|cube|MESH [OPTION]...",
  .summary =
      "Solves a stationary problem on a grid or a mesh. The problem poisson is -div(k grad phi) = f, plate is a thin "
      "plate that bends, and elasticity is a body with small strains. Sources and boundary values are formulas.",
  .options = stationary_options,
  .options_size = sizeof(StationaryOptions),
  .takes = TAKES_PATHS,
  .path_count = 2,
  .prepare = prepare,
  .check = check_problem,
  .run = run_stationary,
};
