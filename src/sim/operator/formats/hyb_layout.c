// Creates the index arrays of the matrix formats HYB and DHYB (hyb_layout.h). Chooses the width of the ELL part, in
// which all rows are padded to this width. Sorts the nodes inside each slice of HYB_SLICE nodes by row length. Assigns
// a position in memory to each block of the matrix, the values for one pair of nodes.
#include "sim/operator/formats/hyb_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { NODE_CHUNK = 64 * HYB_SLICE };

// The arrays of HybLayout on the host, during creation. A group is the values of one row for one neighbour node. A
// position is the index of a node after the nodes of each slice were sorted by row length.
typedef struct Host {
  int *length;      // [nodes], number of groups per row of each node; a group is the values for one neighbour
  int *node;        // [nodes], node at each position; positions count the nodes after sorting by row length
  int *sorted;      // [nodes], number of groups per row of the node at each position
  int *ell_col;     // [slices][width][HYB_SLICE], column (neighbour node) of each group in the ELL part
  int *tail_start;  // [nodes], for the node at each position, the index in tail_col of its first group in the tail
  // Column (neighbour node) of each group in the tail, that is, of the groups that exceed the width of the ELL part.
  int *tail_col;
} Host;

static void host_destroy(Host *h) {
  free(h->length);
  free(h->node);
  free(h->sorted);
  free(h->ell_col);
  free(h->tail_start);
  free(h->tail_col);
}

// Returns true if the diagonal block of `node` is stored separately from the other blocks of its row. This is so in the
// format DHYB, for nodes that have a diagonal block.
static bool diagonal_apart(const HybLayout *l, const Adjacency *graph, int node) {
  return l->diagonal && adjacency_find(graph, node, node) >= 0;
}

// Arguments of the parallel loops over nodes and positions. A position is the index of a node after sorting. A row
// whose length exceeds the width of the ELL part has further values, which form the tail. The tail begins at index
// tail_at of Operator.values.
typedef struct Task {
  Operator *A;
  const HybLayout *l;
  Host *h;
  int64_t tail_at;
} Task;

static void measure_nodes(const void *task, int first, int last) {
  const Task *t = task;
  const Adjacency *graph = &t->A->space->graph;
  for (int a = first; a < last; a++)
    t->h->length[a] = (int)(graph->start[a + 1] - graph->start[a]) - diagonal_apart(t->l, graph, a);
}

// Chooses l->width, the number of groups per row in the ELL part. The width is the largest k for which at least a third
// of the nodes, or at least `full` rows, have k or more groups. `full` is the number of threads that the device runs at
// once; if it is 0, only the condition on the nodes counts. length [nodes] is the number of groups per row of each
// node.
static bool choose_width(HybLayout *l, const int *length, int full, Error *error) {
  int longest = 0;
  for (int a = 0; a < l->nodes; a++)
    if (length[a] > longest) longest = length[a];

  // nodes[k]: number of nodes whose rows have k groups
  int *nodes = array_new((int64_t)longest + 2, sizeof *nodes, "row lengths", error);
  if (!nodes) return false;
  for (int a = 0; a < l->nodes; a++) nodes[length[a]]++;
  int reaching = 0;  // number of nodes whose rows have at least l->width groups
  for (l->width = longest; l->width > 0; l->width--) {
    reaching += nodes[l->width];
    if (3 * (int64_t)reaching >= l->nodes || (full > 0 && (int64_t)l->block * reaching >= full)) break;
  }
  free(nodes);
  return true;
}

// Sorts the nodes of each slice of HYB_SLICE consecutive nodes by decreasing row length. Nodes of equal length keep
// their order. h->node gets the sorted nodes.
static void sort_nodes(const void *task, int begin, int end) {
  const int *length = ((const Task *)task)->h->length;
  int *node = ((const Task *)task)->h->node;
  for (int first = begin; first < end; first += HYB_SLICE) {
    const int last = first + HYB_SLICE < end ? first + HYB_SLICE : end;
    for (int a = first; a < last; a++) {
      int position = a;
      for (; position > first && length[node[position - 1]] < length[a]; position--)
        node[position] = node[position - 1];
      node[position] = a;
    }
  }
}

// Assigns slots (positions in A->values) to the blocks in the rows of one node, and writes them to A->slots. Each row
// of a block is a group. The first l->width groups of a row are in the ELL part, the others in the tail, which begins
// at index tail_at of A->values. Also writes the columns of the blocks to h->ell_col or, for blocks in the tail, to
// h->tail_col. `position` is the index of the node after sorting.
static void assign_node_slots(Operator *A, const HybLayout *l, Host *h, int position, int64_t tail_at) {
  const Adjacency *graph = &A->space->graph;
  const int tail = h->tail_start[position];
  const int block = l->block, node = h->node[position], groups = h->length[node];
  const int in_tail = groups > l->width ? groups - l->width : 0;
  const int slice_rows = HYB_SLICE * block, slice = position / HYB_SLICE, row_index = block * position;
  const int64_t slice_at = l->diagonal + (int64_t)l->others * l->pitch + (int64_t)slice * l->width * block * slice_rows;
  const bool apart = diagonal_apart(l, graph, node);
  int group = 0;
  for (int64_t pair = graph->start[node]; pair < graph->start[node + 1]; pair++) {
    const int column = graph->neighbour[pair];
    if (apart && column == node) {
      A->slots[pair] = (BlockSlots){ l->diagonal + row_index, 1, l->pitch };
    } else if (group < l->width) {
      h->ell_col[((int64_t)slice * l->width + group) * HYB_SLICE + position % HYB_SLICE] = column;
      const int64_t at = slice_at + (int64_t)group * block * slice_rows + row_index % slice_rows;
      A->slots[pair] = (BlockSlots){ (int)at, 1, slice_rows };
      group++;
    } else {
      const int t = group++ - l->width;
      h->tail_col[tail + t] = column;
      A->slots[pair] =
          (BlockSlots){ (int)(tail_at + (int64_t)block * ((int64_t)block * tail + t)), block * in_tail, 1 };
    }
  }
}

static void assign_slots(const void *task, int first, int last) {
  const Task *t = task;
  for (int position = first; position < last && !interrupt_requested(); position++)
    assign_node_slots(t->A, t->l, t->h, position, t->tail_at);
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

static bool create(Operator *A, Host *h, Error *error) {
  HybLayout *l = A->layout = array_new(1, sizeof *l, "matrix layout", error);
  if (!l) return false;
  l->block = A->space->node_dof;
  l->nodes = A->space->node_count;
  const int64_t pitch = ((int64_t)l->nodes + HYB_SLICE - 1) / HYB_SLICE * HYB_SLICE * l->block;
  if (!operator_set_value_count(A, pitch, error)) return false;
  l->pitch = (int)pitch;
  l->diagonal = A->method->diagonal_first ? l->pitch : 0;
  l->others = A->method->diagonal_first ? l->block - 1 : 0;
  h->length = array_new(l->nodes, sizeof(int), "row lengths", error);
  h->node = array_new(l->nodes, sizeof(int), "matrix rows", error);
  h->sorted = array_new(l->nodes, sizeof(int), "row lengths", error);
  h->tail_start = array_new(l->nodes, sizeof(int), "matrix rows", error);
  if (!h->length || !h->node || !h->sorted || !h->tail_start) return false;
  Task task = { .A = A, .l = l, .h = h };
  parallel_for(l->nodes, NODE_CHUNK, measure_nodes, &task);
  if (!choose_width(l, h->length, device_resident_threads(A->method->stage.device), error)) return false;
  parallel_for(l->nodes, NODE_CHUNK, sort_nodes, &task);

  task.tail_at = l->diagonal + ((int64_t)l->others + (int64_t)l->width * l->block) * l->pitch;
  int64_t tail_count = 0;
  for (int a = 0; a < l->nodes; a++)
    if (h->length[a] > l->width) tail_count += h->length[a] - l->width;
  if (!operator_set_value_count(A, task.tail_at + tail_count * l->block * l->block, error)) return false;
  h->ell_col = array_new((int64_t)l->width * (l->pitch / l->block), sizeof(int), "matrix columns", error);
  h->tail_col = array_new(tail_count, sizeof(int), "matrix columns", error);
  if (!h->ell_col || !h->tail_col) return false;
  int tail = 0;
  for (int position = 0; position < l->nodes; position++) {
    const int length = h->length[h->node[position]];
    h->sorted[position] = length;
    h->tail_start[position] = tail;
    if (length > l->width) tail += length - l->width;
  }

  parallel_for(l->nodes, NODE_CHUNK, assign_slots, &task);
  return interrupt_check(error) && upload(l, h, A->method->stage.device, tail, error);
}

bool hyb_layout_create(Operator *A, Error *error) {
  Host host = { 0 };
  const bool ok = create(A, &host, error);
  host_destroy(&host);
  return ok;
}

void hyb_layout_destroy(Operator *A) {
  HybLayout *l = A->layout;
  const Device device = A->method->stage.device;
  device_free(device, l->node);
  device_free(device, l->length);
  device_free(device, l->ell_col);
  device_free(device, l->tail_start);
  device_free(device, l->tail_col);
  free(l);
}

StageBytes hyb_bytes(const Stage *stage, const StageSize *size) {
  // Zeros that fill short rows add some 3 % to the stored values.
  return operator_format_bytes(stage, size, 1.03 * stage_entries(size), 4 * stage_blocks(size), 4 * stage_blocks(size));
}
