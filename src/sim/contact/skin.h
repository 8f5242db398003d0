// The surface of a body, or of several, as contact sees it: its nodes, edges and triangles, how much of it belongs to
// each, and which of them hang together.
#pragma once
#include <stdint.h>

#include "base/obstacle.h"
#include "sim/contact/box_tree.h"
#include "sim/element/space.h"

// Surfaces that have no cells behind them and move as they are told: obstacles. Their nodes come after the body's.
typedef struct RigidSurface {
  int node_count, triangle_count;
  double (*X)[3];      // [node_count] m
  int (*triangle)[3];  // [triangle_count], nodes from 0
  double *friction;    // [node_count], coefficients
  double (*own)[3];    // [node_count] m, in the frame of the obstacle that has it
  int first_node[OBSTACLES_MAX + 1], first_triangle[OBSTACLES_MAX + 1];  // of each obstacle, one behind the other
} RigidSurface;

typedef struct Skin {
  int node_count;    // of the body, inner nodes included, and of obstacles
  int body_nodes;    // of the body alone: those from here on are obstacles'
  int active_nodes;  // those from here on count for nothing at present
  int vertex_count, edge_count, triangle_count;
  int own_vertices, own_edges, own_triangles;  // of each the first so many are the body's
  int *vertex;                                 // [vertex_count], nodes of the surface, ascending
  int (*edge)[2];                              // [edge_count], nodes, ascending
  int (*triangle)[3];                          // [triangle_count], nodes
  double *vertex_area, *edge_area;             // m^2: thirds of the triangles around
  double *factor;                              // [node_count] on the material's moduli: the largest of a node's cells
  int component_count;
  int *component;            // [node_count]: nodes of cells that hang together have the same
  int *first_node;           // [component_count]: of the nodes of each the first
  double (*X)[3];            // [node_count], m, at rest
  double *friction;          // [node_count], of obstacles' nodes; of the body's below 0: as all of it has
  bool rubs;                 // one of the former is above 0
  double mean_edge, extent;  // m: at rest, the edges' mean length and the diagonal of the bounding box
  BoxTree edges, triangles;
} Skin;

/// Of triangles [count] that the nodes of a space make, and of obstacles (NULL: none); all of it is copied. Fails for
/// lack of memory. A zeroed Skin is empty.
bool skin_create(Skin *skin, const Space *space, const int (*triangle)[3], int count, const RigidSurface *rigid,
                 Error *error);
void skin_destroy(Skin *skin);  // takes a zeroed one
