// Finds the faces that a cut has opened: see opened_faces.h.
#include "mesh/opened_faces.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

// Returns a hash of a rest position.
static uint32_t hash_of(const double X[3]) {
  uint64_t hash = 0;
  for (int i = 0; i < 3; i++) {
    const double number = X[i] + 0.0;  // 0 instead of -0
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return (uint32_t)hash;
}

// Returns true if two triangles of one body have corners at equal rest positions.
static bool are_together(const TetMesh *mesh, const int a[3], const int b[3]) {
  if (mesh_body(mesh, a[0]) != mesh_body(mesh, b[0])) return false;
  for (int i = 0; i < 3; i++) {
    bool found = false;
    for (int j = 0; j < 3 && !found; j++) {
      const double *x = mesh->X[a[i]], *y = mesh->X[b[j]];
      found = x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
    }
    if (!found) return false;
  }
  return true;
}

bool surface_find_opened(const Surface *surface, const TetMesh *mesh, uint8_t *opened, Error *error) {
  const int count = surface->triangle_count;

  // hash of the corners in the upper 32 bits, number of the triangle in the lower ones
  uint64_t *word = array_new(count, sizeof *word, "surface triangles", error);
  if (!word) return false;
  for (int t = 0; t < count; t++) {
    uint32_t hash = 0;
    for (int c = 0; c < 3; c++) hash += hash_of(mesh->X[surface->triangle[t][c]]);
    word[t] = (uint64_t)hash << 32 | (uint32_t)t;
    opened[t] = 0;
  }
  const bool ok = sort_words(word, count, error);
  for (int k = 0; ok && k < count; k++)
    for (int j = k + 1; j < count && word[j] >> 32 == word[k] >> 32; j++) {
      const uint32_t a = (uint32_t)word[k], b = (uint32_t)word[j];
      if (are_together(mesh, surface->triangle[a], surface->triangle[b])) opened[a] = opened[b] = 1;
    }
  free(word);
  return ok;
}
