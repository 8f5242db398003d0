// Reflections in the floor: a picture of bodies and obstacles, mirrored at the floor, which floor.frag reads. It has
// half the width and height of the picture.
#pragma once
#include "base/error.h"

// The mirrored picture. Owns its OpenGL objects. Zeroed: no picture.
typedef struct MirrorMap {
  int width, height;      // pixels
  unsigned color, depth;  // OpenGL textures: RGBA, A is 0 where nothing is drawn; depth of the mirrored objects
  unsigned target;        // OpenGL framebuffer of both
} MirrorMap;

/// Creates the map for a picture of width x height pixels. Does nothing if the map exists in this size.
bool mirror_map_resize(MirrorMap *map, int width, int height, Error *error);
void mirror_map_destroy(MirrorMap *map);

/// Clears and binds the map. The caller then draws the mirrored objects into it.
void mirror_map_begin(const MirrorMap *map);

/// Changes a matrix that projects the world to the picture so that it projects the world mirrored at the height z.
void mirror_map_turn(float world_to_clip[4][4], double z);
