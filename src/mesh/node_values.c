// Reads values at nodes: see node_values.h.
#include "mesh/node_values.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "mesh/format/text.h"

// A node: its index in the mesh and its number in the file.
typedef struct Tagged {
  int64_t tag;
  int node;
} Tagged;

static int compare_tags(const void *left, const void *right) {
  const int64_t a = ((const Tagged *)left)->tag, b = ((const Tagged *)right)->tag;
  return (a > b) - (a < b);
}

// Reads one node's number and its value into values [node_count], which has NaN for nodes without a value so far.
static bool read_value(Text *text, const Tagged *tagged, const CellMesh *mesh, double *values, Error *error) {
  Tagged wanted = { 0 };
  double value;
  if (!text_int64(text, "node", INT64_MIN, INT64_MAX, &wanted.tag, error) ||
      !text_double(text, "the node's value", &value, error))
    return false;
  const Tagged *found = bsearch(&wanted, tagged, (size_t)mesh->node_count, sizeof *tagged, compare_tags);
  if (!found)
    return error_set(error, "%s:%d: the mesh has no node %lld", text->path, text->line, (long long)wanted.tag);
  if (!isnan(values[found->node]))
    return error_set(error, "%s:%d: a second value for node %lld", text->path, text->line, (long long)wanted.tag);
  values[found->node] = value;
  return true;
}

double *node_values_read(const char *path, const CellMesh *mesh, Error *error) {
  Text text = { 0 };
  Tagged *tagged = array_new(mesh->node_count, sizeof *tagged, "nodes", error);
  double *values = array_new(mesh->node_count, sizeof *values, "values at nodes", error);
  bool ok = tagged && values && text_open(&text, path, error);
  for (int a = 0; ok && a < mesh->node_count; a++) tagged[a] = (Tagged){ mesh->node_tag[a], a }, values[a] = NAN;
  ok = ok && sort_items(tagged, mesh->node_count, sizeof *tagged, compare_tags, error);
  while (ok && text_more_words(&text, '#')) ok = read_value(&text, tagged, mesh, values, error);
  for (int a = 0; ok && a < mesh->node_count; a++)
    if (isnan(values[a])) ok = error_set(error, "%s: no value for node %lld", path, (long long)mesh->node_tag[a]);
  text_close(&text);
  free(tagged);
  if (ok) return values;
  free(values);
  return NULL;
}
