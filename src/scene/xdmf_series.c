// Writes a series of frames in XDMF: see xdmf_series.h.
#include "scene/xdmf_series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/memory_stream.h"
#include "base/path.h"
#include "mesh/format/binary.h"
#include "scene/scene_body.h"

enum { FILE_NAME = 96, WHOLE_PATH = PATH_LENGTH + FILE_NAME };

static const char HEAD[] =
    "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
    "<Grid Name=\"frames\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
static const char TAIL[] = "</Grid>\n</Domain>\n</Xdmf>\n";

// Writes the file name of an array: "frame_00012.von_Mises_stress.bin".
static void name_array(char name[FILE_NAME], int frame, const char *field) {
  const int length = snprintf(name, FILE_NAME, "frame_%05d.%.64s.bin", frame, field);
  for (int i = 0; i < length; i++)
    if (name[i] == ' ') name[i] = '_';
}

static void whole_path(char path[WHOLE_PATH], const char *folder, const char *name) {
  snprintf(path, WHOLE_PATH, "%s/%s", folder, name);
}

// Writes an array, `bytes` bytes from `values` on, to a file of its own.
static bool write_array(const char *folder, const char *name, const void *values, size_t bytes, Error *error) {
  char path[WHOLE_PATH];
  AtomicFile output;
  whole_path(path, folder, name);
  if (!atomic_file_open(&output, path, error)) return false;
  fwrite(values, 1, bytes, output.stream);  // atomic_file_commit_unsynced reports a failed write
  const bool ok = interrupt_check(error) && atomic_file_commit_unsynced(&output, error);
  atomic_file_close(&output);
  return ok;
}

// Writes the element <DataItem> for the file of an array of rows x columns numbers.
static void put_item(FILE *grid, const char *name, int rows, int columns, const char *type, int bytes) {
  fprintf(grid, "<DataItem Dimensions=\"%d", rows);
  if (columns > 1) fprintf(grid, " %d", columns);
  fprintf(grid, "\" NumberType=\"%s\" Precision=\"%d\" Format=\"Binary\" Endian=\"%s\">%s</DataItem>", type, bytes,
          machine_is_big_endian() ? "Big" : "Little", name);
}

// Writes the nodes of all cells to a file. The nodes of a cell are in the order of VTK, which is also the order of
// XDMF.
static bool write_cells(const char *folder, const char *name, const TetMesh *mesh, Error *error) {
  const int nodes = mesh_cell_nodes(mesh);
  int order[CELL_NODES_MAX];
  int *cells = array_new((int64_t)nodes * mesh->tet_count, sizeof *cells, "cells", error);
  if (!cells) return false;
  if (mesh->hex) cell_shape_file_order(CELL_HEX8, CELL_FILE_VTK, order);
  for (int e = 0; e < mesh->tet_count; e++)
    for (int c = 0; c < nodes; c++)
      cells[(int64_t)e * nodes + c] = mesh->hex ? mesh->hex[e][order[c]]
                                      : c < 4   ? mesh_file_corner(mesh, e, c)
                                                : mesh_file_middle(mesh, e, c - 4);
  const bool ok = write_array(folder, name, cells, sizeof *cells * (size_t)nodes * (size_t)mesh->tet_count, error);
  free(cells);
  return ok;
}

// Writes the values of a field to a file, and an element that refers to it to the frame's <Grid>. Symmetric tensors
// change from Pliant's order xx yy zz xy yz xz to XDMF's xx xy xz yy yz zz.
static bool write_field(FILE *grid, const char *folder, int frame, const TetMesh *mesh, const VtuField *field,
                        Error *error) {
  static const int tensor[6] = { 0, 3, 5, 1, 4, 2 };
  const int rows = field->on_tets ? mesh->tet_count : mesh->node_count, columns = field->components;
  const size_t bytes = sizeof(double) * (size_t)rows * (size_t)columns;
  char name[FILE_NAME];
  const double *values = field->values;
  double *turned = NULL;
  if (columns == 6) {
    if (!(turned = array_new((int64_t)rows * columns, sizeof *turned, "stresses", error))) return false;
    for (int64_t k = 0; k < rows; k++)
      for (int i = 0; i < columns; i++) turned[columns * k + i] = values[columns * k + tensor[i]];
    values = turned;
  }

  name_array(name, frame, field->name);
  const bool ok = write_array(folder, name, values, bytes, error);
  free(turned);
  fprintf(grid, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", field->name,
          columns == 6   ? "Tensor6"
          : columns == 3 ? "Vector"
                         : "Scalar",
          field->on_tets ? "Cell" : "Node");
  put_item(grid, name, rows, columns, "Float", 8);
  fputs("</Attribute>", grid);
  return ok;
}

// Writes a frame: positions and fields, each to a file of its own, and the XML element <Grid> to the stream `grid`. The
// cells are written only if they differ from those of the frame before. Otherwise <Grid> names the file that an earlier
// frame has written.
static bool write_grid(FILE *grid, XdmfSeries *series, const char *folder, int frame, double time, const TetMesh *mesh,
                       const double (*positions)[3], const VtuField *fields, int count, Error *error) {
  static const char *const types[] = {
    [CELL_TET4] = "Tetrahedron", [CELL_TET10] = "Tetrahedron_10", [CELL_HEX8] = "Hexahedron"
  };
  char cells[FILE_NAME], points[FILE_NAME];
  const uint32_t sum = scene_body_sum(mesh);
  if (series->cells_sum != sum || !series->has_cells) series->cells_frame = frame;
  name_array(cells, series->cells_frame, "cells");
  name_array(points, frame, "positions");
  if (series->cells_frame == frame && !write_cells(folder, cells, mesh, error)) return false;
  if (!write_array(folder, points, positions, sizeof *positions * (size_t)mesh->node_count, error)) return false;
  series->cells_sum = sum;
  series->has_cells = true;

  fprintf(grid, "<Grid Name=\"frame_%05d\" GridType=\"Uniform\"><Time Value=\"%.17g\"/>", frame, time);
  fprintf(grid, "<Topology TopologyType=\"%s\" NumberOfElements=\"%d\">", types[mesh_shape(mesh)], mesh->tet_count);
  put_item(grid, cells, mesh->tet_count, mesh_cell_nodes(mesh), "Int", 4);
  fputs("</Topology><Geometry GeometryType=\"XYZ\">", grid);
  put_item(grid, points, mesh->node_count, 3, "Float", 8);
  fputs("</Geometry>", grid);
  for (int k = 0; k < count; k++)
    if (!fields[k].rows && !write_field(grid, folder, frame, mesh, &fields[k], error)) return false;
  fputs("</Grid>\n", grid);
  return true;
}

static bool append(XdmfSeries *series, const char *text, size_t length, Error *error) {
  void *items = series->grids;
  const bool grown =
      array_reserve(&items, &series->capacity, series->length + (int64_t)length, 1, "the list of frames", error);
  series->grids = items;
  if (!grown) return false;
  memcpy(series->grids + series->length, text, length);
  series->length += (int64_t)length;
  return true;
}

// Writes frames.xdmf, which contains the element <Grid> of each frame so far.
static bool write_list(const XdmfSeries *series, const char *folder, Error *error) {
  char path[WHOLE_PATH];
  AtomicFile output;
  whole_path(path, folder, "frames.xdmf");
  if (!atomic_file_open(&output, path, error)) return false;
  fputs(HEAD, output.stream);
  fwrite(series->grids, 1, (size_t)series->length, output.stream);
  fputs(TAIL, output.stream);
  const bool ok = atomic_file_commit_unsynced(&output, error);
  atomic_file_close(&output);
  return ok;
}

bool xdmf_series_add(XdmfSeries *series, const char *folder, int frame, double time, const TetMesh *mesh,
                     const double (*positions)[3], const VtuField *fields, int count, Error *error) {
  char name[FILE_NAME], *text = NULL;
  size_t length = 0;
  if (mesh->outer) return error_set(error, "%s: XDMF has no cubic tetrahedra; use --vtu, or \"degree\": 2", folder);
  FILE *grid = memory_stream(&text, &length);
  if (!grid) return error_set(error, "out of memory: cannot store a frame; close other programs");
  bool ok = write_grid(grid, series, folder, frame, time, mesh, positions, fields, count, error);
  if (fclose(grid) != 0) ok = error_set(error, "out of memory: cannot store a frame; close other programs");

  // the file of the element <Grid> is written last, so its existence means that the frame is complete
  snprintf(name, sizeof name, "frame_%05d.xmf", frame);
  ok = ok && write_array(folder, name, text, length, error) && append(series, text, length, error) &&
       write_list(series, folder, error);
  free(text);
  return ok;
}

// Reads the element <Grid> of a frame from its file. Returns the text, which ends in a zero byte and which the caller
// frees. Returns NULL if there is no file, or if memory is short.
static char *read_grid(const char *folder, int frame, size_t *length) {
  char name[FILE_NAME], path[WHOLE_PATH];
  struct stat status;
  snprintf(name, sizeof name, "frame_%05d.xmf", frame);
  whole_path(path, folder, name);
  FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
  if (!file) return NULL;
  char *text = malloc((size_t)status.st_size + 1);
  *length = text ? fread(text, 1, (size_t)status.st_size, file) : 0;
  if (text) text[*length] = 0;
  fclose(file);
  return text;
}

bool xdmf_series_take(XdmfSeries *series, const char *folder, int frame, bool *found, Error *error) {
  size_t length = 0;
  char *text = read_grid(folder, frame, &length);
  *found = text && strncmp(text, "<Grid ", 6) == 0 && text[length - 1] == '\n';
  const bool ok = !*found || append(series, text, length, error);
  free(text);
  return ok;
}

bool xdmf_frame_sync(const char *folder, int frame, Error *error) {
  size_t length = 0;
  char *text = read_grid(folder, frame, &length), path[WHOLE_PATH], name[FILE_NAME];
  bool ok = true;
  for (char *end = text; ok && end && (end = strstr(end, "</DataItem>")); end++) {
    const char *first = end;
    while (first > text && first[-1] != '>') first--;
    snprintf(name, sizeof name, "%.*s", (int)(end - first), first);
    whole_path(path, folder, name);
    ok = atomic_file_sync(path, error);
  }
  free(text);
  snprintf(name, sizeof name, "frame_%05d.xmf", frame);
  whole_path(path, folder, name);
  return ok && atomic_file_sync(path, error);
}

bool xdmf_list_sync(const char *folder, Error *error) {
  char path[WHOLE_PATH];
  whole_path(path, folder, "frames.xdmf");
  return atomic_file_sync(path, error) && atomic_file_sync(folder, error);
}

void xdmf_series_destroy(XdmfSeries *series) {
  free(series->grids);
  *series = (XdmfSeries){ 0 };
}
