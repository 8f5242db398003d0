// Draws a picture of nodal values, such as temperatures or deflections, on a mesh of cells. Colours show the values; a
// legend explains the colours. Nodes can be drawn displaced, with scaled displacements.
#pragma once
#include "hud/overlay.h"
#include "mesh/cell_surface.h"
#include "render/picker.h"

// The values to show. All pointers are borrowed.
typedef struct CellValues {
  const double *value;       // [node_count], the values that colours show
  const double (*move)[3];   // [node_count], m, displacements of nodes; NULL: none
  const char *title, *unit;  // "deflection w" and "m"; the unit may be empty
} CellValues;

// View of one mesh. A zeroed CellView is empty. It must not move in memory, because `renderer` has a pointer to
// `cells`.
typedef struct CellView {
  CellSurface cells;
  SurfaceRenderer renderer;
  Stream stream;  // a stream of the CPU
  float *memory;  // drawn positions [node_count][3], then values, as surface_renderer_update reads them
  Style style;
  double smallest, largest;  // range of the shown values
  double factor;             // factor by which displacements are multiplied; 0: nodes are drawn at rest
} CellView;

/// Creates a view with a copy of the mesh. Needs a current OpenGL context. The shader programs `programs` must outlive
/// the view.
bool cell_view_create(CellView *view, const Programs *programs, const CellMesh *mesh, Error *error);
void cell_view_destroy(CellView *view);

/// Returns a round number, such as 20 or 50, that scales the largest displacement to about a tenth of the mesh's size.
/// Returns 0 if no node moves.
double cell_view_factor(const CellMesh *mesh, const CellValues *values);

/// Shows `values`, with colours from their smallest to their largest value. Displacements are multiplied by `factor`.
bool cell_view_set(CellView *view, const CellValues *values, double factor, Error *error);

/// Computes a camera that shows the whole mesh in a picture of this aspect ratio (width / height). If the mesh, also
/// with its displacements, lies in a plane of constant z, the camera looks along z from above.
bool cell_view_camera(const CellView *view, double aspect, Camera *camera, Error *error);

/// Adds the legend of the colours and the scale bar to `overlay`. `height` is the height of the picture, pixels.
void cell_view_overlay(CellView *view, const Picture *picture, int height, HudOverlay *overlay);

/// Describes the point of the mesh that `pick` has found, in two lines of text: its position at rest, and its value.
/// The text is empty if `pick` has found no point.
void cell_view_probe(const CellView *view, const Pick *pick, char *text, size_t size);

/// Describes the view in words, for example "deflection w from 0 m to 0.004 m, displacements scaled by 50".
void cell_view_words(const CellView *view, char words[160]);
