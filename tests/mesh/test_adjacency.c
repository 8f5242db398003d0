// Tests the adjacency of nodes (nodes that share a tet) on small meshes with known results.
#include "mesh_testing.h"

#include "base/parallel.h"

static void neighbours_of_two_tets_are_known(void **state) {
  (void)state;
  TetMesh mesh = mesh_from(FORMAT_41 NODES_41 ELEMENTS_41, NULL);
  Adjacency adjacency = { 0 };
  Error error = { 0 };
  assert_true(adjacency_create(&adjacency, &mesh, &error));

  // The two tets have the nodes 0 to 3 and 1 to 4, so only nodes 0 and 4 have no common tet. The list of each node
  // contains all other nodes and the node itself, except that nodes 0 and 4 do not list each other. The list of node a
  // is neighbour[start[a]] to neighbour[start[a + 1] - 1].
  static const int64_t start[6] = { 0, 4, 9, 14, 19, 23 };
  static const int neighbour[23] = { 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 1, 2, 3, 4 };
  assert_memory_equal(adjacency.start, start, sizeof start);
  assert_memory_equal(adjacency.neighbour, neighbour, sizeof neighbour);
  adjacency_destroy(&adjacency);
  mesh_destroy(&mesh);
}

static void adjacency_of_a_box_is_symmetric_and_complete(void **state) {
  (void)state;
  TetMesh mesh = { 0 };
  Error error = { 0 };
  int nx = 7, ny = 5, nz = 3;
  assert_true(mesh_make_box(nx, ny, nz, (double[3]){ 1, 2, 0.5 }, &mesh, &error));
  // Counts the edges of the mesh. The box consists of small boxes, each divided into six tets (Kuhn's subdivision). So
  // edges are parallel to an axis, diagonals of faces of small boxes, or space diagonals of small boxes.
  int x = nx + 1, y = ny + 1, z = nz + 1;
  int edges = nx * y * z + x * ny * z + x * y * nz + nx * ny * z + nx * y * nz + x * ny * nz + nx * ny * nz;
  assert_int_equal(check_adjacency(&mesh), mesh.node_count + 2 * edges);
  mesh_destroy(&mesh);
}

// All tets surround one axis, and the two nodes on this axis belong to all of them. Their neighbours are too many for
// the hash table's initial size, so the table must grow.
static void nodes_with_very_many_tets_have_all_their_neighbours(void **state) {
  (void)state;
  enum { RING = 700 };
  Error error = { 0 };
  TetMesh mesh = { .node_count = RING + 2, .tet_count = RING };
  mesh.X = calloc(RING + 2, sizeof *mesh.X);
  mesh.tet = calloc(RING, sizeof *mesh.tet);
  for (int k = 0; k < RING; k++) {
    const int tet[4] = { RING / 2, RING + 1, k < RING / 2 ? k : k + 1,
                         (k + 1) % RING < RING / 2 ? (k + 1) % RING : (k + 1) % RING + 1 };
    memcpy(mesh.tet[k], tet, sizeof tet);
  }

  // The expected total length of all lists: each of the two nodes on the axis has all RING + 2 nodes in its list. Each
  // of the RING other nodes has 5 nodes: the two on the axis, itself, and its two neighbours on the ring.
  assert_int_equal(check_adjacency(&mesh), 2 * (RING + 2) + RING * 5);
  for (int threads = 1; threads <= 4; threads += 3) {
    Adjacency adjacency;
    parallel_set_threads(threads);
    assert_true(adjacency_create(&adjacency, &mesh, &error));
    for (int k = 0; k < RING + 2; k++) assert_int_equal(adjacency.neighbour[adjacency.start[RING / 2] + k], k);
    adjacency_destroy(&adjacency);
  }

  parallel_set_threads(0);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(neighbours_of_two_tets_are_known),
    cmocka_unit_test(nodes_with_very_many_tets_have_all_their_neighbours),
    cmocka_unit_test(adjacency_of_a_box_is_symmetric_and_complete),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
