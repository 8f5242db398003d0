// Ambient occlusion: parts of the body shade each other from the light of the sky. It is computed from a depth map of
// the visible surface. The depth map and the result have half the width and height of the picture.
#pragma once
#include "base/error.h"

// Two maps for ambient occlusion: the depth of the body, and the light of the sky that arrives there. Owns its OpenGL
// objects. Zeroed: no maps.
typedef struct OcclusionMap {
  int width, height;             // pixels, size of both maps
  unsigned depth, depth_target;  // OpenGL texture and framebuffer: depth of the body as the camera sees it
  unsigned left, left_target;    // OpenGL texture and framebuffer: fraction of the sky's light that arrives, 0 to 1
} OcclusionMap;

/// Creates the maps for a picture of width x height pixels. The maps have half the width and half the height. Does
/// nothing if the maps exist in this size.
bool occlusion_map_resize(OcclusionMap *map, int width, int height, Error *error);
void occlusion_map_destroy(OcclusionMap *map);

/// Clears and binds the depth map. The caller then draws the depth of the body into it.
void occlusion_map_begin(const OcclusionMap *map);

/// Computes from the depth map, for each visible point, the fraction of the sky's light that reaches the point.
/// `program` must contain the shader occlusion.frag. Points more than `reach` m apart do not shade each other. An empty
/// vertex array must be bound.
void occlusion_map_end(const OcclusionMap *map, unsigned program, const float world_to_clip[4][4], double reach);
