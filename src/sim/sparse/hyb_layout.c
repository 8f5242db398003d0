// HYB's index arrays: see hyb_layout.h.
#include "sim/sparse/hyb_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

enum { BLOCK_MAX = 3 };  // what hyb.cu has kernels for

// The arrays while they are made, on the host.
typedef struct Host {
  int *length;      // [nodes], by node
  int *node;        // [nodes], by place
  int *sorted;      // [nodes], lengths by place
  int *ell_col;     // [slices][width][HYB_SLICE]
  int *tail_start;  // [nodes]
  int *tail_col;
} Host;

static void host_destroy(Host *h) {
  free(h->length), free(h->node), free(h->sorted), free(h->ell_col), free(h->tail_start), free(h->tail_col);
}

// whether the own block stands apart from the groups: in the D form, where the node has one
static bool own_apart(const HybLayout *l, const Pattern *p, int node) {
  return l->diagonal && pattern_find(p, l->block * node, l->block * node) >= 0;
}

static void measure_nodes(const HybLayout *l, const Pattern *p, int *length) {
  for (int a = 0; a < l->nodes; a++) {
    const int row = l->block * a;
    length[a] = (p->row_start[row + 1] - p->row_start[row]) / l->block - own_apart(l, p, a);
  }
}

// the largest width whose last group is filled by a third of the rows, or by as many as the device runs at once
static bool choose_width(HybLayout *l, const int *length, int full, Error *error) {
  int longest = 0;
  for (int a = 0; a < l->nodes; a++)
    if (length[a] > longest) longest = length[a];
  int *nodes = array_new((int64_t)longest + 2, sizeof *nodes, "row lengths", error);  // [k]: how many have length k
  if (!nodes) return false;
  for (int a = 0; a < l->nodes; a++) nodes[length[a]]++;
  int reaching = 0;  // nodes with at least `width` groups
  for (l->width = longest; l->width > 0; l->width--) {
    reaching += nodes[l->width];
    if (3 * (int64_t)reaching >= l->nodes || (full > 0 && (int64_t)l->block * reaching >= full)) break;
  }
  free(nodes);
  return true;
}

// longest first within each slice; nodes of equal length keep their order
static void sort_nodes(const int *length, int count, int *node) {
  for (int first = 0; first < count; first += HYB_SLICE) {
    const int last = first + HYB_SLICE < count ? first + HYB_SLICE : count;
    for (int a = first; a < last; a++) {
      int place = a;
      for (; place > first && length[node[place - 1]] < length[a]; place--) node[place] = node[place - 1];
      node[place] = a;
    }
  }
}

// the map K for the rows of the node at a place, and their column indices. `tail`: groups of the tail so far
static void map_rows(const HybLayout *l, Host *h, const Pattern *p, int place, int64_t tail_at, int tail, int *slot) {
  const int block = l->block, node = h->node[place], groups = h->length[node];
  const int in_tail = groups > l->width ? groups - l->width : 0;
  const int slice_rows = HYB_SLICE * block, slice = place / HYB_SLICE;
  const int64_t slice_at = l->diagonal + (int64_t)l->own * l->pitch + (int64_t)slice * l->width * block * slice_rows;
  const bool apart = own_apart(l, p, node);
  for (int r = 0; r < block; r++) {
    const int row = block * node + r, row_place = block * place + r;
    int group = 0;
    for (int s = p->row_start[row]; s < p->row_start[row + 1]; s += block) {
      const int column = p->col[s] / block;
      if (apart && column == node) {
        for (int k = 0; k < block; k++)
          slot[s + k] = k == r ? row : l->diagonal + (k < r ? k : k - 1) * l->pitch + row_place;
        continue;
      }
      if (group < l->width) {
        h->ell_col[((int64_t)slice * l->width + group) * HYB_SLICE + place % HYB_SLICE] = column;
        for (int k = 0; k < block; k++)
          slot[s + k] = (int)(slice_at + (group * block + k) * slice_rows + row_place % slice_rows);
      } else {
        const int t = group - l->width;
        h->tail_col[tail + t] = column;
        for (int k = 0; k < block; k++)
          slot[s + k] = (int)(tail_at + (int64_t)block * (block * (int64_t)tail + r * in_tail + t) + k);
      }
      group++;
    }
  }
}

static bool upload(HybLayout *l, const Host *h, Device device, int tail, Error *error) {
  const size_t nodes = sizeof(int) * (size_t)l->nodes;
  l->node = device_clone(device, h->node, nodes, error);
  l->length = device_clone(device, h->sorted, nodes, error);
  l->ell_col = device_clone(device, h->ell_col, sizeof(int) * (size_t)l->width * (size_t)(l->pitch / l->block), error);
  l->tail_start = device_clone(device, h->tail_start, nodes, error);
  l->tail_col = device_clone(device, h->tail_col, sizeof(int) * (size_t)tail, error);
  return l->node && l->length && l->ell_col && l->tail_start && l->tail_col;
}

static bool create(Matrix *A, Host *h, Error *error) {
  const Pattern *p = A->pattern;
  HybLayout *l = A->layout = array_new(1, sizeof *l, "matrix layout", error);
  if (!l) return false;
  l->block = p->node_dof == BLOCK_MAX ? BLOCK_MAX : 1;
  l->nodes = p->n / l->block;
  l->pitch = (l->nodes + HYB_SLICE - 1) / HYB_SLICE * HYB_SLICE * l->block;
  l->diagonal = A->format->diagonal_first ? l->pitch : 0;
  l->own = A->format->diagonal_first ? l->block - 1 : 0;
  h->length = array_new(l->nodes, sizeof(int), "row lengths", error);
  h->node = array_new(l->nodes, sizeof(int), "matrix rows", error);
  h->sorted = array_new(l->nodes, sizeof(int), "row lengths", error);
  h->tail_start = array_new(l->nodes, sizeof(int), "matrix rows", error);
  if (!h->length || !h->node || !h->sorted || !h->tail_start) return false;
  measure_nodes(l, p, h->length);
  if (!choose_width(l, h->length, device_resident_threads(A->format->device), error)) return false;
  sort_nodes(h->length, l->nodes, h->node);

  const int64_t tail_at = l->diagonal + ((int64_t)l->own + (int64_t)l->width * l->block) * l->pitch;
  int64_t tail_count = 0;
  for (int a = 0; a < l->nodes; a++)
    if (h->length[a] > l->width) tail_count += h->length[a] - l->width;
  A->slot_count = tail_at + tail_count * l->block * l->block;
  if (A->slot_count > INT32_MAX)
    return error_set(error, "%lld slots, at most %d fit", (long long)A->slot_count, INT32_MAX);
  h->ell_col = array_new((int64_t)l->width * (l->pitch / l->block), sizeof(int), "matrix columns", error);
  h->tail_col = array_new(tail_count, sizeof(int), "matrix columns", error);
  if (!h->ell_col || !h->tail_col) return false;
  int tail = 0;
  for (int place = 0; place < l->nodes; place++) {
    if (!interrupt_check(error)) return false;
    const int length = h->length[h->node[place]];
    h->sorted[place] = length;
    h->tail_start[place] = tail;
    map_rows(l, h, p, place, tail_at, tail, A->slot);
    if (length > l->width) tail += length - l->width;
  }
  return upload(l, h, A->format->device, tail, error);
}

bool hyb_layout_create(Matrix *A, Error *error) {
  Host host = { 0 };
  const bool ok = create(A, &host, error);
  host_destroy(&host);
  return ok;
}

void hyb_layout_destroy(Matrix *A) {
  HybLayout *l = A->layout;
  const Device device = A->format->device;
  device_free(device, l->node), device_free(device, l->length), device_free(device, l->ell_col);
  device_free(device, l->tail_start), device_free(device, l->tail_col);
  free(l);
}
