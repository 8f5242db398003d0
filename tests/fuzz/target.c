// Passes one input to one reader: see target.h.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args_target.h"
#include "calls_target.h"
#include "live_target.h"
#include "mesh/mesh_field.h"
#include "mesh/tet_mesh.h"
#include "render/environment_light.h"
#include "scene/scene.h"
#include "target.h"

static const char *const formats[] = { "msh",    "mesh", "meshb",      "node", "vtk",  "vtu",     "veg",   "inp",
                                       "msh.gz", "json", "checkpoint", "log",  "args", "numbers", "calls", "hdr" };
static const char *chosen;

bool fuzz_choose(const char *format) {
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
    if (strcmp(formats[k], format) == 0) chosen = formats[k];
  return chosen != NULL;
}

static void write_file(const char *path, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
    perror(path);
    abort();
  }
}

static void check(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "a reader is wrong: expected %s\n", what);
  abort();
}

static void read_scene(const char *path) {
  static Scene scene;
  Error error = { 0 };
  const bool ok = scene_read(&scene, path, &error);
  check(ok != (error.message[0] != 0), "a scene or a message");
}

static void read_environment(const char *path) {
  Error error = { 0 };
  EnvironmentLight *light = environment_light_read(path, &error);
  check((light != NULL) != (error.message[0] != 0), "light or a message");
  for (int k = 0; light && k < ENVIRONMENT_TERMS; k++) check(isfinite(light->diffuse[k][0]), "finite light");
  free(light);
}

static void read_degree(const char *path, int degree) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  const bool ok = mesh_read(path, degree, &mesh, &error);
  check(ok != (error.message[0] != 0), "a mesh or a message");
  check(ok || !mesh.X, "no mesh if there is a message");
  for (int e = 0; e < mesh.tet_count; e++) {
    check(mesh_tet_volume(&mesh, e) > 0, "tets with volume");
    check((mesh.middle != NULL) == (degree == 2), "a mesh of the requested degree");
    check(!mesh.hex || !mesh.tet, "one shape of cells");
    for (int a = 0; a < mesh_cell_nodes(&mesh); a++)
      check(mesh_cell_node(&mesh, e, a) >= 0 && mesh_cell_node(&mesh, e, a) < mesh.node_count,
            "cells whose nodes exist");
  }
  mesh_destroy(&mesh);
}

// Reads a field of a mesh file. The corpus has files with a field "E", one value per cell, or "shift", three per node.
static void read_field(const char *path, bool on_cells) {
  const MeshField field = { on_cells ? "E" : "shift", on_cells, on_cells ? 1 : 3 };
  TetMesh mesh = { 0 };
  Error error = { 0 };
  double *values = NULL;
  const bool ok = mesh_read_field(path, 2, &field, &mesh, &values, &error);
  check(ok == (values != NULL), "values or a message");
  const int64_t count = ok ? (int64_t)field.components * (on_cells ? mesh.tet_count : mesh.node_count) : 0;
  for (int64_t k = 0; k < count; k++) check(isfinite(values[k]), "finite values");
  free(values);
  mesh_destroy(&mesh);
}

static void read_mesh(const char *path) {
  for (int degree = 1; degree <= 2; degree++) read_degree(path, degree);
  for (int on_cells = 0; on_cells < 2; on_cells++) read_field(path, on_cells);
}

// Writes a pair of TetGen files: the bytes before the first 0xff to the .node file, the bytes after it to the .ele
// file.
static void fuzz_node_pair(const char *folder, const char *path, const uint8_t *data, size_t size) {
  char other[64];
  const uint8_t *split = size ? memchr(data, 0xff, size) : NULL;
  const size_t first = split ? (size_t)(split - data) : size;
  snprintf(other, sizeof other, "%s/pliant_fuzz_%d.ele", folder, (int)getpid());
  write_file(path, data, first);
  if (split) write_file(other, split + 1, size - first - 1);
  read_mesh(path);
  remove(other);
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (strcmp(chosen, "calls") == 0) {
    fuzz_calls(data, size);
    return;
  }
  if (strcmp(chosen, "args") == 0) {
    fuzz_command_line(data, size);
    return;
  }
  char path[64];
  const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(path, sizeof path, "%s/pliant_fuzz_%d.%s", folder, (int)getpid(), chosen);
  if (strcmp(chosen, "checkpoint") == 0) {
    fuzz_checkpoint(folder, path, data, size);
  } else if (strcmp(chosen, "numbers") == 0) {
    fuzz_numbers(path, data, size);
  } else if (strcmp(chosen, "log") == 0) {
    fuzz_input_log(folder, path, data, size);
  } else if (strcmp(chosen, "node") == 0) {
    fuzz_node_pair(folder, path, data, size);
  } else {
    write_file(path, data, size);
    if (strcmp(chosen, "json") == 0)
      read_scene(path);
    else if (strcmp(chosen, "hdr") == 0)
      read_environment(path);
    else
      read_mesh(path);
  }
  remove(path);
}
