// Reads values at the nodes of a mesh from a text file: see node_values.h.
#include "mesh/node_values.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "mesh/format/text.h"
#include "mesh/tag_index.h"

// Reads one line: the number of a node in the mesh file, and its value, which is stored in values [node_count]. Values
// that were not read yet are NaN.
static bool read_value(Text *text, const TagIndex *tagged, const CellMesh *mesh, double *values, Error *error) {
  int64_t tag;
  double value;
  if (!text_int64(text, "node", INT64_MIN, INT64_MAX, &tag, error) ||
      !text_double(text, "the node's value", &value, error))
    return false;
  const int64_t node = tag_index_find(tagged, mesh->node_count, tag);
  if (node < 0) return error_set(error, "%s:%d: the mesh has no node %lld", text->path, text->line, (long long)tag);
  if (!isnan(values[node]))
    return error_set(error, "%s:%d: node %lld has a second value", text->path, text->line, (long long)tag);
  values[node] = value;
  return true;
}

double *node_values_read(const char *path, const CellMesh *mesh, Error *error) {
  Text text = { 0 };
  TagIndex *tagged = tag_index_new(mesh->node_tag, mesh->node_count, error);
  double *values = array_new(mesh->node_count, sizeof *values, "values at nodes", error);
  bool ok = tagged && values && text_open(&text, path, error);
  for (int a = 0; ok && a < mesh->node_count; a++) values[a] = NAN;
  while (ok && text_more_words(&text, '#')) ok = read_value(&text, tagged, mesh, values, error);
  for (int a = 0; ok && a < mesh->node_count; a++)
    if (isnan(values[a]))
      ok = error_set(error, "%s: the file has no value for node %lld", path, (long long)mesh->node_tag[a]);
  text_close(&text);
  free(tagged);
  if (ok) return values;
  free(values);
  return NULL;
}
