// `pliant validate`: see run_validate.h.
#include "app/run_validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "scene/json_file.h"
#include "scene/scene_body.h"
#include "sim/validation.h"

#define AT(field) OPTION_AT(ValidateOptions, field)
const Option validate_options[] = {
  { "precision", OPTION_CHOICE, AT(precision), .choices = "float|double", .help = "of the stages that are checked" },
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write all errors as JSON" },
  { 0 },
};

enum { MESHES = 5 };

// a float has 24 bits: entries are sums of some five terms, each off by a few roundings of 6e-8
// The forces of a quadratic tet are small against the terms that they are the sum of.
static double bound_of(Precision precision, int degree) {
  return (precision == PRECISION_F32 ? 3e-7 : 3e-14) * (degree == 2 ? 6 : 1);
}

typedef struct Table {
  TetMesh mesh[MESHES];
  char name[MESHES][SCENE_PATH_LENGTH];
  Validation *validation[MESHES];
  Precision precision;
  int degree;
  int checked, failed;
  cJSON *rows;
} Table;

static bool open_meshes(Table *t, const Scene *scene, Error *error) {
  static const char *const spheres[MESHES - 1] = { "meshes/sphere_63.msh", "meshes/sphere_305.msh",
                                                   "meshes/sphere_1700.msh", "meshes/sphere_3600.msh" };
  for (int k = 0; k < MESHES - 1; k++) asset_path(spheres[k], t->name[k]);
  memcpy(t->name[MESHES - 1], scene->shape_count || scene->body_count ? scene->path : scene->mesh, sizeof scene->mesh);
  for (int k = 0; k < MESHES; k++) {
    TetMesh *mesh = &t->mesh[k];
    if (!(k < MESHES - 1 ? mesh_read(t->name[k], t->degree, mesh, error) : scene_body(scene, mesh, error)))
      return false;
    // the elements looked at here are those of uniform bodies
    free(mesh->stiffness), free(mesh->ratio);
    mesh->stiffness = mesh->ratio = NULL;
    if (!interrupt_check(error) || !validation_create(&t->validation[k], mesh, error)) return false;
  }
  return true;
}

static void print_head(const Table *t) {
  printf("%-32s", "nodes, tets");
  for (int k = 0; k < MESHES; k++) {
    char label[32];
    snprintf(label, sizeof label, "%d, %d", t->mesh[k].node_count, t->mesh[k].tet_count);
    printf(" %14s", label);
  }
  printf("\n");
}

// one row: an assembly into a format, on all meshes
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
    const bool good = e.matrix <= bound_of(t->precision, t->degree) && e.vector <= bound_of(t->precision, t->degree);
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
  for (int a = 0; (assembly = simulation_stage(STAGE_ASSEMBLY, t->degree, a)); a++)
    for (int m = 0; (matrix = simulation_stage(STAGE_OPERATOR, t->degree, m)); m++) {
      if (assembly->precision != t->precision || matrix->precision != t->precision ||
          assembly->device != matrix->device || !simulation_stores(matrix) || !stage_fits(assembly, matrix))
        continue;
      if (!check_row(t, assembly, matrix, error)) return false;
    }
  return true;
}

bool run_validate(const Scene *scene, const ValidateOptions *options, Error *error) {
  Table t = { .precision = (Precision)options->precision, .degree = scene->simulation.degree };
  if (options->json[0] && !atomic_file_check(options->json, error)) return false;
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "cpu", device_model(DEVICE_CPU));
  cJSON_AddStringToObject(root, "gpu", device_present(DEVICE_CUDA) ? device_model(DEVICE_CUDA) : "none");
  cJSON_AddStringToObject(root, "precision", precision_name(t.precision));
  cJSON_AddNumberToObject(root, "degree", t.degree);
  cJSON_AddNumberToObject(root, "bound", bound_of(t.precision, t.degree));
  cJSON *meshes = cJSON_AddArrayToObject(root, "meshes");
  t.rows = cJSON_AddArrayToObject(root, "rows");
  bool ok = open_meshes(&t, scene, error);
  if (ok) {
    for (int k = 0; k < MESHES; k++) {
      cJSON *mesh = cJSON_CreateObject();
      const char *slash = strrchr(t.name[k], '/');
      cJSON_AddStringToObject(mesh, "file", slash ? slash + 1 : t.name[k]);
      cJSON_AddNumberToObject(mesh, "nodes", t.mesh[k].node_count);
      cJSON_AddNumberToObject(mesh, "tets", t.mesh[k].tet_count);
      json_append(meshes, mesh);
    }
    printf("relative L2 error of the tangent's entries, %s against a plain assembly in double, on deformed bodies\n",
           precision_name(t.precision));
    print_head(&t);
    ok = check_all(&t, error);
    if (ok)
      printf("%d of %d within %.0e, forces included\n", t.checked - t.failed, t.checked,
             bound_of(t.precision, t.degree));
  }
  for (int k = 0; k < MESHES; k++) {
    validation_destroy(t.validation[k]);
    mesh_destroy(&t.mesh[k]);
  }
  ok = ok && (!options->json[0] || write_json_file(options->json, root, error));
  cJSON_Delete(root);
  return ok && (t.failed == 0 || error_set(error, "%d of %d assemblies are off by more than %.0e", t.failed, t.checked,
                                           bound_of(t.precision, t.degree)));
}
