// Collects named groups while a file is read, in Gmsh's structure: an element belongs to a part (an entity of the
// geometry), and a part to any number of groups, which may have names. Parts and groups are numbered separately for
// each dimension. file_groups_finish makes CellGroups of the boundary; file_groups_sets makes the sets of a body.
#pragma once
#include <stdint.h>

#include "mesh/cell_mesh.h"
#include "mesh/mesh_sets.h"

// A growing table of ints, stored row by row.
typedef struct GroupRows {
  int *at;
  int64_t count, capacity;  // number of used ints, and number of allocated ints
} GroupRows;

typedef struct GroupName {
  int dimension, group;
  char name[CELL_GROUP_NAME];
} GroupName;

// Parts, groups and their members. A zeroed FileGroups is empty.
typedef struct FileGroups {
  GroupRows links;  // rows (dimension, part, group): the part belongs to the group
  // one row per element: dimension, part, number of corners, number of nodes, nodes (corners first)
  GroupRows elements;
  // rows (dimension, part, shape, first, count): the part has the builder's cells first to first + count - 1 of this
  // shape
  GroupRows cells;
  GroupName *name;  // [name_count], names of groups
  int64_t name_count, name_capacity;
} FileGroups;

void file_groups_destroy(FileGroups *groups);

/// Records that a part belongs to a group; duplicates are allowed.
bool file_groups_link(FileGroups *groups, int dimension, int part, int group, Error *error);

/// Gives a group its name, of `length` characters.
bool file_groups_name(FileGroups *groups, int dimension, int group, const char *name, int length, Error *error);

/// file_groups_element adds an element to a part, by its nodes. file_groups_cell adds cell number `cell` of the
/// builder's list of cells of this shape.
bool file_groups_element(FileGroups *groups, int dimension, int part, int corners, int nodes, const int *node,
                         Error *error);
bool file_groups_cell(FileGroups *groups, int part, CellShape shape, int cell, Error *error);

/// Creates mesh->group from the groups of lower dimension than the mesh's cells. cell_node[s] lists the nodes of the
/// builder's cells of shape s. number[k] is the index in `mesh` of the file's k-th node, or -1.
bool file_groups_finish(FileGroups *groups, const int *const cell_node[CELL_SHAPES], const int *number, CellMesh *mesh,
                        Error *error);

/// Creates mesh->sets from the groups of all dimensions. Nodes of elements must be indices in `mesh`. With more than
/// MESH_SETS_MAX groups, it creates no sets, and writes a notice that begins with `name`. Fails if memory runs out.
bool file_groups_sets(FileGroups *groups, const char *name, TetMesh *mesh, Error *error);
