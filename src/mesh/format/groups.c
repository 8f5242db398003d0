// Collects named groups of elements while a file is read: see groups.h.
#include "mesh/format/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/sort.h"

// Numbers of ints per row of the tables in FileGroups. LINK: a row of `links`. CELLS: a row of `cells`. ELEMENT: a row
// of `elements`, without the nodes at its end.
enum { LINK = 3, ELEMENT = 4, CELLS = 5 };

void file_groups_destroy(FileGroups *g) {
  free(g->links.at);
  free(g->elements.at);
  free(g->cells.at);
  free(g->name);
  *g = (FileGroups){ 0 };
}

// Makes space for `more` ints at the end of a table. Returns the address of the first of them; NULL if memory runs out.
static int *grow(GroupRows *rows, int64_t more, Error *error) {
  void *items = rows->at;
  const bool grown = array_reserve(&items, &rows->capacity, rows->count + more, sizeof *rows->at, "groups", error);
  rows->at = items;
  if (!grown) return NULL;
  rows->count += more;
  return rows->at + rows->count - more;
}

static int compare_links(const void *left, const void *right) {
  const int *a = left, *b = right;
  for (int k = 0; k < LINK; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

bool file_groups_link(FileGroups *g, int dimension, int part, int group, Error *error) {
  const int link[LINK] = { dimension, part, group };
  if (g->links.count && compare_links(link, g->links.at + g->links.count - LINK) == 0) return true;
  int *row = grow(&g->links, LINK, error);
  if (row) memcpy(row, link, sizeof link);
  return row;
}

bool file_groups_name(FileGroups *g, int dimension, int group, const char *name, int length, Error *error) {
  void *items = g->name;
  const bool grown = array_reserve(&items, &g->name_capacity, g->name_count + 1, sizeof *g->name, "groups", error);
  g->name = items;
  if (!grown) return false;
  GroupName *own = &g->name[g->name_count++];
  *own = (GroupName){ dimension, group, "" };
  snprintf(own->name, sizeof own->name, "%.*s", length, name);
  return true;
}

bool file_groups_element(FileGroups *g, int dimension, int part, int corners, int nodes, const int *node,
                         Error *error) {
  int *row = grow(&g->elements, ELEMENT + nodes, error);
  if (!row) return false;
  row[0] = dimension;
  row[1] = part;
  row[2] = corners;
  row[3] = nodes;
  memcpy(row + ELEMENT, node, sizeof *node * (size_t)nodes);
  return true;
}

bool file_groups_cell(FileGroups *g, int part, CellShape shape, int cell, Error *error) {
  const int dimension = cell_shape_info(shape)->dimension;
  int *row = g->cells.count ? g->cells.at + g->cells.count - CELLS : NULL;
  if (row && row[0] == dimension && row[1] == part && row[2] == (int)shape && row[3] + row[4] == cell) {
    row[4]++;
    return true;
  }
  if (!(row = grow(&g->cells, CELLS, error))) return false;
  row[0] = dimension;
  row[1] = part;
  row[2] = (int)shape;
  row[3] = cell;
  row[4] = 1;
  return true;
}

// ---- named groups of a mesh's boundary (file_groups_finish)

// A group of the file. dimension: dimension of the group's elements, 0 to 3. group: number of the group in the file.
// index: index of the group in the groups of the mesh.
typedef struct Numbered {
  int dimension, group, index;
  const char *name;  // the group's name in the file; NULL: its number is its name
} Numbered;

static int compare_numbers(const void *left, const void *right) {
  const Numbered *a = left, *b = right;
  if (a->dimension != b->dimension) return a->dimension < b->dimension ? -1 : 1;
  return a->group < b->group ? -1 : a->group > b->group;
}

static const char *name_of(const Numbered *own, char number[16]) {
  snprintf(number, 16, "%d", own->group);
  return own->name ? own->name : number;
}

static int compare_names(const void *left, const void *right) {
  char a[16], b[16];
  return strcmp(name_of(left, a), name_of(right, b));
}

// Data while the groups of a mesh are created. number[k] is the index in the mesh of node k of the file; -1: the mesh
// does not have this node. group: the array of created groups. node_capacity and facet_capacity: for each of these
// groups, the allocated lengths of its arrays `node` and `facet`.
typedef struct Making {
  const int *number;
  int dimension;       // only groups of lower dimension than this are used; 4: all groups
  Numbered *numbered;  // [numbered_count], groups, sorted by dimension and number
  int64_t numbered_count;
  CellGroup *group;
  int64_t *node_capacity, *facet_capacity;
} Making;

// A link is a row of FileGroups.links: a part and a group that contains it. Sorts the links and removes duplicates.
// Then lists in m->numbered all groups of lower dimension than m->dimension, each once, with its name.
static bool find_numbers(FileGroups *g, Making *m, Error *error) {
  int64_t links = 0;
  if (!sort_items(g->links.at, g->links.count / LINK, LINK * sizeof *g->links.at, compare_links, error)) return false;
  for (int64_t k = 0; k < g->links.count; k += LINK)
    if (k == 0 || compare_links(g->links.at + k, g->links.at + (links - 1) * LINK) != 0)
      memmove(g->links.at + links++ * LINK, g->links.at + k, LINK * sizeof *g->links.at);
  g->links.count = links * LINK;
  if (!(m->numbered = array_new(links, sizeof *m->numbered, "groups", error))) return false;
  for (int64_t k = 0; k < links; k++) {
    const int *link = g->links.at + k * LINK;
    if (link[0] < m->dimension) m->numbered[m->numbered_count++] = (Numbered){ link[0], link[2], 0, NULL };
  }
  if (!sort_items(m->numbered, m->numbered_count, sizeof *m->numbered, compare_numbers, error)) return false;
  int64_t kept = 0;
  for (int64_t k = 0; k < m->numbered_count; k++)
    if (k == 0 || compare_numbers(&m->numbered[k], &m->numbered[kept - 1]) != 0) m->numbered[kept++] = m->numbered[k];
  m->numbered_count = kept;
  for (int64_t k = 0; k < g->name_count; k++) {
    const Numbered wanted = { .dimension = g->name[k].dimension, .group = g->name[k].group };
    Numbered *own = bsearch(&wanted, m->numbered, (size_t)kept, sizeof *m->numbered, compare_numbers);
    if (own) own->name = g->name[k].name;
  }
  return true;
}

// Creates the groups of the mesh, still without nodes and facets. Groups with equal names become one group.
static bool make_groups(Making *m, CellMesh *mesh, Error *error) {
  const int64_t numbers = m->numbered_count;
  int count = 0;
  if (!sort_items(m->numbered, numbers, sizeof *m->numbered, compare_names, error)) return false;
  for (int64_t k = 0; k < numbers; k++) {
    count += k == 0 || compare_names(&m->numbered[k], &m->numbered[k - 1]) != 0;
    m->numbered[k].index = count - 1;
  }
  mesh->group = m->group = array_new(count, sizeof *m->group, "groups", error);
  m->node_capacity = array_new(count, sizeof *m->node_capacity, "groups", error);
  m->facet_capacity = array_new(count, sizeof *m->facet_capacity, "groups", error);
  if (!m->group || !m->node_capacity || !m->facet_capacity) return false;
  mesh->group_count = count;
  for (int64_t k = 0; k < numbers; k++) {
    char number[16];
    snprintf(m->group[m->numbered[k].index].name, CELL_GROUP_NAME, "%s", name_of(&m->numbered[k], number));
  }
  return sort_items(m->numbered, numbers, sizeof *m->numbered, compare_numbers, error);
}

static bool add_node(Making *m, int index, int node, Error *error) {
  CellGroup *own = &m->group[index];
  void *items = own->node;
  const bool grown =
      array_reserve(&items, &m->node_capacity[index], own->node_count + INT64_C(1), sizeof *own->node, "groups", error);
  own->node = items;
  if (grown) own->node[own->node_count++] = node;
  return grown;
}

// Adds a facet to the group with this index. corner [corners] are its nodes, as indices of nodes of the mesh.
static bool add_facet(Making *m, int index, const int *corner, int corners, Error *error) {
  CellGroup *own = &m->group[index];
  void *items = own->facet;
  const bool grown = array_reserve(&items, &m->facet_capacity[index], own->facet_count + INT64_C(1), sizeof *own->facet,
                                   "groups", error);
  own->facet = items;
  if (!grown) return false;
  int *facet = own->facet[own->facet_count++];
  for (int c = 0; c < 4; c++) facet[c] = c < corners ? corner[c] : -1;
  qsort(facet, (size_t)corners, sizeof *facet, compare_ints);
  return true;
}

// A link is a row of FileGroups.links: a part (set of elements) and a group that contains it. Returns the index, in the
// sorted list of links, of the first link of a part. If the part has no link, returns the index at which one would be
// inserted.
static int64_t first_link(const FileGroups *g, int dimension, int part) {
  const int first[LINK] = { dimension, part, INT32_MIN };
  int64_t low = 0, high = g->links.count / LINK;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (compare_links(g->links.at + middle * LINK, first) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Adds an element to all groups that contain the element's part (a set of elements). Each of these groups gets the
// nodes of the element. If the element has one dimension less than the cells, and all its corners are nodes of the
// mesh, it is a facet, and each of these groups also gets this facet. node [nodes] are the element's nodes, corners
// first, as indices in the file.
static bool add_element(const FileGroups *g, Making *m, int dimension, int part, int corners, int nodes,
                        const int *node, Error *error) {
  const int64_t links = g->links.count / LINK;
  int64_t low = first_link(g, dimension, part);
  for (int last = 0; low < links; low++) {
    const int *link = g->links.at + low * LINK;
    if (link[0] != dimension || link[1] != part) break;
    const Numbered wanted = { .dimension = dimension, .group = link[2] };
    const Numbered *own =
        bsearch(&wanted, m->numbered, (size_t)m->numbered_count, sizeof *m->numbered, compare_numbers);

    // Two groups that contain the part may have equal names. They are one group of the mesh, to which the element is
    // added only once.
    if (!own || last == own->index + 1) continue;
    last = own->index + 1;
    int corner[4];
    bool whole = dimension == m->dimension - 1;
    for (int a = 0; a < nodes; a++) {
      const int here = m->number[node[a]];
      if (here >= 0 && !add_node(m, own->index, here, error)) return false;
      if (a < corners) {
        corner[a] = here;
        whole = whole && here >= 0;
      }
    }
    if (whole && !add_facet(m, own->index, corner, corners, error)) return false;
  }
  return true;
}

static bool add_elements(const FileGroups *g, Making *m, const int *const cell_node[CELL_SHAPES], Error *error) {
  for (int64_t k = 0; k < g->elements.count; k += ELEMENT + g->elements.at[k + 3]) {
    const int *row = g->elements.at + k;
    if (row[0] < m->dimension && !add_element(g, m, row[0], row[1], row[2], row[3], row + ELEMENT, error)) return false;
  }
  for (int64_t k = 0; k < g->cells.count; k += CELLS) {
    const int *row = g->cells.at + k;
    const CellShapeInfo *shape = cell_shape_info((CellShape)row[2]);
    int local[CELL_CORNERS_MAX];
    if (row[0] >= m->dimension) continue;
    cell_shape_corners((CellShape)row[2], local);
    for (int e = row[3]; e < row[3] + row[4]; e++) {
      int node[CELL_NODES_MAX];
      const int *own = cell_node[row[2]] + (int64_t)e * shape->nodes;
      for (int c = 0; c < shape->corners; c++) node[c] = own[local[c]];
      for (int a = 0, at = shape->corners; a < shape->nodes; a++) {
        bool is_corner = false;
        for (int c = 0; c < shape->corners; c++) is_corner = is_corner || local[c] == a;
        if (!is_corner) node[at++] = own[a];
      }
      if (!add_element(g, m, row[0], row[1], shape->corners, shape->nodes, node, error)) return false;
    }
  }
  return true;
}

// Sorts the nodes and facets of each group and removes duplicates.
static bool sort_groups(CellMesh *mesh, Error *error) {
  for (int k = 0; k < mesh->group_count; k++) {
    CellGroup *own = &mesh->group[k];
    int nodes = 0, facets = 0;
    if (!sort_items(own->node, own->node_count, sizeof *own->node, compare_ints, error) ||
        !sort_items(own->facet, own->facet_count, sizeof *own->facet, cell_facets_compare, error))
      return false;
    for (int a = 0; a < own->node_count; a++)
      if (nodes == 0 || own->node[a] != own->node[nodes - 1]) own->node[nodes++] = own->node[a];
    for (int f = 0; f < own->facet_count; f++)
      if (facets == 0 || cell_facets_compare(own->facet[f], own->facet[facets - 1]) != 0)
        memmove(own->facet[facets++], own->facet[f], sizeof *own->facet);
    own->node_count = nodes;
    own->facet_count = facets;
  }
  return true;
}

bool file_groups_finish(FileGroups *g, const int *const cell_node[CELL_SHAPES], const int *number, CellMesh *mesh,
                        Error *error) {
  Making m = { .number = number, .dimension = cell_shape_info(mesh->shape)->dimension };
  const bool ok = !g->links.count || (find_numbers(g, &m, error) && make_groups(&m, mesh, error) &&
                                      add_elements(g, &m, cell_node, error) && sort_groups(mesh, error));
  free(m.numbered);
  free(m.node_capacity);
  free(m.facet_capacity);
  return ok;
}

// ---- named sets of a body (file_groups_sets)

// A part is a set of elements with one dimension, and may belong to several groups. Each group has become a set of the
// mesh. Calls add(set, of, error) with each of these sets; `of` is passed on unchanged.
static bool each_set(const FileGroups *g, const Making *m, MeshSets *sets, int dimension, int part,
                     bool (*add)(MeshSet *set, const void *of, Error *error), const void *of, Error *error) {
  const int64_t links = g->links.count / LINK;
  for (int64_t k = first_link(g, dimension, part); k < links; k++) {
    const int *link = g->links.at + k * LINK;
    if (link[0] != dimension || link[1] != part) break;
    const Numbered wanted = { .dimension = dimension, .group = link[2] };
    const Numbered *own =
        bsearch(&wanted, m->numbered, (size_t)m->numbered_count, sizeof *m->numbered, compare_numbers);
    if (own && !add(&sets->set[own->index], of, error)) return false;
  }
  return true;
}

// Argument of add_piece: an element, given by its row in FileGroups.elements, which includes its nodes.
typedef struct Piece {
  const int *row;
  const TetMesh *mesh;
} Piece;

// Argument of add_range: the cells `first` to first + count - 1 of the mesh.
typedef struct CellRange {
  int first, count;
} CellRange;

static bool add_piece(MeshSet *set, const void *of, Error *error) {
  const Piece *piece = of;
  const int *row = piece->row, *node = row + ELEMENT;
  int64_t corner[MESH_FACET_CORNERS];
  for (int a = 0; a < row[3]; a++)
    if (!mesh_set_add_node(set, piece->mesh->node_tag[node[a]], error)) return false;
  for (int c = 0; c < row[2]; c++) corner[c] = piece->mesh->node_tag[node[c]];
  return row[0] != 2 || mesh_set_add_facet(set, corner, row[2], error);
}

static bool add_range(MeshSet *set, const void *of, Error *error) {
  const CellRange *range = of;
  for (int e = range->first; e < range->first + range->count; e++)
    if (!mesh_set_add_cell(set, e, error)) return false;
  return true;
}

static bool fill_sets(const FileGroups *g, Making *m, const TetMesh *mesh, MeshSets *sets, Error *error) {
  for (int64_t k = 0; k < m->numbered_count; k++) {
    char number[16];
    const char *name = name_of(&m->numbered[k], number);
    m->numbered[k].index = mesh_sets_add(sets, name, (int)strlen(name), error);
    if (m->numbered[k].index < 0) return false;
  }
  for (int64_t k = 0; k < g->elements.count; k += ELEMENT + g->elements.at[k + 3]) {
    const Piece piece = { g->elements.at + k, mesh };
    if (!each_set(g, m, sets, piece.row[0], piece.row[1], add_piece, &piece, error)) return false;
  }
  const CellShape shape = mesh->hex ? CELL_HEX8 : CELL_TET4;
  for (int64_t k = 0; k < g->cells.count; k += CELLS) {
    const int *row = g->cells.at + k;
    const CellRange range = { row[3], row[4] };
    if (row[2] == (int)shape && !each_set(g, m, sets, row[0], row[1], add_range, &range, error)) return false;
  }
  return mesh_sets_finish(sets, mesh, error);
}

bool file_groups_sets(FileGroups *g, const char *name, TetMesh *mesh, Error *error) {
  Making m = { .dimension = 4 };
  MeshSets *sets = NULL;
  if (!g->links.count) return true;
  bool ok = find_numbers(g, &m, error);
  const bool many = ok && m.numbered_count > MESH_SETS_MAX;
  if (many)
    log_notice("%s: the file has %lld groups, but at most %d are supported; no groups are read", name,
               (long long)m.numbered_count, MESH_SETS_MAX);
  if (ok && !many) ok = (sets = mesh_sets_new(error)) && fill_sets(g, &m, mesh, sets, error);
  free(m.numbered);
  if (ok)
    mesh->sets = sets;
  else
    mesh_sets_release(sets);
  return ok;
}
