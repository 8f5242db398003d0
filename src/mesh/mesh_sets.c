// Stores the named sets of a mesh file: see mesh_sets.h.
#include "mesh/mesh_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "mesh/tag_index.h"

static const char *const WHAT = "sets of the mesh";

MeshSets *mesh_sets_new(Error *error) {
  MeshSets *made = array_new(1, sizeof *made, WHAT, error);
  if (made) atomic_init(&made->holders, 1);
  return made;
}

MeshSets *mesh_sets_hold(MeshSets *sets) {
  if (sets) atomic_fetch_add(&sets->holders, 1);
  return sets;
}

void mesh_sets_release(MeshSets *sets) {
  if (!sets || atomic_fetch_sub(&sets->holders, 1) != 1) return;
  for (int k = 0; k < sets->count; k++) {
    free(sets->set[k].node);
    free(sets->set[k].cell);
    free(sets->set[k].facet);
  }
  free(sets->set);
  free(sets);
}

static int find(const MeshSets *sets, const char *name, int length) {
  const int kept = length < MESH_SET_NAME ? length : MESH_SET_NAME - 1;
  for (int k = 0; sets && k < sets->count; k++)
    if ((int)strlen(sets->set[k].name) == kept && memcmp(sets->set[k].name, name, (size_t)kept) == 0) return k;
  return -1;
}

const MeshSet *mesh_sets_find(const MeshSets *sets, const char *name, int length) {
  const int k = find(sets, name, length);
  return k < 0 ? NULL : &sets->set[k];
}

int mesh_sets_add(MeshSets *sets, const char *name, int length, Error *error) {
  const int found = find(sets, name, length);
  if (found >= 0) return found;
  if (sets->count == MESH_SETS_MAX) {
    error_set(error, "the mesh has more than %d sets of nodes and cells, the maximum", MESH_SETS_MAX);
    return -1;
  }
  void *items = sets->set;
  const bool grown = array_reserve(&items, &sets->capacity, sets->count + INT64_C(1), sizeof *sets->set, WHAT, error);
  sets->set = items;
  if (!grown) return -1;
  MeshSet *set = &sets->set[sets->count];
  *set = (MeshSet){ .name = "" };
  snprintf(set->name, sizeof set->name, "%.*s", length, name);
  return sets->count++;
}

bool mesh_set_add_node(MeshSet *set, int64_t tag, Error *error) {
  void *items = set->node;
  const bool grown = array_reserve(&items, &set->node_capacity, set->node_count + 1, sizeof tag, WHAT, error);
  set->node = items;
  if (grown) set->node[set->node_count++] = tag;
  return grown;
}

bool mesh_set_add_cell(MeshSet *set, int cell, Error *error) {
  void *items = set->cell;
  const bool grown = array_reserve(&items, &set->cell_capacity, set->cell_count + 1, sizeof cell, WHAT, error);
  set->cell = items;
  if (grown) set->cell[set->cell_count++] = cell;
  return grown;
}

static int compare_tags(const void *left, const void *right) {
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static int compare_facets(const void *left, const void *right) {
  const int64_t *a = left, *b = right;
  for (int c = 0; c < MESH_FACET_CORNERS; c++)
    if (a[c] != b[c]) return a[c] < b[c] ? -1 : 1;
  return 0;
}

// Sets `sorted` to the tags (numbers in the file) of a facet's corners, ascending; for a triangle, the fourth element
// is -1.
static void sort_corners(const int64_t *corner, int corners, int64_t sorted[MESH_FACET_CORNERS]) {
  for (int c = 0; c < MESH_FACET_CORNERS; c++) sorted[c] = c < corners ? corner[c] : -1;
  for (int c = 1; c < corners; c++)
    for (int at = c; at > 0 && sorted[at - 1] > sorted[at]; at--) {
      const int64_t other = sorted[at];
      sorted[at] = sorted[at - 1];
      sorted[at - 1] = other;
    }
}

bool mesh_set_add_facet(MeshSet *set, const int64_t *corner, int corners, Error *error) {
  void *items = set->facet;
  const bool grown = array_reserve(&items, &set->facet_capacity, set->facet_count + 1, sizeof *set->facet, WHAT, error);
  set->facet = items;
  if (grown) sort_corners(corner, corners, set->facet[set->facet_count++]);
  return grown;
}

// Sorts items and removes duplicates. Returns the number of items that are left, or -1 if memory runs out.
static int64_t sort_once(void *items, int64_t count, size_t size, int (*compare)(const void *, const void *),
                         Error *error) {
  char *at = items;
  int64_t kept = 0, ascending = 1;
  while (ascending < count && compare(at + (size_t)(ascending - 1) * size, at + (size_t)ascending * size) < 0)
    ascending++;
  if (ascending >= count) return count;  // in ascending order already, as in most files
  if (!sort_items(items, count, size, compare, error)) return -1;
  for (int64_t k = 0; k < count; k++)
    if (kept == 0 || compare(at + (size_t)k * size, at + (size_t)(kept - 1) * size) != 0)
      memmove(at + (size_t)kept++ * size, at + (size_t)k * size, size);
  return kept;
}

static bool sort_set(MeshSet *set, Error *error) {
  const int64_t nodes = sort_once(set->node, set->node_count, sizeof *set->node, compare_tags, error);
  const int64_t cells = sort_once(set->cell, set->cell_count, sizeof *set->cell, compare_ints, error);
  const int64_t facets = sort_once(set->facet, set->facet_count, sizeof *set->facet, compare_facets, error);
  if (nodes < 0 || cells < 0 || facets < 0) return false;
  set->node_count = nodes;
  set->cell_count = cells;
  set->facet_count = facets;
  return true;
}

// Adds the nodes of all faces and cells in a set to the set's list of nodes. A node of several cells is added only
// once, to save memory.
static bool add_members_nodes(MeshSet *set, const TetMesh *mesh, Error *error) {
  for (int64_t f = 0; f < set->facet_count; f++)
    for (int c = 0; c < MESH_FACET_CORNERS && set->facet[f][c] >= 0; c++)
      if (!mesh_set_add_node(set, set->facet[f][c], error)) return false;
  if (set->cell_count == 0) return true;
  uint8_t *added = array_new(mesh->node_count, 1, WHAT, error);
  bool ok = added;
  for (int64_t k = 0; ok && k < set->cell_count; k++)
    for (int a = 0; a < mesh_cell_nodes(mesh); a++) added[mesh_cell_node(mesh, set->cell[k], a)] = 1;
  for (int a = 0; ok && a < mesh->node_count; a++)
    if (added[a]) ok = mesh_set_add_node(set, mesh->node_tag[a], error);
  free(added);
  return ok;
}

static bool has_tag(const MeshSet *set, int64_t tag) {
  return set->node_count > 0 && bsearch(&tag, set->node, (size_t)set->node_count, sizeof tag, compare_tags);
}

bool mesh_set_has_node(const MeshSet *set, const TetMesh *mesh, int node) {
  return has_tag(set, mesh->node_tag[node]);
}

bool mesh_set_has_cell(const MeshSet *set, int cell) {
  return set->cell_count > 0 && bsearch(&cell, set->cell, (size_t)set->cell_count, sizeof cell, compare_ints);
}

bool mesh_set_has_facet(const MeshSet *set, const TetMesh *mesh, const int *corner, int corners) {
  int64_t tag[MESH_FACET_CORNERS], sorted[MESH_FACET_CORNERS];
  for (int c = 0; c < corners; c++) tag[c] = mesh->node_tag[corner[c]];
  sort_corners(tag, corners, sorted);
  return set->facet_count > 0 &&
         bsearch(sorted, set->facet, (size_t)set->facet_count, sizeof *set->facet, compare_facets);
}

// Adds nodes to the set `made`: for each face of cell e that is in the set `set`, the nodes of the face that are not
// corners. `made` and `set` may be one set.
static bool add_face_nodes(MeshSet *made, const MeshSet *set, const TetMesh *mesh, int e, Error *error) {
  for (int f = 0; f < 4; f++) {
    int local[CELL_FACET_NODES_MAX], corner[3];
    const int nodes = cell_shape_facet(mesh_shape(mesh), f, local, NULL);
    for (int c = 0; c < 3; c++) corner[c] = mesh_cell_node(mesh, e, local[c]);
    if (!mesh_set_has_facet(set, mesh, corner, 3)) continue;
    for (int a = 3; a < nodes; a++)
      if (!mesh_set_add_node(made, mesh->node_tag[mesh_cell_node(mesh, e, local[a])], error)) return false;
  }
  return true;
}

// Calls add_face_nodes for all cells.
static bool add_all_face_nodes(MeshSet *made, const MeshSet *set, const TetMesh *mesh, Error *error) {
  for (int e = 0; e < mesh->tet_count; e++)
    if (!add_face_nodes(made, set, mesh, e, error)) return false;
  return true;
}

bool mesh_set_add_nodes_of(MeshSet *made, MeshSet *set, const TetMesh *mesh, Error *error) {
  for (int64_t k = 0; k < set->cell_count; k++)
    for (int a = 0; a < mesh_cell_nodes(mesh); a++)
      if (!mesh_set_add_node(made, mesh->node_tag[mesh_cell_node(mesh, set->cell[k], a)], error)) return false;
  for (int64_t f = 0; f < set->facet_count; f++)
    for (int c = 0; c < MESH_FACET_CORNERS && set->facet[f][c] >= 0; c++)
      if (!mesh_set_add_node(made, set->facet[f][c], error)) return false;
  if (set->facet_count == 0 || !mesh->middle) return true;
  return sort_set(set, error) && add_all_face_nodes(made, set, mesh, error);
}

bool mesh_sets_finish(MeshSets *sets, const TetMesh *mesh, Error *error) {
  for (int k = 0; k < sets->count; k++) {
    MeshSet *set = &sets->set[k];
    if (!set->lists_nodes && !add_members_nodes(set, mesh, error)) return false;
    if (!sort_set(set, error)) return false;
    if (set->lists_nodes || set->facet_count == 0 || !mesh->middle) continue;
    if (!add_all_face_nodes(set, set, mesh, error) || !sort_set(set, error)) return false;
  }
  return true;
}

// ---- sets of a mesh that was raised to a higher degree, or joined with another mesh

static bool copy_set(MeshSet *to, const MeshSet *from, Error *error) {
  for (int64_t k = 0; k < from->node_count; k++)
    if (!mesh_set_add_node(to, from->node[k], error)) return false;
  for (int64_t k = 0; k < from->cell_count; k++)
    if (!mesh_set_add_cell(to, from->cell[k], error)) return false;
  for (int64_t k = 0; k < from->facet_count; k++)
    if (!mesh_set_add_facet(to, from->facet[k], from->facet[k][3] < 0 ? 3 : 4, error)) return false;
  to->lists_nodes = from->lists_nodes;
  return true;
}

// Node a of cell e must lie on an edge or a face of the cell. Returns true if `set` contains all corners of this edge
// or face.
static bool has_all_ends(const MeshSet *set, const TetMesh *mesh, int e, int a) {
  double part[4];
  cell_shape_part(mesh_shape(mesh), a, part);
  for (int c = 0; c < 4; c++)
    if (part[c] != 0 && !mesh_set_has_node(set, mesh, mesh->tet[e][c])) return false;
  return true;
}

// Computes a set of a mesh to which mesh_raise has added nodes, which have the index first_new or more. `set` is the
// old set, without these nodes; `made` is the new one. Of the new nodes of cell e, `made` gets those that lie in a cell
// or on a face of `set`. If `set` has neither cells nor faces, `made` gets a new node if `set` contains all corners of
// the edge or face on which the node lies.
static bool raise_cell(MeshSet *made, const MeshSet *set, const TetMesh *mesh, int e, int first_new, Error *error) {
  const bool in_cell = mesh_set_has_cell(set, e), nodes_only = set->cell_count == 0 && set->facet_count == 0;
  for (int a = 4; a < mesh_cell_nodes(mesh); a++) {
    const int node = mesh_cell_node(mesh, e, a);
    if (node < first_new || !(in_cell || (nodes_only && has_all_ends(set, mesh, e, a)))) continue;
    if (!mesh_set_add_node(made, mesh->node_tag[node], error)) return false;
  }
  return set->facet_count == 0 || add_face_nodes(made, set, mesh, e, error);
}

bool mesh_sets_raise(TetMesh *mesh, int first_new, Error *error) {
  const MeshSets *sets = mesh->sets;
  if (!sets) return true;
  MeshSets *made = mesh_sets_new(error);
  bool ok = made;
  for (int k = 0; ok && k < sets->count; k++) {
    const MeshSet *set = &sets->set[k];
    ok = mesh_sets_add(made, set->name, (int)strlen(set->name), error) == k && copy_set(&made->set[k], set, error);
    for (int e = 0; ok && e < mesh->tet_count; e++) ok = raise_cell(&made->set[k], set, mesh, e, first_new, error);
    ok = ok && sort_set(&made->set[k], error);
  }
  if (!ok) {
    mesh_sets_release(made);
    return false;
  }
  mesh_sets_release(mesh->sets);
  mesh->sets = made;
  return true;
}

// Adds the sets of `mesh` to the sets of a joined mesh. In the joined mesh, node a of `mesh` has the tag (number)
// first_node + a + 1, and cell e of `mesh` has the index first_cell + e. index [node_count] are the nodes of `mesh`,
// sorted by tag.
static bool add_sets(MeshSets *joined, const TetMesh *mesh, const TagIndex *index, int first_node, int first_cell,
                     Error *error) {
  for (int k = 0; mesh->sets && k < mesh->sets->count; k++) {
    const MeshSet *from = &mesh->sets->set[k];
    const int to = mesh_sets_add(joined, from->name, (int)strlen(from->name), error);
    if (to < 0) return false;
    MeshSet *set = &joined->set[to];
    set->lists_nodes = true;
    for (int64_t a = 0; a < from->node_count; a++) {
      const int64_t at = tag_index_find(index, mesh->node_count, from->node[a]);
      if (at >= 0 && !mesh_set_add_node(set, 1 + first_node + at, error)) return false;
    }
    for (int64_t e = 0; e < from->cell_count; e++)
      if (!mesh_set_add_cell(set, first_cell + from->cell[e], error)) return false;
    for (int64_t f = 0; f < from->facet_count; f++) {
      const int corners = from->facet[f][3] < 0 ? 3 : 4;
      int64_t corner[MESH_FACET_CORNERS];
      bool whole = true;
      for (int c = 0; c < corners; c++) {
        const int64_t at = tag_index_find(index, mesh->node_count, from->facet[f][c]);
        whole = whole && at >= 0;
        corner[c] = 1 + first_node + at;
      }
      if (whole && !mesh_set_add_facet(set, corner, corners, error)) return false;
    }
  }
  return true;
}

bool mesh_sets_join(const TetMesh *mesh, const TetMesh *more, MeshSets **joined, Error *error) {
  *joined = NULL;
  if (!mesh->sets && !more->sets) return true;
  MeshSets *made = mesh_sets_new(error);
  TagIndex *first = tag_index_new(mesh->node_tag, mesh->node_count, error);
  TagIndex *second = tag_index_new(more->node_tag, more->node_count, error);
  bool ok = made && first && second && add_sets(made, mesh, first, 0, 0, error) &&
            add_sets(made, more, second, mesh->node_count, mesh->tet_count, error);
  for (int k = 0; ok && k < made->count; k++) ok = sort_set(&made->set[k], error);
  free(first);
  free(second);
  if (ok)
    *joined = made;
  else
    mesh_sets_release(made);
  return ok;
}
