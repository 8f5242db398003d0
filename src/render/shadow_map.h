// The shadow map: a picture of the depths of all objects as seen from the main light (key light). shadow.glsl computes
// soft shadows from it.
#pragma once
#include "base/error.h"

// A shadow map, which owns its OpenGL objects. Zeroed: empty.
typedef struct ShadowMap {
  int size, levels;          // texels along an edge, and number of levels
  unsigned texture, target;  // OpenGL texture and framebuffer
  unsigned plain;            // OpenGL sampler that returns depths; without it, the texture compares depths
} ShadowMap;

/// Returns the texels along an edge of the shadow map for a picture of this height in pixels: the next power of two,
/// from 512 to 4096. So a texel is about as large as a pixel, and a larger window seldom needs a new map.
int shadow_map_size(int height);

/// Makes the map fit a picture of this height; does nothing if it fits. Needs a current OpenGL context.
bool shadow_map_resize(ShadowMap *map, int height, Error *error);
void shadow_map_destroy(ShadowMap *map);

/// Must be called after all objects were drawn into the framebuffer `target`. Computes the coarser levels of the map.
/// By these, shadow.glsl skips points without objects near them. dense: most points have objects near them, so the
/// levels would save no time, and are not computed.
void shadow_map_finish(const ShadowMap *map, bool dense);

/// Makes the map available to shadow.glsl.
void shadow_map_bind(const ShadowMap *map);
