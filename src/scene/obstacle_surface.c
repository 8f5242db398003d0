// Reads the triangles of a mesh obstacle from a file: see obstacle_surface.h.
#include "scene/obstacle_surface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/path.h"
#include "mesh/surface_polygons.h"

enum { CORNERS_MAX = 1 << 28 };  // larger counts of corners would overflow an int

bool obstacle_surface_check(const char *path, Error *error) {
  if (!path_ends_with(path, ".obj") && !path_ends_with(path, ".stl") && !path_ends_with(path, ".off"))
    return error_set(error, "%s: the mesh of an obstacle must be a surface of triangles in a .obj, .stl or .off file",
                     path);
  return access(path, R_OK) == 0 || error_set(error, "%s: %s", path, strerror(errno));
}

// Returns true if the triangle with corners a, b and c has an area above 0.
static bool has_area(const double a[3], const double b[3], const double c[3]) {
  double u[3], v[3], area2 = 0;
  for (int i = 0; i < 3; i++) {
    u[i] = b[i] - a[i];
    v[i] = c[i] - a[i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    area2 += (u[j] * v[k] - u[k] * v[j]) * (u[j] * v[k] - u[k] * v[j]);
  }
  return area2 > 0;
}

static bool take(const Polygons *p, const char *path, ObstacleSurface *s, Error *error) {
  if (p->corner_count > CORNERS_MAX || p->vertex_count > CORNERS_MAX)
    return error_set(error, "%s: the faces have %lld corners, too many for an obstacle; simplify the surface", path,
                     (long long)p->corner_count);

  // new index of each vertex, plus 1; 0: not copied yet
  int *new_vertex = array_new(p->vertex_count, sizeof *new_vertex, "vertices", error);
  s->X = array_new(p->vertex_count, sizeof *s->X, "vertices", error);
  s->triangle = array_new(p->corner_count, sizeof *s->triangle, "triangles", error);
  const bool ok = new_vertex && s->X && s->triangle;
  for (int64_t f = 0; ok && f < p->polygon_count; f++)
    for (int k = 2; k < p->polygon[f].count; k++) {
      const int64_t *own = p->corner + p->polygon[f].first, corner[3] = { own[0], own[k - 1], own[k] };
      if (!has_area(p->X[corner[0]], p->X[corner[1]], p->X[corner[2]])) continue;
      for (int j = 0; j < 3; j++) {
        if (!new_vertex[corner[j]]) {
          memcpy(s->X[s->vertex_count], p->X[corner[j]], sizeof *s->X);
          new_vertex[corner[j]] = ++s->vertex_count;
        }
        s->triangle[s->triangle_count][j] = new_vertex[corner[j]] - 1;
      }
      s->triangle_count++;
    }
  free(new_vertex);
  return ok && (s->triangle_count > 0 || error_set(error, "%s: all triangles have zero area", path));
}

bool obstacle_surface_read(const char *path, ObstacleSurface **surface, Error *error) {
  Polygons polygons = { 0 };
  if (!obstacle_surface_check(path, error) || !polygons_read(path, false, &polygons, error)) return false;
  ObstacleSurface *made = array_new(1, sizeof *made, "an obstacle", error);
  const bool ok = made && take(&polygons, path, made, error);
  polygons_destroy(&polygons);
  if (ok)
    *surface = made;
  else
    obstacle_surface_destroy(made);
  return ok;
}

void obstacle_surface_destroy(ObstacleSurface *surface) {
  if (!surface) return;
  free(surface->X);
  free(surface->triangle);
  free(surface);
}
