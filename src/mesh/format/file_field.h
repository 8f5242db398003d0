// One field of a mesh file while it is read: its values by the file's numbers of nodes or cells.
#pragma once
#include <stdint.h>

#include "mesh/mesh_field.h"

enum { FILE_FIELD_KNOWN = 400 };

// The field `wanted` as read so far. found: the file has it. count: number of values. cell_count and hex_count: numbers
// of tets and of hexes.
typedef struct FileField {
  MeshField wanted;
  bool found;
  int64_t count, tag_capacity, value_capacity;
  int64_t *tag;                  // [count], number in the file of the node or cell to which each value belongs; owned
  double *value;                 // [count][components], the values; owned
  char known[FILE_FIELD_KNOWN];  // names of all fields of this kind, for messages; truncated
  int64_t cell_count, cell_capacity, hex_count, hex_capacity;
  int64_t *cell;  // [cell_count], numbers of the tets in the file; owned
  int64_t *hex;   // [hex_count], numbers of the hexes in the file; owned
} FileField;

void file_field_destroy(FileField *field);

/// Adds a field's name, of `length` characters, to `known`, the list of names for messages.
void file_field_list(FileField *field, const char *name, int length);

/// Adds `count` entries, the last of which has the index field->count - 1. The caller then sets their tags and values.
bool file_field_grow(FileField *field, int64_t count, Error *error);

/// Appends the number that the next cell of the mesh has in the file: to FileField.hex if `hex` is true, else to .cell.
bool file_field_cell(FileField *field, bool hex, int64_t number, Error *error);

/// Computes values [nodes or cells][components] in the numbering of `mesh`, which was read from the file. Messages of
/// failures begin with `path`.
bool file_field_finish(FileField *field, const char *path, const TetMesh *mesh, double *values, Error *error);
