// Draws the body: its surface with shadows, the inside at a section, edges, pinned nodes, springs, and the background.
// The surface has the colours of a field or of the bodies. Positions and field come from device memory, in the order of
// the mesh's nodes. The GPU computes the normals and the held ends of springs from the positions.
#pragma once
#include "base/style.h"
#include "mesh/creases.h"
#include "mesh/plane_cut.h"
#include "render/camera.h"
#include "render/obstacles.h"
#include "render/occlusion.h"
#include "render/programs.h"
#include "render/shared_buffer.h"

// A spring to draw, from a point of the surface to the target to which it pulls.
typedef struct Spring {
  int nodes[3];           // nodes of the held triangle
  double barycentric[3];  // coordinates of the held point in the triangle
  double target[3];       // target of the spring, m
} Spring;

// The patch that the mouse would grab now. It is highlighted in the picture.
typedef struct Hover {
  double X[3], radius;  // centre of the patch at rest, and its radius, m; radius 0: there is no patch
  int body;             // index of the body whose nodes the mouse would grab
} Hover;

// Contents of one picture. All pointers but the camera may be NULL.
typedef struct Picture {
  const Camera *camera;
  const Style *style;
  const Spring *springs;
  int spring_count;
  const Hover *hover;
  const double *floor;  // m, height of the floor along z; NULL: no floor
  bool hasty;           // leaves out ambient occlusion to save time
} Picture;

// A zeroed SurfaceRenderer is empty. It owns its OpenGL objects.
typedef struct SurfaceRenderer {
  const Programs *programs;  // shader programs; borrowed
  const TetMesh *mesh;       // the mesh, from which sections are computed; borrowed
  int node_count, vertex_count, triangle_count, tet_count, pin_count;
  double low[3], high[3];  // m, the body's bounding box at rest
  SharedBuffer positions;  // [node_count][3] float, m; then the field [node_count + FIELD_EXTRA],
                           // then vectors [node_count][3]
  FieldKind field;         // field that the newest update contains
  VectorKind vectors;      // vectors that the newest update contains
  double longest;          // greatest length of a vector since these vectors were selected
  double shown_range[2];   // range of all values since this field was selected, without outliers
  double now_range[2];     // range of the newest values, without outliers
  double field_range[2];   // smallest and largest of the newest values
  // OpenGL buffers. `rest`: rest position, colour and body of each node. `owners`: for each surface triangle, the
  // centre of its tet. `tets`: [tet_count][4] nodes. `pins`: [pin_count] nodes
  unsigned rest, tets, owners, pins;
  unsigned nodes, corners, fan_start, fan;  // arrays of SurfaceVertices: nodes of vertices, vertices of triangles, and
                                            // fans
  unsigned triangles;                       // nodes of triangles, in the order of Surface
  unsigned normals;                         // [vertex_count][3] float, unit normals of the vertices
  unsigned frame;                           // uniform buffer with the FrameUniforms of the present picture
  unsigned vertex_array, pin_array, no_vertices;  // vertex arrays of the surface and of pinned nodes, and an empty one
  unsigned shadow_map, shadow_target;             // depth texture of the shadow map, and its framebuffer
  ObstacleShapes obstacles;
  int obstacle_count;
  float *paint;                          // [node_count] colours of nodes, or NULL; owned
  bool has_crossings;                    // some nodes have MARK_CROSSES and are drawn red
  unsigned underside, underside_target;  // depth texture of the view from below the floor, and its framebuffer
  unsigned contact, contact_target;      // contact map: fraction of the sky's light that the body keeps from the floor;
                                         // and its framebuffer
  Style section;                         // style at the last time that a section was cut
  bool clips;                            // the picture has a section with SECTION_SMOOTH, which cuts through tets
  PlaneCut cut;                          // section of the mesh by the plane in `section`
  unsigned cap, cap_array;               // vertex buffer of this section, and its vertex array
  OcclusionMap occlusion;                // map of the last picture with ambient occlusion, see Picture.hasty
} SurfaceRenderer;

/// Creates a renderer for positions from `device`. Needs a current OpenGL context. The surface is copied; programs and
/// mesh are borrowed.
bool surface_renderer_create(SurfaceRenderer *renderer, const Programs *programs, const Surface *surface,
                             const TetMesh *mesh, Device device, Error *error);
void surface_renderer_destroy(SurfaceRenderer *renderer);

/// Returns the size of the memory that surface_renderer_update reads, bytes: positions [node_count][3] float m, a field
/// [node_count + FIELD_EXTRA] float, and vectors [node_count][3] float.
size_t surface_renderer_bytes(int node_count);

/// Copies new positions, field and vectors from device memory, ordered after the earlier work of `stream`, and computes
/// the normals. FIELD_NONE means no field, and VECTORS_NONE no vectors. The field's range and the vectors are read back
/// to the host, which waits for the GPU.
bool surface_renderer_update(SurfaceRenderer *renderer, Stream stream, const void *memory, FieldKind field,
                             VectorKind vectors, Error *error);

/// Sets the marks of the nodes [node_count]. If the style shows pins, nodes with any bit other than MARK_CROSSES are
/// drawn as pinned. The surface is red at nodes with MARK_CROSSES.
bool surface_renderer_set_pins(SurfaceRenderer *renderer, const uint8_t *pinned, Error *error);

/// Sets the colours of the mesh's bodies for pictures without a field. color [bodies] are three sRGB values from 0 to
/// 1, and 1 if the body has its own colour or 0 if it has the default colour.
bool surface_renderer_set_colors(SurfaceRenderer *renderer, const double (*color)[4], Error *error);

/// Sets the rigid obstacles [count] of the picture, at their positions at `time` s.
bool surface_renderer_set_obstacles(SurfaceRenderer *renderer, const Obstacle *obstacles, int count, double time,
                                    Error *error);

/// As surface_renderer_set_obstacles, but does nothing if no obstacle moves and their number is unchanged.
bool surface_renderer_move_obstacles(SurfaceRenderer *renderer, const Obstacle *obstacles, int count, double time,
                                     Error *error);

/// Computes the range of the field's colours: the range in the style, if there is one. Otherwise round numbers that
/// include all values shown so far or the present values, as selected by the style.
void surface_renderer_range(const SurfaceRenderer *renderer, const Style *style, double range[2]);

/// Sets the range of the values shown so far to the range of the newest values.
void surface_renderer_forget_range(SurfaceRenderer *renderer);

/// Stores the present range in the style as a fixed one. A scene is saved with this range, because the values shown so
/// far are not saved. Does nothing if the style's field is not the one that is shown.
void surface_renderer_fix_range(const SurfaceRenderer *renderer, Style *style);

/// Returns the value of the longest arrow: a round number that is at least the greatest length so far; 0: no arrows.
double surface_renderer_longest(const SurfaceRenderer *renderer, const Style *style);

/// Returns the spacing of the floor's grid, m: a round number that suits the camera's radius.
double surface_renderer_grid(const Camera *camera);

/// Draws a picture of width x height pixels into a framebuffer (0: the window's). The framebuffer stays bound.
bool surface_renderer_draw(SurfaceRenderer *renderer, unsigned framebuffer, int width, int height,
                           const Picture *picture, Error *error);

/// Fills the window with the background's grey, for use before there is a body to draw.
bool surface_renderer_clear(Error *error);

/// Fills the uniforms that all programs read, and binds the buffers. Called by surface_renderer_draw and the picker.
void surface_renderer_set_frame(SurfaceRenderer *renderer, int width, int height, const Picture *picture);

/// Draws the surface. Leaves out the part that a section with SECTION_SMOOTH removes. The program must have the vertex
/// attributes of surface.vert.
void surface_renderer_draw_triangles(const SurfaceRenderer *renderer, unsigned program);

/// If the picture has a section with SECTION_SMOOTH, draws the face of this section. The program must have the vertex
/// attributes of cap.vert.
void surface_renderer_draw_cap(const SurfaceRenderer *renderer, const Picture *picture, unsigned program);

/// Reads back the position of a node, m. Waits for the GPU.
bool surface_renderer_node(const SurfaceRenderer *renderer, int node, double position[3], Error *error);

/// Computes the bounding box of the present positions, m. Waits for the GPU.
bool surface_renderer_bounds(const SurfaceRenderer *renderer, double low[3], double high[3], Error *error);

/// Reads back the outward unit normals [vertex_count][3] of the vertices that surface_vertices_create has made. Waits
/// for the GPU.
bool surface_renderer_normals(const SurfaceRenderer *renderer, float (*normals)[3], Error *error);
