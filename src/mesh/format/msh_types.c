// Lists Gmsh's element types: see msh_types.h.
#include "mesh/format/msh_types.h"

// For each element type of Gmsh, its number of nodes and its kind (CellKind). Both are 0 if the type is unknown.
static const struct {
  short nodes;
  short kind;
} types[MSH_TYPES] = {
  [1] = { 2, CELL_LINE },         [2] = { 3, CELL_TRIANGLE },      [3] = { 4, CELL_QUADRANGLE },
  [4] = { 4, CELL_TET },          [5] = { 8, CELL_HEXAHEDRON },    [6] = { 6, CELL_PRISM },
  [7] = { 5, CELL_PYRAMID },      [8] = { 3, CELL_LINE },          [9] = { 6, CELL_TRIANGLE },
  [10] = { 9, CELL_QUADRANGLE },  [11] = { 10, CELL_TET },         [12] = { 27, CELL_HEXAHEDRON },
  [13] = { 18, CELL_PRISM },      [14] = { 14, CELL_PYRAMID },     [15] = { 1, CELL_POINT },
  [16] = { 8, CELL_QUADRANGLE },  [17] = { 20, CELL_HEXAHEDRON },  [18] = { 15, CELL_PRISM },
  [19] = { 13, CELL_PYRAMID },    [20] = { 9, CELL_TRIANGLE },     [21] = { 10, CELL_TRIANGLE },
  [22] = { 12, CELL_TRIANGLE },   [23] = { 15, CELL_TRIANGLE },    [24] = { 15, CELL_TRIANGLE },
  [25] = { 21, CELL_TRIANGLE },   [26] = { 4, CELL_LINE },         [27] = { 5, CELL_LINE },
  [28] = { 6, CELL_LINE },        [29] = { 20, CELL_TET },         [30] = { 35, CELL_TET },
  [31] = { 56, CELL_TET },        [36] = { 16, CELL_QUADRANGLE },  [37] = { 25, CELL_QUADRANGLE },
  [92] = { 64, CELL_HEXAHEDRON }, [93] = { 125, CELL_HEXAHEDRON },
};

int msh_type_nodes(int type) {
  return types[type].nodes;
}

CellKind msh_type_kind(int type) {
  return types[type].nodes ? (CellKind)types[type].kind : CELL_OTHER;
}

CellShape msh_type_shape(int type) {
  int shape = 0;
  while (shape < CELL_SHAPES && cell_shape_info((CellShape)shape)->gmsh != type) shape++;
  return (CellShape)shape;
}
