// The shadow map: a picture of the depths of all objects as seen from the main light (key light). shadow.glsl computes
// soft shadows from it.
#pragma once
#include "base/error.h"

// A shadow map, which owns its OpenGL objects. Zeroed: empty.
typedef struct ShadowMap {
  int size;                  // texels along an edge
  unsigned texture, target;  // OpenGL texture and framebuffer
  unsigned plain;            // OpenGL sampler that returns depths; without it, the texture compares depths
} ShadowMap;

/// Returns the texels along an edge of the shadow map for a picture of this height in pixels: the next power of two,
/// from 512 to 4096. So a texel is about as large as a pixel, and a larger window seldom needs a new map.
int shadow_map_size(int height);

/// Makes the map fit a picture of this height; does nothing if it fits. Needs a current OpenGL context.
bool shadow_map_resize(ShadowMap *map, int height, Error *error);
void shadow_map_destroy(ShadowMap *map);

/// Computes the coarser levels of the map. Called after all objects were drawn into the framebuffer `target`.
void shadow_map_finish(const ShadowMap *map);

/// Makes the map available to shadow.glsl.
void shadow_map_bind(const ShadowMap *map);
