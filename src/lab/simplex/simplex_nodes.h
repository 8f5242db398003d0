// Nodes of a tet mesh of degree 1 to 3. Their numbers are derived from those of vertices, edges and faces without an
// array (paper 004, section 4.1). Vertices come first. Then follow the nodes on edges, degree - 1 on each, from its
// lower vertex to its higher one; then, for degree 3, one node on each face. Within a tet, the order is: corners; edges
// in the order of tet_edge_corners, each from its first corner to its second; faces. The degree is an argument of all
// functions, so that it can be a compile-time constant.
#pragma once
#include <stdint.h>

#include "device/host_device.h"
#include "lab/simplex/topology.h"

// Returns the corner at an end (0 or 1) of an edge of a tet. Edges 0 to 5 join the corners 01, 12, 02, 03, 13, 23
// (tet_edge_corners). Hexadecimal digit `edge` of a constant, counted from the right, is the corner: edge 1 has the
// digits 1 of 0x210010 and 2 of 0x333221.
HOST_DEVICE int edge_corner(int edge, int end) {
  return (end ? 0x333221 : 0x210010) >> 4 * edge & 3;
}

// Returns the number of the edge between two corners of a tet.
HOST_DEVICE int edge_between(int a, int b) {
  const int low = a < b ? a : b, high = a < b ? b : a;
  return high == 3 ? 3 + low : high == 1 ? 0 : low == 0 ? 2 : 1;
}

// Returns corner k, in ascending order, of the face that is opposite to corner `face`.
HOST_DEVICE int face_corner(int face, int k) {
  return k + (k >= face);
}

// Binomial coefficient n over k; 0 if k > n.
HOST_DEVICE int choose(int n, int k) {
  int c = n < k ? 0 : 1;
  for (int i = 0; i < k; i++) c = c * (n - i) / (i + 1);
  return c;
}

// Number of nodes of a tet.
HOST_DEVICE int simplex_cell_nodes(int degree) {
  return (degree + 1) * (degree + 2) * (degree + 3) / 6;
}

HOST_DEVICE int simplex_node_count(const SimplexTopology *t) {
  return t->count[VERTEX] + (t->degree - 1) * t->count[EDGE] + (t->degree == 3 ? t->count[FACE] : 0);
}

// The vertex, edge or face on which a node is. kind: VERTEX, EDGE or FACE; number: its number among all of this kind;
// which: number of the node on it.
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

// Tests if a tet's edge runs from its higher vertex to its lower one.
HOST_DEVICE int edge_is_turned(const SimplexTopology *t, int e, int edge) {
  return t->tet[4 * (int64_t)e + edge_corner(edge, 0)] > t->tet[4 * (int64_t)e + edge_corner(edge, 1)];
}

// Returns the number of the node that is local node `local` of tet e.
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

// Number of a tet's simplices of a kind.
HOST_DEVICE int simplices_of_tet(int kind) {
  return kind == EDGE ? 6 : 4;
}

// Inverse of simplex_cell_node: returns the local number in tet e of a node on the vertex, edge or face s.
// which_simplex: number of s in the tet, such as 0 to 5 for an edge.
HOST_DEVICE int simplex_local_node(int degree, const SimplexTopology *t, NodeSimplex s, int e, int which_simplex) {
  if (s.kind == VERTEX) return which_simplex;
  if (s.kind == FACE) return 4 + 6 * (degree - 1) + which_simplex;
  const int turned = degree == 3 && edge_is_turned(t, e, which_simplex);
  return 4 + which_simplex * (degree - 1) + (turned ? 1 - s.which : s.which);
}

// Number of nodes that share a tet with a node, including itself (paper 004, Eq. 6).
HOST_DEVICE int simplex_row_length(int degree, const SimplexTopology *t, int node) {
  const NodeSimplex s = simplex_of_node(degree, t, node);
  const int p = degree, at = s.number, cells = t->cells[s.kind].start[at + 1] - t->cells[s.kind].start[at];
  if (s.kind == VERTEX)
    return 1 + p * t->vertex_edges[at] + (p > 1 ? choose(p, 2) * t->vertex_faces[at] : 0) + choose(p, 3) * cells;
  if (s.kind == EDGE) return p + 1 + choose(p + 1, 2) * t->edge_faces[at] + choose(p + 1, 3) * cells;
  return choose(p + 2, 2) + choose(p + 2, 3) * cells;
}
