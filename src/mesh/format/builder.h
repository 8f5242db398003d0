// Builds a mesh while a reader reads a file: collects nodes by their numbers in the file (tags), tets and other cells,
// and counts of skipped elements. All readers use it, so that duplicate nodes, unknown nodes, elements of higher order
// and missing tets have the same effect in all formats.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/format/file_field.h"
#include "mesh/format/groups.h"
#include "mesh/format/text.h"
#include "mesh/tag_index.h"
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

// Cells of one shape, in the order of the file.
typedef struct CellList {
  int count;
  int64_t capacity;  // capacity of node
  int *node;         // [count][nodes of the shape]; owned
} CellList;

// A zeroed MeshBuilder is empty.
typedef struct MeshBuilder {
  const char *path;  // borrowed, for messages
  const Text *text;  // borrowed: the text that is read, whose line messages name; NULL: messages have only the path
  bool binary;       // the file is binary: messages name the byte instead of the line
  TetMesh mesh;      // owned
  TagIndex *index;   // [mesh.node_count], ascending by tag; NULL if tags are first_tag, first_tag + 1, ...
  int64_t first_tag;
  bool has_nodes;               // builder_index has been called
  int64_t tet_capacity;         // capacity of mesh.tet
  int64_t middle_capacity;      // capacity of mesh.middle, which exists as long as all tets so far have 10 nodes
  int64_t higher_order;         // number of tets with more than four nodes
  bool corners_alone;           // a tet does not have 10 nodes, so that only the corners of all tets are used
  bool order_unsure;            // programs that write this format use different orders of a 10-node tet's last two
                                // nodes
  int64_t others[CELL_KINDS];   // numbers of skipped elements: all except tets or, with takes_cells, those of
                                // unsupported shapes
  int64_t in_sets[CELL_KINDS];  // those of `others` that are members of a set, and so not skipped
  bool takes_cells;             // read cells of any supported shape instead of tets
  CellList cells[CELL_SHAPES];  // cells by shape; without takes_cells only hexes, which are used if the file has no
                                // tets
  FileField *field;             // the field to read too; borrowed; NULL: none
  FileGroups groups;            // named groups; those of a body become mesh.sets
} MeshBuilder;

enum { WHERE_LENGTH = 1100 };

/// Writes the present position for messages: "hand.msh:12", "hand.msh: byte 12" or "hand.msh". Returns `location`.
const char *builder_where(const MeshBuilder *builder, char location[WHERE_LENGTH]);

void builder_destroy(MeshBuilder *builder);

/// Allocates `count` nodes, whose mesh.X and mesh.node_tag the caller then fills in the order of the file. Fails if
/// nodes were allocated before, since the file then has two sets of nodes.
bool builder_nodes(MeshBuilder *builder, int64_t count, Error *error);

/// Creates the index by which builder_tet and others find nodes by their tags. Must be called after positions and tags
/// are filled in. Fails if two nodes have the same tag, or if a position is not finite.
bool builder_index(MeshBuilder *builder, Error *error);

enum { BUILDER_TET_NODES = 10 };

/// Orders of the six nodes on edges in 10-node tets of file formats: the k-th node after the corners is on edge
/// builder_edges_...[k], in the order of tet_edge_corners. VTK's order is equal to tet_edge_corners.
extern const int builder_edges_vtk[6], builder_edges_gmsh[6], builder_edges_tetgen[6];

/// Adds a tet by the tags of its nodes; `nodes` is their number. Corners come first, in the order of Gmsh and VTK:
/// (X2-X1).((X3-X1)x(X4-X1)) > 0. Of 10 nodes, the last six are on edges, in the order `edges`. With any other number
/// only the corners are used. `element` is the tet's number in the file, for messages.
bool builder_tet(MeshBuilder *builder, int64_t element, const int64_t *tags, int nodes, const int edges[6],
                 Error *error);

/// Adds a cell of a shape by the tags of its nodes, which are in the order of a file format. `element` is as in
/// builder_tet.
bool builder_cell(MeshBuilder *builder, CellShape shape, CellFile file, int64_t element, const int64_t *tags,
                  Error *error);

/// Adds an element of lower dimension than cells to the part `part` of builder->groups, by the tags of its nodes,
/// corners first.
bool builder_piece(MeshBuilder *builder, int dimension, int part, int corners, int nodes, int64_t element,
                   const int64_t *tags, Error *error);

/// Creates the mesh of the cells with the highest dimension. Nodes without cells are removed and inverted cells
/// reoriented, with notices. Plane cells get z = 0. Fails if these cells have different shapes or an unsupported one,
/// if plane cells are not in a plane z = constant, or if a cell is invalid.
bool builder_finish_cells(MeshBuilder *builder, CellMesh *mesh, Error *error);

/// Writes a notice that of `count` tets of higher order only the corners are used.
void builder_report_linear(const char *path, int64_t count);

/// Moves the mesh to `mesh`, with notices about skipped elements. It is quadratic if all tets have 10 nodes, and has
/// hexes if the file has no tets. Fails if there are neither tets nor hexes; the message describes how to create tets.
bool builder_finish(MeshBuilder *builder, TetMesh *mesh, Error *error);
