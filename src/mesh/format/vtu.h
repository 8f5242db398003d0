// VTK's XML files of unstructured grids (.vtu): ASCII, base64 or appended data (raw or base64), plain or compressed by
// zlib, either byte order, block headers of 4 or 8 bytes, any number of pieces.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/format/writing.h"

bool vtu_read(const char *path, TetMesh *mesh, Error *error);
bool vtu_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);

// A field on nodes or tets, [count][components] double, or a table for the whole mesh, [rows][components], which VTK
// calls field data.
typedef struct VtuField {
  const char *name;  // "velocity, m/s"
  int components;
  bool on_tets;
  const double *values;
  int rows;  // rows of a table; 0: not a table
} VtuField;
enum { VTU_FIELDS_MAX = 40 };

/// As vtu_write, with other positions [node_count][3] (NULL: the mesh's) and with fields.
bool vtu_write_fields(FILE *file, const TetMesh *mesh, const double (*positions)[3], const VtuField *fields, int count,
                      const MeshWriting *how, Error *error);

/// Writes cells of any shape with fields; cells with more nodes than corners become VTK's Lagrange cells.
bool vtu_write_cells(FILE *file, const CellMesh *mesh, const CellField *fields, int count, Error *error);
