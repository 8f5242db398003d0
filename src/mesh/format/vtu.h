// VTK's XML files of unstructured grids (.vtu). The reader supports ASCII, base64 and appended data (raw or base64),
// plain or compressed by zlib, in either byte order, with block headers of 4 or 8 bytes, and any number of <Piece>
// elements.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/format/file_field.h"
#include "mesh/format/writing.h"

bool vtu_read(const char *path, TetMesh *mesh, Error *error);

/// As vtu_read, but also reads one field (named values at nodes or in cells), unless `field` is NULL.
bool vtu_read_field(const char *path, FileField *field, TetMesh *mesh, Error *error);
bool vtu_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);

// Values to be written to a .vtu file: a field or a table. If `rows` is 0, they are a field at the nodes or in the
// tets: values [nodes or tets][components]. Otherwise they are a table for the whole mesh (VTK calls it field data):
// values [rows][components].
typedef struct VtuField {
  const char *name;  // name in the file, such as "velocity, m/s"
  int components;
  bool on_tets;
  const double *values;
  int rows;  // number of rows of a table; 0: the values are a field
} VtuField;
enum { VTU_FIELDS_MAX = 40 };

/// Writes a .vtu file as vtu_write does, and adds `count` fields or tables. positions [node_count][3], m: positions of
/// the nodes in the file, such as those of a deformed body; NULL: the mesh's positions at rest.
bool vtu_write_fields(FILE *file, const TetMesh *mesh, const double (*positions)[3], const VtuField *fields, int count,
                      const MeshWriting *how, Error *error);

/// Writes a .pvtu file, which combines the files STEM_0.vtu, STEM_1.vtu ... in its folder to one mesh. `pieces` is the
/// number of these files. All of them have the `count` fields. A failed write is reported when the file is closed.
void vtu_write_pieces(FILE *file, const char *stem, int pieces, const VtuField *fields, int count);

/// Writes cells of any shape, with `count` fields. Cells of degree 2 and more become VTK's Lagrange cells.
bool vtu_write_cells(FILE *file, const CellMesh *mesh, const CellField *fields, int count, Error *error);
