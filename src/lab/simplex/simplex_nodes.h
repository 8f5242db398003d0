// Numbers of the nodes of a tet mesh of degree 1 to 3. The nodes of each tet are not stored, because node numbers
// follow from the numbers of vertices, edges and faces (paper 004, section 4.1). Vertices come first. Then come degree
// - 1 nodes on each edge, from its lower vertex to its higher one. Last, for degree 3, comes one node on each face. For
// example, with 10 vertices and degree 3, the nodes on edge 2 are 14 and 15.
//
// The local nodes of a tet are numbered in this order: corners; nodes on edges, in the order of tet_edge_corners, each
// from the edge's first corner to its second; nodes on faces. The degree is an argument of all functions, so that it
// can be a compile-time constant.
#pragma once
#include <stdint.h>

#include "device/host_device.h"
#include "lab/simplex/topology.h"

// Returns the corner, 0 to 3, at end 0 or end 1 of an edge of a tet. Edges 0 to 5 join the corners 01, 12, 02, 03, 13
// and 23 (tet_edge_corners). A hexadecimal number stores the six corners at one end: its digit k from the right,
// counted from 0, is for edge k. For edge 1, the digits of 0x210010 and 0x333221 are 1 and 2.
HOST_DEVICE int edge_corner(int edge, int end) {
  return (end ? 0x333221 : 0x210010) >> 4 * edge & 3;
}

// Returns the number, 0 to 5, of the edge between two corners of a tet.
HOST_DEVICE int edge_between(int a, int b) {
  const int low = a < b ? a : b, high = a < b ? b : a;
  return high == 3 ? 3 + low : high == 1 ? 0 : low == 0 ? 2 : 1;
}

// Returns corner k, 0 to 2, of a face of a tet. Face f is opposite to corner f, and its corners are in ascending order:
// face 1 has the corners 0, 2 and 3.
HOST_DEVICE int face_corner(int face, int k) {
  return k + (k >= face);
}

// Returns the binomial coefficient n over k; 0 if k > n.
HOST_DEVICE int choose(int n, int k) {
  int c = n < k ? 0 : 1;
  for (int i = 0; i < k; i++) c = c * (n - i) / (i + 1);
  return c;
}

// Returns the number of nodes of a tet: 4, 10 or 20 for degree 1, 2 or 3.
HOST_DEVICE int simplex_cell_nodes(int degree) {
  return (degree + 1) * (degree + 2) * (degree + 3) / 6;
}

HOST_DEVICE int simplex_node_count(const SimplexTopology *t) {
  return t->count[VERTEX] + (t->degree - 1) * t->count[EDGE] + (t->degree == 3 ? t->count[FACE] : 0);
}

// The vertex, edge or face of the mesh that contains a node. kind: VERTEX, EDGE or FACE. number: index of this vertex,
// edge or face among all vertices, all edges or all faces. which: 0 or 1, the number of the node among the nodes inside
// the edge.
typedef struct NodeSimplex {
  int kind, number, which;
} NodeSimplex;

HOST_DEVICE NodeSimplex simplex_of_node(int degree, const SimplexTopology *t, int node) {
  NodeSimplex s = { VERTEX, node, 0 };
  if (node < t->count[VERTEX]) return s;
  s.number -= t->count[VERTEX];
  const int on_edges = (degree - 1) * t->count[EDGE];
  if (s.number < on_edges) {
    s.kind = EDGE;
    s.which = s.number % (degree - 1);
    s.number /= degree - 1;
  } else {
    s.kind = FACE;
    s.number -= on_edges;
  }
  return s;
}

// Returns 1 if the first corner of a tet's edge has a higher vertex number than the second one, else 0. If it is 1, the
// two nodes on the edge have opposite orders in the tet and in the mesh, which numbers them from the lower vertex on.
HOST_DEVICE int edge_is_turned(const SimplexTopology *t, int e, int edge) {
  return t->tet[4 * (int64_t)e + edge_corner(edge, 0)] > t->tet[4 * (int64_t)e + edge_corner(edge, 1)];
}

// Returns the number, among all nodes of the mesh, of local node `local` of tet e.
HOST_DEVICE int simplex_cell_node(int degree, const SimplexTopology *t, int e, int local) {
  if (local < 4) return t->tet[4 * (int64_t)e + local];
  const int on_edge = degree - 1;
  if (local < 4 + 6 * on_edge) {
    const int edge = (local - 4) / on_edge;
    int which = (local - 4) % on_edge;
    if (degree == 3 && edge_is_turned(t, e, edge)) which = 1 - which;
    return t->count[VERTEX] + t->tet_edge[6 * (int64_t)e + edge] * on_edge + which;
  }
  return t->count[VERTEX] + t->count[EDGE] * on_edge + t->tet_face[4 * (int64_t)e + local - 4 - 6 * on_edge];
}

// Returns how many simplices of this kind a tet has: 4 vertices, 6 edges or 4 faces.
HOST_DEVICE int simplices_of_tet(int kind) {
  return kind == EDGE ? 6 : 4;
}

// Returns the local number, in tet e, of a node on the vertex, edge or face s of the mesh. which_simplex is the number
// of s in the tet, such as 0 to 5 for an edge.
HOST_DEVICE int simplex_local_node(int degree, const SimplexTopology *t, NodeSimplex s, int e, int which_simplex) {
  if (s.kind == VERTEX) return which_simplex;
  if (s.kind == FACE) return 4 + 6 * (degree - 1) + which_simplex;
  const int turned = degree == 3 && edge_is_turned(t, e, which_simplex);
  return 4 + which_simplex * (degree - 1) + (turned ? 1 - s.which : s.which);
}

// Returns the number of nodes that share a tet with `node`, including `node` itself (paper 004, Eq. 6).
HOST_DEVICE int simplex_row_length(int degree, const SimplexTopology *t, int node) {
  const NodeSimplex s = simplex_of_node(degree, t, node);
  const int p = degree, at = s.number, cells = t->cells[s.kind].start[at + 1] - t->cells[s.kind].start[at];
  if (s.kind == VERTEX)
    return 1 + p * t->vertex_edges[at] + (p > 1 ? choose(p, 2) * t->vertex_faces[at] : 0) + choose(p, 3) * cells;
  if (s.kind == EDGE) return p + 1 + choose(p + 1, 2) * t->edge_faces[at] + choose(p + 1, 3) * cells;
  return choose(p + 2, 2) + choose(p + 2, 3) * cells;
}
