// Named sets of a mesh file: Gmsh's physical groups, Abaqus's node sets, element sets and surfaces. A scene's regions
// name them. Sets store the nodes' tags instead of indices: tags stay when nodes are renumbered, cut or torn, so all
// meshes that are made from a file's mesh share one list of sets.
#pragma once
#include <stdatomic.h>

#include "mesh/tet_mesh.h"

enum { MESH_SET_NAME = 128, MESH_FACET_CORNERS = 4, MESH_SETS_MAX = 4096 };

typedef struct MeshSet {
  char name[MESH_SET_NAME];
  bool lists_nodes;  // the file lists the nodes of this set; else they follow from its faces or cells
  int64_t node_count, cell_count, facet_count;
  int64_t node_capacity, cell_capacity, facet_capacity;
  int64_t *node;                         // [node_count], tags, ascending
  int *cell;                             // [cell_count], indices in the file's order of cells, ascending
  int64_t (*facet)[MESH_FACET_CORNERS];  // [facet_count], tags of corners, ascending; the last of a triangle is -1
} MeshSet;

typedef struct MeshSets {
  atomic_int holders;  // number of meshes that share the list
  int count;
  int64_t capacity;
  MeshSet *set;  // [count]
} MeshSets;

/// Creates an empty list with one holder. Returns NULL if memory runs out.
MeshSets *mesh_sets_new(Error *error);

/// mesh_sets_hold adds a holder and returns `sets`. mesh_sets_release removes one and frees the list after the last.
/// Both accept NULL.
MeshSets *mesh_sets_hold(MeshSets *sets);
void mesh_sets_release(MeshSets *sets);

/// Finds a set by its name, of `length` characters; NULL if there is none. Accepts NULL for `sets`.
const MeshSet *mesh_sets_find(const MeshSets *sets, const char *name, int length);

/// Returns the index of the set with this name, and adds an empty one if there is none. Longer names are truncated.
/// Returns -1 if there are more than MESH_SETS_MAX sets, or if memory runs out.
int mesh_sets_add(MeshSets *sets, const char *name, int length, Error *error);

/// Add a node by its tag, a cell by its index, or a face by the tags of its 3 or 4 corners in any order. They fail only
/// if memory runs out.
bool mesh_set_add_node(MeshSet *set, int64_t tag, Error *error);
bool mesh_set_add_cell(MeshSet *set, int cell, Error *error);
bool mesh_set_add_facet(MeshSet *set, const int64_t *corner, int corners, Error *error);

/// Sorts the members of all sets and removes duplicates. A set whose nodes the file does not list gets those of its
/// faces and cells, also nodes on edges. Fails if memory runs out.
bool mesh_sets_finish(MeshSets *sets, const TetMesh *mesh, Error *error);

/// Return true if a set has a node, a cell, or the face with these corners (3 or 4 nodes of the mesh).
bool mesh_set_has_node(const MeshSet *set, const TetMesh *mesh, int node);
bool mesh_set_has_cell(const MeshSet *set, int cell);
bool mesh_set_has_facet(const MeshSet *set, const TetMesh *mesh, const int *corner, int corners);

/// After mesh_raise: adds the new nodes on edges and faces, whose indices begin at `first_new`. A node is added to a
/// set if it lies on a face of the set or in a cell of the set. In a set that has only nodes, it is added if all
/// corners of its edge or face are in the set. Fails if memory runs out.
bool mesh_sets_raise(TetMesh *mesh, int first_new, Error *error);

/// Makes the list of two meshes that are joined: node a of `more` gets the index nodes + a, and all tags become the
/// index plus 1. Cells of `more` follow those of `mesh`. Sets with equal names become one. *joined is NULL if neither
/// mesh has sets.
bool mesh_sets_join(const TetMesh *mesh, const TetMesh *more, MeshSets **joined, Error *error);
