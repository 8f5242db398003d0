// A mesh of cells of one shape, in the plane or in space, for problems other than the motion of tetrahedra: arrays, and
// nothing besides. Plane meshes have z = 0.
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
  int64_t *node_tag;  // [node_count], the node's number in the file: messages use it
  double *factor;     // [cell_count], factors on the material's coefficient; NULL: all 1
  int group_count;
  CellGroup *group;  // [group_count], parts of the boundary that the file names; NULL: none
} CellMesh;

/// Frees the arrays and leaves an empty mesh. Takes a zeroed mesh too.
void cell_mesh_destroy(CellMesh *mesh);

/// Reads the cells of the highest dimension of a Gmsh file (.msh, .msh.gz), which must be of one shape, or the tets
/// or hexes of any file that mesh_read knows. What is left out or turned round is told. Of Gmsh's physical groups those
/// of lower dimension than the cells are taken, by name; one without a name is called by its number. Fails with
/// "file:line: what is wrong".
bool cell_mesh_read(const char *path, CellMesh *mesh, Error *error);

/// Room for a mesh that is about to be made: positions, tags and cells, all zero. Fails where there are more than fit
/// ints or the memory that is free, before anything is taken. The caller destroys it either way.
bool cell_mesh_allocate(CellMesh *mesh, CellShape shape, double nodes, double cells, Error *error);

/// Whether every cell is sound: det J > 0 at all corners. Fails with the first that is not, by its number from 1.
bool cell_mesh_check(const CellMesh *mesh, const char *name, Error *error);

/// The same as a body's mesh, of linear tets or hexes; `mesh` is then empty. Fails for cells of another shape.
bool cell_mesh_to_body(CellMesh *mesh, TetMesh *body, Error *error);

// A facet of a cell, by its number in cell_shape_facet.
typedef struct CellFacet {
  int cell, number;
} CellFacet;

/// The facets that belong to one cell alone, [*count], which free() releases; NULL for lack of memory.
CellFacet *cell_mesh_facets(const CellMesh *mesh, int *count, Error *error);

/// A facet's corners in ascending order, -1 behind the last.
void cell_mesh_facet_corners(const CellMesh *mesh, const CellFacet *facet, int corner[4]);

/// on_boundary [node_count] = 1 for nodes of these facets, else 0. Fails for lack of memory.
bool cell_mesh_boundary(const CellMesh *mesh, uint8_t *on_boundary, Error *error);

// A field on nodes or cells, [count][components], for a file.
typedef struct CellField {
  const char *name;  // "phi"
  int components;
  bool on_cells;
  const double *values;
} CellField;
enum { CELL_FIELDS_MAX = 8 };

/// Writes Gmsh 2.2 as text (.msh, without fields) or VTK XML (.vtu); of linear tets without fields any format that
/// mesh_write knows. The file appears whole or not at all.
bool cell_mesh_write(const char *path, const CellMesh *mesh, const CellField *fields, int field_count, Error *error);

/// Whether that could be: for a look before the work.
bool cell_mesh_write_check(const char *path, CellShape shape, bool fields, Error *error);

#ifdef __cplusplus
}
#endif
