// Parts for assembly sharednz, packed lists, and the orders of nodes.
#include "sim_testing.h"

#include "mesh/adjacency.h"
#include "mesh/order.h"
#include "sim/assembly/packed_lists.h"
#include "sim/assembly/partition.h"

static Space space_of(const TetMesh *mesh) {
  Error error = { 0 };
  Space space;
  MUST(space_create(&space, mesh, 3, &error));
  return space;
}

static TetMesh box(int boxes) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  const double size[3] = { 1, 1, 2 };
  MUST(mesh_make_box(boxes, boxes, 2 * boxes, size, &mesh, &error));
  return mesh;
}

static void parts_hold_every_node_once_and_all_tets_at_it(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(6);
  Space space = space_of(&mesh);
  for (int limit = 40; limit <= 640; limit *= 2)
    for (int kind = PARTITION_GREEDY; kind <= PARTITION_METIS; kind++) {
      Partition p;
      MUST(partition_create(&p, &space, (Partitioner)kind, limit, &error));
      int *part = malloc(sizeof *part * (size_t)mesh.node_count), most = 0;
      for (int a = 0; a < mesh.node_count; a++) part[a] = -1;
      for (int k = 0; k < p.part_count; k++)
        for (int s = p.node_start[k]; s < p.node_start[k + 1]; s++) {
          assert_int_equal(part[p.node[s]], -1);
          part[p.node[s]] = k;
        }
      for (int a = 0; a < mesh.node_count; a++) assert_true(part[a] >= 0);
      // E_k: each tet that has a node in k, once, and no other
      int64_t expected = 0;
      for (int e = 0; e < mesh.tet_count; e++)
        for (int a = 0; a < 4; a++) {
          bool known = false;
          for (int b = 0; b < a; b++) known = known || part[mesh.tet[e][b]] == part[mesh.tet[e][a]];
          expected += !known;
        }
      assert_int_equal(p.tet_start[p.part_count], expected);
      for (int k = 0; k < p.part_count; k++) {
        const int count = p.tet_start[k + 1] - p.tet_start[k];
        if (count > most) most = count;
        for (int s = p.tet_start[k]; s < p.tet_start[k + 1]; s++) {
          const int *t = mesh.tet[p.tet[s]];
          assert_true(part[t[0]] == k || part[t[1]] == k || part[t[2]] == k || part[t[3]] == k);
          assert_true(s == p.tet_start[k] || p.tet[s] > p.tet[s - 1]);
        }
      }
      assert_true(most <= limit);
      printf("  at most %d tets, %s: %d parts, each tet %.2f times\n", limit, kind ? "metis" : "greedy", p.part_count,
             (double)expected / mesh.tet_count);
      free(part);
      partition_destroy(&p);
    }
  space_destroy(&space);
  mesh_destroy(&mesh);
}

static void node_whose_tets_do_not_fit_is_named(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(3);
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
    const int length = (int)(20 * (1 + random_unit(&seed)));  // some are empty
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
            // a head: of the items before it, or, in front, of those that follow
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

// the largest distance in number between nodes that share a tet
static int bandwidth(const TetMesh *mesh) {
  int widest = 0;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        if (mesh->tet[e][a] - mesh->tet[e][b] > widest) widest = mesh->tet[e][a] - mesh->tet[e][b];
  return widest;
}

static void orders_are_permutations_and_keep_the_mesh(void **state) {
  (void)state;
  Error error = { 0 };
  for (int kind = ORDER_METIS; kind <= ORDER_MORTON; kind++) {
    TetMesh mesh = box(8);
    const int nodes = mesh.node_count;
    double volume = 0, again = 0;
    int *order = malloc(sizeof *order * (size_t)nodes);
    uint64_t seed = 8;
    // shuffled first: a grid's own order is hard to beat
    for (int k = 0; k < nodes; k++) {
      const int other = (int)(0.5 * (1 + random_unit(&seed)) * k);
      order[k] = order[other], order[other] = k;
    }
    MUST(mesh_renumber(&mesh, order, &error));
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
    MUST(mesh_renumber(&mesh, order, &error));
    for (int e = 0; e < mesh.tet_count; e++) {
      assert_true(mesh_tet_volume(&mesh, e) > 0);
      again += mesh_tet_volume(&mesh, e);
    }
    for (int k = 0; k < nodes; k++) {
      assert_memory_equal(mesh.X[k], X[order[k]], sizeof *X);
      assert_int_equal(mesh.node_tag[k], order[k] + 1);
    }
    assert_true(fabs(again - volume) < 1e-12);
    printf("  order %d: bandwidth %d, in the file's order %d\n", kind, bandwidth(&mesh), before);
    if (kind == ORDER_FILE) assert_int_equal(bandwidth(&mesh), before);
    if (kind == ORDER_RCM) assert_true(bandwidth(&mesh) < before / 4);
    free(order), free(seen), free(X);
    mesh_destroy(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(parts_hold_every_node_once_and_all_tets_at_it),
    cmocka_unit_test(node_whose_tets_do_not_fit_is_named),
    cmocka_unit_test(packed_lists_hold_every_item_in_order),
    cmocka_unit_test(orders_are_permutations_and_keep_the_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
