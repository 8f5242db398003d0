// What the files of a SurfaceRenderer share, and nobody else sees: what its buffers hold, and where.
#pragma once
#include "render/color_map.h"
#include "render/surface_renderer.h"

enum { SHADOW_SIZE = 1024, CONTACT_SIZE = 64 };

// = block Frame of the shaders
typedef struct FrameUniforms {
  float world_to_clip[4][4], world_to_light[4][4], world_to_foot[4][4];
  float eye[4], to_key[4], up[4], body[4], viewport[4], section[4], hover[4], color_map[4], ground[4];
  int counts[4];
  float colors[COLOR_MAP_POINTS][4];
} FrameUniforms;

/// A buffer that holds these bytes, or as many of any value (NULL).
unsigned surface_buffer(const void *data, size_t bytes);

/// Where vectors begin among the floats of the positions' buffer.
size_t surface_first_vector(const SurfaceRenderer *r);
