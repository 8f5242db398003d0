// How a body is drawn: scenes and the window choose it, the renderer follows it.
#pragma once
#include <stdbool.h>

#include "base/field_kind.h"

typedef struct Style {
  FieldKind field;       // the colours; FIELD_NONE: the material's own
  double low, high;      // the colours' range; both 0: what has been seen so far
  bool wireframe, pins;  // edges of the triangles; pinned nodes
  bool section;          // only tets whose centre at rest lies below `section_at` are drawn, with the faces inside
  int section_axis;      // x, y, z
  double section_at;     // 0 to 1 of the body's bounding box at rest
  bool section_flip;     // or those above
} Style;
