// A field that is read from a mesh file: a named array of values at nodes or in cells. While the file is read, each
// value is stored with the number of its node or cell in the file.
#pragma once
#include <stdint.h>

#include "mesh/mesh_field.h"

enum { FILE_FIELD_KNOWN = 400 };

// A field (named values at nodes or in cells) while it is read from a file. wanted: the field to read. found: the file
// has this field. count: number of nodes or cells whose values have been read. cell_count and hex_count: numbers of
// tets and of hexes that have been read.
typedef struct FileField {
  MeshField wanted;
  bool found;
  int64_t count, tag_capacity, value_capacity;
  int64_t *tag;                  // [count], for each value, the number in the file of its node or cell; owned
  double *value;                 // [count][components], the values; owned
  char known[FILE_FIELD_KNOWN];  // names of the file's fields of nodes or cells, as wanted, for messages; truncated
  int64_t cell_count, cell_capacity, hex_count, hex_capacity;
  int64_t *cell;  // [cell_count], number in the file of each tet; owned
  int64_t *hex;   // [hex_count], number in the file of each hex; owned
} FileField;

void file_field_destroy(FileField *field);

/// Appends a field's name, of `length` characters, to `known`. A message lists the names in `known` if the wanted field
/// does not exist.
void file_field_list(FileField *field, const char *name, int length);

/// Makes space for the values of `count` more nodes or cells: enlarges the arrays `tag` and `value`, and increases
/// field->count. The caller then sets the last `count` elements of both arrays.
bool file_field_grow(FileField *field, int64_t count, Error *error);

/// Must be called when the reader adds a cell to the mesh. Appends `number`, the cell's number in the file, to
/// FileField.hex if `hex` is true, else to FileField.cell.
bool file_field_cell(FileField *field, bool hex, int64_t number, Error *error);

/// Computes values [nodes or cells][components] of the field, in the numbering of `mesh`, from the values that were
/// read from the file. `mesh` was read from the same file. Messages of failures begin with `path`.
bool file_field_finish(FileField *field, const char *path, const TetMesh *mesh, double *values, Error *error);
