// Reads VTU files. The library expat parses the XML up to <AppendedData>, since raw appended data are not XML. Every
// <Piece> has <Points> with one DataArray, and <Cells> with arrays named connectivity, offsets and types. The data of
// an array are bytes in one of two forms:
//   plain        a header with the byte count of the data, then the data
//   compressed   a header of numbers: number of blocks, size of a block, size of the last block (0: it is full),
//                compressed size of each block; then the blocks
// In base64, the header and the data of a plain array are encoded together, as one text. The header of a compressed
// array is one base64 text, and all its blocks together are a second one.
#include "mesh/format/vtu.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "mesh/format/base64.h"
#include "mesh/format/binary.h"
#include "mesh/format/vtk_cells.h"

// Meaning of an array in a <Piece> (a part of the mesh): ROLE_POINTS are the positions of points, ROLE_CONNECTIVITY the
// nodes of cells, and so on. Arrays with ROLE_NONE are not read.
typedef enum Role { ROLE_NONE, ROLE_POINTS, ROLE_CONNECTIVITY, ROLE_OFFSETS, ROLE_TYPES, ROLE_FIELD, ROLES } Role;

typedef enum Format { FORMAT_ASCII, FORMAT_BINARY, FORMAT_APPENDED } Format;

// An array of the file, as its XML element describes it.
typedef struct DataArray {
  bool found;
  char type;  // 'f': floating-point numbers, 'i': signed integers, 'u': unsigned integers
  int size;   // bytes of a value
  Format format;
  int64_t offset;    // position of the array in the appended data, bytes
  int64_t from, to;  // the element's text is Vtu.characters[from] to Vtu.characters[to - 1]
} DataArray;

typedef struct Piece {
  int64_t points, cells;
  DataArray array[ROLES];
} Piece;

// Data that the reader keeps while it reads a file. in_points, in_cells, in_data: the parser is inside the element
// <Points>, <Cells>, or <PointData> or <CellData> (the one with the field to read). swap: true if the file's byte order
// differs from that of this machine. compressed: arrays are compressed by zlib. appended_base64: the appended data are
// in base64.
typedef struct Vtu {
  const char *path;
  Text text;
  XML_Parser parser;
  Error *error;
  FileField *field;  // field to be read with the mesh; NULL: none
  bool failed, is_grid, in_points, in_cells, in_data, swap, compressed, appended_base64;
  char compressor[40];
  int header_size;  // bytes of each number in an array's header, 4 or 8
  Piece *piece;     // [piece_count], the pieces read so far
  int64_t piece_count, piece_capacity;
  Role role;         // role of the DataArray element in which the parser is; ROLE_NONE outside such elements
  char *characters;  // [character_count], text of all DataArray elements that are read
  int64_t character_count, character_capacity;
  const char *appended;  // data of the element AppendedData, after their first character '_'; NULL: there are none
} Vtu;

static bool fail(Vtu *v, const char *what, const char *value, const char *expected) {
  if (!v->failed)
    error_set(v->error, "%s:%d: %s is \"%.40s\", expected %s", v->path, (int)XML_GetCurrentLineNumber(v->parser), what,
              value, expected);
  v->failed = true;
  XML_StopParser(v->parser, XML_FALSE);
  return false;
}

static const char *attribute(const char **list, const char *name, const char *missing) {
  for (int k = 0; list[k]; k += 2)
    if (strcmp(list[k], name) == 0) return list[k + 1];
  return missing;
}

static bool get_number(Vtu *v, const char **list, const char *name, int64_t high, int64_t *value) {
  const char *text = attribute(list, name, "");
  char *end;
  const long long number = strtoll(text, &end, 10);
  if (end == text || *end || number < 0 || number > high)
    return fail(v, name, text, "a whole number of at least 0 within the limits of a mesh");
  *value = number;
  return true;
}

static void open_file(Vtu *v, const char **list) {
  const char *type = attribute(list, "type", ""), *order = attribute(list, "byte_order", "LittleEndian");
  const char *header = attribute(list, "header_type", "UInt32"), *compressor = attribute(list, "compressor", "");
  if (strcmp(type, "UnstructuredGrid") != 0) {
    fail(v, "VTKFile type", type, "UnstructuredGrid, which can hold tetrahedra");
    return;
  }
  v->is_grid = true;
  const bool big = strcmp(order, "BigEndian") == 0;
  if (!big && strcmp(order, "LittleEndian") != 0) {
    fail(v, "byte_order", order, "LittleEndian or BigEndian");
    return;
  }
  v->swap = big != machine_is_big_endian();
  v->header_size = strcmp(header, "UInt64") == 0 ? 8 : 4;
  if (v->header_size == 4 && strcmp(header, "UInt32") != 0) {
    fail(v, "header_type", header, "UInt32 or UInt64");
    return;
  }
  v->compressed = compressor[0] != 0;
  snprintf(v->compressor, sizeof v->compressor, "%s", compressor);
}

static void open_piece(Vtu *v, const char **list) {
  void *items = v->piece;
  const bool grown =
      array_reserve(&items, &v->piece_capacity, v->piece_count + 1, sizeof *v->piece, "pieces", v->error);
  v->piece = items;
  if (!grown) {
    v->failed = true;
    XML_StopParser(v->parser, XML_FALSE);
    return;
  }
  Piece *piece = &v->piece[v->piece_count++];
  *piece = (Piece){ 0 };
  if (get_number(v, list, "NumberOfPoints", MESH_MAX_NODES, &piece->points))
    get_number(v, list, "NumberOfCells", MESH_MAX_TETS, &piece->cells);
}

// Tests the name of a data array of nodes or cells. Returns true if it is the field that the caller wants to read. In
// the first <Piece> of the file, also adds the name to the list of known fields, for messages.
static bool is_field(Vtu *v, const char *name) {
  if (v->piece_count == 1) file_field_list(v->field, name, (int)strlen(name));
  if (strcmp(name, v->field->wanted.name) != 0) return false;
  return v->field->found = true;
}

// Sets v->role to the meaning (Role) of an array with this name.
static void find_role(Vtu *v, const char *name) {
  v->role = v->in_points                        ? ROLE_POINTS
            : v->in_data                        ? (is_field(v, name) ? ROLE_FIELD : ROLE_NONE)
            : !v->in_cells                      ? ROLE_NONE
            : strcmp(name, "connectivity") == 0 ? ROLE_CONNECTIVITY
            : strcmp(name, "offsets") == 0      ? ROLE_OFFSETS
            : strcmp(name, "types") == 0        ? ROLE_TYPES
                                                : ROLE_NONE;
}

static void open_array(Vtu *v, const char **list) {
  const char *name = attribute(list, "Name", ""), *type = attribute(list, "type", "");
  const char *format = attribute(list, "format", "ascii");
  find_role(v, name);
  if (v->role == ROLE_NONE || v->piece_count == 0) {
    v->role = ROLE_NONE;
    return;
  }
  DataArray *a = &v->piece[v->piece_count - 1].array[v->role];
  if (a->found) {
    fail(v, "the name of a second DataArray", name[0] ? name : "points", "only one array of this name");
    return;
  }
  static const struct {
    const char *name;
    char type;
    int size;
  } types[] = { { "Float32", 'f', 4 }, { "Float64", 'f', 8 }, { "Int8", 'i', 1 },  { "UInt8", 'u', 1 },
                { "Int16", 'i', 2 },   { "UInt16", 'u', 2 },  { "Int32", 'i', 4 }, { "UInt32", 'u', 4 },
                { "Int64", 'i', 8 },   { "UInt64", 'u', 8 } };
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(types[k].name, type) == 0) {
      a->type = types[k].type;
      a->size = types[k].size;
    }
  if (!a->type) {
    fail(v, "DataArray type", type, "one such as Float64 or Int32");
    return;
  }
  if (v->role == ROLE_POINTS && strcmp(attribute(list, "NumberOfComponents", "3"), "3") != 0) {
    fail(v, "NumberOfComponents", attribute(list, "NumberOfComponents", ""), "3");
    return;
  }
  const char *components = attribute(list, "NumberOfComponents", "1");
  if (v->role == ROLE_FIELD && atoi(components) != v->field->wanted.components) {
    fail(v, "NumberOfComponents of the field", components, v->field->wanted.components == 1 ? "1" : "3");
    return;
  }
  a->format = strcmp(format, "ascii") == 0    ? FORMAT_ASCII
              : strcmp(format, "binary") == 0 ? FORMAT_BINARY
                                              : FORMAT_APPENDED;
  if (a->format == FORMAT_APPENDED && strcmp(format, "appended") != 0) {
    fail(v, "DataArray format", format, "ascii, binary or appended");
    return;
  }
  if (a->format == FORMAT_APPENDED && !get_number(v, list, "offset", INT64_MAX / 2, &a->offset)) return;
  a->found = true;
  a->from = a->to = v->character_count;
}

static void XMLCALL open_element(void *user, const char *name, const char **list) {
  Vtu *v = user;
  if (v->failed) return;
  if (strcmp(name, "VTKFile") == 0) {
    open_file(v, list);
  } else if (!v->is_grid) {
    fail(v, "the first element", name, "VTKFile");
  } else if (strcmp(name, "Piece") == 0) {
    open_piece(v, list);
  } else if (strcmp(name, "Points") == 0) {
    v->in_points = true;
  } else if (strcmp(name, "Cells") == 0) {
    v->in_cells = true;
  } else if (v->field && strcmp(name, v->field->wanted.on_cells ? "CellData" : "PointData") == 0) {
    v->in_data = true;
  } else if (strcmp(name, "DataArray") == 0) {
    open_array(v, list);
  }
}

static void XMLCALL close_element(void *user, const char *name) {
  Vtu *v = user;
  if (strcmp(name, "Points") == 0) v->in_points = false;
  if (strcmp(name, "Cells") == 0) v->in_cells = false;
  if (strcmp(name, "PointData") == 0 || strcmp(name, "CellData") == 0) v->in_data = false;
  if (strcmp(name, "DataArray") != 0 || v->role == ROLE_NONE) return;
  // Keep the zero byte after the array's text, which ends the last number of the text.
  const DataArray *a = &v->piece[v->piece_count - 1].array[v->role];
  v->character_count += a->to > a->from;
  v->role = ROLE_NONE;
}

static void XMLCALL take_characters(void *user, const char *text, int length) {
  Vtu *v = user;
  if (v->failed || v->role == ROLE_NONE) return;
  void *items = v->characters;
  const bool grown =
      array_reserve(&items, &v->character_capacity, v->character_count + length + 1, 1, "characters", v->error);
  v->characters = items;
  if (!grown) {
    v->failed = true;
    XML_StopParser(v->parser, XML_FALSE);
    return;
  }
  memcpy(v->characters + v->character_count, text, (size_t)length);
  v->character_count += length;
  v->characters[v->character_count] = 0;
  v->piece[v->piece_count - 1].array[v->role].to = v->character_count;
}

// Fails for <!DOCTYPE>. A document type could define entities that expand to gigabytes of text.
static void XMLCALL refuse_doctype(void *user, const char *name, const char *system, const char *public, int internal) {
  (void)system, (void)public, (void)internal;
  fail(user, "document type", name, "none: VTU files have no document type");
}

// Parses the XML in chunks of CHUNK bytes. If a tag, comment or attribute continues in the next chunk, the parser scans
// it again from its beginning. TOKEN_MAX limits its length, and so the time of these repeated scans.
static bool parse(Vtu *v, Error *error) {
  enum { CHUNK = 1 << 20, TOKEN_MAX = 1 << 20 };
  void *items = NULL;  // allocated even if no array has text, so that pointers into `characters` are valid
  if (!array_reserve(&items, &v->character_capacity, 1, 1, "characters", error)) return false;
  v->characters = items;
  v->characters[0] = 0;
  const char *begin = v->text.at + 1, *end = v->text.end;  // skip text_open's line end before the content
  const char *appended = memmem(begin, (size_t)(end - begin), "<AppendedData", 13);
  const char *stop = appended ? appended : end;
  v->parser = XML_ParserCreate(NULL);
  if (!v->parser) return error_set(error, "%s: not enough memory for the XML parser", v->path);
  v->error = error;
  XML_SetUserData(v->parser, v);
  XML_SetElementHandler(v->parser, open_element, close_element);
  XML_SetCharacterDataHandler(v->parser, take_characters);
  XML_SetStartDoctypeDeclHandler(v->parser, refuse_doctype);
  for (const char *at = begin; at < stop || at == begin;) {
    const int length = stop - at < CHUNK ? (int)(stop - at) : CHUNK;
    const bool last = at + length == stop;
    if (!interrupt_check(error)) return false;
    if (XML_Parse(v->parser, at, length, last && !appended) != XML_STATUS_OK) {
      if (!v->failed)
        error_set(error, "%s:%d: %s", v->path, (int)XML_GetCurrentLineNumber(v->parser),
                  XML_ErrorString(XML_GetErrorCode(v->parser)));
      return false;
    }
    at += length;
    if (at - begin - XML_GetCurrentByteIndex(v->parser) > TOKEN_MAX)
      return error_set(error, "%s:%d: a tag or a comment has more than %d bytes, the limit", v->path,
                       (int)XML_GetCurrentLineNumber(v->parser), TOKEN_MAX);
    if (last) break;
  }

  if (v->failed) return false;
  if (!appended) return true;
  const char *close = memchr(appended, '>', (size_t)(end - appended));
  const char *mark = close ? memchr(close, '_', (size_t)(end - close)) : NULL;
  if (!mark) return error_set(error, "%s: <AppendedData> has no '_' where its data begin", v->path);
  v->appended_base64 = memmem(appended, (size_t)(close - appended), "base64", 6) != NULL;
  v->appended = mark + 1;
  return true;
}

// ---- decoding the bytes of an array

// The data of one array, while they are decoded.
typedef struct Source {
  Vtu *v;
  const char *at, *end;  // the bytes that are not decoded yet, raw or in base64
  bool base64;
} Source;

// Copies the next `count` bytes of the array to `out`. If the array is in base64, decodes these bytes.
static bool take(Source *s, int64_t count, unsigned char *out, Error *error) {
  if (s->base64) {
    const char *after = base64_decode(s->at, s->end, out, count);
    if (!after)
      return interrupt_check(error) &&
             error_set(error, "%s: base64 data end too early or contain an invalid character", s->v->path);
    s->at = after;
    return true;
  }
  if (count > s->end - s->at)
    return error_set(error, "%s: an array has %lld bytes of appended data, but only %lld are left in the file",
                     s->v->path, (long long)count, (long long)(s->end - s->at));
  memcpy(out, s->at, (size_t)count);
  s->at += count;
  return true;
}

static int64_t header_at(const Vtu *v, const unsigned char *from) {
  const uint64_t value = v->header_size == 4 ? binary_u32(from, v->swap) : binary_u64(from, v->swap);
  return value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

// Returns an upper bound of the number of bytes that the rest of the array can have after decoding from base64.
static int64_t left_bytes(const Source *s) {
  return s->base64 ? (s->end - s->at) / 4 * 3 + 3 : s->end - s->at;
}

static bool wrong_size(const Vtu *v, const char *what, int64_t found, int64_t expected, Error *error) {
  return error_set(error, "%s: the data of %s have %lld bytes, expected %lld", v->path, what, (long long)found,
                   (long long)expected);
}

static bool take_plain(Source *s, const char *what, int64_t bytes, unsigned char *out, Error *error) {
  Vtu *v = s->v;
  unsigned char header[8];
  if (!s->base64) {
    if (!take(s, v->header_size, header, error)) return false;
    const int64_t found = header_at(v, header);
    return found == bytes ? take(s, bytes, out, error) : wrong_size(v, what, found, bytes, error);
  }

  // In base64, header and data are encoded as one text, so both are decoded together.
  if (bytes > left_bytes(s)) return wrong_size(v, what, left_bytes(s), bytes, error);
  unsigned char *both = array_new(bytes + v->header_size, 1, what, error);
  bool ok = both && take(s, bytes + v->header_size, both, error);
  if (ok && header_at(v, both) != bytes) ok = wrong_size(v, what, header_at(v, both), bytes, error);
  if (ok) memcpy(out, both + v->header_size, (size_t)bytes);
  free(both);
  return ok;
}

static bool take_compressed(Source *s, const char *what, int64_t bytes, unsigned char *out, Error *error) {
  Vtu *v = s->v;
  const int h = v->header_size;
  unsigned char first[24], *sizes = NULL, *packed = NULL;
  bool ok = false;

  // Read the first three numbers of the header, from which its length follows. Then read the complete header from its
  // beginning, because base64 encodes the header as one text.
  const char *begin = s->at;
  if (!take(s, 3 * h, first, error)) return false;
  const int64_t blocks = header_at(v, first), size = header_at(v, first + h), last = header_at(v, first + 2 * h);
  if (blocks > left_bytes(s) / h) {
    error_set(error, "%s: the data of %s have %lld blocks, too many for the rest of the file", v->path, what,
              (long long)blocks);
    goto done;
  }

  const int64_t tail = last ? last : size;
  const bool fits = blocks == 0 || (size > 0 && tail <= size && tail <= bytes &&
                                    (blocks - 1) <= (bytes - tail) / size && (blocks - 1) * size == bytes - tail);
  if (!fits) {
    error_set(
        error,
        "%s: the data of %s have %lld blocks of %lld bytes, the last one of %lld bytes; expected %lld bytes in all",
        v->path, what, (long long)blocks, (long long)size, (long long)tail, (long long)bytes);
    goto done;
  }

  if (blocks == 0) {
    ok = bytes == 0 || wrong_size(v, what, 0, bytes, error);
    goto done;
  }
  s->at = begin;
  sizes = array_new(h * (blocks + 3), 1, what, error);
  if (!sizes || !take(s, h * (blocks + 3), sizes, error)) goto done;
  int64_t total = 0, at = 0;
  for (int64_t b = 0; b < blocks; b++) {
    const int64_t one = header_at(v, sizes + h * (3 + b));
    if (one > left_bytes(s) || total > left_bytes(s))
      total = INT64_MAX / 8;
    else
      total += one;
  }

  if (total > left_bytes(s)) {
    error_set(error, "%s: the compressed data of %s are larger than the rest of the file", v->path, what);
    goto done;
  }
  packed = array_new(total, 1, what, error);
  if (!packed || !take(s, total, packed, error)) goto done;
  for (int64_t b = 0; b < blocks; b++) {
    const int64_t one = header_at(v, sizes + h * (3 + b)), whole = b < blocks - 1 || last == 0 ? size : last;
    uLongf length = (uLongf)whole;
    if (!interrupt_check(error)) goto done;
    const int code = uncompress(out + b * size, &length, packed + at, (uLong)one);
    if (code != Z_OK || (int64_t)length != whole) {
      error_set(error, "%s: block %lld of the data of %s %s", v->path, (long long)b, what,
                code == Z_MEM_ERROR ? "cannot be decompressed: not enough memory" : "is damaged");
      goto done;
    }
    at += one;
  }

  ok = true;
done:
  free(sizes);
  free(packed);
  return ok;
}

// Reads `count` values of an array. Stores them in `reals` or, if `reals` is NULL, in `integers`.
static bool take_values(Vtu *v, const DataArray *a, const char *what, int64_t count, double *reals, int64_t *integers,
                        Error *error) {
  if (integers && a->type == 'f')
    return error_set(error, "%s: the values of %s have a floating-point type, expected a type of whole numbers",
                     v->path, what);
  if (a->format == FORMAT_ASCII) {
    const char *at = v->characters + a->from, *end = v->characters + a->to;
    for (int64_t k = 0; k < count && !interrupt_requested(); k++) {
      while (at < end && strchr(" \t\r\n", *at)) at++;
      int length = 0;
      while (at + length < end && length < INT32_MAX && !strchr(" \t\r\n", at[length])) length++;
      char shown[TEXT_SHOWN + 4];
      if (!(reals ? text_real(at, length, &reals[k]) : text_integer(at, length, &integers[k])))
        return error_set(error, "%s: value %lld of %s is \"%s\", expected %s", v->path, (long long)k, what,
                         text_shown(at, length, shown), reals ? "a finite number" : "a whole number");
      at += length;
    }
    return interrupt_check(error);
  }

  if (v->compressed && strcmp(v->compressor, "vtkZLibDataCompressor") != 0)
    return error_set(error,
                     "%s: compressor is \"%s\", expected vtkZLibDataCompressor or none; save the file with zlib "
                     "compression or uncompressed",
                     v->path, v->compressor);
  Source source = { .v = v };
  if (a->format == FORMAT_BINARY) {
    source.at = v->characters + a->from;
    source.end = v->characters + a->to;
    source.base64 = true;
  } else {
    if (!v->appended || a->offset > v->text.end - v->appended)
      return error_set(error, "%s: the data of %s begin at offset %lld of <AppendedData>, which %s", v->path, what,
                       (long long)a->offset, v->appended ? "is shorter" : "is missing");
    source.at = v->appended + a->offset;
    source.end = v->text.end;
    source.base64 = v->appended_base64;
  }

  const int64_t bytes = count * a->size;
  if (!memory_holds((double)bytes, what, error)) return error_prefix(error, "%s", v->path);
  unsigned char *data = array_new(bytes, 1, what, error);
  const bool ok = data && (v->compressed ? take_compressed : take_plain)(&source, what, bytes, data, error);
  for (int64_t k = 0; ok && k < count && !interrupt_requested(); k++) {
    const unsigned char *from = data + k * a->size;
    const uint64_t bits = a->size == 1   ? *from
                          : a->size == 2 ? binary_u16(from, v->swap)
                          : a->size == 4 ? binary_u32(from, v->swap)
                                         : binary_u64(from, v->swap);
    const int64_t whole = a->type == 'u' || a->size == 8 ? (int64_t)bits
                          : a->size == 1                 ? (int8_t)bits
                          : a->size == 2                 ? (int16_t)bits
                                                         : (int32_t)bits;
    if (integers)
      integers[k] = whole;
    else
      reals[k] = a->type != 'f' ? (double)whole
                 : a->size == 4 ? (double)binary_f32(from, v->swap)
                                : binary_f64(from, v->swap);
  }

  free(data);
  return ok && interrupt_check(error);
}

// Must be called before memory for `count` values of an array is allocated. Fails if the array is missing, or if the
// file is too short for the values. zlib compresses by a factor of at most about 1030; 1100 is a safe bound.
static bool plausible(const Vtu *v, const DataArray *a, const char *what, int64_t count, Error *error) {
  const int64_t text = a->to - a->from, file = v->text.end - v->text.data;
  const int64_t maximum = a->format == FORMAT_ASCII    ? text / 2 + 1
                          : v->compressed              ? (a->format == FORMAT_BINARY ? text : file) * 1100 / a->size
                          : a->format == FORMAT_BINARY ? text / a->size
                                                       : file / a->size;
  if (!a->found) return error_set(error, "%s: a <Piece> has no %s", v->path, what);
  return count <= maximum ||
         error_set(error, "%s: the data of %s are too short for %lld values; the file is cut off or has wrong counts",
                   v->path, what, (long long)count);
}

static bool add_piece(Vtu *v, MeshBuilder *b, const Piece *piece, int64_t first_node, int64_t first_cell,
                      Error *error) {
  const DataArray *array = piece->array;
  int64_t *offset = NULL, *type = NULL, *connectivity = NULL, before = 0;
  bool ok = plausible(v, &array[ROLE_OFFSETS], "offsets", piece->cells, error) &&
            plausible(v, &array[ROLE_TYPES], "types", piece->cells, error);
  if (ok) offset = array_new(piece->cells, sizeof *offset, "offsets", error);
  if (ok) type = array_new(piece->cells, sizeof *type, "types", error);
  ok = ok && offset && type && take_values(v, &array[ROLE_OFFSETS], "offsets", piece->cells, NULL, offset, error) &&
       take_values(v, &array[ROLE_TYPES], "types", piece->cells, NULL, type, error);
  for (int64_t c = 0; ok && c < piece->cells; before = offset[c++])
    if (offset[c] < before || offset[c] - before > MESH_MAX_TETS)
      ok = error_set(error, "%s: the offset of cell %lld is %lld, expected at least %lld", v->path, (long long)c,
                     (long long)offset[c], (long long)before);
  const int64_t total = ok && piece->cells ? offset[piece->cells - 1] : 0;
  ok = ok && plausible(v, &array[ROLE_CONNECTIVITY], "connectivity", total, error);
  if (ok) connectivity = array_new(total, sizeof *connectivity, "connectivity", error);
  ok =
      ok && connectivity && take_values(v, &array[ROLE_CONNECTIVITY], "connectivity", total, NULL, connectivity, error);
  for (int64_t k = 0; ok && k < total; k++) {
    if (!interrupt_check(error)) ok = false;
    if (connectivity[k] < 0 || connectivity[k] >= piece->points)
      ok = error_set(error, "%s: connectivity has the node %lld, expected 0 to %lld", v->path,
                     (long long)connectivity[k], (long long)piece->points - 1);
    else
      connectivity[k] += first_node;
  }

  before = 0;
  for (int64_t c = 0; ok && c < piece->cells; before = offset[c++])
    ok = vtk_cell(b, first_cell + c, type[c] >= 0 && type[c] < 256 ? (int)type[c] : 0, connectivity + before,
                  offset[c] - before, error);
  free(offset);
  free(type);
  free(connectivity);
  return ok;
}

// Reads the field's values in one <Piece> of the file. Its nodes or cells have the numbers first, first + 1, ...,
// counted over all pieces.
static bool add_field(Vtu *v, const Piece *piece, int64_t first, Error *error) {
  FileField *f = v->field;
  const int components = f->wanted.components;
  const int64_t count = f->wanted.on_cells ? piece->cells : piece->points, before = f->count;
  if (!f->found) return true;  // no piece has the field; file_field_finish then fails
  if (!piece->array[ROLE_FIELD].found)
    return error_set(error, "%s: the field \"%s\" is missing in a <Piece>, but another <Piece> has it", v->path,
                     f->wanted.name);
  if (!plausible(v, &piece->array[ROLE_FIELD], "the field", count * components, error) ||
      !file_field_grow(f, count, error))
    return false;
  for (int64_t k = 0; k < count; k++) f->tag[before + k] = first + k;
  return take_values(v, &piece->array[ROLE_FIELD], "the field", count * components, f->value + before * components,
                     NULL, error);
}

static bool build(Vtu *v, MeshBuilder *b, Error *error) {
  int64_t points = 0, first_node = 0, first_cell = 0;
  for (int64_t k = 0; k < v->piece_count; k++) {
    const Piece *piece = &v->piece[k];
    if (piece->points > 0 && !plausible(v, &piece->array[ROLE_POINTS], "points", 3 * piece->points, error))
      return false;
    points += piece->points;
    if (points > MESH_MAX_NODES)
      return error_set(error, "%s: the file has more than %d points, the maximum of a mesh", v->path, MESH_MAX_NODES);
  }

  if (!v->is_grid || v->piece_count == 0) return error_set(error, "%s: the file has no <Piece>", v->path);
  if (!builder_nodes(b, points, error)) return false;
  for (int64_t a = 0; a < points; a++) b->mesh.node_tag[a] = a;
  for (int64_t k = 0; k < v->piece_count; first_node += v->piece[k++].points)
    if (v->piece[k].points > 0 && !take_values(v, &v->piece[k].array[ROLE_POINTS], "points", 3 * v->piece[k].points,
                                               &b->mesh.X[first_node][0], NULL, error))
      return false;
  if (!builder_index(b, error)) return false;
  first_node = 0;
  for (int64_t k = 0; k < v->piece_count; k++) {
    const Piece *piece = &v->piece[k];
    if (piece->points == 0) continue;
    if (!add_piece(v, b, piece, first_node, first_cell, error)) return false;
    if (v->field && !add_field(v, piece, v->field->wanted.on_cells ? first_cell : first_node, error)) return false;
    first_node += piece->points;
    first_cell += piece->cells;
  }
  return true;
}

bool vtu_read(const char *path, TetMesh *mesh, Error *error) {
  return vtu_read_field(path, NULL, mesh, error);
}

bool vtu_read_field(const char *path, FileField *field, TetMesh *mesh, Error *error) {
  Vtu v = { .path = path, .field = field };
  MeshBuilder b = { .path = path, .field = field };
  bool ok = text_open(&v.text, path, error);
  ok = ok && parse(&v, error);
  ok = ok && build(&v, &b, error);
  ok = ok && builder_finish(&b, mesh, error);
  if (v.parser) XML_ParserFree(v.parser);
  text_close(&v.text);
  builder_destroy(&b);
  free(v.piece);
  free(v.characters);
  return ok;
}
