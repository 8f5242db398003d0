// What every mesh reader fills: nodes by their numbers in the file, tets, hexes, and a count of everything else, so
// that all formats treat duplicates, unknown nodes, higher order and missing tets alike.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/format/groups.h"
#include "mesh/format/text.h"
#include "mesh/tet_mesh.h"

// What a file holds besides tets; also how its elements are called.
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

// Cells of one shape, as they come.
typedef struct CellList {
  int count;
  int64_t capacity;  // of node
  int *node;         // [count][nodes of the shape]; owned
} CellList;

// A zeroed MeshBuilder is empty.
typedef struct MeshBuilder {
  const char *path;  // borrowed, for messages
  const Text *text;  // borrowed: what is being read, whose line messages name; NULL: only the path
  bool binary;       // messages name the byte instead
  TetMesh mesh;      // owned
  TagIndex *index;   // [mesh.node_count], ascending by tag, NULL where tags are first_tag, first_tag + 1, ...
  int64_t first_tag;
  bool has_nodes;               // builder_index was called
  int64_t tet_capacity;         // of mesh.tet
  int64_t middle_capacity;      // of mesh.middle, which is there while all tets have 10 nodes
  int64_t higher_order;         // tets of more nodes than four
  bool corners_alone;           // some tets have other nodes than the 10 of a quadratic one: of all the corners count
  bool order_unsure;            // writers do not agree on which of a tet's last two nodes comes first
  int64_t others[CELL_KINDS];   // elements that are not tets; or, where cells are taken, whose shape there is not
  bool takes_cells;             // of any shape there is, in place of tets
  CellList cells[CELL_SHAPES];  // or hexes alone, which count where there are no tets
  FileGroups groups;            // where cells are taken
} MeshBuilder;

enum { WHERE_LENGTH = 1100 };

/// Where messages say that something is: "hand.msh:12", "hand.msh: byte 12" or "hand.msh". Returns `place`.
const char *builder_where(const MeshBuilder *builder, char place[WHERE_LENGTH]);

void builder_destroy(MeshBuilder *builder);

/// Room for `count` nodes, mesh.X and mesh.node_tag to be filled by the caller, in the file's order. Fails where the
/// file has a second set of nodes.
bool builder_nodes(MeshBuilder *builder, int64_t count, Error *error);

/// To be called when positions and tags are filled in, before builder_tet, which looks nodes up by their tags. Fails
/// where two nodes have one tag, or a position is not finite.
bool builder_index(MeshBuilder *builder, Error *error);

enum { BUILDER_TET_NODES = 10 };

/// Which edge, in the order of tet_edge_corners, each node behind a file's corners is on: VTK has them in that order.
extern const int builder_edges_vtk[6], builder_edges_gmsh[6], builder_edges_tetgen[6];

/// Adds a tet by the tags of its `nodes` nodes. Corners first, in the order of Gmsh and VTK:
/// (X2-X1).((X3-X1)x(X4-X1)) > 0. Of 10 nodes the others are on the edges that `edges` says; of any other number the
/// corners alone are looked at. `element` is its number, for the message.
bool builder_tet(MeshBuilder *builder, int64_t element, const int64_t *tags, int nodes, const int edges[6],
                 Error *error);

/// Adds a cell of a shape by the tags of its nodes, in the order of a kind of file.
bool builder_cell(MeshBuilder *builder, CellShape shape, CellFile file, int64_t element, const int64_t *tags,
                  Error *error);

/// An element of lower dimension than cells that belongs to a part of groups, by the tags of its nodes, corners first.
bool builder_piece(MeshBuilder *builder, int dimension, int part, int corners, int nodes, int64_t element,
                   const int64_t *tags, Error *error);

/// Hands over the cells of the highest dimension there is, without nodes that none of them has, turned round where they
/// are inverted, with notices. Plane ones get z = 0. Fails where these are of more than one shape, or of none that
/// there is, where plane ones are not in a plane z = constant, or one is not sound.
bool builder_finish_cells(MeshBuilder *builder, CellMesh *mesh, Error *error);

/// A notice that tets of higher order were taken by their corners.
void builder_tell_linear(const char *path, int64_t count);

/// Hands the mesh over, quadratic where all tets have 10 nodes, of hexes where there are no tets, with notices of what
/// was left out. Fails where there are neither, and says how to get some.
bool builder_finish(MeshBuilder *builder, TetMesh *mesh, Error *error);
