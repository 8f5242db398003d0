// Collects named groups while a reader reads a file, in Gmsh's structure. An element belongs to a part (an entity of a
// geometry). A part belongs to any number of groups. A group may have a name. Parts and groups are numbered separately
// for each dimension. file_groups_finish converts groups of the boundary to CellGroups; file_groups_sets converts
// groups to the sets of a body.
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

// A zeroed FileGroups is empty.
typedef struct FileGroups {
  GroupRows links;     // rows: dimension, part, group. The part belongs to the group
  GroupRows elements;  // rows of different lengths, one per element: dimension, part, number of corners, number of
                       // nodes, then its nodes, corners first
  GroupRows cells;     // rows: dimension, part, shape, first, count. The part has `count` cells of this shape: cells
                       // first, first + 1, ... of the builder's list of this shape
  GroupName *name;     // [name_count], names of groups
  int64_t name_count, name_capacity;
} FileGroups;

void file_groups_destroy(FileGroups *groups);

/// Records that a part belongs to a group; duplicates are allowed.
bool file_groups_link(FileGroups *groups, int dimension, int part, int group, Error *error);

/// Gives a group its name, of `length` characters.
bool file_groups_name(FileGroups *groups, int dimension, int group, const char *name, int length, Error *error);

/// file_groups_element adds an element to a part, by its nodes. file_groups_cell adds cell number `cell` of the
/// builder's list of this shape.
bool file_groups_element(FileGroups *groups, int dimension, int part, int corners, int nodes, const int *node,
                         Error *error);
bool file_groups_cell(FileGroups *groups, int part, CellShape shape, int cell, Error *error);

/// Creates mesh->group from the groups of lower dimension than the mesh's cells. cell_node[s] holds the nodes of the
/// builder's cells of shape s. number[k] is the number in `mesh` of the file's k-th node, or -1.
bool file_groups_finish(FileGroups *groups, const int *const cell_node[CELL_SHAPES], const int *number, CellMesh *mesh,
                        Error *error);

/// Creates mesh->sets from the groups of all dimensions. Nodes of elements are indices in `mesh`. If the file has more
/// than MESH_SETS_MAX groups, no sets are created, and a notice that begins with `name` says so. Fails if memory runs
/// out.
bool file_groups_sets(FileGroups *groups, const char *name, TetMesh *mesh, Error *error);
