// Builds strips of quadrilaterals: see quad_strips.h. First the mesh is divided into patches, which are rectangles of
// adjacent cells at most 32 wide. Then the columns of all patches of equal height are placed side by side, and every 32
// successive columns form a strip.
#include "lab/quad/quad_strips.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// A patch: a rectangle of adjacent cells. The cell in row r and column c is Builder.cells[first + r * columns + c].
typedef struct Patch {
  int64_t first;
  int rows, columns;
} Patch;

// A column of a patch. Its cells, from below, are Builder.cells[first], Builder.cells[first + stride], and so on. A
// column with stride 0 is padding without cells.
typedef struct Column {
  int64_t first;
  int stride;
  bool begins, ends;  // begins: the column is the first one of its patch of cells; ends: it is the last one
} Column;

// Data while strips are built. A strip is a set of 32 columns of cells, one for each thread of a warp. rows: maximum
// number of rows of a strip. patch [patch_count]: the patches (rectangles of cells) found so far. side_count: length of
// the array QuadStrips.side.
typedef struct Builder {
  const Space *space;
  int degree, rows;
  // For each node a, a linked list of the cells whose lower left node is a. first[a] is the first cell of the list, and
  // next[e] the cell that follows cell e in its list; -1: none.
  int *first, *next;
  uint8_t *count;  // [node_count], number of cells at a node, at most UINT8_MAX
  uint8_t *taken;  // [cell_count], 1: the cell belongs to a patch
  Patch *patch;
  int64_t patch_count, patch_capacity, cell_count;
  int *cells;        // [cell_count], numbers of cells in the order of the patches
  Column *column;    // [strips][QUAD_STRIP], columns of each strip
  QuadStrips *made;  // the result, with arrays on the host
  int side_count;
  int *slot_node;  // [slot_count], node whose sum each sum slot holds; -1: the slot is not used
} Builder;

static int node_of(const Builder *b, int e, int x, int y) {
  return space_cell(b->space, e)[y * (b->degree + 1) + x];
}

static void list_cells(Builder *b) {
  const Space *space = b->space;
  for (int a = 0; a < space->node_count; a++) b->first[a] = -1;
  for (int e = space->cell_count - 1; e >= 0; e--) {
    const int own = node_of(b, e, 0, 0);
    b->next[e] = b->first[own];
    b->first[own] = e;
    for (int i = 0; i < space->cell_nodes; i++) {
      uint8_t *count = &b->count[space_cell(space, e)[i]];
      *count = (uint8_t)(*count + (*count < UINT8_MAX));
    }
  }
}

// Returns the right neighbour of cell e or, if `up` is true, its upper neighbour: the cell that has the side in common
// with e. Returns -1 if there is none, or if an inner node of the side also belongs to a third cell.
static int beside(const Builder *b, int e, bool up) {
  const int p = b->degree;
  for (int f = b->first[up ? node_of(b, e, 0, p) : node_of(b, e, p, 0)]; f >= 0; f = b->next[f]) {
    bool same = f != e;
    for (int i = 1; same && i <= p; i++) {
      const int own = up ? node_of(b, e, i, p) : node_of(b, e, p, i);
      same = own == (up ? node_of(b, f, i, 0) : node_of(b, f, 0, i)) && (i == p || b->count[own] == 2);
    }
    if (same) return f;
  }
  return -1;
}

// Adds a row of cells to a patch. below [columns] are the cells of the patch's uppermost row; row [columns] gets their
// upper neighbours. Each new cell must belong to no patch yet, and be the right neighbour of the new cell before it.
// Otherwise takes no cell and returns false.
static bool take_row(Builder *b, const int *below, int columns, int *row) {
  int taken = 0;
  for (; taken < columns; taken++) {
    const int e = beside(b, below[taken], true);
    if (e < 0 || b->taken[e]) break;
    // Within a patch, four cells meet at the lower left node of cell e; with any other number, e does not fit into the
    // patch.
    if (taken > 0 && (b->count[node_of(b, e, 0, 0)] != 4 || beside(b, row[taken - 1], false) != e)) break;
    row[taken] = e;
    b->taken[e] = 1;
  }
  for (int k = 0; taken < columns && k < taken; k++) b->taken[row[k]] = 0;
  return taken == columns;
}

// Forms the patch (rectangle of cells) whose lower left cell is e. The patch grows to the right, and then upwards row
// by row. It stops at the maximum size, at the end of the mesh, and at a cell that belongs to another patch.
static bool take_patch(Builder *b, int e, Error *error) {
  int *cells = b->cells + b->cell_count, columns = 0, rows = 1, kept = 1;
  for (int f = e; columns < QUAD_STRIP && f >= 0 && !b->taken[f]; f = beside(b, f, false)) {
    cells[columns++] = f;
    b->taken[f] = 1;
  }
  while (rows < b->rows && b->cell_count + (int64_t)(rows + 1) * columns <= b->space->cell_count &&
         take_row(b, cells + (rows - 1) * columns, columns, cells + rows * columns))
    rows++;

  // Round the height of the patch down to a power of two, so that there are few different heights. All columns of a
  // strip have one height; with fewer heights, more strips get all 32 columns.
  while (2 * kept <= rows) kept *= 2;
  for (int k = kept * columns; k < rows * columns; k++) b->taken[cells[k]] = 0;
  void *items = b->patch;
  const bool grown =
      array_reserve(&items, &b->patch_capacity, b->patch_count + 1, sizeof *b->patch, "patches of cells", error);
  b->patch = items;
  if (!grown) return false;
  b->patch[b->patch_count++] = (Patch){ b->cell_count, kept, columns };
  b->cell_count += (int64_t)kept * columns;
  return true;
}

// Lists the columns of all patches (rectangles of cells) that have `rows` rows; patches of 32 columns come first.
// Columns without cells are appended, so that the last strip has 32 columns too. Returns the number of columns, a
// multiple of 32. If `column` is NULL, columns are only counted.
static int64_t line_up(const Builder *b, int rows, Column *column) {
  int64_t count = 0;
  for (int narrow = 0; narrow < 2; narrow++)
    for (int64_t k = 0; k < b->patch_count; k++) {
      const Patch *p = &b->patch[k];
      if (p->rows != rows || (p->columns < QUAD_STRIP) != narrow) continue;
      for (int c = 0; column && c < p->columns; c++)
        column[count + c] = (Column){ p->first + c, p->columns, c == 0, c == p->columns - 1 };
      count += p->columns;
    }
  return (count + QUAD_STRIP - 1) / QUAD_STRIP * QUAD_STRIP;
}

static bool make_strips(Builder *b, QuadStrip **strip, Error *error) {
  QuadStrips *s = b->made;
  int64_t columns = 0, tiles = 0, sides = 0, slots = 0;
  for (int rows = b->rows; rows > 0; rows /= 2) columns += line_up(b, rows, NULL);
  b->column = array_new(columns, sizeof *b->column, "strips of cells", error);
  *strip = array_new(columns / QUAD_STRIP, sizeof **strip, "strips of cells", error);
  if (!b->column || !*strip) return false;
  int64_t done = 0;
  for (int rows = b->rows; rows > 0; rows /= 2) {
    const int64_t more = line_up(b, rows, b->column + done);
    for (int64_t k = done / QUAD_STRIP; k < (done + more) / QUAD_STRIP; k++) {
      QuadStrip own = { (int)tiles, rows, 0, 0, 0, (int)sides, (int)slots };
      const Column *column = b->column + k * QUAD_STRIP;
      int groups = 0;
      for (int l = 0; l < QUAD_STRIP; l++) {
        if (!column[l].stride) continue;
        const bool begins = column[l].begins || l == 0;
        own.active |= 1u << l;
        own.left |= (unsigned)begins << l;
        own.right |= (unsigned)(column[l].ends || l == QUAD_STRIP - 1 || !column[l + 1].stride) << l;
        groups += begins;
      }
      (*strip)[k] = own;
      const int64_t height = (int64_t)rows * b->degree + 1;
      tiles += rows;
      sides += groups * height;
      slots += 2 * groups * height + 2 * b->degree * QUAD_STRIP;
    }
    done += more;
  }

  if (slots > INT32_MAX || tiles > INT32_MAX / QUAD_STRIP)
    return error_set(error,
                     "the mesh is too large: this method divides it into strips of cells with %lld nodes on their "
                     "sides, the limit is %d; use a coarser mesh",
                     (long long)slots, INT32_MAX);
  s->strip_count = (int)(columns / QUAD_STRIP);
  s->tile_count = (int)tiles;
  s->slot_count = (int)slots;
  b->side_count = (int)sides;

  // Allocate one entry more than needed, so that no array has the size 0.
  s->side = array_new(sides + 1, sizeof *s->side, "strips of cells", error);
  b->slot_node = array_new(slots + 1, sizeof *b->slot_node, "strips of cells", error);
  return s->side && b->slot_node;
}

// Fills the arrays of QuadStrips that list cells and nodes, for the strips `first` to `last` - 1. A strip is a set of
// up to 32 columns of cells, one for each thread of a warp.
static void list_strips(const void *builder, int first, int last) {
  const Builder *b = builder;
  const QuadStrips *s = b->made;
  const int p = b->degree;
  for (int k = first; k < last && !interrupt_requested(); k++) {
    const QuadStrip *own = &s->strip[k];
    const int height = own->rows * p + 1;
    int groups = 0, left = own->side, begins = own->slot, ends;
    for (int l = 0; l < QUAD_STRIP; l++) groups += own->left >> l & 1;
    ends = begins + groups * height;
    int *bottom = b->slot_node + ends + groups * height, *top = bottom + p * QUAD_STRIP;
    for (int l = 0; l < QUAD_STRIP; l++) {
      const bool active = own->active >> l & 1, is_left = own->left >> l & 1, is_right = own->right >> l & 1;

      // A column without cells gets the cells of the strip's column 0, so that a GPU reads valid node numbers for it.
      const Column *column = &b->column[(int64_t)k * QUAD_STRIP + (active ? l : 0)];
      for (int r = 0; r < own->rows; r++) {
        const int e = b->cells[column->first + (int64_t)r * column->stride];
        const int64_t tile = own->tile + r;
        s->cell[tile * QUAD_STRIP + l] = e;
        if (active) s->cell_slot_host[e] = (int)(tile * QUAD_STRIP + l);
        for (int q = 0; q < p * p; q++)
          s->node[(tile * p * p + q) * QUAD_STRIP + l] = node_of(b, e, q % p + 1, q / p + 1);
        for (int i = 0; r == 0 && i < p; i++)
          s->bottom[((int64_t)k * p + i) * QUAD_STRIP + l] = node_of(b, e, i + 1, 0);
        for (int i = 0; i < p; i++) {
          const bool edge = active && !(is_right && i == p - 1);
          if (r == 0) bottom[i * QUAD_STRIP + l] = edge ? node_of(b, e, i + 1, 0) : -1;
          if (r == own->rows - 1) top[i * QUAD_STRIP + l] = edge ? node_of(b, e, i + 1, p) : -1;
        }
        for (int y = r > 0; y <= p; y++) {
          if (is_left) s->side[left + r * p + y] = b->slot_node[begins + r * p + y] = node_of(b, e, 0, y);
          if (is_right) b->slot_node[ends + r * p + y] = node_of(b, e, p, y);
        }
      }
      if (is_left) {
        left += height;
        begins += height;
      }
      if (is_right) ends += height;
    }
  }
}

// Lists the sum slots of each node on an edge of a group, which is a set of adjacent columns. A sum slot is the index
// at which a strip stores its part of y at one node. y at a node is the sum of the values in the node's slots.
static bool list_edges(Builder *b, Error *error) {
  QuadStrips *s = b->made;
  const int nodes = b->space->node_count;
  int *at = array_new(nodes, sizeof *at, "edges of strips of cells", error), edges = 0;
  if (!at) return false;
  for (int k = 0; k < s->slot_count; k++)
    if (b->slot_node[k] >= 0) at[b->slot_node[k]]++;
  for (int a = 0; a < nodes; a++) edges += at[a] > 0 || b->count[a] == 0;
  s->edge_count = edges;
  s->edge_node = array_new(edges, sizeof *s->edge_node, "edges of strips of cells", error);
  s->edge_start = array_new((int64_t)edges + 1, sizeof *s->edge_start, "edges of strips of cells", error);
  s->edge_slot = array_new((int64_t)s->slot_count + 1, sizeof *s->edge_slot, "edges of strips of cells", error);
  const bool ok = s->edge_node && s->edge_start && s->edge_slot;
  for (int a = 0, k = 0; ok && a < nodes; a++) {
    if (at[a] == 0 && b->count[a] > 0) continue;
    s->edge_node[k] = a;
    s->edge_start[k + 1] = s->edge_start[k] + at[a];
    at[a] = s->edge_start[k++];
  }
  for (int k = 0; ok && k < s->slot_count; k++)
    if (b->slot_node[k] >= 0) s->edge_slot[at[b->slot_node[k]]++] = k;
  free(at);
  return ok;
}

// Builds all lists of the strips on the host. The caller frees them, also after a failure.
static bool make_lists(Builder *b, Error *error) {
  QuadStrips *s = b->made;
  const Space *space = b->space;
  const int p = b->degree;
  enum { CHUNK = 16 };
  b->first = array_new(space->node_count, sizeof *b->first, "nodes", error);
  b->next = array_new(space->cell_count, sizeof *b->next, "cells", error);
  b->count = array_new(space->node_count, sizeof *b->count, "nodes", error);
  b->taken = array_new(space->cell_count, sizeof *b->taken, "cells", error);
  b->cells = array_new(space->cell_count, sizeof *b->cells, "cells", error);
  if (!b->first || !b->next || !b->count || !b->taken || !b->cells) return false;
  list_cells(b);
  for (int e = 0; e < space->cell_count && !interrupt_requested(); e++)
    if (!b->taken[e] && !take_patch(b, e, error)) return false;
  if (!interrupt_check(error) || !make_strips(b, &s->strip, error)) return false;
  const int64_t cells = (int64_t)s->tile_count * QUAD_STRIP;
  s->cell = array_new(cells, sizeof *s->cell, "strips of cells", error);
  s->node = array_new(cells * p * p, sizeof *s->node, "strips of cells", error);
  s->bottom = array_new((int64_t)s->strip_count * p * QUAD_STRIP, sizeof *s->bottom, "strips of cells", error);
  s->cell_slot_host = array_new(space->cell_count, sizeof *s->cell_slot_host, "strips of cells", error);
  if (!s->cell || !s->node || !s->bottom || !s->cell_slot_host) return false;
  parallel_for(s->strip_count, CHUNK, list_strips, b);
  return interrupt_check(error) && list_edges(b, error);
}

// Returns the maximum number of rows of a strip, a power of two. With more rows per strip, fewer nodes are on edges of
// strips. With fewer rows, there are more strips, which keep more multiprocessors of a GPU busy. On an H200 with 4
// million unknowns, products were fastest with at least 1,536 strips for degrees 1 and 2, and 900 for degrees 3 and 4.
static int usual_rows(const Space *space, int degree) {
  const int wanted = degree <= 2 ? 1536 : 900;
  int rows = QUAD_STRIP_ROWS;
  while (rows > 1 && space->cell_count / (QUAD_STRIP * rows) < wanted) rows /= 2;
  return rows;
}

// Copies the lists of strips from the host to the device.
static bool put_lists(QuadStrips *s, const Builder *b, Error *error) {
  QuadStrips *host = b->made;
  const Device device = s->device;
  const size_t p = (size_t)b->degree, cells = (size_t)host->tile_count * QUAD_STRIP;
  const size_t columns = (size_t)host->strip_count * QUAD_STRIP, edges = (size_t)host->edge_count;
  s->strip_count = host->strip_count;
  s->tile_count = host->tile_count;
  s->slot_count = host->slot_count;
  s->edge_count = host->edge_count;
  s->strip = device_clone(device, host->strip, sizeof *s->strip * (size_t)host->strip_count, error);
  s->cell = device_clone(device, host->cell, sizeof(int) * cells, error);
  s->node = device_clone(device, host->node, sizeof(int) * cells * p * p, error);
  s->bottom = device_clone(device, host->bottom, sizeof(int) * columns * p, error);
  s->side = device_clone(device, host->side, sizeof(int) * (size_t)b->side_count, error);
  s->edge_node = device_clone(device, host->edge_node, sizeof(int) * edges, error);
  s->edge_start = device_clone(device, host->edge_start, sizeof(int) * (edges + 1), error);
  s->edge_slot = device_clone(device, host->edge_slot, sizeof(int) * (size_t)host->edge_start[edges], error);
  s->cell_slot = device_clone(device, host->cell_slot_host, sizeof(int) * (size_t)b->space->cell_count, error);
  s->cell_slot_host = host->cell_slot_host;
  host->cell_slot_host = NULL;
  return s->strip && s->cell && s->node && s->bottom && s->side && s->edge_node && s->edge_start && s->edge_slot &&
         s->cell_slot;
}

bool quad_strips_create(QuadStrips *s, const Space *space, int degree, int rows, Device device, Error *error) {
  QuadStrips host = { .device = DEVICE_CPU };
  Builder b = { .space = space, .degree = degree, .rows = rows ? rows : usual_rows(space, degree), .made = &host };
  *s = (QuadStrips){ .device = device };
  const bool ok = make_lists(&b, error) && put_lists(s, &b, error);
  free(b.first);
  free(b.next);
  free(b.count);
  free(b.taken);
  free(b.patch);
  free(b.cells);
  free(b.column);
  free(b.slot_node);
  quad_strips_destroy(&host);
  if (!ok) quad_strips_destroy(s);
  return ok;
}

void quad_strips_destroy(QuadStrips *s) {
  void *const lists[] = { s->strip,     s->cell,       s->node,      s->bottom,   s->side,
                          s->edge_node, s->edge_start, s->edge_slot, s->cell_slot };
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) device_free(s->device, lists[k]);
  free(s->cell_slot_host);
  *s = (QuadStrips){ 0 };
}
