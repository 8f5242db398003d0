// `pliant validate`: computes Table 16.1 of paper 000 on this machine. Assembles the matrices of deformed spheres and
// of the scene's body by each assembly method, in each matrix format, on each device. Compares each matrix with that of
// a simple assembly in double precision.
#include "app/command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "mesh/grid.h"
#include "scene/json_file.h"
#include "scene/scene_body.h"
#include "sim/element/element_row.h"
#include "sim/validation.h"

typedef struct ValidateOptions {
  int precision;                 // the Precision of the compared methods
  char json[SCENE_PATH_LENGTH];  // file for all errors as JSON; empty: none
} ValidateOptions;

#define AT(field) OPTION_AT(ValidateOptions, field)
static const Option validate_options[] = {
  { "precision", OPTION_CHOICE, AT(precision), .choices = "float|double",
    .help = "floating-point precision of the compared methods" },
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write all errors as JSON" },
  { 0 },
};

enum { MESHES = 5 };
// Factor on the error bound with --supplemental qr. This option selects elements that compute strains from node
// positions (tet4_qr.h); the default elements compute strains from displacements. The rounding error of a position is
// proportional to the size of the body. In the strain, this error is divided by the length of an edge, so it is large
// for bodies with many cells.
enum { QR_ROUNDING = 100 };

// Returns the bound of the relative error of an assembled matrix or vector. The relative rounding error of one
// operation in single precision is 6e-8. An entry of the matrix is a sum of five terms with a few rounding errors each;
// the bound for the error of the sum is 3e-7. With several quadrature points per cell the bound is 6 times as large,
// because forces are small differences of large terms.
static double bound_of(Precision precision, CellShape shape) {
  return (precision == PRECISION_F32 ? 3e-7 : 3e-14) * (shape == CELL_TET4 ? 1 : 6);
}

typedef struct Table {
  TetMesh mesh[MESHES];
  char name[MESHES][SCENE_PATH_LENGTH];
  Validation *validation[MESHES];
  Precision precision;
  // name of the element on all meshes: "tet4_qr" with --supplemental qr, otherwise the cell shape of the scene's body,
  // such as "tet4"
  const char *shape;
  double bound;
  int checked, failed;
  cJSON *rows;
} Table;

// Makes a distorted box of hexes. If the scene's body has hexes, such boxes are used in place of the spheres; this one
// replaces sphere number k.
static bool make_hexes(int k, char name[SCENE_PATH_LENGTH], TetMesh *mesh, Error *error) {
  static const int cells[MESHES - 1] = { 3, 5, 9, 12 };
  const Grid grid = {
    .shape = CELL_HEX8, .cells = { cells[k], cells[k], cells[k] }, .size = { 1, 1, 1 }, .distort = 0.15, .seed = 1
  };
  CellMesh made = { 0 };
  snprintf(name, SCENE_PATH_LENGTH, "%d x %d x %d hexes", cells[k], cells[k], cells[k]);
  return grid_make(&grid, &made, error) && cell_mesh_to_body(&made, mesh, error);
}

static bool open_meshes(Table *t, const Scene *scene, Error *error) {
  static const char *const spheres[MESHES - 1] = { "meshes/sphere_63.msh", "meshes/sphere_305.msh",
                                                   "meshes/sphere_1700.msh", "meshes/sphere_3600.msh" };
  memcpy(t->name[MESHES - 1], scene->shape_count || scene->body_count ? scene->path : scene->mesh, sizeof scene->mesh);
  if (!scene_body(scene, &t->mesh[MESHES - 1], error)) return false;
  const CellShape shape = mesh_shape(&t->mesh[MESHES - 1]);
  t->shape = cell_shape_info(shape)->name;
  t->bound = bound_of(t->precision, shape);
  if (scene->simulation.supplemental == SUPPLEMENTAL_QR) {
    if (shape != CELL_TET4)
      return error_set(error, "supplemental \"qr\" supports only linear tets; use supplemental \"full\" with %s",
                       t->shape);
    t->shape = "tet4_qr";
    t->bound *= QR_ROUNDING;
  }

  if (!element_open(t->shape, NULL, error)) return false;
  for (int k = 0; k < MESHES; k++) {
    TetMesh *mesh = &t->mesh[k];
    if (k < MESHES - 1 && shape != CELL_HEX8) asset_path(spheres[k], t->name[k]);
    if (k < MESHES - 1 && !(shape == CELL_HEX8 ? make_hexes(k, t->name[k], mesh, error)
                                               : mesh_read(t->name[k], scene->simulation.degree, mesh, error)))
      return false;

    // only bodies with the same stiffness everywhere are validated, so factors on the stiffness of cells are removed
    free(mesh->stiffness);
    free(mesh->ratio);
    mesh->stiffness = mesh->ratio = NULL;
    if (!interrupt_check(error) || !validation_create(&t->validation[k], mesh, error)) return false;
  }
  return true;
}

static void print_head(const Table *t) {
  char cells[24];
  snprintf(cells, sizeof cells, "nodes, %s", mesh_cell_word(&t->mesh[0]));
  printf("%-32s", cells);
  for (int k = 0; k < MESHES; k++) {
    char label[32];
    snprintf(label, sizeof label, "%d, %d", t->mesh[k].node_count, t->mesh[k].tet_count);
    printf(" %14s", label);
  }
  printf("\n");
}

// Compares one assembly in one matrix format with the simple assembly in double (validation_run) on all meshes, and
// prints a row of the table.
static bool check_row(Table *t, const Stage *assembly, const Stage *matrix, Error *error) {
  char label[64];
  snprintf(label, sizeof label, "%s %s, %s", assembly->name, matrix->name, device_name(assembly->device));
  if (!device_present(assembly->device)) {
    printf("%-32s skipped: %s\n", label, device_absence());
    return true;
  }
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "assembly", assembly->name);
  cJSON_AddStringToObject(row, "matrix", matrix->name);
  cJSON_AddStringToObject(row, "device", device_name(assembly->device));
  cJSON *errors = cJSON_AddArrayToObject(row, "matrix_errors"), *vectors = cJSON_AddArrayToObject(row, "vector_errors");
  printf("%-32s", label);
  bool ok = true;
  for (int k = 0; ok && k < MESHES; k++) {
    ValidationErrors e;
    ok = interrupt_check(error) && (validation_run(t->validation[k], assembly, matrix, &e, error) ||
                                    error_prefix(error, "%s, %s", label, t->name[k]));
    if (!ok) break;
    const bool good = e.matrix <= t->bound && e.vector <= t->bound;
    t->checked++;
    t->failed += !good;
    printf(" %13.2e%c", e.matrix, good ? ' ' : '!');
    fflush(stdout);
    json_append(errors, cJSON_CreateNumber(e.matrix));
    json_append(vectors, cJSON_CreateNumber(e.vector));
  }

  json_append(t->rows, row);
  printf("\n");
  return ok;
}

static bool check_all(Table *t, Error *error) {
  const Stage *assembly, *matrix;
  for (int a = 0; (assembly = simulation_stage(STAGE_ASSEMBLY, t->shape, a)); a++)
    for (int m = 0; (matrix = simulation_stage(STAGE_OPERATOR, t->shape, m)); m++) {
      if (assembly->precision != t->precision || matrix->precision != t->precision ||
          assembly->device != matrix->device || !simulation_stores(matrix) || !stage_fits(assembly, matrix))
        continue;
      if (!check_row(t, assembly, matrix, error)) return false;
    }
  return true;
}

static bool run_validate(const CommandInput *input, Error *error) {
  const ValidateOptions *options = input->options;
  Table t = {
    .precision = (Precision)options->precision,
  };
  if (options->json[0] && !atomic_file_check(options->json, error)) return false;
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "cpu", device_model(DEVICE_CPU));
  cJSON_AddStringToObject(root, "gpu", device_present(DEVICE_CUDA) ? device_model(DEVICE_CUDA) : "none");
  cJSON_AddStringToObject(root, "precision", precision_name(t.precision));
  cJSON *meshes = cJSON_AddArrayToObject(root, "meshes");
  t.rows = cJSON_AddArrayToObject(root, "rows");
  bool ok = open_meshes(&t, input->scene, error);
  if (ok) {
    cJSON_AddNumberToObject(root, "degree", input->scene->simulation.degree);
    cJSON_AddStringToObject(root, "shape", t.shape);
    cJSON_AddNumberToObject(root, "bound", t.bound);
    for (int k = 0; k < MESHES; k++) {
      cJSON *mesh = cJSON_CreateObject();
      const char *slash = strrchr(t.name[k], '/');
      cJSON_AddStringToObject(mesh, "file", slash ? slash + 1 : t.name[k]);
      cJSON_AddNumberToObject(mesh, "nodes", t.mesh[k].node_count);
      cJSON_AddNumberToObject(mesh, "tets", t.mesh[k].tet_count);
      json_append(meshes, mesh);
    }
    printf(
        "relative L2 errors of the tangent matrices that assembly methods compute in %s, for deformed bodies; the "
        "reference is computed in double. ! marks an error of the tangent or of the forces above the bound\n",
        precision_name(t.precision));
    print_head(&t);
    ok = check_all(&t, error);
    if (ok)
      printf("errors of tangent and forces are at most %.0e in %d of %d comparisons, one per method and mesh\n",
             t.bound, t.checked - t.failed, t.checked);
  }

  for (int k = 0; k < MESHES; k++) {
    validation_destroy(t.validation[k]);
    mesh_destroy(&t.mesh[k]);
  }
  ok = ok && (!options->json[0] || write_json_file(options->json, root, error));
  cJSON_Delete(root);
  return ok && (t.failed == 0 || error_set(error, "errors above %.0e in %d of %d comparisons, one per method and mesh",
                                           t.bound, t.failed, t.checked));
}

extern const CommandRow validate_command;
const CommandRow validate_command = {
  .name = "validate",
  .usage = "[OPTION]... [SCENE|MESH]",
  .summary =
      "Compares the matrices and forces of every assembly method with those of a simple implementation in double "
      "precision, in every matrix format on every device. The meshes are four spheres and the scene's body.",
  .options = validate_options,
  .options_size = sizeof(ValidateOptions),
  .only = "mesh|shapes|bodies|scale|degree|supplemental",
  .default_scene = "scenes/hand.json",
  .run = run_validate,
};
