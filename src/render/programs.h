// The shader programs of a picture. They depend on no mesh: compiled once, they draw every body that is opened.
#pragma once
#include "base/error.h"

// A zeroed Programs is empty. OpenGL's names, owned.
typedef struct Programs {
  unsigned normals, surface, surface_cut, shadow, shadow_cut, shadow_obstacle, depth, depth_cut, depth_cap, occlusion,
      contact, background, floor, spring, marker, edges, inside, cap, pin, pick, pick_cap, obstacle, vector;
} Programs;

/// Wants a current OpenGL context. Fails with the compiler's words.
bool programs_create(Programs *programs, Error *error);
void programs_destroy(Programs *programs);
