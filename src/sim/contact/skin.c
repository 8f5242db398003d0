// Creation of the skin, the surface of bodies and obstacles that contact uses: see skin.h.
#include "sim/contact/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "sim/contact/nearest.h"
#include "sim/element/pieces.h"

static bool find_components(Skin *s, const Space *space, Error *error) {
  s->component_count = space_pieces(space, s->component, error);
  if (s->component_count < 0) return false;
  for (int a = s->body_nodes; a < s->node_count; a++) s->component[a] = s->component_count;
  s->component_count += s->node_count > s->body_nodes;
  s->first_node = array_new(s->component_count, sizeof *s->first_node, "contact", error);
  for (int a = s->node_count - 1; s->first_node && a >= 0; a--) s->first_node[s->component[a]] = a;
  return s->first_node;
}

static int compare_edges(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static double triangle_area(const Skin *s, int t) {
  double u[3], v[3];
  const int *n = s->triangle[t];
  subtract3(s->X[n[1]], s->X[n[0]], u);
  subtract3(s->X[n[2]], s->X[n[0]], v);
  return 0.5 * sqrt(fmax(0, dot3(u, u) * dot3(v, v) - dot3(u, v) * dot3(u, v)));
}

// One side of a triangle: its two nodes, and the triangle.
typedef struct Side {
  int node[2], triangle;
} Side;

// Returns the node of the triangle that is not on the side.
static int opposite(const Skin *s, const Side *side) {
  const int *n = s->triangle[side->triangle];
  return n[0] + n[1] + n[2] - side->node[0] - side->node[1];
}

// Returns true if the two triangles at an edge of an obstacle lie in one plane, on different sides of the edge. FLAT is
// the tolerance. Such an edge needs no pairs with edges of bodies. The point of a body that is nearest to the plane of
// the two triangles is a vertex, and vertices form pairs with both triangles.
static bool is_flat(const Skin *s, const Side *a, const Side *b) {
  const double FLAT = 1e-9;
  double edge[3], u[3], v[3], normal[3];
  if (a->node[0] < s->body_nodes) return false;
  subtract3(s->X[a->node[1]], s->X[a->node[0]], edge);
  subtract3(s->X[opposite(s, a)], s->X[a->node[0]], u);
  subtract3(s->X[opposite(s, b)], s->X[b->node[0]], v);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    normal[i] = edge[j] * u[k] - edge[k] * u[j];
  }
  const double length2 = dot3(edge, edge), size = sqrt(dot3(normal, normal) * dot3(v, v));

  // negative if the two corners opposite to the edge are on different sides of the edge
  const double sides = dot3(u, v) - dot3(u, edge) * dot3(v, edge) / length2;
  return fabs(dot3(normal, v)) <= FLAT * size && sides < 0;
}

// Lists each edge of the surface once, with its area: the sum of a third of the area of each adjacent triangle. Leaves
// out edges inside a flat part of an obstacle (is_flat).
static bool find_edges(Skin *s, Error *error) {
  const int64_t count = 3 * (int64_t)s->triangle_count;
  Side *side = array_new(count, sizeof *side, "contact", error);
  bool ok = side;
  for (int64_t k = 0; ok && k < count; k++) {
    const int *t = s->triangle[k / 3], a = t[k % 3], b = t[(k + 1) % 3];
    side[k] = (Side){ { a < b ? a : b, a < b ? b : a }, (int)(k / 3) };
  }
  ok = ok && sort_items(side, count, sizeof *side, compare_edges, error);
  double sum = 0;
  for (int64_t k = 0; ok && k < count; k++) {
    const bool first = k == 0 || compare_edges(&side[k], &side[k - 1]) != 0;
    const bool pair = first && k + 1 < count && compare_edges(&side[k], &side[k + 1]) == 0 &&
                      (k + 2 == count || compare_edges(&side[k], &side[k + 2]) != 0);
    if (pair && is_flat(s, &side[k], &side[k + 1])) {
      k++;
      continue;
    }
    if (first) {
      memcpy(s->edge[s->edge_count], side[k].node, sizeof *s->edge);
      double u[3];
      subtract3(s->X[side[k].node[0]], s->X[side[k].node[1]], u);
      if (side[k].node[0] < s->body_nodes) {
        sum += sqrt(dot3(u, u));
        s->body_edges++;
      }
      s->edge_count++;
    }
    s->edge_area[s->edge_count - 1] += triangle_area(s, side[k].triangle) / 3;
  }

  s->mean_edge = s->body_edges > 0 ? sum / s->body_edges : 0;
  free(side);
  return ok;
}

// Limits the areas of the vertices and edges of obstacles to the average areas of vertices and edges of the body.
// Contact with an obstacle is then as stiff as contact between bodies, even if the obstacle has large triangles.
static void cap_areas(Skin *s) {
  double sum = 0;
  for (int k = 0; k < s->body_vertices; k++) sum += s->vertex_area[k];
  for (int k = s->body_vertices; k < s->point_count; k++)
    s->vertex_area[k] = fmin(s->vertex_area[k], sum / s->body_vertices);
  sum = 0;
  for (int k = 0; k < s->body_edges; k++) sum += s->edge_area[k];
  for (int k = s->body_edges; k < s->edge_count; k++) s->edge_area[k] = fmin(s->edge_area[k], sum / s->body_edges);
}

// Appends the nodes of planes to the list of vertices.
static void add_planes(Skin *s, const RigidSurface *rigid) {
  s->plane_count = s->active_planes = rigid->plane_count;
  for (int k = 0; k < rigid->plane_count; k++) {
    s->plane[k] = s->body_nodes + rigid->plane[k];
    for (int j = 0; j < PLANE_NODES; j++) s->vertex[s->vertex_count++] = s->plane[k] + j;
  }
}

static bool make_trees(Skin *s, Error *error) {
  const int maximum = s->edge_count > s->triangle_count ? s->edge_count : s->triangle_count;
  double(*middle)[3] = array_new(maximum, sizeof *middle, "contact", error);
  if (!middle) return false;
  for (int k = 0; k < s->edge_count; k++)
    for (int i = 0; i < 3; i++) middle[k][i] = (s->X[s->edge[k][0]][i] + s->X[s->edge[k][1]][i]) / 2;
  bool ok = box_tree_create(&s->edges, (const double(*)[3])middle, s->body_edges, s->edge_count, error);
  for (int k = 0; k < s->triangle_count; k++)
    for (int i = 0; i < 3; i++)
      middle[k][i] = (s->X[s->triangle[k][0]][i] + s->X[s->triangle[k][1]][i] + s->X[s->triangle[k][2]][i]) / 3;
  ok = ok && box_tree_create(&s->triangles, (const double(*)[3])middle, s->body_triangles, s->triangle_count, error);
  free(middle);
  return ok;
}

bool skin_create(Skin *s, const Space *space, const int (*triangle)[3], int own, const RigidSurface *rigid,
                 Error *error) {
  double low[3], high[3], diagonal2 = 0;
  const int body = space->node_count, nodes = body + (rigid ? rigid->node_count : 0);
  const int count = own + (rigid ? rigid->triangle_count : 0);
  *s = (Skin){
    .node_count = nodes, .body_nodes = body, .active_nodes = nodes, .triangle_count = count, .body_triangles = own
  };
  s->X = array_new(nodes, sizeof *s->X, "contact", error);
  s->component = array_new(nodes, sizeof *s->component, "contact", error);
  s->friction = array_new(nodes, sizeof *s->friction, "contact", error);
  s->factor = array_new(nodes, sizeof *s->factor, "contact", error);
  s->triangle = array_new(count, sizeof *s->triangle, "contact", error);
  s->edge = array_new(3 * (int64_t)count, sizeof *s->edge, "contact", error);
  s->edge_area = array_new(3 * (int64_t)count, sizeof *s->edge_area, "contact", error);
  s->vertex = array_new(nodes, sizeof *s->vertex, "contact", error);
  s->vertex_area = array_new(nodes, sizeof *s->vertex_area, "contact", error);
  double *area = array_new(nodes, sizeof *area, "contact", error);
  bool ok = s->X && s->component && s->friction && s->factor && s->triangle && s->edge && s->edge_area && s->vertex &&
            s->vertex_area && area;
  if (ok) {
    memcpy(s->X, space->X, sizeof *s->X * (size_t)body);
    memcpy(s->triangle, triangle, sizeof *s->triangle * (size_t)own);
    for (int a = 0; a < body; a++) s->friction[a] = -1;
    if (nodes > body) {
      memcpy(s->X + body, rigid->X, sizeof *s->X * (size_t)(nodes - body));
      memcpy(s->friction + body, rigid->friction, sizeof *s->friction * (size_t)(nodes - body));
    }
    for (int a = body; a < nodes; a++) s->rubs = s->rubs || s->friction[a] > 0;
    for (int t = own; t < count; t++)
      for (int k = 0; k < 3; k++) s->triangle[t][k] = body + rigid->triangle[t - own][k];
    space_bounds(space, low, high);
    for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
    s->extent = sqrt(diagonal2);
    for (int t = 0; t < count; t++)
      for (int k = 0; k < 3; k++) area[s->triangle[t][k]] += triangle_area(s, t) / 3;
    for (int a = 0; a < body; a++) s->factor[a] = space->stiffness ? 0 : 1;
    for (int e = 0; space->stiffness && e < space->cell_count; e++)
      for (int k = 0; k < space->cell_nodes; k++) {
        double *factor = &s->factor[space_cell(space, e)[k]];
        *factor = fmax(*factor, space->stiffness[e]);
      }
    for (int a = 0; a < nodes; a++)
      if (area[a] > 0) {
        s->vertex[s->vertex_count] = a;
        s->vertex_area[s->vertex_count++] = area[a];
      }
    for (int k = 0; k < s->vertex_count; k++) s->body_vertices += s->vertex[k] < body;
    s->point_count = s->vertex_count;
    if (rigid) add_planes(s, rigid);
  }

  free(area);
  if (!ok || !find_components(s, space, error) || !find_edges(s, error)) return false;
  if (nodes > body) cap_areas(s);
  return make_trees(s, error);
}

void skin_destroy(Skin *s) {
  free(s->X);
  free(s->friction);
  free(s->component);
  free(s->first_node);
  free(s->factor);
  free(s->triangle);
  free(s->edge);
  free(s->edge_area);
  free(s->vertex);
  free(s->vertex_area);
  box_tree_destroy(&s->edges);
  box_tree_destroy(&s->triangles);
  work_arrays_destroy(&s->work);
  *s = (Skin){ 0 };
}
