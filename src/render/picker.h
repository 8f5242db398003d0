// Finds the triangle under the mouse. For this, the surface is drawn into a single pixel, with the triangles' numbers
// as colours.
#pragma once
#include "render/surface_renderer.h"

// A zeroed Picker is empty.
typedef struct Picker {
  unsigned target, ids, depth;  // OpenGL objects, owned
} Picker;

typedef struct Pick {
  int triangle;           // number of the picked triangle in the surface; -1: the background was picked, or the face
                          // nodes of the picked triangle
  int nodes[3];           // barycentric coordinates of the picked point in the triangle, each 0 to 1, with the sum 1
  double barycentric[3];  // coordinates of the picked point, each 0 to 1, sum 1
  int tet;                // position of the picked point at present, m
  double point[3];        // m, position of the picked point in the picture
} Pick;

bool picker_create(Picker *picker, Error *error);
void picker_destroy(Picker *picker);

/// Finds the point of the surface at `pixel` in a picture of width x height pixels; pixels are counted from the upper
/// left corner. Waits for the GPU, so it is for single clicks. Changes the framebuffer binding.
bool picker_pick(const Picker *picker, SurfaceRenderer *renderer, const Surface *surface, const Picture *picture,
                 const double pixel[2], int width, int height, Pick *pick, Error *error);
