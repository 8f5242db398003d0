// Where a surface goes through itself: see crossing_marks.h.
#include "sim/crossing_marks.h"

#include <stdlib.h>

#include "base/array.h"
#include "mesh/surface.h"
#include "sim/contact/crossing.h"

struct CrossingMarks {
  Space space;
  Skin skin;
};

bool crossing_marks_create(CrossingMarks **marks, const TetMesh *mesh, Error *error) {
  CrossingMarks *made = array_new(1, sizeof *made, "contact", error);
  Surface surface = { 0 };
  const bool ok =
      made && space_create(&made->space, mesh, 3, error) && surface_create(&surface, mesh, error) &&
      skin_create(&made->skin, &made->space, (const int(*)[3])surface.triangle, surface.triangle_count, NULL, error);
  surface_destroy(&surface);
  if (ok)
    *marks = made;
  else
    crossing_marks_destroy(made);
  return ok;
}

void crossing_marks_destroy(CrossingMarks *marks) {
  if (!marks) return;
  skin_destroy(&marks->skin);
  space_destroy(&marks->space);
  free(marks);
}

bool crossing_marks_look(CrossingMarks *marks, const double (*x)[3], uint8_t *node, int64_t *count, Error *error) {
  Crossings crossings;
  if (!mark_crossings(&marks->skin, x, node, &crossings, error)) return false;
  *count = crossings.count;
  return true;
}
