// Writes VTU files: see vtu.h. A file has four arrays that describe the mesh (positions, connectivity, offsets, types
// of cells), and up to VTU_FIELDS_MAX fields. In the encoding MESH_TEXT, values are printed directly. In all other
// encodings, an array is first converted to bytes with a header. These bytes are then written as base64 inside the XML,
// or raw after the XML.
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/memory_stream.h"
#include "mesh/format/base64.h"
#include "mesh/format/binary.h"
#include "mesh/format/vtk_cells.h"
#include "mesh/format/vtu.h"
#include "mesh/quadratic.h"

enum { BLOCK = 1 << 15 };  // bytes of a block before compression; VTK's default

// The bytes of an array, in the file's byte order, before they are written.
typedef struct Blob {
  unsigned char *bytes;
  size_t size;
} Blob;

// Compresses the bytes of an array in blocks of BLOCK bytes. Puts a header before them: the number of blocks, the sizes
// of the blocks before compression, and the compressed size of each block, as numbers of 8 bytes (see vtu.c).
static bool pack(Blob *blob, bool swap, Error *error) {
  const size_t blocks = (blob->size + BLOCK - 1) / BLOCK, bound = compressBound(BLOCK);
  unsigned char *packed = array_new((int64_t)(8 * (3 + blocks) + bound * blocks), 1, "packed data", error);
  if (!packed) return false;
  uint64_t head[3] = { blocks, BLOCK, blob->size % BLOCK };
  for (int k = 0; k < 3; k++) {
    if (swap) head[k] = __builtin_bswap64(head[k]);
    memcpy(packed + 8 * k, &head[k], 8);
  }
  size_t at = 8 * (3 + blocks);
  for (size_t b = 0; b < blocks && !interrupt_requested(); b++) {
    const size_t size = b * BLOCK + BLOCK <= blob->size ? BLOCK : blob->size - b * BLOCK;
    uLongf length = bound;
    if (compress(packed + at, &length, blob->bytes + b * BLOCK, size) != Z_OK) {
      free(packed);
      return error_set(error, "not enough memory to compress %zu bytes", size);
    }
    uint64_t one = length;
    if (swap) one = __builtin_bswap64(one);
    memcpy(packed + 8 * (3 + b), &one, 8);
    at += length;
  }

  free(blob->bytes);
  blob->bytes = packed;
  blob->size = at;
  return true;
}

static bool head_plain(Blob *blob, bool swap, Error *error) {
  unsigned char *whole = array_new((int64_t)blob->size + 8, 1, "data", error);
  if (!whole) return false;
  const uint64_t size = swap ? __builtin_bswap64(blob->size) : blob->size;
  memcpy(whole, &size, 8);
  memcpy(whole + 8, blob->bytes, blob->size);
  free(blob->bytes);
  blob->bytes = whole;
  blob->size += 8;
  return true;
}

// One array to write: an array of the mesh, or a field.
typedef struct Array {
  const char *name, *type;  // name of the array, and VTK's name of its type, "Float64"
  int components;           // values per row
  int64_t count;            // number of rows
  Blob blob;
  size_t offset;  // position of `blob` in the appended data of the file, bytes
} Array;

enum { MESH_ARRAYS = 4, ARRAYS_MAX = MESH_ARRAYS + VTU_FIELDS_MAX };

// The mesh to write. All its cells have one type. They are the cells of `cells`; if `cells` is NULL, those of `tets`.
typedef struct Grid {
  int node_count, cell_count, cell_nodes, type;
  const double (*x)[3];       // [node_count], positions of the nodes
  const TetMesh *tets;        // mesh of a body, or NULL
  const CellMesh *cells;      // cells of a stationary problem, or hexes of a body, or NULL
  int order[CELL_NODES_MAX];  // for `cells` and cubic tets: node c of a cell in VTK's order is its node order[c] here
} Grid;

// Returns entry k of the connectivity array: the nodes of all cells, one cell after the other, in VTK's order. Example
// for tets: entry 5 is the second node of the second cell.
static int cell_node(const Grid *g, int64_t k) {
  const int e = (int)(k / g->cell_nodes), c = (int)(k % g->cell_nodes);
  if (g->cells) return g->cells->cell[(int64_t)e * g->cell_nodes + g->order[c]];
  if (g->tets->outer) return mesh_cell_node(g->tets, e, g->order[c]);
  return c < 4 ? mesh_file_corner(g->tets, e, c) : mesh_file_middle(g->tets, e, c - 4);
}

// Writes value number k of array `a` in binary. Array 0 has the positions, 1 the connectivity, 2 the offsets, 3 the
// cell types; array 4 + f is field f.
static void put_value(FILE *file, const Grid *g, const VtuField *fields, int a, int64_t k, bool swap) {
  if (a == 0) put_f64(file, g->x[k / 3][k % 3], swap);
  if (a == 1) put_i32(file, cell_node(g, k), swap);
  if (a == 2) put_i64(file, g->cell_nodes * (k + 1), swap);
  if (a == 3) fputc(g->type, file);
  if (a >= MESH_ARRAYS) put_f64(file, fields[a - MESH_ARRAYS].values[k], swap);
}

static void print_value(FILE *file, const Grid *g, const VtuField *fields, int a, int64_t k) {
  if (a == 0) fprintf(file, "%.17g", g->x[k / 3][k % 3]);
  if (a == 1) fprintf(file, "%d", cell_node(g, k));
  if (a == 2) fprintf(file, "%lld", g->cell_nodes * (k + 1LL));
  if (a == 3) fprintf(file, "%d", g->type);
  if (a >= MESH_ARRAYS) fprintf(file, "%.17g", fields[a - MESH_ARRAYS].values[k]);
}

static bool make_blob(Array *array, const Grid *g, const VtuField *fields, int a, bool compressed, bool swap,
                      Error *error) {
  FILE *memory = memory_stream((char **)&array->blob.bytes, &array->blob.size);
  if (!memory) return error_set(error, "not enough memory to write the mesh");
  for (int64_t k = 0; k < array->count * array->components && !interrupt_requested(); k++)
    put_value(memory, g, fields, a, k, swap);
  if (fclose(memory) != 0) return error_set(error, "not enough memory to write the mesh");
  return compressed ? pack(&array->blob, swap, error) : head_plain(&array->blob, swap, error);
}

// Returns the name of the XML element that contains a field.
static const char *section_of(const VtuField *field) {
  return field->rows > 0 ? "FieldData" : field->on_tets ? "CellData" : "PointData";
}

static void write_array(FILE *file, const Array *array, const Grid *g, const VtuField *fields, int a,
                        MeshEncoding encoding) {
  fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", array->type, array->name,
          array->components);
  if (a >= MESH_ARRAYS && fields[a - MESH_ARRAYS].rows > 0)
    fprintf(file, " NumberOfTuples=\"%d\"", fields[a - MESH_ARRAYS].rows);
  if (encoding == MESH_BINARY || encoding == MESH_ZLIB) {
    fprintf(file, " format=\"appended\" offset=\"%zu\"/>\n", array->offset);
    return;
  }
  fprintf(file, " format=\"%s\">\n", encoding == MESH_TEXT ? "ascii" : "binary");
  if (encoding == MESH_BASE64) base64_write(file, array->blob.bytes, array->blob.size);
  for (int64_t k = 0; encoding == MESH_TEXT && k < array->count * array->components && !interrupt_requested(); k++) {
    print_value(file, g, fields, a, k);
    fputc((k + 1) % array->components ? ' ' : '\n', file);
  }
  fputs("\n</DataArray>\n", file);
}

static void write_section(FILE *file, const char *section, const Array *array, const Grid *g, const VtuField *fields,
                          int count, MeshEncoding encoding) {
  fprintf(file, "<%s>\n", section);
  for (int k = 0; k < count; k++)
    if (strcmp(section_of(&fields[k]), section) == 0)
      write_array(file, &array[MESH_ARRAYS + k], g, fields, MESH_ARRAYS + k, encoding);
  fprintf(file, "</%s>\n", section);
}

static bool write_grid(FILE *file, const Grid *g, const VtuField *fields, int count, const MeshWriting *how,
                       Error *error) {
  const MeshEncoding encoding = how->encoding == MESH_USUAL ? MESH_ZLIB : how->encoding;
  const bool swap = how->big_endian != machine_is_big_endian();
  Array array[ARRAYS_MAX] = { { "Points", "Float64", 3, g->node_count, { 0 }, 0 },
                              { "connectivity", "Int32", 1, g->cell_nodes * (int64_t)g->cell_count, { 0 }, 0 },
                              { "offsets", "Int64", 1, g->cell_count, { 0 }, 0 },
                              { "types", "UInt8", 1, g->cell_count, { 0 }, 0 } };
  const int arrays = MESH_ARRAYS + count;
  if (count > VTU_FIELDS_MAX)
    return error_set(error, "the mesh has more than %d fields, the limit of a VTU file that Pliant writes",
                     VTU_FIELDS_MAX);
  bool ok = true, tables = false;
  for (int k = 0; k < count; k++) {
    const VtuField *f = &fields[k];
    const int tuples = f->rows > 0 ? f->rows : f->on_tets ? g->cell_count : g->node_count;
    array[MESH_ARRAYS + k] = (Array){ f->name, "Float64", f->components, tuples, { 0 }, 0 };
    tables = tables || f->rows > 0;
  }

  for (int a = 0; ok && encoding != MESH_TEXT && a < arrays; a++)
    ok = make_blob(&array[a], g, fields, a, encoding == MESH_ZLIB, swap, error);
  if (ok) {
    for (int a = 1; a < arrays; a++) array[a].offset = array[a - 1].offset + array[a - 1].blob.size;
    fprintf(file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\"%s>\n<UnstructuredGrid>\n",
            how->big_endian ? "BigEndian" : "LittleEndian",
            encoding == MESH_ZLIB ? " compressor=\"vtkZLibDataCompressor\"" : "");
    if (tables) write_section(file, "FieldData", array, g, fields, count, encoding);
    fprintf(file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<Points>\n", g->node_count, g->cell_count);
    write_array(file, &array[0], g, fields, 0, encoding);
    fputs("</Points>\n<Cells>\n", file);
    for (int a = 1; a < MESH_ARRAYS; a++) write_array(file, &array[a], g, fields, a, encoding);
    fputs("</Cells>\n", file);
    write_section(file, "PointData", array, g, fields, count, encoding);
    write_section(file, "CellData", array, g, fields, count, encoding);
    fputs("</Piece>\n</UnstructuredGrid>\n", file);
    if (encoding == MESH_BINARY || encoding == MESH_ZLIB) {
      fputs("<AppendedData encoding=\"raw\">\n_", file);
      for (int a = 0; a < arrays; a++) fwrite(array[a].blob.bytes, 1, array[a].blob.size, file);
      fputs("\n</AppendedData>\n", file);
    }
    fputs("</VTKFile>\n", file);
  }

  for (int a = 0; a < arrays; a++) free(array[a].blob.bytes);
  return ok && interrupt_check(error);
}

bool vtu_write_fields(FILE *file, const TetMesh *mesh, const double (*positions)[3], const VtuField *fields, int count,
                      const MeshWriting *how, Error *error) {
  const CellMesh hexes = { .shape = CELL_HEX8, .cell = (int *)mesh->hex };
  Grid grid = { .node_count = mesh->node_count,
                .cell_count = mesh->tet_count,
                .cell_nodes = mesh_cell_nodes(mesh),
                .type = cell_shape_info(mesh_shape(mesh))->vtk,
                .x = positions ? positions : (const double(*)[3])mesh->X,
                .tets = mesh,
                .cells = mesh->hex ? &hexes : NULL };
  if (mesh->outer) cell_shape_file_order(CELL_TET20, CELL_FILE_VTK, grid.order);
  if (mesh->hex) cell_shape_file_order(CELL_HEX8, CELL_FILE_VTK, grid.order);
  return write_grid(file, &grid, fields, count, how, error);
}

// Lists the names of the fields of one section in a .pvtu file.
static void list_section(FILE *file, const char *section, const VtuField *fields, int count) {
  fprintf(file, "<P%s>\n", section);
  for (int k = 0; k < count; k++)
    if (strcmp(section_of(&fields[k]), section) == 0)
      fprintf(file, "<PDataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%d\"/>\n", fields[k].name,
              fields[k].components);
  fprintf(file, "</P%s>\n", section);
}

void vtu_write_pieces(FILE *file, const char *stem, int pieces, const VtuField *fields, int count) {
  fputs(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\">\n"
      "<PUnstructuredGrid GhostLevel=\"0\">\n",
      file);
  fputs("<PPoints>\n<PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n</PPoints>\n", file);
  list_section(file, "PointData", fields, count);
  list_section(file, "CellData", fields, count);
  for (int k = 0; k < pieces; k++) fprintf(file, "<Piece Source=\"%s_%d.vtu\"/>\n", stem, k);
  fputs("</PUnstructuredGrid>\n</VTKFile>\n", file);
}

bool vtu_write_cells(FILE *file, const CellMesh *mesh, const CellField *fields, int count, Error *error) {
  Grid grid = { .node_count = mesh->node_count,
                .cell_count = mesh->cell_count,
                .cell_nodes = cell_shape_info(mesh->shape)->nodes,
                .type = cell_shape_info(mesh->shape)->vtk,
                .x = (const double(*)[3])mesh->X,
                .cells = mesh };
  const MeshWriting how = { .encoding = MESH_USUAL };
  cell_shape_file_order(mesh->shape, CELL_FILE_VTK, grid.order);
  VtuField written[VTU_FIELDS_MAX];
  for (int k = 0; k < count && k < VTU_FIELDS_MAX; k++)
    written[k] = (VtuField){ fields[k].name, fields[k].components, fields[k].on_cells, fields[k].values, 0 };
  return write_grid(file, &grid, written, count, &how, error);
}

bool vtu_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  return vtu_write_fields(file, mesh, NULL, NULL, 0, how, error);
}
