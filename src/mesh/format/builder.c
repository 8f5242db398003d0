// Builds a mesh from the nodes and cells that a mesh reader finds in a file: see builder.h.
#include "mesh/format/builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"

enum { LIST_LENGTH = 512 };

static const char *const kind_name[CELL_KINDS][2] = {
  { "point", "points" },
  { "line", "lines" },
  { "triangle", "triangles" },
  { "quadrangle", "quadrangles" },
  { "tetrahedron of higher order", "tetrahedra of higher order" },
  { "hexahedron", "hexahedra" },
  { "prism", "prisms" },
  { "pyramid", "pyramids" },
  { "other element", "other elements" },
};

const char *builder_where(const MeshBuilder *b, char location[WHERE_LENGTH]) {
  if (!b->text)
    snprintf(location, WHERE_LENGTH, "%.1000s", b->path);
  else if (b->binary)
    snprintf(location, WHERE_LENGTH, "%.1000s: byte %lld", b->path, (long long)text_offset(b->text));
  else
    snprintf(location, WHERE_LENGTH, "%.1000s:%d", b->path, b->text->line);
  return location;
}

const int builder_edges_vtk[6] = { 0, 1, 2, 3, 4, 5 };
const int builder_edges_gmsh[6] = { 0, 1, 2, 3, 5, 4 };
const int builder_edges_tetgen[6] = { 5, 3, 0, 1, 4, 2 };

void builder_destroy(MeshBuilder *b) {
  mesh_destroy(&b->mesh);
  free(b->index);
  for (int shape = 0; shape < CELL_SHAPES; shape++) free(b->cells[shape].node);
  file_groups_destroy(&b->groups);
  *b = (MeshBuilder){ 0 };
}

bool builder_nodes(MeshBuilder *b, int64_t count, Error *error) {
  char location[WHERE_LENGTH];
  if (b->mesh.X) return error_set(error, "%s: the file defines its nodes twice", builder_where(b, location));
  if (count < 4 || count > MESH_MAX_NODES)
    return error_set(error, "%s: node count is \"%lld\", expected 4 to %d", builder_where(b, location),
                     (long long)count, MESH_MAX_NODES);
  if (!memory_holds((double)count * (sizeof *b->mesh.X + sizeof *b->mesh.node_tag), "nodes", error))
    return error_prefix(error, "%s", b->path);
  b->mesh.node_count = (int)count;
  b->mesh.X = array_new(count, sizeof *b->mesh.X, "nodes", error);
  b->mesh.node_tag = array_new(count, sizeof *b->mesh.node_tag, "node tags", error);
  return b->mesh.X && b->mesh.node_tag;
}

bool builder_index(MeshBuilder *b, Error *error) {
  char location[WHERE_LENGTH];
  const TetMesh *mesh = &b->mesh;
  const int64_t *tag = mesh->node_tag;
  bool dense = true;
  b->has_nodes = true;
  if (!interrupt_check(error)) return false;
  for (int a = 0; a < mesh->node_count; a++) {
    if (!isfinite(mesh->X[a][0]) || !isfinite(mesh->X[a][1]) || !isfinite(mesh->X[a][2]))
      return error_set(error, "%s: the position of node %lld is not finite", builder_where(b, location),
                       (long long)tag[a]);
    if (a > 0 && tag[a] - 1 != tag[a - 1]) dense = false;
  }
  b->first_tag = tag[0];
  if (dense) return true;
  b->index = tag_index_new(tag, mesh->node_count, error);
  if (!b->index) return false;
  for (int a = 1; a < mesh->node_count; a++)
    if (b->index[a].tag == b->index[a - 1].tag)
      return error_set(error, "%s: two nodes have the number %lld", builder_where(b, location),
                       (long long)b->index[a].tag);
  return true;
}

// Returns the index of the node with this tag (its number in the file); -1 if there is none.
static int find_node(const MeshBuilder *b, int64_t tag) {
  const int count = b->mesh.node_count;
  if (!b->index) return tag >= b->first_tag && tag - b->first_tag < count ? (int)(tag - b->first_tag) : -1;
  return (int)tag_index_find(b->index, count, tag);
}

// Removes the nodes on the edges of all tets. From then on, only the corners of tets are stored.
static void drop_middles(MeshBuilder *b) {
  free(b->mesh.middle);
  b->mesh.middle = NULL;
  b->corners_alone = true;
}

// Stores the edge nodes of tet e, if this tet and all earlier ones have ten nodes. Otherwise makes all tets of the mesh
// linear. tags [nodes] are the tet's node numbers in the file: four corners, then edge nodes. The node tags[4 + k] is
// on edge edges[k] of tet_edge_corners.
static bool add_middles(MeshBuilder *b, int e, const int64_t *tags, int nodes, const int edges[6], Error *error) {
  // builder_tet swaps corners 0 and 1 of the file's tet. This renumbers the edges: edge k in the file becomes edge
  // turned[k]. Example: edge 12 (k = 1) becomes edge 02 (number 2).
  static const int turned[6] = { 0, 2, 1, 4, 3, 5 };
  if (nodes != BUILDER_TET_NODES) drop_middles(b);
  if (b->corners_alone) return true;
  void *items = b->mesh.middle;
  const bool grown = array_reserve(&items, &b->middle_capacity, e + INT64_C(1), sizeof *b->mesh.middle, "tets", error);
  b->mesh.middle = items;
  for (int k = 0; grown && k < 6 && b->mesh.middle; k++) {
    const int node = find_node(b, tags[4 + k]);
    if (node < 0)
      drop_middles(b);
    else
      b->mesh.middle[e][turned[edges[k]]] = node;
  }
  return grown;
}

bool builder_tet(MeshBuilder *b, int64_t element, const int64_t *tags, int nodes, const int edges[6], Error *error) {
  // Swap corners 0 and 1, because tets in files have the opposite orientation to Pliant's.
  static const int corner[4] = { 1, 0, 2, 3 };
  char location[WHERE_LENGTH];
  TetMesh *mesh = &b->mesh;
  if (!interrupt_check(error)) return false;
  if (mesh->tet_count == MESH_MAX_TETS)
    return error_set(error, "%s: the file has more than %d tets, the maximum of a mesh", builder_where(b, location),
                     MESH_MAX_TETS);
  void *items = mesh->tet;
  const bool grown =
      array_reserve(&items, &b->tet_capacity, mesh->tet_count + INT64_C(1), sizeof *mesh->tet, "tets", error);
  mesh->tet = items;
  if (!grown) return false;
  for (int c = 0; c < 4; c++) {
    const int node = find_node(b, tags[c]);
    if (node < 0)
      return error_set(error, "%s: element %lld has the node %lld, which the file does not define",
                       builder_where(b, location), (long long)element, (long long)tags[c]);
    mesh->tet[mesh->tet_count][corner[c]] = node;
  }

  if (!add_middles(b, mesh->tet_count, tags, nodes, edges, error)) return false;
  mesh->tet_count++;
  b->higher_order += nodes > 4;
  return !b->field || file_field_cell(b->field, false, element, error);
}

// Writes a number with commas, for example 8194 as "8,194".
static void print_count(int64_t count, char out[32]) {
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
  int o = 0;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) out[o++] = ',';
    out[o++] = digits[i];
  }
  out[o] = 0;
}

// Writes the numbers of elements that do not become cells (builder->others), such as "8,194 triangles, 2 points".
// Returns false if there are none.
static bool list_others(const MeshBuilder *b, char list[LIST_LENGTH]) {
  size_t length = 0;
  list[0] = 0;
  for (int kind = 0; kind < CELL_KINDS && length < LIST_LENGTH; kind++) {
    if (b->others[kind] == 0) continue;
    char number[32];
    print_count(b->others[kind], number);
    length += (size_t)snprintf(list + length, LIST_LENGTH - length, "%s%s %s", length ? ", " : "", number,
                               kind_name[kind][b->others[kind] != 1]);
  }
  return length > 0;
}

void builder_report_linear(const char *path, int64_t count) {
  char number[32];
  print_count(count, number);
  log_notice("%s: higher-order tets are read as linear tets with straight edges (number of tets: %s)", path, number);
}

// The last two edge nodes of quadratic tets have different orders in the files of different programs. Assumes one order
// for the whole mesh, and exchanges the two nodes in every tet if this reduces their distances, summed over all tets,
// from the middles of their edges.
static void choose_order(MeshBuilder *b) {
  // The edges of the last two nodes, as indices in tet_edge_corners: edges 03 and 23 in Pliant, which are 13 and 23 in
  // the file, because corners 0 and 1 are swapped.
  static const int last[2] = { 3, 5 };
  const TetMesh *mesh = &b->mesh;
  double off[2] = { 0 };
  for (int e = 0; e < mesh->tet_count; e++)
    for (int k = 0; k < 4; k++) {
      const int *end = tet_edge_corners[last[k % 2]], node = mesh->middle[e][last[(k + k / 2) % 2]];
      const double *p = mesh->X[mesh->tet[e][end[0]]], *q = mesh->X[mesh->tet[e][end[1]]], *x = mesh->X[node];
      for (int i = 0; i < 3; i++) off[k / 2] += (x[i] - 0.5 * (p[i] + q[i])) * (x[i] - 0.5 * (p[i] + q[i]));
    }
  for (int e = 0; off[1] < off[0] && e < mesh->tet_count; e++) {
    int *middle = mesh->middle[e];
    const int changed = middle[last[0]];
    middle[last[0]] = middle[last[1]];
    middle[last[1]] = changed;
  }
}

// If the file has no tets, makes its hexes the cells of the mesh. Otherwise counts them as skipped elements.
static void take_hexes(MeshBuilder *b) {
  CellList *list = &b->cells[CELL_HEX8];
  if (b->mesh.tet_count > 0) {
    b->others[CELL_HEXAHEDRON] += list->count;
  } else if (list->count > 0) {
    b->mesh.hex = (int(*)[8])list->node;
    b->mesh.tet_count = list->count;
    *list = (CellList){ 0 };
  }
}

bool builder_finish(MeshBuilder *b, TetMesh *mesh, Error *error) {
  char others[LIST_LENGTH];
  take_hexes(b);
  bool has_others = list_others(b, others);
  if (b->mesh.tet_count == 0) {
    const bool surface = b->others[CELL_TRIANGLE] || b->others[CELL_QUADRANGLE];
    const bool solid = b->others[CELL_HEXAHEDRON] || b->others[CELL_PRISM] || b->others[CELL_PYRAMID];
    return error_set(
        error, "%s: no tetrahedra; the file has %s%s", b->path, has_others ? others : "no elements",
        solid     ? ", but Pliant needs tetrahedra, or hexahedra of 8 nodes; split the cells in your mesh generator"
        : surface ? ", so it describes a surface; if the surface is closed, fill it with `pliant tetrahedralize`, "
                    "TetGen or Gmsh"
                  : "");
  }
  for (int kind = 0; kind < CELL_KINDS; kind++) b->others[kind] -= b->in_sets[kind];
  has_others = list_others(b, others);
  if (has_others) log_notice("%s: skipped %s", b->path, others);
  if (b->higher_order && !b->mesh.middle) builder_report_linear(b->path, b->higher_order);
  if (b->order_unsure && b->mesh.middle) choose_order(b);
  if (!file_groups_sets(&b->groups, b->path, &b->mesh, error)) return false;
  *mesh = b->mesh;
  b->mesh = (TetMesh){ 0 };  // ownership passes to the caller
  return true;
}

bool builder_cell(MeshBuilder *b, CellShape shape, CellFile file, int64_t element, const int64_t *tags, Error *error) {
  CellList *list = &b->cells[shape];
  const int nodes = cell_shape_info(shape)->nodes;
  int order[CELL_NODES_MAX];
  char location[WHERE_LENGTH];
  if (!interrupt_check(error)) return false;
  if (list->count >= INT32_MAX / CELL_NODES_MAX)
    return error_set(error, "%s: the file has more than %d cells, the maximum of a mesh", builder_where(b, location),
                     INT32_MAX / CELL_NODES_MAX);
  void *items = list->node;
  const int64_t at = (int64_t)list->count * nodes;
  const bool grown = array_reserve(&items, &list->capacity, at + nodes, sizeof *list->node, "cells", error);
  list->node = items;
  if (!grown) return false;
  cell_shape_file_order(shape, file, order);
  for (int a = 0; a < nodes; a++) {
    const int node = find_node(b, tags[a]);
    if (node < 0)
      return error_set(error, "%s: element %lld has the node %lld, which the file does not define",
                       builder_where(b, location), (long long)element, (long long)tags[a]);
    list->node[at + order[a]] = node;
  }

  list->count++;
  return !b->field || shape != CELL_HEX8 || file_field_cell(b->field, true, element, error);
}

bool builder_piece(MeshBuilder *b, int dimension, int part, int corners, int nodes, int64_t element,
                   const int64_t *tags, Error *error) {
  int node[CELL_NODES_MAX];
  char location[WHERE_LENGTH];
  for (int a = 0; a < nodes; a++)
    if ((node[a] = find_node(b, tags[a])) < 0)
      return error_set(error, "%s: element %lld has the node %lld, which the file does not define",
                       builder_where(b, location), (long long)element, (long long)tags[a]);
  return file_groups_element(&b->groups, dimension, part, corners, nodes, node, error);
}

// Returns the shape of the cells with the highest dimension in the file. If there are no cells, or if these cells have
// several shapes, sets the error and returns CELL_SHAPES.
static CellShape only_shape(const MeshBuilder *b, Error *error) {
  int found = CELL_SHAPES;
  for (int dimension = 3; dimension >= 2 && found == CELL_SHAPES; dimension--)
    for (int shape = 0; shape < CELL_SHAPES; shape++) {
      if (b->cells[shape].count == 0 || cell_shape_info((CellShape)shape)->dimension != dimension) continue;
      if (found < CELL_SHAPES) {
        error_set(error,
                  "%s: the file mixes shapes of cells (%d of shape %s and %d of shape %s); a problem needs cells of "
                  "one shape",
                  b->path, b->cells[found].count, cell_shape_info((CellShape)found)->name, b->cells[shape].count,
                  cell_shape_info((CellShape)shape)->name);
        return CELL_SHAPES;
      }
      found = shape;
    }
  if (found == CELL_SHAPES) {
    char others[LIST_LENGTH];
    error_set(error, "%s: no cells of a supported shape (triangles, quads, tets, hexes); the file has %s", b->path,
              list_others(b, others) ? others : "no elements");
  }
  return (CellShape)found;
}

// Removes the nodes that no cell uses, and renumbers the remaining ones. number [node_count] gets the new index of each
// node, or -1 for a removed node; its elements must be 0 on entry.
static void drop_unused(const MeshBuilder *b, CellMesh *mesh, int *number) {
  const int nodes = cell_shape_info(mesh->shape)->nodes;
  int kept = 0;
  for (int64_t k = 0; k < (int64_t)nodes * mesh->cell_count; k++) number[mesh->cell[k]] = 1;
  for (int a = 0; a < mesh->node_count; a++) {
    if (!number[a]) {
      number[a] = -1;
      continue;
    }
    memmove(mesh->X[kept], mesh->X[a], sizeof *mesh->X);
    mesh->node_tag[kept] = mesh->node_tag[a];
    number[a] = kept++;
  }
  for (int64_t k = 0; k < (int64_t)nodes * mesh->cell_count; k++) mesh->cell[k] = number[mesh->cell[k]];
  if (kept < mesh->node_count)
    log_notice("%s: dropped the nodes that no cell uses (number of nodes: %d)", b->path, mesh->node_count - kept);
  mesh->node_count = kept;
}

static bool take_groups(MeshBuilder *b, const int *number, CellMesh *mesh, Error *error) {
  const int *cell_node[CELL_SHAPES];
  for (int shape = 0; shape < CELL_SHAPES; shape++) cell_node[shape] = b->cells[shape].node;
  return file_groups_finish(&b->groups, cell_node, number, mesh, error);
}

// Reverses the orientation of a cell. In a triangle or tet, swaps corners 0 and 1. In a quad or hex, reverses the order
// of the nodes in each row along x.
static void turn_cell(CellShape shape, int *node) {
  const CellShapeInfo *k = cell_shape_info(shape);
  const int line = k->degree + 1;
  for (int row = 0; row < (k->simplex ? 1 : k->nodes / line); row++)
    for (int i = 0; i < (k->simplex ? 1 : line / 2); i++) {
      const int a = row * line + i, b = k->simplex ? 1 : row * line + line - 1 - i, own = node[a];
      node[a] = node[b];
      node[b] = own;
    }
}

static void turn_inverted(MeshBuilder *b, CellMesh *mesh) {
  const int nodes = cell_shape_info(mesh->shape)->nodes;
  int turned = 0;
  for (int e = 0; e < mesh->cell_count; e++) {
    int *node = mesh->cell + (int64_t)e * nodes;
    double X[CELL_NODES_MAX][3], x[3];
    for (int a = 0; a < nodes; a++) memcpy(X[a], mesh->X[node[a]], sizeof X[a]);
    const double middle = cell_shape_info(mesh->shape)->simplex ? 0.25 : 0.5, xi[3] = { middle, middle, middle };
    if (cell_shape_map(mesh->shape, (const double(*)[3])X, xi, x, NULL) >= 0) continue;
    turn_cell(mesh->shape, node);
    turned++;
  }
  if (turned > 0) log_notice("%s: re-oriented the inverted cells (number of cells: %d)", b->path, turned);
}

bool builder_finish_cells(MeshBuilder *b, CellMesh *mesh, Error *error) {
  const CellShape shape = only_shape(b, error);
  if (shape == CELL_SHAPES) return false;
  if (shape == CELL_TET10 || shape == CELL_TET20)
    return error_set(error, "%s: cells of shape %s are not supported; use a mesh of linear tets", b->path,
                     cell_shape_info(shape)->name);
  CellMesh made = { .shape = shape,
                    .node_count = b->mesh.node_count,
                    .cell_count = b->cells[shape].count,
                    .X = b->mesh.X,
                    .node_tag = b->mesh.node_tag,
                    .cell = b->cells[shape].node };
  b->mesh.X = NULL;
  b->mesh.node_tag = NULL;
  b->cells[shape].node = NULL;
  int *number = array_new(made.node_count, sizeof *number, "nodes", error);
  bool ok = number;
  if (ok) drop_unused(b, &made, number);
  ok = ok && take_groups(b, number, &made, error);
  free(number);
  for (int a = 0; ok && cell_shape_info(shape)->dimension == 2 && a < made.node_count; a++) {
    if (fabs(made.X[a][2] - made.X[0][2]) > 1e-9 * (1 + fabs(made.X[0][2])))
      ok = error_set(error, "%s: node %lld has z = %g, but other nodes have z = %g; a mesh of 2D cells needs equal z",
                     b->path, (long long)made.node_tag[a], made.X[a][2], made.X[0][2]);
  }

  for (int a = 0; ok && cell_shape_info(shape)->dimension == 2 && a < made.node_count; a++) made.X[a][2] = 0;
  if (ok) turn_inverted(b, &made);
  ok = ok && cell_mesh_check(&made, b->path, error);
  if (ok)
    *mesh = made;
  else
    cell_mesh_destroy(&made);
  return ok;
}
