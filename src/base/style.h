// Style in which a body is drawn: scenes and the window choose it, the renderer follows it.
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

// Bit of the byte that each node has for drawing: the surface intersects itself at this node. The lower bits of the
// byte are the node's pinned axes.
enum { MARK_CROSSES = 128 };

typedef struct Style {
  FieldKind field;       // field that is coloured; FIELD_NONE: the material's colour
  const char *title;     // title of FIELD_GIVEN, borrowed; NULL for other fields
  const char *unit;      // unit of FIELD_GIVEN, borrowed; NULL for other fields
  ColorMap color_map;    // colours of the field; COLOR_MAP_AUTO: selected by the kind of field
  double low, high;      // values at the ends of the colours; both 0: determined by `range`
  FieldRange range;      // FIELD_RANGE_SEEN: range of all values since the start; FIELD_RANGE_FOLLOW: range of the
                         // present picture
  bool wireframe, pins;  // wireframe: draws the edges of the triangles; pins: draws pinned nodes as dots
  bool scale;            // draws a scale bar of known length
  VectorKind vectors;    // quantity that arrows at nodes show
  Occlusion occlusion;   // if the body shades itself from the light of the sky (ambient occlusion)
  bool section;          // draws only the part of the body that is below `section_at` at rest
  SectionCut cut;        // the section cuts through tets, or shows whole tets whose centres are on the drawn side
  int section_axis;      // axis of `section_at`: 0, 1, 2 for x, y, z
  double section_at;     // position of the section along its axis, 0 to 1 in the body's bounding box at rest
  bool section_flip;     // draws the part above `section_at` instead
} Style;
