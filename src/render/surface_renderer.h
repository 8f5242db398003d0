// Draws the body: its surface with a shadow, the background, and the springs that pull it. Positions come as device
// memory in the simulation's own order; everything that follows from them (normals, the springs' held ends) is made on
// the GPU.
#pragma once
#include "mesh/surface.h"
#include "render/camera.h"
#include "render/shared_buffer.h"

// A spring that is drawn: from a point of the surface to where it is pulled.
typedef struct Spring {
  int nodes[3];           // the triangle that is held
  double barycentric[3];  // of the held point in it
  double target[3];       // m
} Spring;

// A zeroed SurfaceRenderer is empty. All numbers are OpenGL's names, owned.
typedef struct SurfaceRenderer {
  int node_count, triangle_count;
  SharedBuffer positions;              // [node_count][3] float, m
  unsigned normals;                    // [node_count][3] float, unit
  unsigned triangles, fan_start, fan;  // as in Surface
  unsigned frame;                      // uniforms of one frame
  unsigned vertex_array, no_vertices;  // the surface's layout, and an empty one
  unsigned shadow_map, shadow_target;  // depth texture and its framebuffer
  unsigned normals_program, surface_program, shadow_program, background_program, floor_program, spring_program,
      marker_program;
} SurfaceRenderer;

/// Wants a current OpenGL context. `device` is where positions will come from. The surface is copied.
bool surface_renderer_create(SurfaceRenderer *renderer, const Surface *surface, int node_count, Device device,
                             Error *error);
void surface_renderer_destroy(SurfaceRenderer *renderer);

/// Takes new positions, [node_count][3] float m in device memory, in the order of `stream`, and computes the normals.
bool surface_renderer_update(SurfaceRenderer *renderer, Stream stream, const void *positions, Error *error);

/// Draws a picture of width x height pixels into a framebuffer (0: the window's), which stays bound.
bool surface_renderer_draw(SurfaceRenderer *renderer, unsigned framebuffer, int width, int height, const Camera *camera,
                           const Spring *springs, int spring_count, Error *error);

/// Fills the uniforms that all programs read. surface_renderer_draw does it; so does the picker.
void surface_renderer_set_frame(SurfaceRenderer *renderer, int width, int height, const Camera *camera);

/// Reads back where a node is drawn, m. Waits for the GPU.
bool surface_renderer_node(const SurfaceRenderer *renderer, int node, double position[3], Error *error);

/// Reads back the normals, [node_count][3], unit length and outward, zero inside the body. Waits for the GPU.
bool surface_renderer_normals(const SurfaceRenderer *renderer, float (*normals)[3], Error *error);
