// Declarations shared by the files of the MSH reader: msh.c (sections in ASCII), msh_binary.c, msh_groups.c and
// msh_field.c.
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/msh_types.h"
#include "mesh/format/text.h"

typedef enum MshVersion { MSH_NONE, MSH_2_2, MSH_4_1 } MshVersion;

// Data while a file is read. has_elements: the section $Elements has been read.
typedef struct Msh {
  Text text;
  MshVersion version;
  bool binary, swap;  // swap: the file has the byte order that the machine does not use
  MeshBuilder builder;
  bool has_elements;
} Msh;

/// Returns true if msh_add_cell stores elements of this type: all supported shapes if builder.takes_cells is true, else
/// only hexes. In the second case msh_add_tet stores tets, and all other elements are only counted.
static inline bool msh_takes_cell(const Msh *msh, int type) {
  const CellShape shape = msh_type_shape(type);
  return msh->builder.takes_cells ? shape < CELL_SHAPES : shape == CELL_HEX8;
}

/// Returns true if msh_add_piece stores elements of this type, as elements of a group of lower dimension than the
/// cells. The type's number of nodes must be known.
static inline bool msh_takes_piece(const Msh *msh, int type) {
  const CellKind kind = msh_type_kind(type);
  return !msh_takes_cell(msh, type) && msh_type_nodes(type) <= CELL_NODES_MAX &&
         (kind == CELL_POINT || kind == CELL_LINE || kind == CELL_TRIANGLE || kind == CELL_QUADRANGLE);
}

/// Returns the part (groups.h) of the elements of an entity in MSH 4.1: the entity's number, or 0 if the file has no
/// groups.
static inline int msh_part(const Msh *msh, int entity) {
  return msh->builder.groups.links.count ? entity : 0;
}

/// Returns the number of a group from its tag in a file. The tag is negative for the opposite orientation: tag -3 is
/// group 3.
static inline int msh_group(int tag) {
  return tag < 0 ? -(tag + 1) + (tag > INT32_MIN) : tag;
}

/// Add an element by the tags of its nodes: msh_add_cell adds a cell, and msh_add_piece an element of lower dimension
/// that belongs to a group. `part` is the element's part (groups.h): in MSH 4.1 an entity, in MSH 2.2 a group; 0: none.
bool msh_add_cell(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);
bool msh_add_piece(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);

/// Adds a tet of a body by the tags of its nodes and, if `part` is not 0, to this part of the groups.
bool msh_add_tet(Msh *msh, int nodes, int64_t element, int part, const int64_t *tags, Error *error);

/// Read the lines after "$PhysicalNames" (msh_names), and after "$Entities" of MSH 4.1 (msh_entities).
bool msh_names(Msh *msh, Error *error);
bool msh_entities(Msh *msh, Error *error);

/// Reads a section $NodeData or $ElementData after its first line; `end` is its last line. builder.field must not be
/// NULL.
bool msh_field(Msh *msh, const char *end, Error *error);

/// Read the binary section after the line "$Nodes" or "$Elements". The position must be at the end of this line.
bool msh_binary_nodes(Msh *msh, Error *error);
bool msh_binary_elements(Msh *msh, Error *error);
