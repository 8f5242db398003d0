// Builds a mesh from a file; all mesh readers use it. It collects the nodes by their tags (numbers in the file), the
// tets and other cells, and counts of skipped elements. So all formats treat duplicate nodes, unknown nodes, elements
// of higher order and missing tets in the same way.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/format/file_field.h"
#include "mesh/format/groups.h"
#include "mesh/format/text.h"
#include "mesh/tag_index.h"
#include "mesh/tet_mesh.h"

// Kinds of elements in files. Messages use their names.
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
  int64_t capacity;  // allocated length of `node`
  int *node;         // [count][nodes of the shape], nodes of the cells; owned
} CellList;

// A mesh that is being read from a file. A zeroed MeshBuilder is empty.
typedef struct MeshBuilder {
  const char *path;      // path of the file, for messages; borrowed
  const Text *text;      // text of the file, for line numbers in messages; NULL: messages have only the path; borrowed
  bool binary;           // the file is binary, so messages name a byte instead of a line
  TetMesh mesh;          // the mesh that is being built; owned
  TagIndex *index;       // [mesh.node_count], ascending by tag; NULL if node k has the tag first_tag + k
  int64_t first_tag;     // tag of the first node; finds nodes if `index` is NULL
  bool has_nodes;        // builder_index has run: nodes can be found by their tags
  int64_t tet_capacity;  // allocated length of mesh.tet
  int64_t middle_capacity;  // allocated length of mesh.middle, which exists while all tets have 10 nodes
  int64_t higher_order;     // number of tets with more than four nodes
  // true: some tet in the file does not have 10 nodes, so only the corners of tets are used
  bool corners_alone;
  // true: programs that write this format disagree on the order of the last two nodes of a 10-node tet
  bool order_unsure;
  // For each kind, number of elements in the file that do not become cells of the mesh. If takes_cells is true, these
  // are elements of unsupported shapes; otherwise all elements except tets, and hexes in a file without tets.
  int64_t others[CELL_KINDS];
  int64_t in_sets[CELL_KINDS];  // number of elements in `others` that are used because they belong to a set
  bool takes_cells;             // true: reads cells of any supported shape; false: reads a body of tets
  // Cells of each shape. If takes_cells is false, only hexes are collected here; they are used if the file has no tets.
  CellList cells[CELL_SHAPES];
  FileField *field;   // field to be read with the mesh; NULL: none; borrowed
  FileGroups groups;  // named groups of the file; those of a body become mesh.sets
} MeshBuilder;

enum { WHERE_LENGTH = 1100 };

/// Writes the position that was reached in the file, for messages: "hand.msh:12", "hand.msh: byte 12" or "hand.msh".
/// Returns `location`.
const char *builder_where(const MeshBuilder *builder, char location[WHERE_LENGTH]);

void builder_destroy(MeshBuilder *builder);

/// Allocates `count` nodes. The caller then fills builder->mesh.X and builder->mesh.node_tag in the order of the file.
/// Fails if this function was called before, as for a file that defines its nodes twice.
bool builder_nodes(MeshBuilder *builder, int64_t count, Error *error);

/// Creates the index that finds nodes by their tags (numbers in the file). The caller must have filled positions and
/// tags. Fails if two nodes have the same tag, or if a position is not finite.
bool builder_index(MeshBuilder *builder, Error *error);

enum { BUILDER_TET_NODES = 10 };

/// For 10-node tets in three file formats, the edge of each edge node: node 4 + k of a tet in the file is on edge
/// builder_edges_...[k] of tet_edge_corners.
extern const int builder_edges_vtk[6], builder_edges_gmsh[6], builder_edges_tetgen[6];

/// Adds a tet. tags [nodes] are the tags (numbers in the file) of its nodes, corners first. Corners X1 to X4 are in the
/// order of Gmsh and VTK: (X2-X1).((X3-X1)x(X4-X1)) > 0. If `nodes` is 10, the last six nodes are on edges: tags[4 + k]
/// is on edge edges[k] of tet_edge_corners. For any other number of nodes, only the corners are used. `element` is the
/// tet's number in the file, for messages.
bool builder_tet(MeshBuilder *builder, int64_t element, const int64_t *tags, int nodes, const int edges[6],
                 Error *error);

/// Adds a cell. `tags` are the tags (numbers in the file) of its nodes, in the order of the file format `file`.
/// `element` is the cell's number in the file, for messages.
bool builder_cell(MeshBuilder *builder, CellShape shape, CellFile file, int64_t element, const int64_t *tags,
                  Error *error);

/// Adds an element of lower dimension than the cells, such as a triangle on a boundary, to builder->groups. `part` is
/// the number of the element's part (set of elements, see groups.h). tags [nodes] are the tags (numbers in the file) of
/// its nodes, corners first.
bool builder_piece(MeshBuilder *builder, int dimension, int part, int corners, int nodes, int64_t element,
                   const int64_t *tags, Error *error);

/// Creates `mesh` from the cells of the highest dimension in the file. Removes nodes that no cell uses and reorients
/// inverted cells; notices report both. Sets z to 0 in a plane mesh. Fails if cells have different or unsupported
/// shapes, if plane cells are not in a plane z = constant, or if a cell is invalid.
bool builder_finish_cells(MeshBuilder *builder, CellMesh *mesh, Error *error);

/// Prints a notice that begins with `path`: of `count` tets of higher order, only the corners are used.
void builder_report_linear(const char *path, int64_t count);

/// Moves the finished mesh from the builder to `mesh`, and prints notices about skipped elements. The mesh is quadratic
/// if all tets have 10 nodes. If the file has no tets, the mesh consists of the file's hexes. If it has no hexes
/// either, fails with advice on how to create tets.
bool builder_finish(MeshBuilder *builder, TetMesh *mesh, Error *error);
