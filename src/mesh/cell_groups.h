// Named parts of a mesh's boundary, such as Gmsh's physical groups, with their nodes and facets. A facet is a face of a
// cell in space, or an edge of a cell in the plane.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CELL_GROUP_NAME = 128 };

// One named part of a mesh's boundary: node_count nodes and facet_count facets (faces, or edges of a mesh in the
// plane).
typedef struct CellGroup {
  char name[CELL_GROUP_NAME];  // a longer name is truncated
  int node_count, facet_count;
  int *node;        // [node_count], nodes of the group, ascending; owned
  int (*facet)[4];  // [facet_count], ascending; nodes at the corners of each facet, ascending, -1 after the last; owned
} CellGroup;

void cell_groups_destroy(CellGroup *groups, int count);  // also frees the array `groups`, which may be NULL

bool cell_group_has_node(const CellGroup *group, int node);
bool cell_group_has_facet(const CellGroup *group, const int corner[4]);

/// Compares two facets for qsort. A facet is an int [4] with its corner nodes in ascending order.
int cell_facets_compare(const void *left, const void *right);

#ifdef __cplusplus
}
#endif
