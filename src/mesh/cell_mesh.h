// A mesh of cells of one shape, in the plane (z = 0) or in space. A CellMesh is used to read and write files, and for
// the stationary problems that the program pliant-lab solves. The mesh of a moving body is a TetMesh instead.
#pragma once
#include "base/error.h"
#include "mesh/cell_groups.h"
#include "mesh/cell_shape.h"
#include "mesh/tet_mesh.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Nodes, cells and named parts of the boundary. Nodes and cells are numbered from 0. A zeroed CellMesh is empty.
typedef struct CellMesh {
  CellShape shape;
  int node_count, cell_count;
  double (*X)[3];     // [node_count], positions of the nodes, m
  int *cell;          // [cell_count][nodes of the shape], nodes of each cell, in the order of cell_shape.h
  int64_t *node_tag;  // [node_count], number of each node in its file, for messages
  double *factor;  // [cell_count], factor on a material parameter in each cell, such as the conductivity; NULL: all 1
  int group_count;
  CellGroup *group;  // [group_count], named parts of the boundary, from the file; NULL: none
} CellMesh;

/// Frees the arrays and leaves an empty mesh. Accepts a zeroed mesh.
void cell_mesh_destroy(CellMesh *mesh);

/// Reads a mesh from a file. A Gmsh file (.msh, .msh.gz) may have cells of any shape: the cells of the highest
/// dimension are read, and they must all have the same shape. Physical groups of lower dimension become CellMesh.group;
/// a group without a name is named by its number. From any other file that mesh_read supports, reads tets or hexes.
/// Notices report skipped elements and reoriented cells. Messages of failures begin with "file:line:".
bool cell_mesh_read(const char *path, CellMesh *mesh, Error *error);

/// Allocates a mesh whose positions, tags (node numbers of a file) and cells are all 0. Fails, before it allocates
/// memory, if a count is too large for an int or the free memory is too small. The caller destroys the mesh, also after
/// a failure.
bool cell_mesh_allocate(CellMesh *mesh, CellShape shape, double nodes, double cells, Error *error);

/// Fails unless every cell has det J > 0 at all its corners, where J is the Jacobian matrix of the map from the
/// reference cell. The message begins with `name` and gives the number of the first invalid cell, counted from 1.
bool cell_mesh_check(const CellMesh *mesh, const char *name, Error *error);

/// Moves a mesh of linear tets or hexes into a TetMesh, and leaves `mesh` empty. Fails for cells of another shape.
bool cell_mesh_to_body(CellMesh *mesh, TetMesh *body, Error *error);

// A facet of the mesh, given by a cell and one of its sides. `number` is the index of the side within the cell, as in
// cell_shape_facet.
typedef struct CellFacet {
  int cell, number;
} CellFacet;

/// Returns the facets on the boundary of the mesh, which are those that belong to only one cell. Sets *count to their
/// number. The caller releases the array by free(). Returns NULL if memory runs out.
CellFacet *cell_mesh_facets(const CellMesh *mesh, int *count, Error *error);

/// Sets `corner` to the nodes at the corners of a facet, ascending; elements after the last corner are -1.
void cell_mesh_facet_corners(const CellMesh *mesh, const CellFacet *facet, int corner[4]);

/// Sets on_boundary [node_count] to 1 for nodes of facets on the boundary, else to 0. Fails if memory runs out.
bool cell_mesh_boundary(const CellMesh *mesh, uint8_t *on_boundary, Error *error);

// A field on nodes or cells, to be written to a file. values [count][components], where count is the number of cells if
// on_cells is true, otherwise the number of nodes.
typedef struct CellField {
  const char *name;  // name in the file, such as "phi"
  int components;
  bool on_cells;
  const double *values;
} CellField;
enum { CELL_FIELDS_MAX = 8 };

/// Writes a mesh. The path's ending selects the format. A file .vtu (VTK XML) can have any cells and fields. A file
/// .msh (Gmsh 2.2, text) cannot have fields. For linear tets without fields, all formats of mesh_write are possible.
/// After a failure no incomplete file is left.
bool cell_mesh_write(const char *path, const CellMesh *mesh, const CellField *fields, int field_count, Error *error);

/// Tests before a long computation if its result can be written. Fails if cell_mesh_write cannot write a file with this
/// path for cells of this shape. `fields`: true if the file is to contain fields.
bool cell_mesh_write_check(const char *path, CellShape shape, bool fields, Error *error);

#ifdef __cplusplus
}
#endif
