// Named parts of a mesh's boundary, for example Gmsh's physical groups: their nodes and their facets.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CELL_GROUP_NAME = 128 };

typedef struct CellGroup {
  char name[CELL_GROUP_NAME];  // truncated if longer
  int node_count, facet_count;
  int *node;        // [node_count], ascending; owned
  int (*facet)[4];  // [facet_count], ascending, corners in the order of cell_mesh_facet_corners; owned
} CellGroup;

void cell_groups_destroy(CellGroup *groups, int count);  // frees the array too; accepts NULL

bool cell_group_has_node(const CellGroup *group, int node);
bool cell_group_has_facet(const CellGroup *group, const int corner[4]);

/// Compares facets by their corners, for sorting.
int cell_facets_compare(const void *left, const void *right);

#ifdef __cplusplus
}
#endif
