// Collects the values of one field of a mesh file: see file_field.h.
#include "mesh/format/file_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/tag_index.h"

void file_field_destroy(FileField *f) {
  free(f->tag);
  free(f->value);
  free(f->cell);
  free(f->hex);
  *f = (FileField){ 0 };
}

void file_field_list(FileField *f, const char *name, int length) {
  const size_t used = strlen(f->known);
  if (used + 4 < sizeof f->known)
    snprintf(f->known + used, sizeof f->known - used, "%s%.*s", used ? ", " : "", length, name);
}

bool file_field_grow(FileField *f, int64_t count, Error *error) {
  const int components = f->wanted.components;
  void *tags = f->tag, *values = f->value;
  bool ok = array_reserve(&tags, &f->tag_capacity, f->count + count, sizeof *f->tag, "a field", error);
  f->tag = tags;
  ok = ok &&
       array_reserve(&values, &f->value_capacity, (f->count + count) * components, sizeof *f->value, "a field", error);
  f->value = values;
  if (ok) f->count += count;
  return ok;
}

bool file_field_cell(FileField *f, bool hex, int64_t number, Error *error) {
  void *items = hex ? f->hex : f->cell;
  int64_t *count = hex ? &f->hex_count : &f->cell_count;
  const bool ok =
      array_reserve(&items, hex ? &f->hex_capacity : &f->cell_capacity, *count + 1, sizeof *f->cell, "cells", error);
  *(hex ? &f->hex : &f->cell) = items;
  if (ok) (hex ? f->hex : f->cell)[(*count)++] = number;
  return ok;
}

// Returns the values, one per component, of the node or cell with this tag (its number in the file). Returns NULL if
// the file has no values for it. entry [f->count] lists the tags of all values, sorted.
static const double *value_of(const FileField *f, const TagIndex *entry, int64_t tag) {
  const int64_t at = tag_index_find(entry, f->count, tag);
  return at < 0 ? NULL : f->value + at * f->wanted.components;
}

// Sets the values at nodes on edges and faces that have no value in the file: interpolates between the corners of a
// cell. known [node_count] is 0 for nodes without a value in the file.
static void fill_raised(const FileField *f, const TetMesh *mesh, const uint8_t *known, double *values) {
  const int components = f->wanted.components;
  for (int e = 0; mesh_degree(mesh) > 1 && e < mesh->tet_count; e++)
    for (int a = 4; a < mesh_cell_nodes(mesh); a++) {
      const int node = mesh_cell_node(mesh, e, a);
      double part[4];
      if (known[node]) continue;
      cell_shape_part(mesh_shape(mesh), a, part);
      for (int i = 0; i < components; i++) {
        double sum = 0;
        for (int c = 0; c < 4; c++) sum += part[c] * values[(int64_t)mesh->tet[e][c] * components + i];
        values[(int64_t)node * components + i] = sum;
      }
    }
}

static bool fill_nodes(const FileField *f, const TagIndex *entry, const char *path, const TetMesh *mesh, uint8_t *known,
                       double *values, Error *error) {
  const size_t size = sizeof *values * (size_t)f->wanted.components;
  for (int a = 0; a < mesh->node_count; a++) {
    const double *from = value_of(f, entry, mesh->node_tag[a]);
    if (from) memcpy(values + (int64_t)a * f->wanted.components, from, size);
    known[a] = from != NULL;
  }
  for (int e = 0; e < mesh->tet_count; e++)
    for (int c = 0; c < mesh_corners(mesh); c++) {
      const int node = mesh_cell_node(mesh, e, c);
      if (!known[node])
        return error_set(error, "%s: the field \"%s\" has no value for node %lld", path, f->wanted.name,
                         (long long)mesh->node_tag[node]);
    }
  fill_raised(f, mesh, known, values);
  return true;
}

static bool fill_cells(const FileField *f, const TagIndex *entry, const char *path, const TetMesh *mesh, double *values,
                       Error *error) {
  const int64_t *number = mesh->hex ? f->hex : f->cell;
  for (int e = 0; e < mesh->tet_count; e++) {
    const double *from = value_of(f, entry, number[e]);
    if (!from)
      return error_set(error, "%s: the field \"%s\" has no value for element %lld", path, f->wanted.name,
                       (long long)number[e]);
    memcpy(values + (int64_t)e * f->wanted.components, from, sizeof *values * (size_t)f->wanted.components);
  }
  return true;
}

bool file_field_finish(FileField *f, const char *path, const TetMesh *mesh, double *values, Error *error) {
  const char *kind = f->wanted.on_cells ? "cells" : "nodes";
  if (!f->found)
    return error_set(error, "%s: no field of the %s has the name \"%s\"; there are: %s", path, kind, f->wanted.name,
                     f->known[0] ? f->known : "none");
  for (int64_t k = 0; k < f->count * f->wanted.components; k++)
    if (!isfinite(f->value[k]))
      return error_set(error, "%s: the field \"%s\" is %g in %s %lld, expected a finite number", path, f->wanted.name,
                       f->value[k], f->wanted.on_cells ? "cell" : "node", (long long)f->tag[k / f->wanted.components]);
  TagIndex *entry = tag_index_new(f->tag, f->count, error);
  uint8_t *known = array_new(mesh->node_count, 1, "a field", error);
  const bool ok = entry && known &&
                  (f->wanted.on_cells ? fill_cells(f, entry, path, mesh, values, error)
                                      : fill_nodes(f, entry, path, mesh, known, values, error));
  free(entry);
  free(known);
  return ok;
}
