// Collects named groups of elements while a file is read. As in Gmsh, an element belongs to one part (an entity of the
// geometry, such as a surface), and a part to any number of groups. Groups may have names. Each dimension has a
// separate numbering of parts and of groups. At the end, file_groups_finish converts groups to CellGroups of the
// boundary, or file_groups_sets converts them to the sets of a body.
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

// Groups of elements that a mesh file defines. An element belongs to one part (a surface or volume of the geometry),
// and a part to any number of groups. A zeroed FileGroups is empty.
typedef struct FileGroups {
  GroupRows links;  // rows (dimension, part, group): the part belongs to the group
  // One row per element: dimension, part, number of corners, number of nodes, then the nodes, corners first.
  GroupRows elements;
  // Rows (dimension, part, shape, first, count): the part contains the cells `first` to first + count - 1 in
  // MeshBuilder.cells[shape].
  GroupRows cells;
  GroupName *name;  // [name_count], names of groups
  int64_t name_count, name_capacity;
} FileGroups;

void file_groups_destroy(FileGroups *groups);

/// Records that a part (set of elements, such as a surface) belongs to a group; duplicates are allowed.
bool file_groups_link(FileGroups *groups, int dimension, int part, int group, Error *error);

/// Sets the name, of `length` characters, of the group with this dimension and number.
bool file_groups_name(FileGroups *groups, int dimension, int group, const char *name, int length, Error *error);

/// Both functions add to a part (set of elements, such as a surface). file_groups_element adds an element with the
/// nodes node [nodes], corners first. file_groups_cell adds the cell with index `cell` in MeshBuilder.cells[shape].
bool file_groups_element(FileGroups *groups, int dimension, int part, int corners, int nodes, const int *node,
                         Error *error);
bool file_groups_cell(FileGroups *groups, int part, CellShape shape, int cell, Error *error);

/// Creates mesh->group from those groups of the file that have a lower dimension than the mesh's cells. cell_node[s]
/// has the nodes of the file's cells of shape s. number[k] is the index in `mesh` of the k-th node of the file; -1: the
/// mesh does not have this node.
bool file_groups_finish(FileGroups *groups, const int *const cell_node[CELL_SHAPES], const int *number, CellMesh *mesh,
                        Error *error);

/// Creates mesh->sets from the groups of all dimensions. In `groups`, the nodes of elements must be given as indices in
/// `mesh`. If there are more than MESH_SETS_MAX groups, creates no sets and prints a notice that begins with `name`.
/// Fails if memory runs out.
bool file_groups_sets(FileGroups *groups, const char *name, TetMesh *mesh, Error *error);
