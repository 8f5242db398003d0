// Named sets of a mesh file: Gmsh's physical groups; Abaqus's node sets, element sets and surfaces. Regions in scenes
// refer to their names. Sets store the tags of nodes (their numbers in the file) instead of indices. Tags do not change
// when nodes are renumbered, cut or torn. So all meshes that are made from one file share one list of sets.
#pragma once
#include <stdatomic.h>

#include "mesh/tet_mesh.h"

enum { MESH_SET_NAME = 128, MESH_FACET_CORNERS = 4, MESH_SETS_MAX = 4096 };

// One set. Each list has a count of its entries and a capacity, its allocated length in entries.
typedef struct MeshSet {
  char name[MESH_SET_NAME];
  bool lists_nodes;  // true: the file lists the nodes of this set; false: they are the nodes of its faces and cells
  int64_t node_count, cell_count, facet_count;
  int64_t node_capacity, cell_capacity, facet_capacity;
  int64_t *node;                         // [node_count], tags of the nodes, ascending
  int *cell;                             // [cell_count], cells, as indices in the file's order of cells; ascending
  int64_t (*facet)[MESH_FACET_CORNERS];  // [facet_count], tags of the corners of each face, ascending; -1 for the
                                         // fourth corner of a triangle
} MeshSet;

// A list of sets. The last mesh that releases the list frees it.
typedef struct MeshSets {
  atomic_int holders;  // number of meshes that share the list
  int count;
  int64_t capacity;
  MeshSet *set;  // [count], the sets
} MeshSets;

/// Creates an empty list with one holder. Returns NULL if memory runs out.
MeshSets *mesh_sets_new(Error *error);

/// mesh_sets_hold increases the number of holders and returns `sets`. mesh_sets_release decreases it, and frees the
/// list when it becomes 0. Both accept NULL.
MeshSets *mesh_sets_hold(MeshSets *sets);
void mesh_sets_release(MeshSets *sets);

/// Finds a set by its name, which has `length` characters. Returns NULL if there is no such set, or if `sets` is NULL.
const MeshSet *mesh_sets_find(const MeshSets *sets, const char *name, int length);

/// Returns the index of the set with this name; adds an empty set if there is none. Names that are too long are
/// truncated. Returns -1 if there are more than MESH_SETS_MAX sets, or if memory runs out.
int mesh_sets_add(MeshSets *sets, const char *name, int length, Error *error);

/// Each function adds one member to a set: a node by its tag, a cell by its index, or a face by the tags of its 3 or 4
/// corners in any order. They fail only if memory runs out.
bool mesh_set_add_node(MeshSet *set, int64_t tag, Error *error);
bool mesh_set_add_cell(MeshSet *set, int cell, Error *error);
bool mesh_set_add_facet(MeshSet *set, const int64_t *corner, int corners, Error *error);

/// Sorts the members of all sets and removes duplicates. If the file does not list the nodes of a set, the set gets the
/// nodes of its faces and cells, including nodes on edges. Fails if memory runs out.
bool mesh_sets_finish(MeshSets *sets, const TetMesh *mesh, Error *error);

/// Each function returns true if a member belongs to the set: a node, a cell, or the face with these 3 or 4 corner
/// nodes.
bool mesh_set_has_node(const MeshSet *set, const TetMesh *mesh, int node);
bool mesh_set_has_cell(const MeshSet *set, int cell);
bool mesh_set_has_facet(const MeshSet *set, const TetMesh *mesh, const int *corner, int corners);

/// Adds the nodes that mesh_raise has created on edges and faces; their indices begin at `first_new`. A node is added
/// to a set if it lies on a face of the set or in a cell of the set. If the set has only nodes, a new node is added if
/// all corners of its edge or face are in the set. Fails if memory runs out.
bool mesh_sets_raise(TetMesh *mesh, int first_new, Error *error);

/// Computes the list of sets for two meshes that are joined. In the joined mesh, node a of `more` has the index
/// mesh->node_count + a, every tag is the index plus 1, and cells of `more` follow those of `mesh`. Sets with equal
/// names become one set. *joined is NULL if neither mesh has sets.
bool mesh_sets_join(const TetMesh *mesh, const TetMesh *more, MeshSets **joined, Error *error);
