// How a body is drawn: scenes and the window choose it, the renderer follows it.
#pragma once
#include <stdbool.h>

#include "base/field_kind.h"

typedef enum ColorMap {
  COLOR_MAP_AUTO,
  COLOR_MAP_VIRIDIS,
  COLOR_MAP_CIVIDIS,
  COLOR_MAP_COOLWARM,
  COLOR_MAP_TURBO
} ColorMap;
#define COLOR_MAP_NAMES "auto|viridis|cividis|coolwarm|turbo"

typedef enum FieldRange { FIELD_RANGE_SEEN, FIELD_RANGE_FOLLOW } FieldRange;
#define FIELD_RANGE_NAMES "seen|follow"

typedef enum SectionCut { SECTION_SMOOTH, SECTION_TETS } SectionCut;
#define SECTION_CUT_NAMES "smooth|tets"

typedef enum Occlusion { OCCLUSION_ON, OCCLUSION_OFF } Occlusion;
#define OCCLUSION_NAMES "on|off"

// Of a node, beside its pins: the surface goes through itself there.
enum { MARK_CROSSES = 128 };

typedef struct Style {
  FieldKind field;       // the colours; FIELD_NONE: the material's own
  const char *title;     // of FIELD_GIVEN, borrowed; of others NULL
  const char *unit;      // likewise
  ColorMap color_map;    // how they are chosen; COLOR_MAP_AUTO: by what the field is
  double low, high;      // the colours' range; both 0: as the next says
  FieldRange range;      // what has been seen so far, or what each picture has
  bool wireframe, pins;  // edges of the triangles; pinned nodes
  bool scale;            // a bar of known length
  VectorKind vectors;    // arrows at nodes
  Occlusion occlusion;   // whether the body keeps the sky's light from itself
  bool section;          // only what at rest lies below `section_at` is drawn
  SectionCut cut;        // by a plane through the tets, or whole tets by their centres, with the faces inside
  int section_axis;      // x, y, z
  double section_at;     // 0 to 1 of the body's bounding box at rest
  bool section_flip;     // or those above
} Style;
