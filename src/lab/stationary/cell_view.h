// A picture of nodal values on a mesh of cells: coloured by the values, with a legend, the range of values in words,
// and optionally with displaced nodes. The renderer is that of bodies of a simulation.
#pragma once
#include "mesh/cell_surface.h"
#include "render/overlay.h"
#include "render/picker.h"

// Values to show; all borrowed.
typedef struct CellValues {
  const double *value;       // [node_count], the values that colours show
  const double (*move)[3];   // [node_count], m, displacements of nodes; NULL: none
  const char *title, *unit;  // "deflection w" and "m"; the unit may be empty
} CellValues;

// A zeroed CellView is empty. It must not move in memory: the renderer points to its mesh.
typedef struct CellView {
  CellSurface cells;
  SurfaceRenderer renderer;
  Stream stream;  // a stream of the CPU
  float *memory;  // buffer for surface_renderer_update
  Style style;
  double smallest, largest;  // range of the shown values
  double factor;             // factor on displacements; 0: none
} CellView;

/// Creates a view with a copy of the mesh. Needs a current OpenGL context. The shader programs `programs` must outlive
/// the view.
bool cell_view_create(CellView *view, const Programs *programs, const CellMesh *mesh, Error *error);
void cell_view_destroy(CellView *view);

/// Returns a round number by which displacements can be multiplied so that the largest becomes about a tenth of the
/// mesh's size. Returns 0 if nothing moves.
double cell_view_factor(const CellMesh *mesh, const CellValues *values);

/// Shows `values`, and sets the colour range to their smallest and largest value. `factor` multiplies displacements.
bool cell_view_set(CellView *view, const CellValues *values, double factor, Error *error);

/// Computes a camera for the shown mesh and an aspect ratio (width / height): from above if the mesh is plane.
bool cell_view_camera(const CellView *view, double aspect, Camera *camera, Error *error);

/// Adds the explanation of the picture: the legend, and the range of values and the factor in words.
void cell_view_overlay(const CellView *view, const Picture *picture, int height, HudOverlay *overlay);

/// Describes a point of the picture in two lines: its position without displacements, and its value. Empty if the pick
/// is the background.
void cell_view_probe(const CellView *view, const Pick *pick, char *text, size_t size);

/// Describes the view: "deflection w from 0 m to 0.004 m, displaced by 50 times as much".
void cell_view_words(const CellView *view, char words[160]);
