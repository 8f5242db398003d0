// Tests the distribution of a mesh among processes (mesh/distribute.h). Threads take the part of the processes, so the
// test needs no MPI.
#include "../testing.h"

#include <pthread.h>

#include "mesh/distribute.h"
#include "mesh/join.h"
#include "mesh/quadratic.h"

enum { MEMBERS_MAX = 7 };

// The processes of a test. `shared` and `value` are buffers for one collective call.
typedef struct Team {
  pthread_barrier_t barrier;
  const void *shared;  // data that process 0 broadcasts
  const double *value[MEMBERS_MAX];
} Team;

// One process, with its mesh and results. `ranks` is the first member, so a Ranks pointer is also a Member pointer.
typedef struct Member {
  Ranks ranks;
  Team *team;
  TetMesh mesh;
  MeshDivision division;
  bool ok;
  Error error;
} Member;

static bool broadcast(const Ranks *ranks, void *data, size_t bytes, Error *error) {
  Team *team = ((const Member *)(const void *)ranks)->team;
  (void)error;
  if (ranks->rank == 0) team->shared = data;
  pthread_barrier_wait(&team->barrier);
  if (ranks->rank > 0) memcpy(data, team->shared, bytes);
  pthread_barrier_wait(&team->barrier);
  return true;
}

static bool sum(const Ranks *ranks, double *values, int n, Error *error) {
  Team *team = ((const Member *)(const void *)ranks)->team;
  double *total = calloc((size_t)n, sizeof *total);
  (void)error;
  team->value[ranks->rank] = values;
  pthread_barrier_wait(&team->barrier);
  for (int k = 0; k < n; k++)
    for (int r = 0; r < ranks->count; r++) total[k] += team->value[r][k];
  pthread_barrier_wait(&team->barrier);
  memcpy(values, total, sizeof *total * (size_t)n);
  free(total);
  return true;
}

static bool smallest(const Ranks *ranks, double *value, Error *error) {
  Team *team = ((const Member *)(const void *)ranks)->team;
  double least = INFINITY;
  (void)error;
  team->value[ranks->rank] = value;
  pthread_barrier_wait(&team->barrier);
  for (int r = 0; r < ranks->count; r++) least = fmin(least, *team->value[r]);
  pthread_barrier_wait(&team->barrier);
  *value = least;
  return true;
}

static void *distribute(void *member) {
  Member *m = member;
  m->ok = mesh_distribute(&m->division, &m->mesh, &m->ranks, &m->error);
  return NULL;
}

// Distributes a mesh among `count` processes. Process 0 gets the given mesh. The caller calls disband.
static void run(Member *member, int count, const TetMesh *mesh) {
  Team team = { 0 };
  pthread_t thread[MEMBERS_MAX];
  pthread_barrier_init(&team.barrier, NULL, (unsigned)count);
  for (int r = 0; r < count; r++) {
    member[r] =
        (Member){ .ranks = { r, count, .sum = sum, .smallest = smallest, .broadcast = broadcast }, .team = &team };
    if (r == 0) member[r].mesh = *mesh;
    assert_int_equal(pthread_create(&thread[r], NULL, distribute, &member[r]), 0);
  }
  for (int r = 0; r < count; r++) pthread_join(thread[r], NULL);
  pthread_barrier_destroy(&team.barrier);
}

static void disband(Member *member, int count) {
  for (int r = 0; r < count; r++) {
    mesh_division_destroy(&member[r].division);
    if (r > 0) mesh_destroy(&member[r].mesh);
  }
}

// Returns a grid of hexahedra with 4, 3 and 2 cells along its axes.
static TetMesh hexes(void) {
  enum { NX = 4, NY = 3, NZ = 2, LINE = NX + 1, LAYER = LINE * (NY + 1) };
  TetMesh mesh = { .node_count = LAYER * (NZ + 1), .tet_count = NX * NY * NZ };
  mesh.X = calloc((size_t)mesh.node_count, sizeof *mesh.X);
  mesh.hex = calloc((size_t)mesh.tet_count, sizeof *mesh.hex);
  for (int a = 0; a < mesh.node_count; a++) {
    mesh.X[a][0] = a % LINE;
    mesh.X[a][1] = a / LINE % (NY + 1);
    mesh.X[a][2] = a / LAYER;
  }
  for (int e = 0; e < mesh.tet_count; e++)
    for (int c = 0; c < 8; c++)
      mesh.hex[e][c] = e % NX + (c & 1) + LINE * (e / NX % NY + (c >> 1 & 1)) + LAYER * (e / NX / NY + (c >> 2));
  return mesh;
}

// Returns two separate boxes of tets whose nodes and cells have properties.
static TetMesh two_boxes(void) {
  TetMesh mesh = { 0 }, more = { 0 };
  Error error = { 0 };
  MUST(mesh_make_box(4, 3, 2, (double[3]){ 1, 1, 1 }, &mesh, &error));
  const int first = mesh.node_count;
  MUST(mesh_make_box(3, 2, 2, (double[3]){ 1, 1, 1 }, &more, &error) && mesh_join(&mesh, &more, &error));
  mesh.body = calloc((size_t)mesh.node_count, sizeof *mesh.body);
  mesh.damping = calloc((size_t)mesh.node_count, sizeof *mesh.damping);
  mesh.stiffness = calloc((size_t)mesh.tet_count, sizeof *mesh.stiffness);
  mesh.density = calloc((size_t)mesh.tet_count, sizeof *mesh.density);
  for (int a = 0; a < mesh.node_count; a++) {
    mesh.body[a] = a >= first;
    mesh.damping[a] = a;
  }
  for (int e = 0; e < mesh.tet_count; e++) {
    mesh.stiffness[e] = e;
    mesh.density[e] = 1000 + e;
  }
  mesh_destroy(&more);
  return mesh;
}

static void expect_equal(const void *array, const void *expected, size_t bytes) {
  assert_true(!array == !expected);
  if (expected) assert_memory_equal(array, expected, bytes);
}

// Tests that a process has all nodes, and exactly those cells at nodes that it owns or that its own cells have. Returns
// the number of its own cells.
static int check_part(const Member *m, const TetMesh *whole) {
  const TetMesh *part = &m->mesh;
  const size_t nodes = (size_t)whole->node_count;
  const int width = mesh_cell_nodes(whole);
  uint8_t *is_near = calloc(nodes, 1);
  int kept = 0, own = 0, others = 0;
  assert_int_equal(part->node_count, whole->node_count);
  assert_int_equal(mesh_shape(part), mesh_shape(whole));
  expect_equal(part->X, whole->X, sizeof *whole->X * nodes);
  expect_equal(part->node_tag, whole->node_tag, sizeof *whole->node_tag * nodes);
  expect_equal(part->body, whole->body, sizeof *whole->body * nodes);
  expect_equal(part->damping, whole->damping, sizeof *whole->damping * nodes);
  for (size_t a = 0; a < nodes; a++) is_near[a] = m->division.owner[a] == m->ranks.rank;
  for (int e = 0; e < whole->tet_count; e++)
    for (int a = 0; mesh_division_is_own(&m->division, whole, e) && a < width; a++)
      is_near[mesh_cell_node(whole, e, a)] = 1;
  for (int e = 0; e < whole->tet_count; e++) {
    bool expected = m->ranks.rank == 0;
    for (int a = 0; a < width; a++) expected = expected || is_near[mesh_cell_node(whole, e, a)];
    others += !expected;
    if (!expected) continue;
    assert_true(kept < part->tet_count);
    for (int a = 0; a < width; a++) assert_int_equal(mesh_cell_node(part, kept, a), mesh_cell_node(whole, e, a));
    if (whole->stiffness) assert_true(part->stiffness[kept] == whole->stiffness[e]);
    if (whole->density) assert_true(part->density[kept] == whole->density[e]);
    own += mesh_division_is_own(&m->division, part, kept++);
  }

  assert_int_equal(kept, part->tet_count);
  if (m->ranks.rank > 0 && whole->tet_count > 1000) assert_true(others > whole->tet_count / 4);
  free(is_near);
  return own;
}

static void check_mesh(TetMesh mesh, int piece_count) {
  for (int count = 1; count <= 4; count++) {
    Member member[MEMBERS_MAX];
    int own = 0;
    run(member, count, &mesh);
    for (int r = 0; r < count; r++) {
      const MeshDivision *d = &member[r].division;
      if (!member[r].ok) fail_msg("process %d of %d: %s", r, count, member[r].error.message);
      assert_int_equal(d->cell_count, mesh.tet_count);
      assert_int_equal(d->piece_count, piece_count);
      expect_equal(d->owner, member[0].division.owner, sizeof *d->owner * (size_t)mesh.node_count);
      for (int a = 0; a < mesh.node_count; a++) assert_int_equal(d->piece[a], mesh_body(&mesh, a));
      own += check_part(&member[r], &mesh);
    }
    assert_int_equal(own, mesh.tet_count);
    disband(member, count);
  }
  mesh_destroy(&mesh);
}

static void each_process_has_all_nodes_and_the_cells_near_its_own_nodes(void **state) {
  TetMesh quadratic = { 0 }, large = { 0 };
  Error error = { 0 };
  (void)state;
  MUST(mesh_make_box(3, 2, 2, (double[3]){ 1, 1, 1 }, &quadratic, &error) && mesh_raise(&quadratic, 2, &error));
  MUST(mesh_make_box(23, 23, 23, (double[3]){ 1, 1, 1 }, &large, &error));
  assert_true(large.tet_count > 1 << 16);  // more cells than process 0 sends at once
  check_mesh(two_boxes(), 2);
  check_mesh(hexes(), 1);
  check_mesh(quadratic, 1);
  check_mesh(large, 1);
}

// METIS assigns no node of a cube with 8 nodes to some of 4 to 7 parts.
static void a_small_mesh_has_nodes_for_each_process(void **state) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  (void)state;
  MUST(mesh_make_box(1, 1, 1, (double[3]){ 1, 1, 1 }, &mesh, &error));
  assert_int_equal(mesh.node_count, 8);
  for (int count = 2; count <= MEMBERS_MAX; count++) {
    Member member[MEMBERS_MAX];
    run(member, count, &mesh);
    for (int r = 0; r < count; r++) {
      int owned = 0;
      if (!member[r].ok) fail_msg("process %d of %d: %s", r, count, member[r].error.message);
      for (int a = 0; a < mesh.node_count; a++) owned += member[r].division.owner[a] == r;
      assert_in_range(owned, 1, 8 - (count - 1));
    }
    disband(member, count);
  }
  mesh_destroy(&mesh);
}

static void too_many_processes_fail_with_one_message(void **state) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  Member member[MEMBERS_MAX];
  (void)state;
  MUST(mesh_make_box(1, 1, 1, (double[3]){ 1, 1, 1 }, &mesh, &error));
  mesh.tet_count = 1;
  mesh.node_count = 4;  // one tet, whose nodes get the numbers 0 to 3
  for (int c = 0; c < 4; c++) mesh.tet[0][c] = c;
  run(member, 5, &mesh);
  for (int r = 0; r < 5; r++) {
    assert_false(member[r].ok);
    assert_string_equal(member[r].error.message,
                        "the mesh has 4 nodes, too few for 5 processes; start fewer processes");
  }
  disband(member, 5);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_process_has_all_nodes_and_the_cells_near_its_own_nodes),
    cmocka_unit_test(a_small_mesh_has_nodes_for_each_process),
    cmocka_unit_test(too_many_processes_fail_with_one_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
