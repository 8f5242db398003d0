// Finds the triangle and the point of the body under the mouse. Draws only the pixel under the mouse, into a separate
// framebuffer, with the numbers of triangles as colours, and reads this pixel back.
#pragma once
#include "render/surface_renderer.h"

// OpenGL objects for picking, which finds the point of the body at a pixel. Zeroed: none.
typedef struct Picker {
  unsigned target, ids, depth;  // OpenGL objects, owned
} Picker;

// Result of picking: a point of the surface, or of the flat face where a section plane cuts the body.
typedef struct Pick {
  int triangle;           // number of the surface triangle; -1: the background, or the cut face of a section
  int nodes[3];           // nodes of the surface triangle
  double barycentric[3];  // barycentric coordinates of the picked point in the triangle, each 0 to 1, with sum 1
  int tet;                // cell at the picked point; -1: the background, or a surface without cells
  double point[3];        // m, present position of the picked point
} Pick;

bool picker_create(Picker *picker, Error *error);
void picker_destroy(Picker *picker);

/// Finds the point of the surface at `pixel`, counted from the upper left corner of a picture of width x height pixels.
/// Waits for the GPU. Changes the framebuffer binding.
bool picker_pick(const Picker *picker, SurfaceRenderer *renderer, const Surface *surface, const Picture *picture,
                 const double pixel[2], int width, int height, Pick *pick, Error *error);
