// Named sets of a mesh file (Gmsh's physical groups; Abaqus's node sets, element sets and surfaces), to which regions
// in scenes refer. Sets store tags of nodes, their numbers in the file. Tags do not change when a mesh is renumbered,
// cut or torn, so all meshes made from one file share one list of sets.
#pragma once
#include <stdatomic.h>

#include "mesh/tet_mesh.h"

enum { MESH_SET_NAME = 128, MESH_FACET_CORNERS = 4, MESH_SETS_MAX = 4096 };

// One set: its nodes, cells and faces. For each of these three lists, ..._count is its number of entries and
// ..._capacity its allocated length.
typedef struct MeshSet {
  char name[MESH_SET_NAME];
  bool lists_nodes;  // true: the file lists the set's nodes; false: `node` follows from the set's faces and cells
  int64_t node_count, cell_count, facet_count;
  int64_t node_capacity, cell_capacity, facet_capacity;
  int64_t *node;  // [node_count], tags of the nodes, ascending
  int *cell;      // [cell_count], indices in the file's order of cells, ascending
  // [facet_count], tags (numbers in the file) of the corners of each face, ascending; -1 for the fourth corner of a
  // triangle
  int64_t (*facet)[MESH_FACET_CORNERS];
} MeshSet;

// A list of sets that several meshes may share. The mesh that releases the list last frees it.
typedef struct MeshSets {
  atomic_int holders;  // number of meshes that share the list
  int count;
  int64_t capacity;
  MeshSet *set;  // [count], the sets
} MeshSets;

/// Creates an empty list with one holder (mesh that uses it). Returns NULL if memory runs out.
MeshSets *mesh_sets_new(Error *error);

/// A holder is a mesh that shares the list of sets. mesh_sets_hold: adds one holder and returns `sets`.
/// mesh_sets_release: removes one holder, and frees the list if none is left. Both accept NULL.
MeshSets *mesh_sets_hold(MeshSets *sets);
void mesh_sets_release(MeshSets *sets);

/// Returns the set with this name of `length` characters. Returns NULL if there is none, or if `sets` is NULL.
const MeshSet *mesh_sets_find(const MeshSets *sets, const char *name, int length);

/// Returns the index of the set with this name; adds an empty set if there is none. Long names are truncated. Returns
/// -1 with an error if there are more than MESH_SETS_MAX sets, or if memory runs out.
int mesh_sets_add(MeshSets *sets, const char *name, int length, Error *error);

/// Each function adds one member to a set: a node by its tag (number in the file), a cell by its index, or a face by
/// the tags of its 3 or 4 corners, in any order. They fail only if memory runs out.
bool mesh_set_add_node(MeshSet *set, int64_t tag, Error *error);
bool mesh_set_add_cell(MeshSet *set, int cell, Error *error);
bool mesh_set_add_facet(MeshSet *set, const int64_t *corner, int corners, Error *error);

/// Adds all nodes of the cells and faces of `set` to the set `made`, also nodes on edges. `made` and `set` may be one
/// set. Sorts the members of `set`. Fails only if memory runs out.
bool mesh_set_add_nodes_of(MeshSet *made, MeshSet *set, const TetMesh *mesh, Error *error);

/// Sorts the members of all sets and removes duplicates. If the file does not list the nodes of a set, adds to the set
/// all nodes of its faces and cells, including nodes on edges. Fails if memory runs out.
bool mesh_sets_finish(MeshSets *sets, const TetMesh *mesh, Error *error);

/// Each function returns true if the set contains the given node, the given cell, or the face with the 3 or 4 corner
/// nodes corner [corners].
bool mesh_set_has_node(const MeshSet *set, const TetMesh *mesh, int node);
bool mesh_set_has_cell(const MeshSet *set, int cell);
bool mesh_set_has_facet(const MeshSet *set, const TetMesh *mesh, const int *corner, int corners);

/// Adds to the sets the nodes that mesh_raise has created, which have indices from `first_new` on. A set gets the new
/// nodes on its faces and in its cells. A set without faces and cells gets a new node if it has all corners of the edge
/// or face on which the node lies. Fails if memory runs out.
bool mesh_sets_raise(TetMesh *mesh, int first_new, Error *error);

/// Computes the sets of two joined meshes. In the joined mesh, node a of `more` has the index mesh->node_count + a, and
/// every node has the tag (number) index + 1. The cells of `mesh` come first, then the cells of `more`. Sets with equal
/// names become one. *joined is NULL if neither mesh has sets.
bool mesh_sets_join(const TetMesh *mesh, const TetMesh *more, MeshSets **joined, Error *error);
