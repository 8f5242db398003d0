// The skin: the surface of all bodies and obstacles, in the form that contact uses. It consists of nodes, edges and
// triangles, with their areas and connected components, and of planes, which are half spaces. Vertices are the nodes on
// the surface. Obstacles are rigid bodies with a prescribed motion.
#pragma once
#include <stdint.h>

#include "base/obstacle.h"
#include "base/work_arrays.h"
#include "sim/contact/box_tree.h"
#include "sim/element/space.h"

// PLANE_NODES: number of nodes that define a plane. PLANES_MAX: largest number of planes (obstacles and the floor).
enum { PLANE_NODES = 3, PLANES_MAX = OBSTACLES_MAX + 1 };

// The surfaces of all obstacles, whose motion is prescribed. In arrays of all nodes, nodes of obstacles come after
// those of the body. A plane is a half space; it has three nodes and no triangles.
typedef struct RigidSurface {
  int node_count, triangle_count;  // numbers of nodes and triangles of all obstacles
  double (*X)[3];                  // [node_count] m, positions at time 0
  int (*triangle)[3];              // [triangle_count], node numbers, where 0 is the first node of the first obstacle
  // [node_count], coefficient of friction of the obstacle at each node; below 0: the coefficient of the settings is
  // used
  double *friction;
  double (*own)[3];  // [node_count] m, position of each node in a frame that moves with its obstacle
  // Element k of the two arrays: first node and first triangle of obstacle k of the settings. One more element follows:
  // the number of nodes, or of triangles, of all these obstacles, without the floor and the ball with which a user can
  // push.
  int first_node[OBSTACLES_MAX + 1], first_triangle[OBSTACLES_MAX + 1];
  int plane_count, plane[PLANES_MAX];  // first node of each plane, ascending
  int floor_node;                      // first node of the floor, the last plane; -1: there is no floor
} RigidSurface;

typedef struct Skin {
  int node_count;  // number of nodes of the body (also inner ones) and of obstacles
  int body_nodes;  // number of nodes of the body; nodes from this number on belong to obstacles
  // Nodes from this number on are ignored. While the ball with which a user can push (simulation_push) is absent, these
  // are the nodes of the ball; otherwise this number is node_count.
  int active_nodes;
  int vertex_count, edge_count, triangle_count;
  // numbers of vertices, edges and triangles of the body, which come before those of obstacles in the arrays
  int body_vertices, body_edges, body_triangles;
  // the first point_count vertices are corners of triangles, the rest are nodes of planes
  int point_count;
  int *vertex;                         // [vertex_count], node of each vertex; the first point_count elements ascend
  int plane_count, plane[PLANES_MAX];  // first node of each plane
  // only the first active_planes planes are used: the last one, the floor, is ignored while the settings have no floor
  int active_planes;
  int (*edge)[2];      // [edge_count], the two nodes of each edge; the first has the smaller number
  int (*triangle)[3];  // [triangle_count], the three nodes of each triangle
  // Surface area of each vertex [vertex_count] and edge [edge_count], m^2: the sum of a third of the area of each
  // adjacent triangle. Areas of obstacles are limited; nodes of planes have area 0.
  double *vertex_area, *edge_area;
  // [node_count], for each node: the largest factor by which a cell at this node multiplies the moduli of the material
  double *factor;
  int component_count;
  // [node_count], number of the connected part of the mesh to which the node belongs; all obstacles have the last
  // number
  int *component;
  int *first_node;  // [component_count], first node of each component
  double (*X)[3];   // [node_count], m, positions at rest
  // [node_count], coefficient of friction of the obstacle at each node. It is negative for nodes of the body, and for
  // obstacles without a coefficient: the coefficient of the settings is then used.
  double *friction;
  bool rubs;  // true: an obstacle has a coefficient of friction above 0
  // Lengths of the body at rest, m. mean_edge: mean length of the edges of its surface. extent: diagonal of its
  // bounding box.
  double mean_edge, extent;
  BoxTree edges, triangles;
  WorkArrays work;  // arrays of the search for crossings
} Skin;

/// Builds a skin from surface triangles of the mesh and from the surfaces of obstacles, `rigid` (NULL: no obstacles).
/// triangle [count] has the three nodes of each triangle, in the numbering of `space`. Copies all input. Fails if
/// memory runs out. A zeroed Skin is empty.
bool skin_create(Skin *skin, const Space *space, const int (*triangle)[3], int count, const RigidSurface *rigid,
                 Error *error);
void skin_destroy(Skin *skin);  // accepts a zeroed object
