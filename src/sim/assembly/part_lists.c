// Builds the lists of parts (part_lists.h). A part is a group of nodes whose matrix rows one thread block of the GPU
// sums; it owns these nodes. The lists of each part are computed twice, first to measure them, then to write them in
// packed form. This saves memory: the unpacked lists of only a few parts are in memory at the same time. The unpacked
// lists of all parts would need several times the memory of all other arrays.
#include "sim/assembly/part_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "sim/assembly/node_pairs.h"

enum { PART_CHUNK = 64 };

// ---- the part that owns each node

// Arguments of find_owners, a parallel loop over parts. For each node, the loop stores the part that owns the node: the
// part whose thread block sums the node's matrix row.
typedef struct OwnersTask {
  const Partition *partition;
  PartOwners *owners;
} OwnersTask;

static void find_owners(const void *task, int first, int last) {
  const Partition *p = ((const OwnersTask *)task)->partition;
  const PartOwners *owners = ((const OwnersTask *)task)->owners;
  for (int part = first; part < last; part++)
    for (int s = p->node_start[part]; s < p->node_start[part + 1]; s++) {
      owners->part[p->node[s]] = part;
      owners->number[p->node[s]] = s - p->node_start[part];
    }
}

bool part_owners_create(PartOwners *owners, const Space *space, const Partition *partition, Error *error) {
  *owners = (PartOwners){ .part = array_new(space->node_count, sizeof *owners->part, "parts", error),
                          .number = array_new(space->node_count, sizeof *owners->number, "parts", error) };
  if (owners->part && owners->number) {
    parallel_for(partition->part_count, PART_CHUNK, find_owners, &(OwnersTask){ partition, owners });
    return true;
  }
  part_owners_destroy(owners);
  return false;
}

void part_owners_destroy(PartOwners *owners) {
  free(owners->part);
  free(owners->number);
  *owners = (PartOwners){ 0 };
}

// ---- functions common to the three kinds of lists

// Entry of a hash table of the nodes that a part reads. A node may have several lists; `list` is the index of its last
// list, and `items` the number of items in that list.
typedef struct Read {
  int node;  // the node's number plus 1; 0: the entry is empty
  int list, items;
} Read;

// Arrays in work memory for the lists of one part. Their lengths, in brackets, are maxima over all parts (members of
// Task).
typedef struct Room {
  int64_t *start;  // [lists + 2]: list l has the items item[start[l]] to item[start[l + 1] - 1]
  int *item;       // [items], the items of all lists, one list after the other
  // Two arrays [items], in the order in which the tets of the part are visited. arrived: the items. list: for each
  // item, the index of the list to which it belongs.
  int *list, *arrived;
  // row [rows]: for each pair of an owned node and a neighbour, the index of the pair's list, or -1 if it has none.
  // row_start [owned nodes + 1]: the index in `row` of each owned node's first pair.
  int *row, *row_start;
  // [table], the hash table of the nodes that the part reads
  Read *read;
} Room;

// Data of give_reads, give_pairs and give_nodes. Each of these functions returns the lists of one part, which are then
// packed.
typedef struct Task {
  const Space *space;
  const Operator *layout;
  const Partition *partition;
  const PartOwners *owners;
  // Maxima over all parts. lists: number of lists of a part. items: number of items in all lists of a part. owned:
  // number of nodes that a part owns. rows: number of neighbours of these nodes, summed over them.
  int lists, items, rows, owned;
  // length of the hash table of the nodes that a part reads, a power of two
  int table;

  // The members below are used by give_reads and give_pairs, which run twice for each part. The first run stores the
  // number of lists in start[part + 1] of `reads` or `pairs`. The second run fills their other arrays.

  // Maximum number of items of a list in `reads`; an input. An item is a position to which the data of a node are
  // copied.
  int reads_max;
  int64_t *distinct;  // [part_count], number of nodes that each part reads
  PartReads *reads;
  PartPairs *pairs;
} Task;

// Returns the address of an array of `more` bytes, which begins *bytes bytes after the start of work memory. Adds the
// array's length, rounded up to 8 bytes, to *bytes. If `memory` is NULL, it returns NULL but still adds the length.
static void *cut(char *memory, size_t *bytes, size_t more) {
  void *array = memory ? memory + *bytes : NULL;
  *bytes += (more + 7) / 8 * 8;
  return array;
}

// Divides work memory into the arrays of Room. Sets *bytes to their total length. If `memory` is NULL, it only computes
// this length.
static Room cut_capacity(const Task *t, void *memory, size_t *bytes) {
  Room buffer;
  *bytes = 0;
  buffer.start = cut(memory, bytes, sizeof *buffer.start * ((size_t)t->lists + 2));
  buffer.item = cut(memory, bytes, sizeof *buffer.item * (size_t)t->items);
  buffer.list = cut(memory, bytes, sizeof *buffer.list * (size_t)t->items);
  buffer.arrived = cut(memory, bytes, sizeof *buffer.arrived * (size_t)t->items);
  buffer.row = cut(memory, bytes, sizeof *buffer.row * (size_t)t->rows);
  buffer.row_start = cut(memory, bytes, sizeof *buffer.row_start * ((size_t)t->owned + 1));
  buffer.read = cut(memory, bytes, sizeof *buffer.read * (size_t)t->table);
  return buffer;
}

static Room capacity_at(const Task *t, void *memory) {
  size_t bytes;
  return cut_capacity(t, memory, &bytes);
}

static int corners_of(const Task *t) {
  return t->space->cell_nodes;
}

static int tets_of(const Partition *p, int part) {
  return p->tet_start[part + 1] - p->tet_start[part];
}

// Returns the nodes [cell_nodes] of tet number `tet` of a part.
static const int *nodes_of(const Task *t, int part, int tet) {
  return space_cell(t->space, t->partition->tet[t->partition->tet_start[part] + tet]);
}

// Computes three maxima over all parts. *tets: number of tets of a part. t->owned: number of nodes that a part owns.
// t->rows: number of neighbours of a node, summed over the nodes that a part owns.
static void measure_parts(Task *t, int *tets) {
  const Partition *p = t->partition;
  const int64_t *start = t->space->graph.start;
  *tets = 0;
  for (int part = 0; part < p->part_count; part++) {
    int64_t rows = 0;
    for (int s = p->node_start[part]; s < p->node_start[part + 1]; s++)
      rows += start[p->node[s] + 1] - start[p->node[s]];
    const int owned = p->node_start[part + 1] - p->node_start[part];
    if (rows > t->rows) t->rows = (int)rows;
    if (owned > t->owned) t->owned = owned;
    if (tets_of(p, part) > *tets) *tets = tets_of(p, part);
  }
}

// Returns the source of the lists for packed_lists_measure and packed_lists_fill: the function `give`, which returns
// the lists of one part, and the size of its work memory.
static ListSource source_of(const Task *t, BlockLists (*give)(const void *context, int block, void *buffer)) {
  ListSource source = { .give = give, .context = t, .lists_max = t->lists };
  cut_capacity(t, NULL, &source.capacity_bytes);
  return source;
}

// Sorts buffer->arrived [items] into `lists` lists: item k belongs to list buffer->list[k]. Within a list, the items
// keep their order.
static BlockLists sort_lists(const Room *buffer, int lists, int items) {
  memset(buffer->start, 0, sizeof *buffer->start * ((size_t)lists + 2));
  // A counting sort. First, start[l + 2] counts the items of list l. After the prefix sums, start[l + 1] is the index
  // at which the next item of list l is stored. At the end, start[l + 1] is the end of list l.
  for (int k = 0; k < items; k++) buffer->start[buffer->list[k] + 2]++;
  for (int l = 0; l < lists; l++) buffer->start[l + 2] += buffer->start[l + 1];
  for (int k = 0; k < items; k++) buffer->item[buffer->start[buffer->list[k] + 1]++] = buffer->arrived[k];
  return (BlockLists){ lists, buffer->start, buffer->item };
}

// Replaces the counts start[1] to start[count] by their prefix sums.
static void add_up(int *start, int count) {
  for (int k = 0; k < count; k++) start[k + 1] += start[k];
}

// ---- lists by which a thread block copies nodal data to the tets of its part

// Returns the entry of a node in the hash table, or the empty entry in which the node can be stored.
static Read *find_read(const Task *t, Read *table, int node) {
  uint32_t at = (uint32_t)node * 2654435769u >> 7 & (uint32_t)(t->table - 1);
  while (table[at].node && table[at].node != node + 1) at = (at + 1) & (uint32_t)(t->table - 1);
  return &table[at];
}

// Returns the lists by which the thread block of a part copies nodal data, such as displacements, to the corners of the
// part's tets (PartReads). A list belongs to one node. Its items are the corners with this node: e * cell_nodes + a for
// corner a of the part's tet e. A list has at most t->reads_max items, so a node of many tets has several lists.
static BlockLists give_reads(const void *task, int part, void *memory) {
  const Task *t = task;
  const Room buffer = capacity_at(t, memory);
  const int corners = corners_of(t), tets = tets_of(t->partition, part);
  int lists = 0, items = 0, distinct = 0;
  memset(buffer.read, 0, sizeof *buffer.read * (size_t)t->table);
  for (int e = 0; e < tets; e++)
    for (int a = 0; a < corners; a++) {
      const int node = nodes_of(t, part, e)[a];
      Read *read = find_read(t, buffer.read, node);
      distinct += !read->node;
      if (!read->node || read->items == t->reads_max) {
        if (t->reads->node) t->reads->node[t->reads->start[part] + lists] = node;
        *read = (Read){ node + 1, lists++, 0 };
      }
      read->items++;
      buffer.list[items] = read->list;
      buffer.arrived[items++] = node_source(corners, e, a);
    }
  if (!t->reads->node) {
    t->reads->start[part + 1] = lists;
    t->distinct[part] = distinct;
  }
  return sort_lists(&buffer, lists, items);
}

bool part_reads_create(PartReads *reads, const Space *space, const Partition *partition, int items_max, int threads,
                       Error *error) {
  const int parts = partition->part_count;
  Task task = { .space = space, .partition = partition, .reads_max = items_max, .reads = reads };
  int tets;
  *reads = (PartReads){ 0 };
  measure_parts(&task, &tets);
  task.rows = task.owned = 0;
  task.items = task.lists = corners_of(&task) * tets;
  for (task.table = 64; task.table < 2 * task.items;) task.table *= 2;
  const ListSource source = source_of(&task, give_reads);
  reads->start = array_new((int64_t)parts + 1, sizeof *reads->start, "parts", error);
  task.distinct = array_new(parts, sizeof *task.distinct, "parts", error);
  bool ok = reads->start && task.distinct &&
            packed_lists_measure(&reads->lists, parts, &source, threads, items_max + 1, error);
  if (ok) {
    add_up(reads->start, parts);
    for (int part = 0; part < parts; part++) reads->nodes += task.distinct[part];
    reads->node = array_new(reads->start[parts], sizeof *reads->node, "parts", error);
    ok = reads->node && packed_lists_fill(&reads->lists, &source, threads, items_max + 1, HEAD_FIRST, error);
  }

  free(task.distinct);
  if (!ok) part_reads_destroy(reads);
  return ok;
}

void part_reads_destroy(PartReads *reads) {
  free(reads->start);
  free(reads->node);
  packed_lists_destroy(&reads->lists);
  *reads = (PartReads){ 0 };
}

// ---- lists of the terms of off-diagonal blocks, one for each pair of nodes

// Numbers the lists of a part's pairs of nodes, and returns the number of lists. A pair of a node a that the part owns
// and a neighbour b has a list. If the part owns b too, only the pair with a < b has one. If t->pairs->slots is
// allocated, the function also stores there the positions of the blocks (a, b) and (b, a) of each pair in the matrix.
static int number_pairs(const Task *t, int part, const Room *buffer) {
  const Adjacency *graph = &t->space->graph;
  const Partition *p = t->partition;
  const BlockSlots none = { -1, 0, 0 };
  int count = 0, row = 0;
  for (int k = 0; k < p->node_start[part + 1] - p->node_start[part]; k++) {
    const int a = p->node[p->node_start[part] + k];
    buffer->row_start[k] = row;
    for (int64_t s = graph->start[a]; s < graph->start[a + 1]; s++) {
      const int other = graph->neighbour[s];
      const bool inside = t->owners->part[other] == part, listed = !inside || other > a;
      buffer->row[row++] = listed ? count : -1;
      if (!listed) continue;
      if (t->pairs->slots) {
        BlockSlots *slots = t->pairs->slots[t->pairs->start[part] + count];
        slots[0] = operator_block_slots(t->layout, s);
        slots[1] = inside ? operator_block_slots(t->layout, adjacency_find(graph, other, a)) : none;
      }
      count++;
    }
  }
  return count;
}

// Returns the lists of one part's pairs of nodes. The items of a pair's list name the blocks of tets' matrices that are
// summed: (e * cell_nodes + a) * cell_nodes + b for the corners a and b of the part's tet e.
static BlockLists give_pairs(const void *task, int part, void *memory) {
  const Task *t = task;
  const Room buffer = capacity_at(t, memory);
  const Adjacency *graph = &t->space->graph;
  const int corners = corners_of(t), tets = tets_of(t->partition, part), lists = number_pairs(t, part, &buffer);
  int items = 0;
  for (int e = 0; e < tets; e++) {
    const int *node = nodes_of(t, part, e);
    for (int a = 0; a < corners; a++) {
      if (t->owners->part[node[a]] != part) continue;
      const int *row = buffer.row + buffer.row_start[t->owners->number[node[a]]];
      for (int b = 0; b < corners; b++) {
        // If the part owns both nodes, their pair has one list, which belongs to the node with the lower number.
        if (b == a || (node[b] < node[a] && t->owners->part[node[b]] == part)) continue;
        buffer.list[items] = row[adjacency_find(graph, node[a], node[b]) - graph->start[node[a]]];
        buffer.arrived[items++] = pair_source(corners, e, a, b);
      }
    }
  }
  if (!t->pairs->slots) t->pairs->start[part + 1] = lists;
  return sort_lists(&buffer, lists, items);
}

bool part_pairs_create(PartPairs *pairs, const Space *space, const Operator *layout, const Partition *partition,
                       const PartOwners *owners, Packing packing, Error *error) {
  const int parts = partition->part_count;
  Task task = { .space = space, .layout = layout, .partition = partition, .owners = owners, .pairs = pairs };
  int tets;
  *pairs = (PartPairs){ 0 };
  measure_parts(&task, &tets);
  task.items = corners_of(&task) * (corners_of(&task) - 1) * tets;
  task.lists = task.rows;
  const ListSource source = source_of(&task, give_pairs);
  pairs->start = array_new((int64_t)parts + 1, sizeof *pairs->start, "parts", error);
  bool ok = pairs->start && packed_lists_measure(&pairs->lists, parts, &source, packing.threads, packing.batch, error);
  if (ok) {
    add_up(pairs->start, parts);
    pairs->slots = array_new(pairs->start[parts], sizeof *pairs->slots, "node pairs", error);
    ok = pairs->slots && packed_lists_fill(&pairs->lists, &source, packing.threads, packing.batch, HEAD_LAST, error);
  }
  if (!ok) part_pairs_destroy(pairs);
  return ok;
}

void part_pairs_destroy(PartPairs *pairs) {
  free(pairs->start);
  free(pairs->slots);
  packed_lists_destroy(&pairs->lists);
  *pairs = (PartPairs){ 0 };
}

// ---- lists of the terms of diagonal blocks and forces, one for each owned node

// Returns the lists of the nodes that one part owns. The items of a node's list name the corners of tets at this node:
// e * cell_nodes + a for corner a of the part's tet e. Along the list, the diagonal blocks and forces of these corners
// are summed.
static BlockLists give_nodes(const void *task, int part, void *memory) {
  const Task *t = task;
  const Room buffer = capacity_at(t, memory);
  const Partition *p = t->partition;
  const int corners = corners_of(t), tets = tets_of(p, part);
  int items = 0;
  for (int e = 0; e < tets; e++)
    for (int a = 0; a < corners; a++) {
      const int node = nodes_of(t, part, e)[a];
      if (t->owners->part[node] != part) continue;
      buffer.list[items] = t->owners->number[node];
      buffer.arrived[items++] = node_source(corners, e, a);
    }
  return sort_lists(&buffer, p->node_start[part + 1] - p->node_start[part], items);
}

// Arguments of find_slots, a parallel loop over nodes. It sets `slots` [node_count], the position of each node's
// diagonal block in the matrix. The nodes are in the order of Partition.node: the nodes of all parts, one part after
// the other.
typedef struct SlotsTask {
  const Operator *layout;
  const Partition *partition;
  BlockSlots *slots;
} SlotsTask;

static void find_slots(const void *task, int first, int last) {
  const SlotsTask *t = task;
  const Adjacency *graph = &t->layout->space->graph;
  for (int s = first; s < last; s++) {
    const int node = t->partition->node[s];
    t->slots[s] = operator_block_slots(t->layout, adjacency_find(graph, node, node));
  }
}

bool part_nodes_create(PartNodes *nodes, const Space *space, const Operator *layout, const Partition *partition,
                       const PartOwners *owners, Packing packing, Error *error) {
  enum { NODE_CHUNK = 4096 };
  const int parts = partition->part_count;
  Task task = { .space = space, .partition = partition, .owners = owners };
  int tets;
  *nodes = (PartNodes){ .slots = array_new(space->node_count, sizeof *nodes->slots, "nodes", error) };
  measure_parts(&task, &tets);
  task.items = corners_of(&task) * tets;
  task.lists = task.owned;
  task.rows = 0;
  const ListSource source = source_of(&task, give_nodes);
  if (nodes->slots && packed_lists_measure(&nodes->lists, parts, &source, packing.threads, packing.batch, error) &&
      packed_lists_fill(&nodes->lists, &source, packing.threads, packing.batch, HEAD_LAST, error)) {
    parallel_for(space->node_count, NODE_CHUNK, find_slots, &(SlotsTask){ layout, partition, nodes->slots });
    return true;
  }
  part_nodes_destroy(nodes);
  return false;
}

void part_nodes_destroy(PartNodes *nodes) {
  free(nodes->slots);
  packed_lists_destroy(&nodes->lists);
  *nodes = (PartNodes){ 0 };
}
