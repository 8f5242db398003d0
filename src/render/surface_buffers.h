// Layout of the buffers of a SurfaceRenderer, for the files surface_*.c only.
#pragma once
#include "render/color_map.h"
#include "render/surface_renderer.h"

enum { CONTACT_SIZE = 64 };  // texels along an edge of the contact map

// Values of one picture that all shaders read. The members must be those of the uniform block Frame in
// shaders/frame.glsl, in the same order; that file explains them.
typedef struct FrameUniforms {
  float world_to_clip[4][4], world_to_light[4][4], world_to_foot[4][4];
  float eye[4], to_key[4], up[4], ahead[4], body[4], viewport[4], section[4], hover[4], color_map[4], ground[4];
  int counts[4];
  uint32_t hidden[4];
  float roughness[LOOKS_MAX], opacity[LOOKS_MAX];
  float diffuse[ENVIRONMENT_TERMS][4];
  float colors[COLOR_MAP_POINTS][4];
} FrameUniforms;

/// Creates an OpenGL buffer of `bytes` bytes with the contents of `data`; NULL: undefined contents. Returns its number.
unsigned surface_buffer(const void *data, size_t bytes);

/// Returns the offset, counted in floats, of the vectors [node_count][3] in the buffer of positions.
size_t surface_first_vector(const SurfaceRenderer *r);
