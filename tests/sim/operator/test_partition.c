// Tests divisions of a body's nodes and rows: parts of nodes for the assembly sharednz, with their packed lists;
// batches of matrix rows for the assembly parts; orders of nodes, and pieces of a bisection.
#include "../sim_testing.h"

#include "base/parallel.h"
#include "mesh/adjacency.h"
#include "mesh/bisect.h"
#include "mesh/divide.h"
#include "mesh/order.h"
#include "sim/assembly/part_batches.h"
#include "sim/assembly/part_lists.h"
#include "sim/operator/parts/part_balance.h"

static Space space_of(const TetMesh *mesh) {
  Error error = { 0 };
  Space space;
  MUST(space_create(&space, mesh, 3, &error));
  return space;
}

// Checks a partition of the nodes into parts of at most `limit` tets. Each part evaluates all tets that have a node in
// it, so some tets are evaluated several times. Returns the average number of evaluations of a tet.
static double check_parts(const Partition *p, const TetMesh *mesh, int limit) {
  int *part = malloc(sizeof *part * (size_t)mesh->node_count), maximum = 0;
  for (int a = 0; a < mesh->node_count; a++) part[a] = -1;
  for (int k = 0; k < p->part_count; k++)
    for (int s = p->node_start[k]; s < p->node_start[k + 1]; s++) {
      assert_int_equal(part[p->node[s]], -1);
      part[p->node[s]] = k;
    }
  for (int a = 0; a < mesh->node_count; a++) assert_true(part[a] >= 0);

  // The tets of part k must be all tets that have a node in part k, each once.
  int64_t expected = 0;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < 4; a++) {
      bool known = false;
      for (int b = 0; b < a; b++) known = known || part[mesh->tet[e][b]] == part[mesh->tet[e][a]];
      expected += !known;
    }
  assert_int_equal(p->tet_start[p->part_count], expected);
  for (int k = 0; k < p->part_count; k++) {
    const int count = p->tet_start[k + 1] - p->tet_start[k];
    if (count > maximum) maximum = count;
    for (int s = p->tet_start[k]; s < p->tet_start[k + 1]; s++) {
      const int *t = mesh->tet[p->tet[s]];
      assert_true(part[t[0]] == k || part[t[1]] == k || part[t[2]] == k || part[t[3]] == k);
      assert_true(s == p->tet_start[k] || p->tet[s] > p->tet[s - 1]);
    }
  }

  assert_true(maximum <= limit);
  free(part);
  return (double)expected / mesh->tet_count;
}

static void parts_hold_every_node_once_and_all_tets_at_it(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(4, 4, 8, (double[3]){ 1, 1, 2 });
  Space space = space_of(&mesh);
  for (int limit = 40; limit <= 640; limit *= 2)
    for (int kind = PARTITION_GREEDY; kind <= PARTITION_METIS; kind++) {
      Partition p;
      MUST(partition_create(&p, &space, (Partitioner)kind, limit, &error));
      const double often = check_parts(&p, &mesh, limit);
      printf("  at most %d tets per part, %s: %d parts; a tet is evaluated %.2f times on average\n", limit,
             kind ? "metis" : "greedy", p.part_count, often);
      partition_destroy(&p);
    }
  space_destroy(&space);
  mesh_destroy(&mesh);
}

// Computes the cost of each part: the numbers of matrix blocks and of lanes, summed over the rows of the part. *largest
// receives the largest numbers of all parts. Returns the largest number of tets that have a node in a part.
static int count_parts(const Space *space, const RowCost *row, const int *part, int parts, RowCost *largest) {
  int tets[64] = { 0 }, maximum = 0;
  RowCost sum[64] = { { 0, 0 } };
  assert_in_range(parts, 1, 64);
  for (int a = 0; a < space->node_count; a++) {
    assert_in_range(part[a], 0, parts - 1);
    sum[part[a]].blocks += row[a].blocks;
    sum[part[a]].lanes += row[a].lanes;
  }
  for (int e = 0; e < space->cell_count; e++) {
    bool at[64] = { false };
    for (int k = 0; k < 4; k++) at[part[space_cell(space, e)[k]]] = true;
    for (int p = 0; p < parts; p++) tets[p] += at[p];
  }
  *largest = (RowCost){ 0, 0 };
  for (int p = 0; p < parts; p++) {
    assert_true(sum[p].lanes > 0);
    if (sum[p].blocks > largest->blocks) largest->blocks = sum[p].blocks;
    if (sum[p].lanes > largest->lanes) largest->lanes = sum[p].lanes;
    if (tets[p] > maximum) maximum = tets[p];
  }
  return maximum;
}

// Balances two partitions into parts: the parts that METIS finds, and slabs of consecutive nodes, of which the first
// slab contains a third of all nodes.
static void balanced_parts_have_fewer_tets_at_most_and_no_more_rows(void **state) {
  (void)state;
  enum { PARTS = 24 };
  Error error = { 0 };
  TetMesh mesh = box(9, 9, 18, (double[3]){ 1, 1, 2 });
  Space space = space_of(&mesh);
  const int nodes = space.node_count;
  NodeCells cells;
  MUST(node_cells_create(&cells, &space, &error));
  int *weight = malloc(sizeof *weight * (size_t)nodes), *part = malloc(sizeof *part * (size_t)nodes);
  RowCost *row = malloc(sizeof *row * (size_t)nodes);
  int *again = malloc(sizeof *again * (size_t)nodes);
  for (int a = 0; a < nodes; a++) {
    weight[a] = (int)(space.graph.start[a + 1] - space.graph.start[a]);
    row[a] = (RowCost){ weight[a], (weight[a] + 6) / 8 };
  }
  for (int slabs = 0; slabs < 2; slabs++) {
    RowCost before, after;
    if (!slabs) MUST(adjacency_divide(&space.graph, PARTS, weight, part, &error));
    for (int a = 0; slabs && a < nodes; a++) part[a] = 3 * a < nodes ? 0 : (int)((int64_t)a * PARTS / nodes);

    // Number the other slabs from 1 without gaps, so that no part is empty.
    for (int a = 0; slabs && a < nodes; a++) part[a] = part[a] == 0 ? 0 : part[a] - PARTS / 3 + 1;
    const int parts = slabs ? PARTS - PARTS / 3 + 1 : PARTS;
    const int tets = count_parts(&space, row, part, parts, &before);
    memcpy(again, part, sizeof *part * (size_t)nodes);
    MUST(part_balance(&space, &cells, row, parts, part, &error));
    MUST(part_balance(&space, &cells, row, parts, again, &error));
    const int less = count_parts(&space, row, part, parts, &after);
    printf("  %d parts: a part has at most %d tets, %d blocks, %d lanes; after balancing %d, %d, %d\n", parts, tets,
           before.blocks, before.lanes, less, after.blocks, after.lanes);
    assert_true(less < tets && after.blocks <= before.blocks && (after.lanes + 31) / 32 <= (before.lanes + 31) / 32);
    assert_memory_equal(part, again, sizeof *part * (size_t)nodes);
  }

  free(weight);
  free(row);
  free(part);
  free(again);
  node_cells_destroy(&cells);
  space_destroy(&space);
  mesh_destroy(&mesh);
}

static bool same_parts(const Partition *p, const Partition *q, int nodes) {
  return p->part_count == q->part_count &&
         memcmp(p->node_start, q->node_start, sizeof(int) * ((size_t)p->part_count + 1)) == 0 &&
         memcmp(p->node, q->node, sizeof(int) * (size_t)nodes) == 0 &&
         memcmp(p->tet, q->tet, sizeof(int) * (size_t)p->tet_start[p->part_count]) == 0;
}

static void regions_make_the_same_parts_with_any_number_of_threads(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(14, 14, 28, (double[3]){ 1, 1, 2 });
  Space space = space_of(&mesh);
  Partition whole, one, several;
  const int limit = 300, levels = 2;
  MUST(partition_create(&whole, &space, PARTITION_GREEDY, limit, &error));
  parallel_set_threads(1);
  MUST(partition_create_regions(&one, &space, levels, limit, &error));
  parallel_set_threads(4);
  MUST(partition_create_regions(&several, &space, levels, limit, &error));
  parallel_set_threads(0);
  assert_true(same_parts(&one, &several, mesh.node_count));
  assert_false(same_parts(&one, &whole, mesh.node_count));

  // The body was first divided into regions of about 1,600 nodes, then each region into parts. This must cause only a
  // few more evaluations of tets than parts without regions.
  const double often = check_parts(&one, &mesh, limit), best = check_parts(&whole, &mesh, limit);
  printf("  a tet is evaluated %.3f times on average with %d regions, %.3f times without regions\n", often, 1 << levels,
         best);
  assert_true(often < 1.1 * best);
  int *order = malloc(sizeof *order * (size_t)mesh.node_count);
  int *region = malloc(sizeof *region * (size_t)mesh.node_count);
  MUST(bisect_points((const double(*)[3])mesh.X, mesh.node_count, levels, order, &error));
  for (int k = 0; k < 1 << levels; k++)
    for (int s = bisect_start(mesh.node_count, levels, k); s < bisect_start(mesh.node_count, levels, k + 1); s++)
      region[order[s]] = k;
  for (int k = 0; k < one.part_count; k++)
    for (int s = one.node_start[k]; s < one.node_start[k + 1]; s++)
      assert_int_equal(region[one.node[s]], region[one.node[one.node_start[k]]]);
  free(order);
  free(region);
  partition_destroy(&whole);
  partition_destroy(&one);
  partition_destroy(&several);
  space_destroy(&space);
  mesh_destroy(&mesh);
}

// Arguments of `walk`, which emulates the kernel of the assembly sharednz for one part. This kernel copies nodal data
// to the corners of tets, and sums the matrix blocks of cells. In the test, integers take the place of nodal data and
// blocks.
typedef struct Walk {
  const Space *space;
  const Partition *p;
  const PackedLists *lists;
  int threads, batch;  // threads: columns of the lists, one per thread; batch: entries that a thread loads together
} Walk;

// Reads the lists of a part as its threads do; each thread has one column of entries. Calls visit(item, list) for each
// item of each list.
static void walk(const Walk *w, int part, ListHead head, void (*visit)(void *context, int item, int list),
                 void *context) {
  const PackedLists *lists = w->lists;
  const int64_t depth = (lists->start[part + 1] - lists->start[part]) / w->threads;
  for (int t = 0; t < w->threads; t++)
    for (int64_t begin = 0, end; begin < depth; begin = end) {
      // A list begins (HEAD_FIRST) or ends (HEAD_LAST) with its head, a negative entry that contains the list's number.
      // With HEAD_FIRST it extends to the entry before the next head, with HEAD_LAST from the entry after the previous
      // head.
      const int *column = lists->entries + lists->start[part] + t;
      if (head == HEAD_FIRST) {
        end = begin + w->batch;
        if (column[begin * w->threads] >= 0) continue;
      } else {
        for (end = begin; end < depth && column[end * w->threads] >= 0;) end++;
        if (end == depth) break;
        end++;
      }
      const int list = -column[(head == HEAD_FIRST ? begin : end - 1) * w->threads] - 1;
      for (int64_t d = begin; d < end; d++)
        if (column[d * w->threads] > 0) visit(context, column[d * w->threads] - 1, list);
    }
}

typedef struct Copies {
  const Walk *w;
  const PartReads *reads;
  int part;
  int *copied;  // [4 * tets of the part], number of times that each corner of each tet received nodal data
} Copies;

static void copy_node(void *context, int item, int list) {
  Copies *c = context;
  const int *cell = space_cell(c->w->space, c->w->p->tet[c->w->p->tet_start[c->part] + item / 4]);
  assert_int_equal(c->reads->node[c->reads->start[c->part] + list], cell[item % 4]);
  c->copied[item]++;
}

// Returns a unique number for block (a, b) of a cell.
static double block_of(int cell, int a, int b) {
  return (cell * 4.0 + a) * 4 + b + 1;
}

typedef struct Sums {
  const Walk *w;
  // slots of off-diagonal blocks, whose sums are tested; NULL: tests the sums of diagonal blocks, one for each node
  const BlockSlots (*pair)[2];
  const BlockSlots *own;  // slots of diagonal blocks, if `pair` is NULL
  int part;
  double *values;  // [A.value_count], output: the sums of blocks, each at its slot
} Sums;

static void add_block(void *context, int item, int list) {
  Sums *s = context;
  const int corners = s->pair ? 16 : 4, a = s->pair ? item / 4 % 4 : item % 4, b = s->pair ? item % 4 : a;
  const int cell = s->w->p->tet[s->w->p->tet_start[s->part] + item / corners];
  if (!s->pair) {
    s->values[s->own[list].at] += block_of(cell, a, a);
    return;
  }
  s->values[s->pair[list][0].at] += block_of(cell, a, b);
  if (s->pair[list][1].at >= 0) s->values[s->pair[list][1].at] += block_of(cell, b, a);
}

static void lists_of_parts_copy_all_nodes_and_add_up_all_blocks(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(5, 5, 10, (double[3]){ 1, 1, 2 });
  Space space = space_of(&mesh);
  Operator A;
  const Packing packing = { 37, 8 };
  const int items_max = 6, threads = 64;
  const Stage *format = stage_find(STAGE_OPERATOR, "bcsr", DEVICE_CPU, PRECISION_F64, NULL);
  MUST(operator_create(&A, (const OperatorMethod *)format, &space, &error));
  double *expected = calloc((size_t)A.value_count, sizeof *expected);
  for (int e = 0; e < space.cell_count; e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        const int64_t pair = adjacency_find(&space.graph, space_cell(&space, e)[a], space_cell(&space, e)[b]);
        expected[operator_block_slots(&A, pair).at] += block_of(e, a, b);
      }

  for (int limit = 40; limit <= 400; limit *= 3) {
    Partition p;
    PartOwners owners;
    PartReads reads;
    PartPairs pairs;
    PartNodes nodes;
    MUST(partition_create(&p, &space, PARTITION_GREEDY, limit, &error));
    MUST(part_owners_create(&owners, &space, &p, &error));
    MUST(part_reads_create(&reads, &space, &p, items_max, threads, &error));
    MUST(part_pairs_create(&pairs, &space, &A, &p, &owners, packing, &error));
    MUST(part_nodes_create(&nodes, &space, &A, &p, &owners, packing, &error));
    double *values = calloc((size_t)A.value_count, sizeof *values);
    int64_t distinct = 0;
    for (int part = 0; part < p.part_count; part++) {
      const int tets = p.tet_start[part + 1] - p.tet_start[part];
      const Walk for_reads = { &space, &p, &reads.lists, threads, items_max + 1 };
      const Walk for_pairs = { &space, &p, &pairs.lists, packing.threads, packing.batch };
      const Walk for_nodes = { &space, &p, &nodes.lists, packing.threads, packing.batch };
      Copies copies = { &for_reads, &reads, part, calloc(4 * (size_t)tets, sizeof(int)) };
      walk(&for_reads, part, HEAD_FIRST, copy_node, &copies);
      for (int k = 0; k < 4 * tets; k++) assert_int_equal(copies.copied[k], 1);
      free(copies.copied);
      const BlockSlots(*pair)[2] = (const BlockSlots(*)[2])pairs.slots + pairs.start[part];
      walk(&for_pairs, part, HEAD_LAST, add_block, &(Sums){ &for_pairs, pair, NULL, part, values });
      walk(&for_nodes, part, HEAD_LAST, add_block,
           &(Sums){ &for_nodes, NULL, nodes.slots + p.node_start[part], part, values });

      // Count the different nodes whose data the part reads.
      bool *seen = calloc((size_t)space.node_count, sizeof *seen);
      for (int s = p.tet_start[part]; s < p.tet_start[part + 1]; s++)
        for (int a = 0; a < 4; a++) {
          distinct += !seen[space_cell(&space, p.tet[s])[a]];
          seen[space_cell(&space, p.tet[s])[a]] = true;
        }
      free(seen);
    }
    assert_int_equal(reads.nodes, distinct);

    // values are integers below 2^53, so sums are exact in any order
    for (int64_t k = 0; k < A.value_count; k++) assert_true(values[k] == expected[k]);
    free(values);
    part_reads_destroy(&reads);
    part_pairs_destroy(&pairs);
    part_nodes_destroy(&nodes);
    part_owners_destroy(&owners);
    partition_destroy(&p);
  }

  free(expected);
  operator_destroy(&A);
  space_destroy(&space);
  mesh_destroy(&mesh);
}

// Stores the cell's number in place of its supplemental data (shape constants), so that the test can identify the cell.
static double fill_number(const Space *space, int e, void *S) {
  *(double *)S = e;
  return space_cell_volume(space, e);
}

// Emulates a thread block of the assembly parts on one batch of matrix rows, with integers in place of blocks. Adds
// these to values [A->value_count] and, those of diagonal blocks, to forces [node_count]. Also checks the tables that
// the thread block reads.
static void walk_batch(const PartBatches *b, int q, const Space *space, const Operator *A, double *values,
                       double *forces) {
  const Batch *batch = &b->batch[q];
  const double *cell = (const double *)b->supplemental + batch->tet;
  const double *own = values + A->value_count - 9 * (int64_t)space->node_count;
  for (int x = 0; x < batch->tet_count; x++)
    for (int a = 0; a < 4; a++)
      assert_int_equal(b->node[batch->node + b->tet[batch->tet + x][a]], space_cell(space, (int)cell[x])[a]);
  for (int u = 0; u < batch->unit_count; u++) {
    const BatchUnit *unit = &b->unit[batch->unit + u];
    int longest = 0;
    for (int lane = 0; lane < PART_LANES; lane++)
      for (int k = 0; k < unit->depth; k++) {
        const unsigned entry = b->list[((int64_t)unit->list + k / 2) * PART_LANES + lane] >> 16 * (k % 2) & 0xffff;
        const int x = entry_tet(entry), row = entry_row(entry), column = entry_column(entry);
        if (x >= batch->tet_count) {  // indices after the last tet fill up the batch
          assert_int_equal(entry, x);
          assert_true(x < batch->tet_count + BATCH_PHASE);
          continue;
        }
        assert_true(x < batch->tet_count);
        longest = k + 1 > longest ? k + 1 : longest;
        if (u < batch->row_units) {
          assert_true(unit->at + lane / ROW_LANES < batch->row_count);
          const int node = b->node[batch->node + unit->at + lane / ROW_LANES];
          forces[node] += block_of((int)cell[x], row, row);
          ((double *)own)[9 * node] += block_of((int)cell[x], row, row);
        } else {
          values[((int64_t)unit->at * 9) * PART_LANES + lane] += block_of((int)cell[x], row, column);
        }
      }
    assert_int_equal(longest, unit->depth);
    if (u > 0 && u != batch->row_units) assert_true(unit->depth <= b->unit[batch->unit + u - 1].depth);
  }
}

static void batches_fit_their_room_and_add_up_all_blocks(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(6, 6, 12, (double[3]){ 1, 1, 2 });
  Space space = space_of(&mesh);
  Operator A;
  const Stage *format = stage_find(STAGE_OPERATOR, "parts", DEVICE_CPU, PRECISION_F64, NULL);
  const BatchCell cell = { 1, fill_number };
  MUST(operator_create(&A, (const OperatorMethod *)format, &space, &error));
  double *expected = calloc((size_t)A.value_count, sizeof *expected), *whole = NULL;
  for (int e = 0; e < space.cell_count; e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        const int64_t pair = adjacency_find(&space.graph, space_cell(&space, e)[a], space_cell(&space, e)[b]);
        expected[operator_block_slots(&A, pair).at] += block_of(e, a, b);
      }

  for (int limit = 12000; limit >= 3000; limit /= 2) {
    const BatchCapacity capacity = { 3, 10, (size_t)limit };
    PartBatches b, again;
    MUST(part_batches_create(&b, &space, &A, &capacity, &cell, DEVICE_CPU, &error));
    double *values = calloc((size_t)A.value_count, sizeof *values),
           *forces = calloc((size_t)space.node_count, sizeof *forces);
    int *seen = calloc((size_t)space.node_count, sizeof *seen), maximum = 0;
    for (int q = 0; q < b.batch_count; q++) {
      const Batch *batch = &b.batch[q];
      assert_true(batch->tet_count <= b.tets_max && batch->node_count <= b.nodes_max);
      const int bytes = 10 * batch_stride(batch->tet_count) + 3 * batch->node_count;
      assert_true(bytes <= limit);
      if (bytes > maximum) maximum = bytes;
      for (int k = 0; k < batch->row_count; k++) seen[b.node[batch->node + k]]++;
      walk_batch(&b, q, &space, &A, values, forces);
    }
    assert_int_equal(maximum, b.bytes_max);
    for (int a = 0; a < space.node_count; a++) assert_int_equal(seen[a], 1);
    for (int a = 0; a < space.node_count; a++)
      assert_true(forces[a] == expected[A.value_count - 9 * ((int64_t)space.node_count - a)]);
    for (int64_t k = 0; k < A.value_count; k++) assert_true(values[k] == expected[k]);

    // The sums of B_a.B_b, products of gradients of shape functions, must not depend on the memory limit of a batch.
    // Tables must not depend on the number of threads.
    const int64_t slots = (A.value_count - 9 * (int64_t)space.node_count) / 9;
    if (!whole) whole = memcpy(malloc(sizeof *whole * (size_t)slots), b.slot_constant, sizeof *whole * (size_t)slots);
    for (int64_t k = 0; k < slots; k++) assert_true(fabs(((double *)b.slot_constant)[k] - whole[k]) <= 1e-14);
    parallel_set_threads(1);
    MUST(part_batches_create(&again, &space, &A, &capacity, &cell, DEVICE_CPU, &error));
    parallel_set_threads(0);
    assert_int_equal(again.batch_count, b.batch_count);
    const Batch *last = &b.batch[b.batch_count - 1];
    const int units = last->unit + last->unit_count;
    assert_memory_equal(again.batch, b.batch, sizeof *b.batch * (size_t)b.batch_count);
    assert_memory_equal(again.unit, b.unit, sizeof *b.unit * (size_t)units);
    printf("  at most %d bytes per batch: %d batches; a tet is evaluated %.2f times on average\n", limit, b.batch_count,
           (double)b.tets / mesh.tet_count);
    part_batches_destroy(&b, DEVICE_CPU);
    part_batches_destroy(&again, DEVICE_CPU);
    free(values);
    free(forces);
    free(seen);
  }

  // If a tile of the matrix does not fit into the shared memory of a thread block, an error must report it.
  PartBatches none;
  const BatchCapacity small = { 3, 10, 500 };
  assert_false(part_batches_create(&none, &space, &A, &small, &cell, DEVICE_CPU, &error));
  assert_non_null(strstr(error.message, "and the nodes near it need"));
  assert_non_null(strstr(error.message, "thread block of the GPU has only 500"));

  free(expected);
  free(whole);
  operator_destroy(&A);
  space_destroy(&space);
  mesh_destroy(&mesh);
}

static void node_whose_tets_do_not_fit_is_named(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(3, 3, 6, (double[3]){ 1, 1, 2 });
  Partition p = { 0 };
  for (int a = 0; a < mesh.node_count; a++) mesh.node_tag[a] = 1000 + a;
  Space space = space_of(&mesh);
  assert_false(partition_create(&p, &space, PARTITION_GREEDY, 20, &error));
  int tag = 0, tets = 0;
  assert_int_equal(sscanf(error.message, "node %d has %d tets", &tag, &tets), 2);
  int count = 0;
  for (int e = 0; e < mesh.tet_count; e++)
    for (int a = 0; a < 4; a++) count += mesh.tet[e][a] == tag - 1000;
  assert_int_equal(tets, count);
  assert_true(tets > 20);
  space_destroy(&space);
  mesh_destroy(&mesh);
}

static void packed_lists_hold_every_item_in_order(void **state) {
  (void)state;
  Error error = { 0 };
  enum { LISTS = 1000, BLOCKS = 7 };
  uint64_t seed = 3;
  int64_t start[LISTS + 1] = { 0 };
  int block_list[BLOCKS + 1], *item = malloc(sizeof *item * LISTS * 40);
  for (int l = 0; l < LISTS; l++) {
    const int length = (int)(20 * (1 + random_unit(&seed)));  // some lists are empty
    start[l + 1] = start[l] + length;
    for (int64_t s = start[l]; s < start[l + 1]; s++) item[s] = (int)(1e6 * (1 + random_unit(&seed)));
  }

  for (int b = 0; b <= BLOCKS; b++) block_list[b] = LISTS * b / BLOCKS;
  for (int head = HEAD_LAST; head <= HEAD_FIRST; head++)
    for (int batch = 1; batch <= 8; batch += 7) {
      PackedLists packed;
      const int threads = 37;
      MUST(packed_lists_create(&packed, BLOCKS, block_list, start, item, threads, batch, (ListHead)head, &error));
      int64_t seen = 0;
      for (int b = 0; b < BLOCKS; b++) {
        const int64_t depth = (packed.start[b + 1] - packed.start[b]) / threads;
        for (int t = 0; t < threads; t++) {
          int items[64], count = 0, list = -1;
          for (int64_t d = 0; d <= depth; d++) {
            const int entry = d < depth ? packed.entries[packed.start[b] + d * threads + t] : -1;
            if (entry > 0) items[count++] = entry - 1;
            if (entry >= 0) continue;

            // a head that ends its list is last in its group of `batch` entries, a head that begins it is first
            if (d < depth) assert_int_equal(d % batch, head == HEAD_LAST ? batch - 1 : 0);
            const int ended = head == HEAD_LAST ? -entry - 1 : list;
            if (d < depth || head == HEAD_FIRST) {
              list = -entry - 1;
              if (ended >= 0) {
                const int l = block_list[b] + ended;
                assert_int_equal(count, start[l + 1] - start[l]);
                for (int k = 0; k < count; k++) assert_int_equal(items[k], item[start[l] + k]);
                seen += count;
              }
            }
            count = 0;
          }
        }
      }
      assert_int_equal(seen, start[LISTS]);
      packed_lists_destroy(&packed);
    }

  free(item);
}

// Returns the bandwidth of the mesh, the largest difference between the numbers of two nodes of a tet.
static int bandwidth(const TetMesh *mesh) {
  int widest = 0;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        if (mesh->tet[e][a] - mesh->tet[e][b] > widest) widest = mesh->tet[e][a] - mesh->tet[e][b];
  return widest;
}

static int smallest_node(const TetMesh *mesh, int e) {
  int smallest = mesh->tet[e][0];
  for (int a = 1; a < 4; a++) smallest = mesh->tet[e][a] < smallest ? mesh->tet[e][a] : smallest;
  return smallest;
}

// Returns a number that identifies a tet of a box by its position, independently of node numbers.
static double centre_of(const TetMesh *mesh, int e) {
  double sum = 0;
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) sum += (1 + i) * (1 << 2 * i) * mesh->X[mesh->tet[e][a]][i];
  return sum;
}

static void orders_are_permutations_and_keep_the_mesh(void **state) {
  (void)state;
  Error error = { 0 };

  for (int kind = ORDER_METIS; kind <= ORDER_BISECTION; kind++) {
    TetMesh mesh = box(8, 8, 16, (double[3]){ 1, 1, 2 });
    const int nodes = mesh.node_count;
    double volume = 0, again = 0;
    int *order = malloc(sizeof *order * (size_t)nodes);
    uint64_t seed = 8;

    // The nodes are shuffled first. Otherwise no order could have a much smaller bandwidth, since the original order of
    // a grid is nearly optimal.
    for (int k = 0; k < nodes; k++) {
      const int other = (int)(0.5 * (1 + random_unit(&seed)) * k);
      order[k] = order[other];
      order[other] = k;
    }
    TetMesh renumbered;
    MUST(mesh_renumber(&renumbered, &mesh, order, NULL, NULL, &error));
    mesh_destroy(&mesh);
    mesh = renumbered;
    mesh.stiffness = malloc(sizeof *mesh.stiffness * (size_t)mesh.tet_count);
    for (int e = 0; e < mesh.tet_count; e++) mesh.stiffness[e] = centre_of(&mesh, e);
    for (int k = 0; k < nodes; k++) mesh.node_tag[k] = k + 1;
    const int before = bandwidth(&mesh);
    bool *seen = calloc((size_t)nodes, sizeof *seen);
    for (int e = 0; e < mesh.tet_count; e++) volume += mesh_tet_volume(&mesh, e);
    double(*X)[3] = malloc(sizeof *X * (size_t)nodes);
    memcpy(X, mesh.X, sizeof *X * (size_t)nodes);
    MUST(mesh_order(&mesh, (MeshOrder)kind, order, &error));
    for (int k = 0; k < nodes; k++) {
      assert_true(order[k] >= 0 && order[k] < nodes && !seen[order[k]]);
      seen[order[k]] = true;
    }
    MUST(mesh_renumber(&renumbered, &mesh, order, NULL, NULL, &error));
    mesh_destroy(&mesh);
    mesh = renumbered;
    for (int e = 0; e < mesh.tet_count; e++) {
      assert_true(mesh_tet_volume(&mesh, e) > 0);
      assert_true(mesh.stiffness[e] == centre_of(&mesh, e));
      assert_true(e == 0 || smallest_node(&mesh, e - 1) <= smallest_node(&mesh, e));
      again += mesh_tet_volume(&mesh, e);
    }
    for (int k = 0; k < nodes; k++) {
      assert_memory_equal(mesh.X[k], X[order[k]], sizeof *X);
      assert_int_equal(mesh.node_tag[k], order[k] + 1);
    }
    assert_true(fabs(again - volume) < 1e-12);
    printf("  node order number %d: bandwidth %d; bandwidth with the file's order: %d\n", kind, bandwidth(&mesh),
           before);
    if (kind == ORDER_FILE) assert_int_equal(bandwidth(&mesh), before);
    if (kind == ORDER_RCM) assert_true(bandwidth(&mesh) < before / 4);
    free(order);
    free(seen);
    free(X);
    mesh_destroy(&mesh);
  }
}

static void halves_lie_on_two_sides_and_threads_change_nothing(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(7, 7, 14, (double[3]){ 1, 1, 2 });
  const int nodes = mesh.node_count;
  const double(*X)[3] = (const double(*)[3])mesh.X;
  int *order = malloc(sizeof *order * (size_t)nodes), *again = malloc(sizeof *again * (size_t)nodes);

  // The box is longest along z, so bisection divides it by a plane z = constant.
  MUST(bisect_points(X, nodes, 1, order, &error));
  const int middle = bisect_start(nodes, 1, 1);
  double low = 0, high = 2;
  for (int k = 0; k < nodes; k++) {
    if (k < middle) low = fmax(low, X[order[k]][2]);
    if (k >= middle) high = fmin(high, X[order[k]][2]);
    assert_true(k == 0 || k == middle || order[k] > order[k - 1]);
  }

  assert_int_equal(middle, nodes / 2);
  assert_true(low <= high && low > 0.8 && high < 1.2);  // the plane is near z = 1 m, in the middle of the box
  // Complete bisection halves the body until pieces are single nodes. Its pieces of each level are contiguous in the
  // order, and must equal the pieces of a bisection that ends at this level.
  for (int threads = 1; threads <= 4; threads += 3) {
    parallel_set_threads(threads);
    MUST(bisect_points(X, nodes, BISECT_FULLY, threads == 1 ? order : again, &error));
  }
  parallel_set_threads(0);
  assert_memory_equal(order, again, sizeof *order * (size_t)nodes);
  MUST(bisect_points(X, nodes, 5, again, &error));
  for (int piece = 0; piece < 32; piece++) {
    int64_t sum[2] = { 0 };
    for (int k = bisect_start(nodes, 5, piece); k < bisect_start(nodes, 5, piece + 1); k++) {
      sum[0] += order[k] * (int64_t)order[k];
      sum[1] += again[k] * (int64_t)again[k];
    }
    assert_true(sum[0] == sum[1] && sum[0] > 0);
  }

  free(order);
  free(again);
  mesh_destroy(&mesh);
}

// A body must be divided into the requested number of compact pieces, whose sizes differ by at most one node.
static void space_is_cut_into_any_number_of_equal_pieces(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(7, 7, 14, (double[3]){ 1, 1, 2 });
  const int nodes = mesh.node_count, counts[] = { 1, 2, 5, 32, 100, 132, nodes };
  const double(*X)[3] = (const double(*)[3])mesh.X;
  int *part = malloc(sizeof *part * (size_t)nodes), *again = malloc(sizeof *part * (size_t)nodes);
  int *held = malloc(sizeof *held * (size_t)nodes);
  double(*sum)[6] = malloc(sizeof *sum * (size_t)nodes);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    const int parts = counts[c];
    for (int threads = 1; threads <= 4; threads += 3) {
      parallel_set_threads(threads);
      MUST(bisect_divide(X, nodes, parts, threads == 1 ? part : again, &error));
    }
    parallel_set_threads(0);
    assert_memory_equal(part, again, sizeof *part * (size_t)nodes);
    memset(held, 0, sizeof *held * (size_t)parts);
    memset(sum, 0, sizeof *sum * (size_t)parts);
    for (int a = 0; a < nodes; a++) {
      assert_in_range(part[a], 0, parts - 1);
      held[part[a]]++;
      for (int i = 0; i < 3; i++) {
        sum[part[a]][i] += X[a][i];
        sum[part[a]][3 + i] += X[a][i] * X[a][i];
      }
    }
    double spread = 0;  // mean of the squared distance of a node to the centre of its piece
    for (int p = 0; p < parts; p++) {
      assert_in_range(held[p], nodes / parts, nodes / parts + (nodes % parts ? 1 : 0));
      for (int i = 0; i < 3; i++) spread += (sum[p][3 + i] - sum[p][i] * sum[p][i] / held[p]) / nodes;
    }

    // The mean squared distance to the centre is V^(2/3) / 4 in a cube of volume V, larger in a flat piece, and 0 in a
    // piece of one node. The volume of the box is 2.
    printf("  %d pieces: mean squared distance to the centre is %.3f times that of cubes\n", parts,
           spread / (pow(2.0 / parts, 2.0 / 3) / 4));
    assert_true(spread < 2 * pow(2.0 / parts, 2.0 / 3) / 4 + 1e-12);
  }

  free(part);
  free(again);
  free(held);
  free(sum);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(space_is_cut_into_any_number_of_equal_pieces),
    cmocka_unit_test(parts_hold_every_node_once_and_all_tets_at_it),
    cmocka_unit_test(balanced_parts_have_fewer_tets_at_most_and_no_more_rows),
    cmocka_unit_test(regions_make_the_same_parts_with_any_number_of_threads),
    cmocka_unit_test(lists_of_parts_copy_all_nodes_and_add_up_all_blocks),
    cmocka_unit_test(batches_fit_their_room_and_add_up_all_blocks),
    cmocka_unit_test(node_whose_tets_do_not_fit_is_named),
    cmocka_unit_test(packed_lists_hold_every_item_in_order),
    cmocka_unit_test(halves_lie_on_two_sides_and_threads_change_nothing),
    cmocka_unit_test(orders_are_permutations_and_keep_the_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
