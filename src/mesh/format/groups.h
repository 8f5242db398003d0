// Parts of a boundary that a file names, as its reader meets them. Elements belong to a part (an entity of a geometry),
// parts to any number of groups, and groups may have names; a dimension goes with each number. What comes of it are
// CellGroups, by name.
#pragma once
#include <stdint.h>

#include "mesh/cell_mesh.h"

// Numbers in rows of one length.
typedef struct GroupRows {
  int *at;
  int64_t count, capacity;  // of numbers
} GroupRows;

typedef struct GroupName {
  int dimension, group;
  char name[CELL_GROUP_NAME];
} GroupName;

// A zeroed FileGroups is empty.
typedef struct FileGroups {
  GroupRows links;     // dimension, part, group
  GroupRows elements;  // dimension, part, corners, nodes; then as many nodes, its corners first
  GroupRows cells;     // dimension, part, shape, first, count: cells of the builder's list of a shape
  GroupName *name;     // [name_count]
  int64_t name_count, name_capacity;
} FileGroups;

void file_groups_destroy(FileGroups *groups);

/// A part is in a group; may be said more than once.
bool file_groups_link(FileGroups *groups, int dimension, int part, int group, Error *error);

bool file_groups_name(FileGroups *groups, int dimension, int group, const char *name, int length, Error *error);

/// An element of a part by its nodes, or cell number `cell` of a shape.
bool file_groups_element(FileGroups *groups, int dimension, int part, int corners, int nodes, const int *node,
                         Error *error);
bool file_groups_cell(FileGroups *groups, int part, CellShape shape, int cell, Error *error);

/// The groups of `mesh`, of lower dimension than its cells. cell_node [CELL_SHAPES]: nodes of cells, as they were
/// given; number: of each such node in `mesh`, -1 where it has none.
bool file_groups_finish(FileGroups *groups, const int *const cell_node[CELL_SHAPES], const int *number, CellMesh *mesh,
                        Error *error);
