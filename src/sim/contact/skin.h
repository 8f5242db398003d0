// The surface of one or several bodies as contact uses it: nodes, edges and triangles, the area that belongs to each,
// connected components, and half spaces.
#pragma once
#include <stdint.h>

#include "base/obstacle.h"
#include "sim/contact/box_tree.h"
#include "sim/element/space.h"

// Planes of obstacles, and the floor.
enum { PLANE_NODES = 3, PLANES_MAX = OBSTACLES_MAX + 1 };

// Obstacles as surfaces: they have no cells and a prescribed motion. Their nodes come after the body's. A plane is a
// half space: its three nodes have no triangle.
typedef struct RigidSurface {
  int node_count, triangle_count;
  double (*X)[3];      // [node_count] m
  int (*triangle)[3];  // [triangle_count], nodes from 0
  double *friction;    // [node_count], coefficients
  double (*own)[3];    // [node_count] m, in the frame of the node's obstacle
  int first_node[OBSTACLES_MAX + 1], first_triangle[OBSTACLES_MAX + 1];  // first of each obstacle, then the end
  int plane_count, plane[PLANES_MAX];                                    // first node of each plane, ascending
  int floor_node;  // first node of the floor, the last plane; -1: there is no floor
} RigidSurface;

typedef struct Skin {
  int node_count;    // all nodes of the body, and nodes of obstacles
  int body_nodes;    // nodes of the body: nodes from here on belong to obstacles
  int active_nodes;  // nodes from here on are ignored at present
  int vertex_count, edge_count, triangle_count;
  int body_vertices, body_edges, body_triangles;  // the first ones of each kind, of the body
  int point_count;                     // the first vertices are corners of triangles, the rest nodes of planes
  int *vertex;                         // [vertex_count], nodes of the surface, both parts ascending
  int plane_count, plane[PLANES_MAX];  // first node of each half space
  int active_planes;                   // planes from here on are ignored at present
  int (*edge)[2];                      // [edge_count], nodes, ascending
  int (*triangle)[3];                  // [triangle_count], nodes
  double *vertex_area, *edge_area;     // m^2: a third of each adjacent triangle; 0 for nodes of planes
  double *factor;                      // [node_count], factor on the material's moduli: the largest of a node's
                                       // cells
  int component_count;
  int *component;            // [node_count]: connected component of the node's cells
  int *first_node;           // [component_count]: first node of each
  double (*X)[3];            // [node_count], m, at rest
  double *friction;          // [node_count], of obstacles' nodes; below 0 for the body's nodes, which have the global
                             // coefficient
  bool rubs;                 // some coefficient of an obstacle is above 0
  double mean_edge, extent;  // m: at rest, the edges' mean length and the diagonal of the bounding box
  BoxTree edges, triangles;
} Skin;

/// Builds a skin from triangles [count] of the space's nodes, and from obstacles (NULL: none); all input is copied.
/// Fails if memory runs out. A zeroed Skin is empty.
bool skin_create(Skin *skin, const Space *space, const int (*triangle)[3], int count, const RigidSurface *rigid,
                 Error *error);
void skin_destroy(Skin *skin);  // accepts a zeroed object
