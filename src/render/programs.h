// The shader programs of a picture. They are compiled once, since they do not depend on the mesh.
#pragma once
#include "base/error.h"

// OpenGL numbers of all shader programs, which this struct owns. Zeroed: no programs.
typedef struct Programs {
  unsigned normals, surface, surface_cut, shadow, shadow_cut, shadow_obstacle, depth, depth_cut, depth_cap, occlusion,
      contact, background, floor, spring, marker, edges, inside, cap, pin, pick, pick_cap, obstacle, vector;
} Programs;

/// Compiles all programs. Needs a current OpenGL context. On failure, the error is the message of the shader compiler.
bool programs_create(Programs *programs, Error *error);
void programs_destroy(Programs *programs);
