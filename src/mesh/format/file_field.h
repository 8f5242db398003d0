// A field that is read from a mesh file: a named array of values at nodes or in cells. While the file is read, values
// are stored with the file's numbers of nodes or cells.
#pragma once
#include <stdint.h>

#include "mesh/mesh_field.h"

enum { FILE_FIELD_KNOWN = 400 };

// A field (named values at nodes or in cells) while it is read from a file. wanted: the field to read. found: the file
// has this field. count: number of nodes or cells with values so far. cell_count and hex_count: numbers of tets and of
// hexes so far.
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

/// Appends a field's name, of `length` characters, to `known`. Messages list these names if the wanted field does not
/// exist.
void file_field_list(FileField *field, const char *name, int length);

/// Enlarges the arrays `tag` and `value` of the field for `count` more nodes or cells, and increases field->count. The
/// caller then sets the new elements, the last `count` ones.
bool file_field_grow(FileField *field, int64_t count, Error *error);

/// Must be called when the reader adds a cell to the mesh: stores the cell's number in the file, in FileField.hex if
/// `hex` is true, else in FileField.cell.
bool file_field_cell(FileField *field, bool hex, int64_t number, Error *error);

/// Computes values [nodes or cells][components] of the field, in the numbering of `mesh`, from the values that were
/// read from the file. `mesh` was read from the same file. Messages of failures begin with `path`.
bool file_field_finish(FileField *field, const char *path, const TetMesh *mesh, double *values, Error *error);
