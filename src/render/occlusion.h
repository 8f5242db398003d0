// What the body keeps of the sky's light from itself, as far as a picture tells: maps half as wide and high as that.
#pragma once
#include "base/error.h"

// A zeroed OcclusionMap is empty. OpenGL's names, owned.
typedef struct OcclusionMap {
  int width, height;             // of the maps
  unsigned depth, depth_target;  // what the eye sees of the body, and its framebuffer
  unsigned left, left_target;    // the part of the light that is left, 0 to 1, likewise
} OcclusionMap;

/// Makes maps for a picture of this size, where those there are do not fit it.
bool occlusion_map_resize(OcclusionMap *map, int width, int height, Error *error);
void occlusion_map_destroy(OcclusionMap *map);

/// Binds the depth map, cleared: what is drawn now, with depth alone, is what keeps light.
void occlusion_map_begin(const OcclusionMap *map);

/// From that depth makes what is left, by `program`, with an empty vertex array bound; `reach` m is how far things keep
/// light from each other.
void occlusion_map_end(const OcclusionMap *map, unsigned program, const float world_to_clip[4][4], double reach);
