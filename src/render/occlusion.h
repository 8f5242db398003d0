// Ambient occlusion of the body in screen space: parts of the body shade each other from the light of the sky. The maps
// have half the width and height of the picture.
#pragma once
#include "base/error.h"

// A zeroed OcclusionMap is empty. It owns its OpenGL objects.
typedef struct OcclusionMap {
  int width, height;             // size of the maps, pixels
  unsigned depth, depth_target;  // depth of the body as seen by the camera, and its framebuffer
  unsigned left, left_target;    // fraction of the sky's light that arrives at each pixel, 0 to 1, and its framebuffer
} OcclusionMap;

/// Creates maps for a picture of this size, unless the present maps have the right size.
bool occlusion_map_resize(OcclusionMap *map, int width, int height, Error *error);
void occlusion_map_destroy(OcclusionMap *map);

/// Clears and binds the depth map. The caller then draws the occluders into it, depth only.
void occlusion_map_begin(const OcclusionMap *map);

/// Runs `program`, which computes from the depth map the fraction of the sky's light that arrives. An empty vertex
/// array must be bound. Only occluders at a distance of at most `reach` m count.
void occlusion_map_end(const OcclusionMap *map, unsigned program, const float world_to_clip[4][4], double reach);
