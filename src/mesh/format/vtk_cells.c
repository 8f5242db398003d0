// Converts VTK's cell types to Pliant's kinds and shapes: see vtk_cells.h. VTK's header vtkCellType.h defines the
// numbers of the types.
#include "mesh/format/vtk_cells.h"

static CellKind kind_of(int type) {
  switch (type) {
    case 1:
    case 2:
      return CELL_POINT;
    case 3:
    case 4:
    case 21:
    case 35:
    case 68:
      return CELL_LINE;
    case 5:
    case 6:
    case 22:
    case 34:
    case 69:
      return CELL_TRIANGLE;
    case 8:
    case 9:
    case 23:
    case 28:
    case 30:
    case 70:
      return CELL_QUADRANGLE;
    case VTK_TETRA:
    case VTK_QUADRATIC_TETRA:
    case 71:  // Lagrange
    case 78:  // Bezier
      return CELL_TET;
    case 11:
    case VTK_HEXAHEDRON:
    case 25:
    case 29:
    case 33:
    case 72:
      return CELL_HEXAHEDRON;
    case 13:
    case 26:
    case 31:
    case 32:
    case 73:
      return CELL_PRISM;
    case 14:
    case 27:
    case 37:
    case 74:
      return CELL_PYRAMID;
    default:
      return CELL_OTHER;
  }
}

bool vtk_cell(MeshBuilder *b, int64_t number, int type, const int64_t *nodes, int64_t count, Error *error) {
  char location[WHERE_LENGTH];
  const CellKind kind = kind_of(type);
  if (type == VTK_HEXAHEDRON) {
    if (count != 8)
      return error_set(error, "%s: cell %lld is a hexahedron of %lld nodes, expected 8", builder_where(b, location),
                       (long long)number, (long long)count);
    return builder_cell(b, CELL_HEX8, CELL_FILE_VTK, number, nodes, error);
  }
  if (kind != CELL_TET) {
    b->others[kind]++;
    return true;
  }
  if (type == VTK_QUADRATIC_TETRA && count != BUILDER_TET_NODES)
    return error_set(error, "%s: cell %lld is a quadratic tetrahedron of %lld nodes, expected %d",
                     builder_where(b, location), (long long)number, (long long)count, BUILDER_TET_NODES);
  if (count < 4 || (type == VTK_TETRA && count != 4))
    return error_set(error, "%s: cell %lld is a tetrahedron of %lld nodes, expected 4", builder_where(b, location),
                     (long long)number, (long long)count);
  return builder_tet(b, number, nodes, (int)count, builder_edges_vtk, error);
}
