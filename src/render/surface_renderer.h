// Draws the body: its surface with shadows, its inside where a section plane cuts it, edges, pinned nodes, springs,
// arrows, floor, obstacles and background. Positions and field are read from device memory, in the order of the mesh's
// nodes. Shaders compute the normals, and the ends of springs at the body, from the positions.
#pragma once
#include "base/style.h"
#include "mesh/creases.h"
#include "mesh/plane_cut.h"
#include "render/camera.h"
#include "render/environment_light.h"
#include "render/mirror_map.h"
#include "render/obstacles.h"
#include "render/occlusion.h"
#include "render/programs.h"
#include "render/shadow_map.h"
#include "render/shared_buffer.h"

// A spring in the picture, from a held point of the surface to its target.
typedef struct Spring {
  int nodes[3];           // nodes of the surface triangle that contains the held point
  double barycentric[3];  // barycentric coordinates of the held point in its triangle
  double target[3];       // m, point to which the spring pulls
} Spring;

// The highlighted patch of surface, which the mouse would pull if its button was pressed now.
typedef struct Hover {
  double X[3], radius;  // m, centre of the patch at rest and its radius; radius 0: no patch
  int body;             // index of the body that the mouse would pull
} Hover;

// Contents of one picture. All pointers except `camera` may be NULL.
typedef struct Picture {
  const Camera *camera;
  const Style *style;
  const Spring *springs;
  int spring_count;
  const Hover *hover;
  const double *floor;  // m, height of the floor along z; NULL: no floor
  bool hasty;           // true: without ambient occlusion, and all shadows are equally soft, which saves time
  // bit k is set if body k is not drawn, and if obstacle k is not drawn
  uint32_t hidden, hidden_obstacles;
  uint32_t lit_obstacles;  // bit k is set if obstacle k is drawn in the colour of the selection, orange
} Picture;

// OpenGL objects and state for drawing one body. A zeroed SurfaceRenderer is empty. It owns its OpenGL objects.
typedef struct SurfaceRenderer {
  const Programs *programs;  // shader programs, not owned
  const TetMesh *mesh;       // mesh from which sections are computed, not owned
  int node_count, vertex_count, triangle_count, tet_count, pin_count, chosen_count;
  double low[3], high[3];  // m, bounding box of the body at rest
  // OpenGL buffer of floats: positions [node_count][3], m; then the field that is shown as colours, [node_count] values
  // and FIELD_EXTRA statistics of them; then the vectors that are shown as arrows [node_count][3]
  SharedBuffer positions;
  FieldKind field;        // field that the buffer `positions` contains
  VectorKind vectors;     // vectors that the buffer `positions` contains
  double longest;         // largest length of a vector since the user selected `vectors`
  double shown_range[2];  // range of all values since the user selected the field, without outliers
  double now_range[2];    // range of the present values, without outliers
  double field_range[2];  // smallest and largest of the present values, with outliers
  // Percentiles of the present values, computed when a picture needs them. values [node_count]: copy of the field in an
  // order that the computation changes, owned. percentiles: result for Style.percentile = `percent`; percent is -1 if
  // they were not computed for the present values
  float *values;
  bool positive;  // true: `percentiles` were computed from the positive values only
  double percent, percentiles[2];
  double shown_positive[2];  // range of all positive values that logarithmic scales have shown for this field
  // OpenGL buffers. rest: rest position, colour and body of each node; tets [tet_count][4]: nodes of each tet; owners:
  // for each surface triangle, the centre at rest of the tet to which it belongs, and 1 if a cut has opened it, else 0;
  // pins [pin_count]: the pinned nodes; chosen [chosen_count]: the nodes of surface_renderer_set_chosen
  unsigned rest, tets, owners, pins, chosen;
  // OpenGL buffers of the drawn surface. Its vertices are the nodes, but a node at a sharp edge has several vertices,
  // with different normals. nodes: node of each vertex; corners: vertices of each triangle; fan_start and fan: the
  // triangles around vertex v are fan[fan_start[v]] to fan[fan_start[v + 1] - 1]
  unsigned nodes, corners, fan_start, fan;
  unsigned triangles;  // OpenGL buffer [triangle_count][3]: nodes of the surface's triangles (Surface.triangle)
  unsigned normals;    // OpenGL buffer [vertex_count][3] of floats: unit normals at the vertices of the surface
  unsigned frame;      // uniform buffer: FrameUniforms of the present picture
  // OpenGL vertex arrays: for the surface, for nodes that are marked by dots, and one without vertices
  unsigned vertex_array, pin_array, no_vertices;
  unsigned environment;                 // texture: EnvironmentLight.reflected; 0: no surroundings
  float diffuse[ENVIRONMENT_TERMS][3];  // EnvironmentLight.diffuse
  ShadowMap shadow_map;                 // depth as seen from the main light
  ObstacleShapes obstacles;
  int obstacle_count;
  float *paint;                          // [node_count] colours of nodes; NULL: all have the default colour; owned
  float roughness[LOOKS_MAX];            // roughness of each body's surface, 0 to 1
  float opacity[LOOKS_MAX];              // opacity of each body's surface, 0 to 1
  uint32_t clear;                        // bit k is set if body k is transparent
  bool has_crossings;                    // true: some nodes have the bit MARK_CROSSES and are drawn red
  unsigned underside, underside_target;  // texture and framebuffer: depth as seen from below the floor
  // texture and framebuffer: fraction of the sky's light that the body hides from the floor
  unsigned contact, contact_target;
  Style section;            // style whose section plane made `cut`
  bool clips;               // true: the picture has a section that cuts through tets (SECTION_SMOOTH)
  PlaneCut cut;             // face where the plane of `section` cuts the mesh
  unsigned cap, cap_array;  // vertex buffer and vertex array of the section's face
  MirrorMap mirror;         // reflections in the floor, if the last picture has them
  OcclusionMap occlusion;   // computed for the last picture with ambient occlusion (Picture.hasty was false)
} SurfaceRenderer;

/// Creates a renderer, which draws positions that are in the memory of `device`. Needs a current OpenGL context. Copies
/// the surface. The renderer keeps the pointers `programs` and `mesh`, so these must exist as long as the renderer.
bool surface_renderer_create(SurfaceRenderer *renderer, const Programs *programs, const Surface *surface,
                             const TetMesh *mesh, Device device, Error *error);
void surface_renderer_destroy(SurfaceRenderer *renderer);

/// Returns the number of bytes that surface_renderer_update reads, all float: positions [node_count][3], m; a field of
/// [node_count] values with FIELD_EXTRA statistics of them; vectors [node_count][3].
size_t surface_renderer_bytes(int node_count);

/// Copies new positions, field and vectors from `memory` on the device, and computes the normals of the surface.
/// surface_renderer_bytes describes `memory`. The copy runs after the earlier work of `stream`. field, vectors: kinds
/// of the copied values; FIELD_NONE and VECTORS_NONE if `memory` has no such values. With a field or vectors, waits for
/// the GPU, because it reads back the range of their values.
bool surface_renderer_update(SurfaceRenderer *renderer, Stream stream, const void *memory, FieldKind field,
                             VectorKind vectors, Error *error);

/// Sets the marks of nodes; pinned [node_count] holds bits. A node with the bit MARK_CROSSES, at which the surface
/// intersects itself, is drawn red. A node with any other bit is drawn as pinned if the style shows pins.
bool surface_renderer_set_pins(SurfaceRenderer *renderer, const uint8_t *pinned, Error *error);

/// Marks nodes [count] by dots in the colour of the selection (Picture.lit_obstacles), for example the nodes of a pin.
bool surface_renderer_set_chosen(SurfaceRenderer *renderer, const int *node, int count, Error *error);

/// Sets the looks of the bodies, look [LOOKS_MAX]. Colours and roughness are for pictures without a field.
bool surface_renderer_set_looks(SurfaceRenderer *renderer, const BodyLook *look, Error *error);

/// Sets the light of the surroundings, for pictures without a field; NULL: a simple sky. Copies the light.
bool surface_renderer_set_environment(SurfaceRenderer *renderer, const EnvironmentLight *light, Error *error);

/// Sets the rigid obstacles [count] of the picture, at their positions at `time`, s.
bool surface_renderer_set_obstacles(SurfaceRenderer *renderer, const Obstacle *obstacles, int count, double time,
                                    Error *error);

/// As surface_renderer_set_obstacles, but does nothing if no obstacle moves and their number is unchanged.
bool surface_renderer_move_obstacles(SurfaceRenderer *renderer, const Obstacle *obstacles, int count, double time,
                                     Error *error);

/// Finds the points of obstacles [count], at their positions at `time`, that a ray hits first, see obstacle_shapes_hit.
bool surface_renderer_hit_obstacles(const SurfaceRenderer *renderer, const Obstacle *obstacles, int count, double time,
                                    const double origin[3], const double direction[3], double *distance, Error *error);

/// Computes the range of values that the colours show. If the style has a fixed range, this is the result. Otherwise
/// the range depends on style->range:
///   FIELD_RANGE_SEEN         includes all values since the user selected the field; the ends are round numbers. Values
///                            more than four standard deviations from the mean (outliers) are not included
///   FIELD_RANGE_FOLLOW       as FIELD_RANGE_SEEN, for the present values only
///   FIELD_RANGE_PERCENTILES  field_range_exact of the percentiles of the present values; as FIELD_RANGE_FOLLOW if both
///                            percentiles are equal, for example because most values are 0
///
/// On a logarithmic scale, the range covers only the positive values, or their percentiles, and both ends are positive
/// (field_range_log). Without positive values, the range is that of the linear scale, and color_scale_is_log returns
/// false for it. For percentiles or a logarithmic scale, the first call after an update waits for the GPU, because it
/// reads the values back.
void surface_renderer_range(SurfaceRenderer *renderer, const Style *style, double range[2]);

/// Drops the earlier values from the range of the colours, which then includes only the present values.
void surface_renderer_forget_range(SurfaceRenderer *renderer);

/// Called before a scene is saved. Stores the present range of the colours in *style as a fixed range, because a range
/// that includes earlier values could not be computed again. Does nothing if style->range is not FIELD_RANGE_SEEN, or
/// if the style has another field than the picture.
void surface_renderer_fix_range(SurfaceRenderer *renderer, Style *style);

/// Returns the length of the vector that is drawn as an arrow of the largest size. This is the largest length of a
/// vector since the user selected these vectors, rounded up. Returns 0 if the picture has no arrows.
double surface_renderer_longest(const SurfaceRenderer *renderer, const Style *style);

/// Returns the spacing of the floor's grid lines, m: a round number between 1/10 and 1/4 of camera->radius.
double surface_renderer_grid(const Camera *camera);

/// Draws a picture of width x height pixels into a framebuffer (0: the window's). The framebuffer stays bound.
bool surface_renderer_draw(SurfaceRenderer *renderer, unsigned framebuffer, int width, int height,
                           const Picture *picture, Error *error);

/// Fills the window with grey. The window shows this until the first scene can be drawn.
bool surface_renderer_clear(Error *error);

/// Copies to the GPU those values of the picture that all shader programs read (FrameUniforms), and binds the buffers
/// that the shaders use. surface_renderer_draw and the picker (picker.h) call this function.
void surface_renderer_set_frame(SurfaceRenderer *renderer, int width, int height, const Picture *picture);

/// Draws the surface. If the picture has a section plane that cuts through tets, the surface on one side of this plane
/// is hidden. `program` must have the vertex attributes of surface.vert.
void surface_renderer_draw_triangles(const SurfaceRenderer *renderer, unsigned program);

/// Draws the flat face where a section plane cuts through the tets of the body, if the picture has such a plane.
/// `program` must have the vertex attributes of cap.vert.
void surface_renderer_draw_cap(const SurfaceRenderer *renderer, const Picture *picture, unsigned program);

/// Reads back the position of a node, m. Waits for the GPU.
bool surface_renderer_node(const SurfaceRenderer *renderer, int node, double position[3], Error *error);

/// Reads back the present positions x [node_count], m. Waits for the GPU.
bool surface_renderer_positions(const SurfaceRenderer *renderer, float (*x)[3], Error *error);

/// Computes the bounding box of the present positions, m. Waits for the GPU.
bool surface_renderer_bounds(const SurfaceRenderer *renderer, double low[3], double high[3], Error *error);

/// Reads back the outward unit normals of the surface's vertices, [vertex_count][3]. Waits for the GPU.
bool surface_renderer_normals(const SurfaceRenderer *renderer, float (*normals)[3], Error *error);
