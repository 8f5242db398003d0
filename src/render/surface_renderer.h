// Draws the body: its surface with a shadow, coloured by a field or by itself, what lies inside behind a section,
// edges, pinned nodes, the background, and the springs that pull it. Positions and field come as device memory in the
// user's order; everything that follows from them (normals, the springs' held ends) is made on the GPU.
#pragma once
#include "base/style.h"
#include "mesh/creases.h"
#include "mesh/plane_cut.h"
#include "render/camera.h"
#include "render/obstacles.h"
#include "render/occlusion.h"
#include "render/programs.h"
#include "render/shared_buffer.h"

// A spring that is drawn: from a point of the surface to where it is pulled.
typedef struct Spring {
  int nodes[3];           // the triangle that is held
  double barycentric[3];  // of the held point in it
  double target[3];       // m
} Spring;

// The patch that a press of the mouse would grab, to be highlighted.
typedef struct Hover {
  double X[3], radius;  // m, at rest; radius 0: nothing
  int body;             // whose nodes it takes
} Hover;

// One picture. Pointers may be NULL, but for the camera.
typedef struct Picture {
  const Camera *camera;
  const Style *style;
  const Spring *springs;
  int spring_count;
  const Hover *hover;
  const double *floor;  // m, the height along z of a floor; NULL: there is none
  bool hasty;           // the cheap way: without what the body keeps of the sky from itself
} Picture;

// A zeroed SurfaceRenderer is empty. All numbers are OpenGL's names, owned.
typedef struct SurfaceRenderer {
  const Programs *programs;  // borrowed
  const TetMesh *mesh;       // borrowed: a section is cut through it
  int node_count, vertex_count, triangle_count, tet_count, pin_count;
  double low[3], high[3];                   // m, the body's bounding box at rest
  SharedBuffer positions;                   // [node_count][3] float, m; then the field [node_count + FIELD_EXTRA],
                                            // then vectors [node_count][3]
  FieldKind field;                          // whose values came last
  VectorKind vectors;                       // likewise
  double longest;                           // of them, since they were chosen
  double shown_range[2];                    // its values since it was chosen, but for outliers
  double now_range[2];                      // those that came last, likewise
  double field_range[2];                    // smallest and largest value of it now
  unsigned rest, tets, owners, pins;        // see nodes.glsl; [tet_count][4]; see cut.glsl; [pin_count] nodes
  unsigned nodes, corners, fan_start, fan;  // as in SurfaceVertices: nodes of vertices, vertices of triangles
  unsigned triangles;                       // as in Surface
  unsigned normals;                         // [vertex_count][3] float, unit
  unsigned frame;                           // uniforms of one frame
  unsigned vertex_array, pin_array, no_vertices;  // the surface's layout, that of pinned nodes, and an empty one
  unsigned shadow_map, shadow_target;             // depth texture and its framebuffer
  ObstacleShapes obstacles;
  int obstacle_count;
  float *paint;                          // [node_count], as it was sent, or NULL; owned
  bool has_crossings;                    // nodes are red
  unsigned underside, underside_target;  // likewise, seen from below the floor
  unsigned contact, contact_target;      // what part of the sky the body keeps from the floor
  Style section;                         // the one that was cut last
  bool clips;                            // the picture has a smooth section
  PlaneCut cut;                          // through the mesh there
  unsigned cap, cap_array;               // its vertices, and their layout
  OcclusionMap occlusion;                // of the last picture that was not hasty
} SurfaceRenderer;

/// Wants a current OpenGL context. `device` is where positions will come from. The surface is copied; the mesh must
/// outlive the drawing.
bool surface_renderer_create(SurfaceRenderer *renderer, const Programs *programs, const Surface *surface,
                             const TetMesh *mesh, Device device, Error *error);
void surface_renderer_destroy(SurfaceRenderer *renderer);

/// How much memory surface_renderer_update takes: positions [node_count][3] float m, a field [node_count + FIELD_EXTRA]
/// float, and vectors [node_count][3] float.
size_t surface_renderer_bytes(int node_count);

/// Takes new positions, a field and vectors (FIELD_NONE, VECTORS_NONE: there are none) from device memory, in the order
/// of `stream`, and computes the normals. Vectors are read back, which waits for the GPU.
bool surface_renderer_update(SurfaceRenderer *renderer, Stream stream, const void *memory, FieldKind field,
                             VectorKind vectors, Error *error);

/// Which nodes are marked where the style says so: those that are not 0, [node_count]; the skin is red, whatever it
/// shows, where they have MARK_CROSSES, which counts for nothing else.
bool surface_renderer_set_pins(SurfaceRenderer *renderer, const uint8_t *pinned, Error *error);

/// The colours of the mesh's bodies where no field is shown: sRGB from 0 to 1, and 1 where a body has one of its own,
/// else 0.
bool surface_renderer_set_colors(SurfaceRenderer *renderer, const double (*color)[4], Error *error);

/// What rigid obstacles the picture shows, where they are at `time` s.
bool surface_renderer_set_obstacles(SurfaceRenderer *renderer, const Obstacle *obstacles, int count, double time,
                                    Error *error);

/// The same again, if any of them moves, or there are more or fewer than before.
bool surface_renderer_move_obstacles(SurfaceRenderer *renderer, const Obstacle *obstacles, int count, double time,
                                     Error *error);

/// The range of the field's colours: the style's, or round numbers about all that has been shown.
void surface_renderer_range(const SurfaceRenderer *renderer, const Style *style, double range[2]);

/// Begins the range of what has been shown anew with the values that came last.
void surface_renderer_forget_range(SurfaceRenderer *renderer);

/// The range that is shown, as a fixed one: for a scene that is saved, where one that follows what has been seen would
/// begin anew. Nothing, where the style's field is not what is shown.
void surface_renderer_fix_range(const SurfaceRenderer *renderer, Style *style);

/// What the longest arrow stands for, a round number that is no less than all that has been shown; 0: none is shown.
double surface_renderer_longest(const SurfaceRenderer *renderer, const Style *style);

/// The spacing of the floor's grid, m: a round number that suits the body.
double surface_renderer_grid(const Camera *camera);

/// Draws a picture of width x height pixels into a framebuffer (0: the window's), which stays bound.
bool surface_renderer_draw(SurfaceRenderer *renderer, unsigned framebuffer, int width, int height,
                           const Picture *picture, Error *error);

/// Clears the window's picture to the background's grey, for when there is nothing to draw yet.
bool surface_renderer_clear(Error *error);

/// Fills the uniforms that all programs read. surface_renderer_draw does it; so does the picker.
void surface_renderer_set_frame(SurfaceRenderer *renderer, int width, int height, const Picture *picture);

/// Draws the surface, less what a smooth section takes away, with a program whose vertices are those of surface.vert.
void surface_renderer_draw_triangles(const SurfaceRenderer *renderer, unsigned program);

/// Draws the cut of a smooth section, where the picture has one, with a program that takes its vertices.
void surface_renderer_draw_cap(const SurfaceRenderer *renderer, const Picture *picture, unsigned program);

/// Reads back where a node is drawn, m. Waits for the GPU.
bool surface_renderer_node(const SurfaceRenderer *renderer, int node, double position[3], Error *error);

/// The bounding box of what is drawn, m. Waits for the GPU.
bool surface_renderer_bounds(const SurfaceRenderer *renderer, double low[3], double high[3], Error *error);

/// Reads back the normals of the vertices that surface_vertices_create makes, [vertex_count][3], unit length and
/// outward. Waits for the GPU.
bool surface_renderer_normals(const SurfaceRenderer *renderer, float (*normals)[3], Error *error);
