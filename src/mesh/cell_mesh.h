// A mesh of cells of one shape, in the plane or in space, for problems other than the motion of tetrahedra. It consists
// of plain arrays. Plane meshes have z = 0.
#pragma once
#include "base/error.h"
#include "mesh/cell_groups.h"
#include "mesh/cell_shape.h"
#include "mesh/tet_mesh.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed CellMesh is empty. Nodes a in [0, node_count), cells e in [0, cell_count).
typedef struct CellMesh {
  CellShape shape;
  int node_count, cell_count;
  double (*X)[3];     // [node_count], m
  int *cell;          // [cell_count][nodes of the shape], in the order of cell_shape.h
  int64_t *node_tag;  // [node_count], number of the node in the file, for messages
  double *factor;     // [cell_count], factors on the material's coefficient; NULL: all 1
  int group_count;
  CellGroup *group;  // [group_count], named parts of the boundary from the file; NULL: none
} CellMesh;

/// Frees the arrays and leaves an empty mesh. Accepts a zeroed mesh.
void cell_mesh_destroy(CellMesh *mesh);

/// Reads the cells of the highest dimension of a Gmsh file (.msh, .msh.gz), which must be of one shape, or the tets or
/// hexes of any file that mesh_read supports. Logs skipped elements and reoriented cells. Gmsh's physical groups of
/// lower dimension than the cells are read by name; the name of an unnamed group is its number. Fails with "file:line:
/// message".
bool cell_mesh_read(const char *path, CellMesh *mesh, Error *error);

/// Allocates a new mesh: positions, tags and cells, all zero. Fails before any allocation if counts exceed int or the
/// free memory. The caller destroys the mesh in either case.
bool cell_mesh_allocate(CellMesh *mesh, CellShape shape, double nodes, double cells, Error *error);

/// Fails unless det J > 0 at all corners of every cell; names the first bad cell by its number from 1.
bool cell_mesh_check(const CellMesh *mesh, const char *name, Error *error);

/// Converts the mesh to a body's mesh of linear tets or hexes; `mesh` is then empty. Fails for cells of another shape.
bool cell_mesh_to_body(CellMesh *mesh, TetMesh *body, Error *error);

// A facet of a cell, by its number in cell_shape_facet.
typedef struct CellFacet {
  int cell, number;
} CellFacet;

/// The facets that belong to only one cell, [*count], which the caller releases with free(); NULL if memory runs out.
CellFacet *cell_mesh_facets(const CellMesh *mesh, int *count, Error *error);

/// Corners of a facet in ascending order, -1 after the last.
void cell_mesh_facet_corners(const CellMesh *mesh, const CellFacet *facet, int corner[4]);

/// Sets on_boundary [node_count] to 1 for nodes of these facets, else 0. Fails if memory runs out.
bool cell_mesh_boundary(const CellMesh *mesh, uint8_t *on_boundary, Error *error);

// A field on nodes or cells, [count][components], for a file.
typedef struct CellField {
  const char *name;  // "phi"
  int components;
  bool on_cells;
  const double *values;
} CellField;
enum { CELL_FIELDS_MAX = 8 };

/// Writes Gmsh 2.2 as text (.msh, without fields) or VTK XML (.vtu); linear tets without fields in any format of
/// mesh_write. The file appears complete or not at all.
bool cell_mesh_write(const char *path, const CellMesh *mesh, const CellField *fields, int field_count, Error *error);

/// Tests if cell_mesh_write could write this file, before any work is done.
bool cell_mesh_write_check(const char *path, CellShape shape, bool fields, Error *error);

#ifdef __cplusplus
}
#endif
