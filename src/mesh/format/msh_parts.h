// Declarations shared by the files of the MSH reader: msh.c (sections in ASCII), msh_binary.c, msh_groups.c and
// msh_field.c.
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/msh_types.h"
#include "mesh/format/text.h"

typedef enum MshVersion { MSH_NONE, MSH_2_2, MSH_4_1 } MshVersion;

// Data that the reader keeps while it reads a file. has_elements: the section $Elements has been read.
typedef struct Msh {
  Text text;
  MshVersion version;
  bool binary, swap;  // swap: the file's byte order differs from that of this machine
  MeshBuilder builder;
  bool has_elements;
} Msh;

/// Returns true if elements of this type are to be added by msh_add_cell. If builder.takes_cells is true, these are
/// elements of all supported shapes. Otherwise these are hexes; tets are then added by msh_add_tet, and all other
/// elements are only counted.
static inline bool msh_takes_cell(const Msh *msh, int type) {
  const CellShape shape = msh_type_shape(type);
  return msh->builder.takes_cells ? shape < CELL_SHAPES : shape == CELL_HEX8;
}

/// Returns true if elements of this type are points, lines or faces that can be members of a group; msh_add_piece adds
/// them to it. The caller must make sure that the type is known: msh_type_nodes(type) is not 0.
static inline bool msh_takes_piece(const Msh *msh, int type) {
  const CellKind kind = msh_type_kind(type);
  return !msh_takes_cell(msh, type) && msh_type_nodes(type) <= CELL_NODES_MAX &&
         (kind == CELL_POINT || kind == CELL_LINE || kind == CELL_TRIANGLE || kind == CELL_QUADRANGLE);
}

/// In MSH 4.1, the elements of an entity are one part (set of elements, see groups.h). Returns the number of this part,
/// which is the number of the entity; 0 if the file has no groups.
static inline int msh_part(const Msh *msh, int entity) {
  return msh->builder.groups.links.count ? entity : 0;
}

/// Returns the number of a group from its tag in a file, which is negative if the orientation is reversed: tag -3 means
/// group 3.
static inline int msh_group(int tag) {
  return tag < 0 ? -(tag + 1) + (tag > INT32_MIN) : tag;
}

/// Both functions add an element. `tags` are the tags (numbers in the file) of its nodes. msh_add_cell adds a cell,
/// msh_add_piece an element of lower dimension that belongs to a group. `element` is the number of the element in the
/// file. `part` is the part (set of elements, see groups.h) to which the element belongs: in MSH 4.1 its entity, in MSH
/// 2.2 its group; 0: none.
bool msh_add_cell(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);
bool msh_add_piece(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);

/// Adds a tet of a body. `tags` are the tags (numbers in the file) of its nodes. `part` is the number of the part (set
/// of elements, see groups.h) to which the tet belongs; 0: none.
bool msh_add_tet(Msh *msh, int nodes, int64_t element, int part, const int64_t *tags, Error *error);

/// msh_names: reads the lines after "$PhysicalNames". msh_entities: reads the lines after "$Entities" of MSH 4.1.
bool msh_names(Msh *msh, Error *error);
bool msh_entities(Msh *msh, Error *error);

/// Reads the lines of a section $NodeData or $ElementData after its first line. `end` is the section's last line, such
/// as "$EndNodeData". The values are stored in msh->builder.field, which must not be NULL.
bool msh_field(Msh *msh, const char *end, Error *error);

/// Both functions read a section in binary form, msh_binary_nodes after the line "$Nodes" and msh_binary_elements after
/// "$Elements". The position must be at the end of this line.
bool msh_binary_nodes(Msh *msh, Error *error);
bool msh_binary_elements(Msh *msh, Error *error);
