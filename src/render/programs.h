// The shader programs of a picture. They do not depend on a mesh, so they are compiled once for all bodies.
#pragma once
#include "base/error.h"

// A zeroed Programs is empty. It owns its OpenGL programs.
typedef struct Programs {
  unsigned normals, surface, surface_cut, shadow, shadow_cut, shadow_obstacle, depth, depth_cut, depth_cap, occlusion,
      contact, background, floor, spring, marker, edges, inside, cap, pin, pick, pick_cap, obstacle, vector;
} Programs;

/// Compiles all programs. Needs a current OpenGL context. Fails with the compiler's message.
bool programs_create(Programs *programs, Error *error);
void programs_destroy(Programs *programs);
