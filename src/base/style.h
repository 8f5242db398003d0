// The style in which a body is drawn: scenes and the window choose it, the renderer uses it.
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

typedef enum FieldRange { FIELD_RANGE_SEEN, FIELD_RANGE_FOLLOW, FIELD_RANGE_PERCENTILES } FieldRange;
#define FIELD_RANGE_NAMES "seen|follow|percentiles"

typedef enum ColorScale { COLOR_SCALE_LINEAR, COLOR_SCALE_LOG } ColorScale;
#define COLOR_SCALE_NAMES "linear|log"

typedef enum SectionCut { SECTION_SMOOTH, SECTION_TETS } SectionCut;
#define SECTION_CUT_NAMES "smooth|tets"

typedef enum Occlusion { OCCLUSION_ON, OCCLUSION_OFF } Occlusion;
#define OCCLUSION_NAMES "on|off"

// Each node has a byte of marks for drawing. This bit means that the surface intersects itself at the node. The lower
// bits mark the axes along which the node is pinned.
enum { MARK_CROSSES = 128 };

// Largest number of bodies, and the roughness of a body without the key "roughness".
enum { LOOKS_MAX = 32 };
#define ROUGHNESS_DEFAULT 0.5

// The surface of a body in pictures without a field.
typedef struct BodyLook {
  bool has_color;       // false: the body has the default colour
  double color[3];      // sRGB, each 0 to 1, if has_color
  double roughness;     // 0 to 1; the smoother the surface, the smaller and brighter its highlight
  double transparency;  // 0: opaque; 1: only the outline of the body is visible
} BodyLook;

// Choices for drawing a body.
typedef struct Style {
  FieldKind field;         // field that colours the body; FIELD_NONE: the material's colour
  const char *title;       // title of a field FIELD_GIVEN, borrowed; else NULL
  const char *unit;        // unit of a field FIELD_GIVEN, borrowed; else NULL
  ColorMap color_map;      // colours of the field; COLOR_MAP_AUTO: chosen by the kind of field
  ColorScale color_scale;  // COLOR_SCALE_LOG: the position in the color map depends on the logarithm of the value
  double low, high;        // field values at the two ends of the color map; both 0: chosen by `range`
  // field values for which there are colours, if `low` and `high` are 0. FIELD_RANGE_SEEN: the values of all pictures
  // since `field` was selected. FIELD_RANGE_FOLLOW: the values of the present picture. Both leave out outliers.
  // FIELD_RANGE_PERCENTILES: the values between two percentiles of the present picture
  FieldRange range;
  double percentile;     // FIELD_RANGE_PERCENTILES: percent of nodes below the colours; equally many are above
  bool wireframe, pins;  // wireframe: draws the edges of triangles; pins: draws pinned nodes as dots
  bool orthographic;     // the picture is a parallel projection, see Camera.orthographic
  bool xray;             // the surface is transparent, unless the section shows whole tets
  bool scale;            // draws a scale bar of known length
  VectorKind vectors;    // quantity that arrows at nodes show
  bool reflections;      // bodies and obstacles are reflected in the floor
  Occlusion occlusion;   // ambient occlusion: folds and creases are drawn darker, since less light reaches them
  bool section;          // true: draws only the part of the body that is below `section_at` at rest
  SectionCut cut;        // the section cuts through tets, or shows whole tets whose centres are on the drawn side
  int section_axis;      // axis of `section_at`: 0, 1, 2 for x, y, z
  double section_at;     // position of the section along its axis, 0 to 1 in the body's bounding box at rest
  bool section_flip;     // true: the section draws the part above `section_at` instead
} Style;
