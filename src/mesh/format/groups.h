// Named parts of a boundary, as a reader finds them. Elements belong to a part (an entity of a geometry), parts to any
// number of groups, and groups may have names; each number is for one dimension. The results are CellGroups, by name.
#pragma once
#include <stdint.h>

#include "mesh/cell_mesh.h"

// Rows of numbers, of one length.
typedef struct GroupRows {
  int *at;
  int64_t count, capacity;  // in numbers, not rows
} GroupRows;

typedef struct GroupName {
  int dimension, group;
  char name[CELL_GROUP_NAME];
} GroupName;

// A zeroed FileGroups is empty.
typedef struct FileGroups {
  GroupRows links;     // dimension, part, group
  GroupRows elements;  // dimension, part, corners, nodes; then the nodes, corners first
  GroupRows cells;     // dimension, part, shape, first, count: a range of the builder's cells of a shape
  GroupName *name;     // [name_count]
  int64_t name_count, name_capacity;
} FileGroups;

void file_groups_destroy(FileGroups *groups);

/// Records that a part is in a group; duplicates are allowed.
bool file_groups_link(FileGroups *groups, int dimension, int part, int group, Error *error);

bool file_groups_name(FileGroups *groups, int dimension, int group, const char *name, int length, Error *error);

/// Adds an element to a part, by its nodes, or cell number `cell` of a shape.
bool file_groups_element(FileGroups *groups, int dimension, int part, int corners, int nodes, const int *node,
                         Error *error);
bool file_groups_cell(FileGroups *groups, int part, CellShape shape, int cell, Error *error);

/// Creates the groups of `mesh`, of lower dimension than its cells. cell_node [CELL_SHAPES]: nodes of the recorded
/// cells; number: number of each such node in `mesh`, or -1.
bool file_groups_finish(FileGroups *groups, const int *const cell_node[CELL_SHAPES], const int *number, CellMesh *mesh,
                        Error *error);
