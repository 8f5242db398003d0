// Values at the nodes of a mesh of cells, drawn as bodies are: coloured, where nodes move displaced by a multiple of
// that, with a legend and the values' range in words.
#pragma once
#include "mesh/cell_surface.h"
#include "render/overlay.h"
#include "render/picker.h"

// What is shown. All is borrowed.
typedef struct CellValues {
  const double *value;       // [node_count], which colour
  const double (*move)[3];   // [node_count], m, by which nodes are displaced; NULL: nothing moves
  const char *title, *unit;  // "deflection w" and "m"; the unit may be empty
} CellValues;

// A zeroed CellView is empty. It stays where it was made: the renderer knows its mesh.
typedef struct CellView {
  CellSurface cells;
  SurfaceRenderer renderer;
  Stream stream;  // of the CPU
  float *memory;  // as surface_renderer_update takes it
  Style style;
  double smallest, largest;  // of the values that are shown
  double factor;             // that displacements are shown by; 0: nothing is displaced
} CellView;

/// Wants a current OpenGL context, and programs that outlive the view. The mesh is copied.
bool cell_view_create(CellView *view, const Programs *programs, const CellMesh *mesh, Error *error);
void cell_view_destroy(CellView *view);

/// A round factor by which the largest displacement is some tenth of the mesh's size; 0 where nothing moves.
double cell_view_factor(const CellMesh *mesh, const CellValues *values);

/// Shows these values; the colours' range becomes theirs.
bool cell_view_set(CellView *view, const CellValues *values, double factor, Error *error);

/// A camera for what is shown, in a picture of this shape (width / height): from above where all of it is plane.
bool cell_view_camera(const CellView *view, double aspect, Camera *camera, Error *error);

/// What explains the picture: the legend, and the values' range and the factor in words.
void cell_view_overlay(const CellView *view, const Picture *picture, int height, HudOverlay *overlay);

/// What is shown at a point of the picture, in two lines: where it is without displacements, and its value. Nothing
/// where the pick is the background.
void cell_view_probe(const CellView *view, const Pick *pick, char *text, size_t size);

/// A line about what is shown: "deflection w from 0 m to 0.004 m, displaced by 50 times as much".
void cell_view_words(const CellView *view, char words[160]);
