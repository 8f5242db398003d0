// Collects the data of every mesh reader: nodes by their numbers in the file, tets, hexes, and counts of everything
// else. So all formats treat duplicates, unknown nodes, higher order and missing tets alike.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/format/groups.h"
#include "mesh/format/text.h"
#include "mesh/tet_mesh.h"

// Kinds of elements in files, and their names in messages.
typedef enum CellKind {
  CELL_POINT,
  CELL_LINE,
  CELL_TRIANGLE,
  CELL_QUADRANGLE,
  CELL_TET,
  CELL_HEXAHEDRON,
  CELL_PRISM,
  CELL_PYRAMID,
  CELL_OTHER,
  CELL_KINDS
} CellKind;

typedef struct TagIndex {
  int64_t tag;
  int node;
} TagIndex;

// Cells of one shape, in the order of the file.
typedef struct CellList {
  int count;
  int64_t capacity;  // capacity of node
  int *node;         // [count][nodes of the shape]; owned
} CellList;

// A zeroed MeshBuilder is empty.
typedef struct MeshBuilder {
  const char *path;  // borrowed, for messages
  const Text *text;  // borrowed: the text being read, whose line messages name; NULL: only the path
  bool binary;       // messages name the byte instead of the line
  TetMesh mesh;      // owned
  TagIndex *index;   // [mesh.node_count], ascending by tag; NULL if tags are first_tag, first_tag + 1, ...
  int64_t first_tag;
  bool has_nodes;               // builder_index was called
  int64_t tet_capacity;         // capacity of mesh.tet
  int64_t middle_capacity;      // capacity of mesh.middle, which exists while all tets have 10 nodes
  int64_t higher_order;         // number of tets with more than four nodes
  bool corners_alone;           // some tets are not quadratic with 10 nodes, so only corners are used
  bool order_unsure;            // writers disagree on the order of a tet's last two nodes
  int64_t others[CELL_KINDS];   // elements that are not tets; with takes_cells, elements of unsupported shapes
  bool takes_cells;             // reads cells of any supported shape instead of tets
  CellList cells[CELL_SHAPES];  // without takes_cells only hexes, which are used if there are no tets
  FileGroups groups;            // with takes_cells
} MeshBuilder;

enum { WHERE_LENGTH = 1100 };

/// Position for messages: "hand.msh:12", "hand.msh: byte 12" or "hand.msh". Returns `location`.
const char *builder_where(const MeshBuilder *builder, char location[WHERE_LENGTH]);

void builder_destroy(MeshBuilder *builder);

/// Allocates `count` nodes. The caller fills mesh.X and mesh.node_tag, in the file's order. Fails if the file has a
/// second set of nodes.
bool builder_nodes(MeshBuilder *builder, int64_t count, Error *error);

/// Must be called after positions and tags are filled in, and before builder_tet, which finds nodes by their tags.
/// Fails if two nodes have one tag, or if a position is not finite.
bool builder_index(MeshBuilder *builder, Error *error);

enum { BUILDER_TET_NODES = 10 };

/// Edge, in the order of tet_edge_corners, of each node after a file's corners; VTK uses that order.
extern const int builder_edges_vtk[6], builder_edges_gmsh[6], builder_edges_tetgen[6];

/// Adds a tet by the tags of its `nodes` nodes. Corners come first, in the order of Gmsh and VTK:
/// (X2-X1).((X3-X1)x(X4-X1)) > 0. If there are 10 nodes, the others are on the edges that `edges` lists; with any other
/// number only corners are used. `element` is its number, for messages.
bool builder_tet(MeshBuilder *builder, int64_t element, const int64_t *tags, int nodes, const int edges[6],
                 Error *error);

/// Adds a cell of a shape by the tags of its nodes, in the order of a file format.
bool builder_cell(MeshBuilder *builder, CellShape shape, CellFile file, int64_t element, const int64_t *tags,
                  Error *error);

/// Adds an element of lower dimension than cells, in part `part` of the groups, by the tags of its nodes, corners
/// first.
bool builder_piece(MeshBuilder *builder, int dimension, int part, int corners, int nodes, int64_t element,
                   const int64_t *tags, Error *error);

/// Hands over the cells of the highest dimension. Nodes without cells are dropped and inverted cells reoriented, with
/// notices. Plane cells get z = 0. Fails if these cells have several shapes or an unsupported one, if plane cells are
/// not in a plane z = constant, or if a cell is invalid.
bool builder_finish_cells(MeshBuilder *builder, CellMesh *mesh, Error *error);

/// Logs that only the corners of tets of higher order are used.
void builder_report_linear(const char *path, int64_t count);

/// Hands the mesh over: quadratic if all tets have 10 nodes, made of hexes if there are no tets, with notices of
/// skipped elements. Fails if there are neither, and says how to get some.
bool builder_finish(MeshBuilder *builder, TetMesh *mesh, Error *error);
