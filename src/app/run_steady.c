// `pliant solve --problem`: see run_steady.h.
#include "app/run_steady.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "mesh/tet_mesh.h"
#include "scene/json_file.h"

#define AT(field) OPTION_AT(SteadyOptions, field)
const Option steady_options[] = {
  { "problem", OPTION_CHOICE, AT(problem), .choices = "poisson", .help = "what is solved" },
  { "size", OPTION_VECTOR, AT(grid.size), OPTION_AT_LEAST(0), .unit = "X,Y,Z",
    .help = "sides of a square or cube, m [1,1,1]" },
  { "cells", OPTION_INTEGER, AT(grid.cells), OPTION_FROM_TO(1, 100000), .help = "of a grid, over its shortest side" },
  GRID_OPTIONS(SteadyOptions, grid),
  { "source", OPTION_NUMBER, AT(source), OPTION_ANY, .help = "f" },
  { "boundary", OPTION_NUMBER, AT(boundary), OPTION_ANY, .help = "the value on the boundary" },
  { "conductivity", OPTION_NUMBER, AT(conductivity), OPTION_MORE_THAN(0), .help = "k" },
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
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write what was taken and reached as JSON" },
  { 0 },
};

SteadyOptions steady_option_defaults(void) {
  return (SteadyOptions){
    .grid = { .cells = 32, .degree = 1 }, .source = 1, .conductivity = 1, .settings = steady_defaults()
  };
}

// a grid, or a file of tets
static bool make_mesh(const char *name, const SteadyOptions *options, CellMesh *mesh, Error *error) {
  if (is_cell_grid(name)) return make_cell_grid(name, &options->grid, mesh, error);
  TetMesh tets = { 0 };
  if (!mesh_read(name, 1, &tets, error)) return false;
  *mesh = (CellMesh){ .shape = CELL_TET4,
                      .node_count = tets.node_count,
                      .cell_count = tets.tet_count,
                      .X = tets.X,
                      .cell = (int *)tets.tet,
                      .node_tag = tets.node_tag };
  tets.X = NULL, tets.tet = NULL, tets.node_tag = NULL;
  mesh_destroy(&tets);
  return true;
}

static bool write_json(const char *path, const SteadyElement *element, const CellMesh *mesh, const SteadySettings *s,
                       const SteadyReport *r, Error *error) {
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
  cJSON_AddNumberToObject(root, "create_s", r->create_seconds);
  cJSON_AddNumberToObject(root, "assemble_s", r->assemble_seconds);
  cJSON_AddNumberToObject(root, "solve_s", r->solve_seconds);
  const bool ok = write_json_file(path, root, error);
  cJSON_Delete(root);
  return ok;
}

static bool solve(const char *name, const CellMesh *mesh, const SteadyOptions *options, Error *error) {
  bool ok = false;
  Steady *steady = NULL;
  SteadySettings settings = options->settings;
  const SteadyElement *element = steady_element(options->element, "poisson", mesh->shape, error);
  uint8_t *fixed = array_new(mesh->node_count, 1, "held nodes", error);
  double *source = array_new(mesh->node_count, sizeof *source, "sources", error);
  double *value = array_new(mesh->node_count, sizeof *value, "values", error);
  if (!element || !fixed || !source || !value || !cell_mesh_boundary(mesh, fixed, error)) goto done;
  for (int a = 0; a < mesh->node_count; a++) source[a] = options->source, value[a] = options->boundary;
  const SteadyProblem problem = { .mesh = mesh,
                                  .element = element,
                                  .material = { options->conductivity },
                                  .source = source,
                                  .fixed = fixed,
                                  .value = value };
  if (!steady_create(&steady, &problem, &settings, error)) goto done;
  const SteadyReport *r = steady_report(steady);
  printf("%s, %s on %s (%s), %s, assembly %s, matrix %s, solver %s\n%d nodes, %d cells, %d of %d unknowns free\n", name,
         element->name, device_name(settings.device), device_model(settings.device), precision_name(settings.precision),
         settings.assembly, settings.matrix, settings.solver, mesh->node_count, mesh->cell_count, r->free_count, r->n);
  double *u = value;
  if (!steady_assemble(steady, error) || !steady_solve(steady, error) || !steady_result(steady, u, error)) goto done;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int a = 0; a < mesh->node_count; a++) low = fmin(low, u[a]), high = fmax(high, u[a]);
  printf("%s after %d iterations, ||r||/||b|| %.3g (computed anew %.3g)\nfrom %.9g to %.9g\n", r->end, r->iterations,
         r->relative, r->residual, low, high);
  printf("made in %.3g s, assembled in %.3g s, solved in %.3g s\n", r->create_seconds, r->assemble_seconds,
         r->solve_seconds);
  const CellField field = { "phi", 1, false, u };
  ok = (!options->output[0] || cell_mesh_write(options->output, mesh, &field, 1, error)) &&
       (!options->json[0] || write_json(options->json, element, mesh, &settings, r, error)) &&
       (r->converged || error_set(error, "%s: %s after %d iterations", name, r->end, r->iterations));
done:
  steady_destroy(steady);
  free(fixed), free(source), free(value);
  return ok;
}

bool run_steady(const char *name, const SteadyOptions *options, Error *error) {
  CellMesh mesh = { 0 };
  if ((options->json[0] && !atomic_file_check(options->json, error)) || !make_mesh(name, options, &mesh, error))
    return false;
  const bool ok = (!options->output[0] || cell_mesh_write_check(options->output, mesh.shape, true, error)) &&
                  solve(name, &mesh, options, error);
  cell_mesh_destroy(&mesh);
  return ok;
}
