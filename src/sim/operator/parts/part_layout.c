// Creates the index arrays (PartLayout) of a matrix in parts. A part is a group of nodes with their rows of the matrix.
// Its halo consists of the neighbours of these nodes in other parts (part_layout.h).
#include "sim/operator/parts/part_making.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"

// PART_NODES_LEAST: min number of nodes of a part. With smaller parts, the exchange of values between parts would take
// more time than the additional parallel work saves. PARTS_OF_CPU: number of parts on the CPU, the same on every
// machine. PART_NODES_MAX: max number of nodes that a part owns. Local numbers, the indices within a part, are less
// than PART_LOCAL_MAX. A quarter of them is for the part's nodes, the other three quarters for its halo, the neighbours
// of its nodes in other parts.
enum { PART_NODES_LEAST = 32, PARTS_OF_CPU = 32, PART_NODES_MAX = PART_LOCAL_MAX / 4 };

int part_count_for(Device device, int node_count) {
  const int units = device == DEVICE_CUDA ? device_multiprocessors(device) : PARTS_OF_CPU;
  int count = units;
  while (node_count / count > PART_NODES_MAX) count += units;
  const int maximum = node_count / PART_NODES_LEAST;
  return count < maximum ? count : maximum > 0 ? maximum : 1;
}

static void release(PartMaking *m) {
  PartLayout *h = &m->host;
  void *arrays[] = { h->owned_start, h->halo_start, h->node,   h->tile_start,   h->step_start,        h->lane,
                     h->lane_node,   h->tile_node,  h->column, h->local_column, h->send_start,        h->send,
                     m->part,        m->number,     m->seen,   m->first_step,   h->halves.unit_start, h->halves.unit };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  node_cells_destroy(&m->cells);
}

// Writes the halo of each part, the neighbours of its nodes in other parts, to *halo, part after part. A node is given
// as PartMaking.number, its index in the list of the nodes of all parts. Numbers ascend in each halo, so a halo is
// sorted by owning part.
static bool find_halos(PartMaking *m, int **halo, Error *error) {
  PartLayout *h = &m->host;
  int64_t count = 0;
  for (int p = 0; p < h->part_count; p++) {
    for (int i = h->owned_start[p]; i < h->owned_start[p + 1]; i++) {
      const int a = h->node[i];
      for (int64_t s = m->graph->start[a]; s < m->graph->start[a + 1]; s++) {
        const int b = m->graph->neighbour[s];
        if (m->part[b] == p || m->seen[b] == p + 1) continue;
        m->seen[b] = p + 1;
        if (!array_reserve((void **)halo, &m->halo_capacity, count + 1, sizeof **halo, "halos", error)) return false;
        (*halo)[count++] = m->number[b];
      }
    }
    if (count > INT32_MAX - m->graph->node_count)
      return error_set(error, "the mesh is too large for matrix format \"parts\"; choose another format (--matrix)");
    if (count > h->halo_start[p])
      qsort(*halo + h->halo_start[p], (size_t)(count - h->halo_start[p]), sizeof **halo, compare_ints);
    h->halo_start[p + 1] = (int)count;
    if (!interrupt_check(error)) return false;
  }
  h->halo_count = (int)count;
  return true;
}

// Fills PartLayout.node: the nodes of each part, then its halo (neighbours in other parts), part after part.
static bool list_nodes(PartMaking *m, const int *halo, Error *error) {
  PartLayout *h = &m->host;
  const int nodes = m->graph->node_count;
  int *node = array_new((int64_t)nodes + h->halo_count, sizeof *node, "parts", error);
  if (!node) return false;
  for (int p = 0; p < h->part_count; p++) {
    const int owned = h->owned_start[p + 1] - h->owned_start[p], beside = h->halo_start[p + 1] - h->halo_start[p];
    int *to = node + h->owned_start[p] + h->halo_start[p];
    for (int i = 0; i < owned; i++) to[i] = h->node[h->owned_start[p] + i];
    for (int i = 0; i < beside; i++) to[owned + i] = h->node[halo[h->halo_start[p] + i]];
    if (owned > h->owned_max) h->owned_max = owned;
    if (owned + beside > h->local_max) h->local_max = owned + beside;
  }
  free(h->node);
  h->node = node;
  return h->local_max <= PART_LOCAL_MAX ||
         error_set(error,
                   "matrix format \"parts\" divides the mesh into groups of nodes: one group and its neighbours have "
                   "%d nodes, the limit is %d; choose another format (--matrix)",
                   h->local_max, PART_LOCAL_MAX);
}

// Fills PartLayout.send: the boundary nodes of each part, whose values the part sends to other parts. Nodes for one
// receiver are in the order in which the receiver lists them in its halo, the neighbours of its nodes in other parts.
static bool list_sends(PartMaking *m, Error *error) {
  PartLayout *h = &m->host;
  h->send = array_new(h->halo_count, sizeof *h->send, "halos", error);
  int *next = array_new(h->part_count, sizeof *next, "halos", error);
  const bool ok = h->send && next;
  const int *halo = h->node;
  for (int p = 0; ok && p < h->part_count; p++)
    for (int halo_index = h->halo_start[p]; halo_index < h->halo_start[p + 1]; halo_index++)
      h->send_start[m->part[halo[h->owned_start[p + 1] + halo_index]] + 1]++;
  for (int p = 0; ok && p < h->part_count; p++) {
    if (h->send_start[p + 1] > h->send_max) h->send_max = h->send_start[p + 1];
    h->send_start[p + 1] += h->send_start[p];
    next[p] = h->send_start[p];
  }
  for (int p = 0; ok && p < h->part_count; p++)
    for (int halo_index = h->halo_start[p]; halo_index < h->halo_start[p + 1]; halo_index++) {
      const int node = halo[h->owned_start[p + 1] + halo_index], owner = m->part[node];
      h->send[next[owner]++] = (PartSend){ m->number[node] - h->owned_start[owner], halo_index };
    }
  free(next);
  return ok;
}

// Allocates the units of 16 bytes for blocks rounded to 16 bits (part_halves.h), and writes the columns of the blocks
// to these units. The rounded entries are written after each assembly. `size` is the number of entries of a block.
static bool make_halves(PartLayout *h, int size, Error *error) {
  PartHalves *halves = &h->halves;
  halves->unit_start = array_new((int64_t)h->tile_count + 1, sizeof *halves->unit_start, "matrix tiles", error);
  for (int t = 0; halves->unit_start && t < h->tile_count; t++) {
    const int steps = h->step_start[t + 1] - h->step_start[t], full = steps / PART_GROUP, rest = steps % PART_GROUP;
    halves->unit_start[t + 1] =
        halves->unit_start[t] + full * (1 + part_units(PART_GROUP * size)) + (rest ? 1 + part_units(rest * size) : 0);
  }
  const int64_t units = halves->unit_start ? halves->unit_start[h->tile_count] : 0;
  halves->unit = array_new(units * PART_LANES, sizeof *halves->unit, "matrix units", error);
  if (!halves->unit_start || !halves->unit) return false;
  for (int t = 0; t < h->tile_count; t++) {
    const int first = h->step_start[t], steps = h->step_start[t + 1] - first;
    for (int s = 0; s < steps; s++) {
      const int64_t unit = halves->unit_start[t] + (int64_t)(s / PART_GROUP) * (1 + part_units(PART_GROUP * size));
      for (int lane = 0; lane < PART_LANES; lane++)
        halves->unit[unit * PART_LANES + lane].word[s % PART_GROUP] =
            h->local_column[((int64_t)first + s) * PART_LANES + lane];
    }
  }
  return true;
}

// Builds all arrays of PartLayout on the host: parts, halos (neighbours in other parts), tiles (rows for one warp) and
// columns. Also sets A->slots, the position of each block in A->values.
static bool make(PartMaking *m, Operator *A, bool with_halves, Error *error) {
  PartLayout *h = &m->host;
  const int64_t nodes = m->graph->node_count, ends = (int64_t)h->part_count + 1;
  m->part = array_new(nodes, sizeof *m->part, "parts", error);
  m->number = array_new(nodes, sizeof *m->number, "parts", error);
  m->first_step = array_new(ends, sizeof *m->first_step, "parts", error);
  m->seen = array_new(nodes, sizeof *m->seen, "parts", error);
  h->owned_start = array_new(ends, sizeof *h->owned_start, "parts", error);
  h->halo_start = array_new(ends, sizeof *h->halo_start, "parts", error);
  h->tile_start = array_new(ends, sizeof *h->tile_start, "parts", error);
  h->send_start = array_new(ends, sizeof *h->send_start, "parts", error);
  h->node = array_new(nodes, sizeof *h->node, "parts", error);
  if (!m->part || !m->number || !m->seen || !m->first_step || !h->owned_start || !h->halo_start || !h->tile_start ||
      !h->send_start || !h->node)
    return false;
  int *halo = NULL;
  const bool listed = node_cells_create(&m->cells, m->space, error) && part_order_rows(m, A, error) &&
                      find_halos(m, &halo, error) && list_nodes(m, halo, error);
  free(halo);
  return listed && list_sends(m, error) && part_make_tiles(m, A, error) &&
         (!with_halves || make_halves(h, A->space->node_dof * A->space->node_dof, error));
}

static bool copy_halves(PartHalves *to, const PartHalves *from, Device device, int tile_count, Error *error) {
  const size_t lanes = (size_t)tile_count * PART_LANES;
  const size_t units = (size_t)from->unit_start[tile_count] * PART_LANES;
  to->unit_start = device_clone(device, from->unit_start, sizeof *to->unit_start * ((size_t)tile_count + 1), error);
  to->unit = device_clone(device, from->unit, sizeof *to->unit * units, error);
  to->exponent = device_alloc(device, sizeof *to->exponent * lanes, error);
  return to->unit_start && to->unit && to->exponent;
}

// Copies the arrays of a PartLayout from the host to A's device.
static bool copy(PartLayout *to, const PartLayout *h, Device device, int node_count, Error *error) {
  const size_t ends = (size_t)h->part_count + 1, lanes = (size_t)h->tile_count * PART_LANES;
  const size_t slots = (size_t)h->step_start[h->tile_count] * PART_LANES;
  const bool rounded = h->halves.unit;
  *to = *h;

  // Replace every pointer to a host array, even after a failure, so that the caller can free all arrays of *to as
  // device memory.
  to->owned_start = device_clone(device, h->owned_start, sizeof *h->owned_start * ends, error);
  to->halo_start = device_clone(device, h->halo_start, sizeof *h->halo_start * ends, error);
  to->node = device_clone(device, h->node, sizeof *h->node * ((size_t)node_count + (size_t)h->halo_count), error);
  to->tile_start = device_clone(device, h->tile_start, sizeof *h->tile_start * ends, error);
  to->step_start = device_clone(device, h->step_start, sizeof *h->step_start * ((size_t)h->tile_count + 1), error);
  to->lane = device_clone(device, h->lane, sizeof *h->lane * lanes, error);
  to->lane_node = device_clone(device, h->lane_node, sizeof *h->lane_node * lanes, error);
  to->tile_node = device_clone(device, h->tile_node, sizeof *h->tile_node * (size_t)h->tile_count, error);
  to->column = rounded ? NULL : device_clone(device, h->column, sizeof *h->column * slots, error);
  to->local_column = rounded ? NULL : device_clone(device, h->local_column, sizeof *h->local_column * slots, error);
  to->send_start = device_clone(device, h->send_start, sizeof *h->send_start * ends, error);
  to->send = device_clone(device, h->send, sizeof *h->send * (size_t)h->halo_count, error);
  to->halves = (PartHalves){ 0 };
  const bool columns =
      rounded ? copy_halves(&to->halves, &h->halves, device, h->tile_count, error) : to->column && to->local_column;
  return columns && to->owned_start && to->halo_start && to->node && to->tile_start && to->step_start && to->lane &&
         to->lane_node && to->tile_node && to->send_start && to->send;
}

bool part_layout_create(Operator *A, int part_count, bool with_halves, Error *error) {
  PartMaking m = { .space = A->space, .graph = &A->space->graph, .host.part_count = part_count };
  PartLayout *layout = A->layout = array_new(1, sizeof *layout, "matrix layout", error);
  const bool ok = layout && make(&m, A, with_halves, error) &&
                  copy(layout, &m.host, A->method->stage.device, A->space->node_count, error);
  release(&m);
  if (ok) {
    A->parts = layout;
    A->diagonal_last = true;
  }
  return ok;
}

void part_layout_destroy(Operator *A) {
  const PartLayout *l = A->layout;
  void *arrays[] = { l->owned_start,       l->halo_start,  l->node,           l->tile_start,   l->step_start, l->lane,
                     l->lane_node,         l->tile_node,   l->column,         l->local_column, l->send_start, l->send,
                     l->halves.unit_start, l->halves.unit, l->halves.exponent };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(A->method->stage.device, arrays[k]);
  free(A->layout);
}

bool part_nodes_read(const Operator *A, int *part, Error *error) {
  const PartLayout *l = A->parts;
  const Device device = A->method->stage.device;
  const int nodes = A->space->node_count;
  const int64_t ends = (int64_t)l->part_count + 1, all = (int64_t)nodes + l->halo_count;
  Stream stream = { 0 };
  int *owned_start = array_new(ends, sizeof *owned_start, "parts", error);
  int *halo_start = array_new(ends, sizeof *halo_start, "parts", error);
  int *node = array_new(all, sizeof *node, "parts", error);
  bool ok = owned_start;
  ok = ok && halo_start;
  ok = ok && node;
  ok = ok && stream_create(device, &stream, error);
  ok = ok && device_download(stream, owned_start, l->owned_start, sizeof *owned_start * (size_t)ends, error);
  ok = ok && device_download(stream, halo_start, l->halo_start, sizeof *halo_start * (size_t)ends, error);
  ok = ok && device_download(stream, node, l->node, sizeof *node * (size_t)all, error);
  ok = ok && stream_sync(stream, error);
  for (int p = 0; ok && p < l->part_count; p++)
    for (int k = owned_start[p]; k < owned_start[p + 1]; k++) part[node[k + halo_start[p]]] = p;
  stream_destroy(&stream);
  free(owned_start);
  free(halo_start);
  free(node);
  return ok;
}

bool part_tiles_read(PartTiles *tiles, const Operator *A, Error *error) {
  const PartLayout *l = A->parts;
  const Device device = A->method->stage.device;
  const size_t ends = (size_t)l->part_count + 1, steps = (size_t)l->tile_count + 1;
  const size_t lanes = (size_t)l->tile_count * PART_LANES;
  Stream stream = { 0 };
  *tiles = (PartTiles){ 0 };
  tiles->tile_start = array_new((int64_t)ends, sizeof *tiles->tile_start, "matrix tiles", error);
  tiles->step_start = array_new((int64_t)steps, sizeof *tiles->step_start, "matrix tiles", error);
  tiles->lane_node = array_new((int64_t)lanes, sizeof *tiles->lane_node, "matrix tiles", error);
  bool ok = tiles->tile_start;
  ok = ok && tiles->step_start;
  ok = ok && tiles->lane_node;
  ok = ok && stream_create(device, &stream, error);
  ok = ok && device_download(stream, tiles->tile_start, l->tile_start, sizeof *l->tile_start * ends, error);
  ok = ok && device_download(stream, tiles->step_start, l->step_start, sizeof *l->step_start * steps, error);
  ok = ok && device_download(stream, tiles->lane_node, l->lane_node, sizeof *l->lane_node * lanes, error);
  ok = ok && stream_sync(stream, error);
  stream_destroy(&stream);
  if (!ok) part_tiles_destroy(tiles);
  return ok;
}

void part_tiles_destroy(PartTiles *tiles) {
  free(tiles->tile_start);
  free(tiles->step_start);
  free(tiles->lane_node);
  *tiles = (PartTiles){ 0 };
}
