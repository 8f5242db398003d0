// Tests volumes and masses of tets, the generated box, and mesh_tidy, which repairs a mesh that was read.
#include "mesh_testing.h"

static TetMesh box(int nx, int ny, int nz, double x, double y, double z) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  if (!mesh_make_box(nx, ny, nz, (double[3]){ x, y, z }, &mesh, &error)) fail_msg("%s", error.message);
  return mesh;
}

static void box_has_six_tets_a_box_and_its_volume(void **state) {
  (void)state;
  TetMesh mesh = box(3, 4, 5, 0.3, 2, 7);
  assert_int_equal(mesh.node_count, 4 * 5 * 6);
  assert_int_equal(mesh.tet_count, 6 * 3 * 4 * 5);
  assert_near("volume", total_volume(&mesh), 0.3 * 2 * 7, 1e-13);
  for (int e = 0; e < mesh.tet_count; e++) assert_near("tet", mesh_tet_volume(&mesh, e), 0.3 * 2 * 7 / 360, 1e-13);
  for (int a = 0; a < mesh.node_count; a++) assert_int_equal(mesh.node_tag[a], a + 1);
  double low[3], high[3];
  mesh_bounds(&mesh, low, high);
  assert_true(low[0] == 0 && low[1] == 0 && low[2] == 0);
  assert_true(high[0] == 0.3 && high[1] == 2 && high[2] == 7);
  mesh_destroy(&mesh);
  assert_true(!mesh.X && !mesh.tet && !mesh.node_tag && mesh.node_count == 0);
  mesh_destroy(&mesh);
}

// The numbers of unknowns (three per node) and of faces (four per tet) must be in the range of an int. This limits the
// numbers of nodes and of tets.
static void invalid_boxes_are_refused(void **state) {
  (void)state;
  static const struct {
    int n[3];
    double size[3];
    const char *message;
  } cases[] = {
    { { 0, 1, 1 }, { 1, 1, 1 }, "0 x 1 x 1 boxes" },
    { { 1, 1, -4 }, { 1, 1, 1 }, "1 x 1 x -4 boxes" },
    { { 1, 1, 1 }, { 1, 0, 1 }, "1 x 0 x 1 m" },
    { { 1, 1, 1 }, { 1, 1, (double)NAN }, "expected finite sides above 0" },
    { { INT32_MAX, INT32_MAX, INT32_MAX }, { 1, 1, 1 }, "at most 715827882 nodes" },
    { { 500, 500, 500 }, { 1, 1, 1 }, "and 536870911 tets" },
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    TetMesh mesh = { 0 };
    Error error = { 0 };
    const int *n = cases[k].n;
    assert_false(mesh_make_box(n[0], n[1], n[2], cases[k].size, &mesh, &error));
    assert_contains(error.message, cases[k].message);
    assert_null(mesh.X);
  }
}

static void lumped_mass_sums_to_density_times_volume(void **state) {
  (void)state;
  TetMesh mesh = box(7, 3, 2, 1, 2, 3);
  double mass[8 * 4 * 3], total = 0;
  mesh_lumped_mass(&mesh, 1200, mass);
  for (int a = 0; a < mesh.node_count; a++) {
    assert_true(mass[a] > 0);
    total += mass[a];
  }
  assert_near("mass", total, 1200 * 6, 1e-13);
  mesh_destroy(&mesh);

  // The box is divided into six tets of volume 1/6 along a space diagonal. The two ends of this diagonal belong to all
  // six tets, each other corner to two.
  mesh = box(1, 1, 1, 1, 1, 1);
  mesh_lumped_mass(&mesh, 24, mass);
  for (int a = 0; a < 8; a++) assert_near("mass of a corner", mass[a], a == 0 || a == 7 ? 6 : 2, 1e-15);
  mesh_destroy(&mesh);
}

static void scaling_scales_the_volume_by_the_cube(void **state) {
  (void)state;
  TetMesh mesh = box(2, 2, 2, 1, 1, 1);
  mesh_scale(&mesh, 0.5);
  assert_near("volume", total_volume(&mesh), 0.125, 1e-15);
  mesh_destroy(&mesh);
}

// Positions and tags of seven nodes. Four of them are the corners of a unit tet, and another four the corners of a flat
// tet. Some nodes belong to no tet.
static const double positions[][3] = { { 9, 9, 9 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 },
                                       { 8, 8, 8 }, { 0, 0, 1 }, { 1, 1, 0 } };
static const int64_t tags[] = { 10, 20, 30, 40, 50, 60, 70 };

// Returns a mesh with the tet a b c d, and with copies of `positions` and `tags`, since mesh_tidy changes them.
static TetMesh one_tet(int a, int b, int c, int d) {
  TetMesh mesh = { .node_count = 7, .tet_count = 1 };
  mesh.X = malloc(sizeof positions);
  mesh.node_tag = malloc(sizeof tags);
  mesh.tet = malloc(sizeof *mesh.tet);
  assert_true(mesh.X && mesh.node_tag && mesh.tet);
  memcpy(mesh.X, positions, sizeof positions);
  memcpy(mesh.node_tag, tags, sizeof tags);
  memcpy(mesh.tet, (int[4]){ a, b, c, d }, sizeof *mesh.tet);
  return mesh;
}

static bool tidy(TetMesh *mesh, char notices[NOTICE_LENGTH], Error *error) {
  Notices caught = catch_notices();
  bool ok = mesh_tidy(mesh, "some.msh", error);
  take_notices(&caught, notices);
  return ok;
}

static void tidy_drops_unused_nodes_and_turns_inverted_tets(void **state) {
  (void)state;
  char notices[NOTICE_LENGTH];
  Error error = { 0 };
  TetMesh mesh = one_tet(1, 2, 3, 5);
  assert_true(mesh_tet_volume(&mesh, 0) < 0);
  assert_true(tidy(&mesh, notices, &error));
  assert_contains(notices, "pliant: some.msh: re-oriented 1 inverted tet\n");
  assert_contains(notices, "pliant: some.msh: dropped 3 nodes that no tet uses\n");
  assert_int_equal(mesh.node_count, 4);
  assert_near("volume", mesh_tet_volume(&mesh, 0), 1.0 / 6, 1e-15);
  static const int64_t kept[4] = { 20, 30, 40, 60 };
  assert_memory_equal(mesh.node_tag, kept, sizeof kept);
  assert_true(mesh.X[3][2] == 1 && mesh.X[2][1] == 1);

  // a valid mesh is not changed, and causes no notices
  assert_true(tidy(&mesh, notices, &error));
  assert_string_equal(notices, "");
  mesh_destroy(&mesh);
}

static void tidy_refuses_tets_without_volume(void **state) {
  (void)state;
  char notices[NOTICE_LENGTH];
  Error flat = { 0 }, repeated = { 0 }, none = { 0 }, huge = { 0 };
  TetMesh mesh = one_tet(1, 2, 3, 6);
  assert_false(tidy(&mesh, notices, &flat));
  assert_string_equal(flat.message, "some.msh: the tet with nodes 20, 30, 40, 70 is flat: it has no volume");
  mesh_destroy(&mesh);

  mesh = one_tet(1, 2, 3, 2);
  assert_false(tidy(&mesh, notices, &repeated));
  assert_string_equal(repeated.message, "some.msh: the tet with nodes 20, 30, 40, 30 has the same node at two corners");
  mesh.tet_count = 0;
  assert_false(tidy(&mesh, notices, &none));
  assert_string_equal(none.message, "some.msh: the mesh has no tetrahedra");
  mesh_destroy(&mesh);

  mesh = one_tet(1, 2, 3, 5);
  mesh_scale(&mesh, 1e150);
  assert_false(tidy(&mesh, notices, &huge));
  assert_contains(huge.message, "its volume overflows");
  mesh_destroy(&mesh);
}

static void small_tets_are_not_flat_tets(void **state) {
  (void)state;
  char notices[NOTICE_LENGTH];
  Error error = { 0 };
  TetMesh mesh = one_tet(2, 1, 3, 5);
  mesh_scale(&mesh, 1e-9);
  if (!tidy(&mesh, notices, &error)) fail_msg("%s", error.message);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(box_has_six_tets_a_box_and_its_volume),
    cmocka_unit_test(invalid_boxes_are_refused),
    cmocka_unit_test(lumped_mass_sums_to_density_times_volume),
    cmocka_unit_test(scaling_scales_the_volume_by_the_cube),
    cmocka_unit_test(tidy_drops_unused_nodes_and_turns_inverted_tets),
    cmocka_unit_test(tidy_refuses_tets_without_volume),
    cmocka_unit_test(small_tets_are_not_flat_tets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
