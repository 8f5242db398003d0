// What lies under the mouse: the surface is drawn once more with triangle numbers for colours, into a single pixel.
#pragma once
#include "render/surface_renderer.h"

// A zeroed Picker is empty.
typedef struct Picker {
  unsigned target, ids, depth;  // OpenGL's names, owned
} Picker;

typedef struct Pick {
  int triangle;           // of the surface; -1: the background, or the cut of a smooth section
  int nodes[3];           // its corners
  double barycentric[3];  // of the point under the pixel's centre, each 0 to 1, sum 1
  int tet;                // that it belongs to, or that is cut there; -1: the background, or there are no tets
  double point[3];        // m, that point as drawn
} Pick;

bool picker_create(Picker *picker, Error *error);
void picker_destroy(Picker *picker);

/// What a width x height picture shows at `pixel` (from its upper left corner) of the renderer's present positions.
/// Waits for the GPU: for a click. Leaves the framebuffer binding changed.
bool picker_pick(const Picker *picker, SurfaceRenderer *renderer, const Surface *surface, const Picture *picture,
                 const double pixel[2], int width, int height, Pick *pick, Error *error);
