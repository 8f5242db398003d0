// Tests the surface of generated meshes: it is closed, its triangles are oriented outward, and their order is fixed.
#include "mesh_testing.h"

#include "mesh/opened_faces.h"

static void surface_of_a_box_is_closed_and_encloses_its_volume(void **state) {
  (void)state;
  static const int sizes[][3] = { { 1, 1, 1 }, { 2, 1, 3 }, { 7, 5, 3 } };
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    int nx = sizes[k][0], ny = sizes[k][1], nz = sizes[k][2];
    TetMesh mesh = { 0 };
    Error error = { 0 };
    assert_true(mesh_make_box(nx, ny, nz, (double[3]){ 1, 2, 0.5 }, &mesh, &error));
    assert_int_equal(check_surface(&mesh), 4 * (nx * ny + ny * nz + nz * nx));
    mesh_destroy(&mesh);
  }
}

static void triangles_come_in_the_order_of_tets_and_faces(void **state) {
  (void)state;
  TetMesh mesh = mesh_from(FORMAT_41 NODES_41 ELEMENTS_41, NULL);
  Surface surface = { 0 };
  Error error = { 0 };
  assert_true(surface_create(&surface, &mesh, &error));

  // The tets (1 0 2 3) and (2 1 3 4) have the face 1 2 3 in common, so this face is no part of the surface. It is
  // opposite to corner 1 of the first tet and to corner 3 of the second tet.
  static const int expected[6][3] = { { 0, 3, 2 }, { 1, 3, 0 }, { 1, 0, 2 }, { 1, 4, 3 }, { 2, 3, 4 }, { 2, 4, 1 } };
  assert_int_equal(surface.triangle_count, 6);
  assert_memory_equal(surface.triangle, expected, sizeof expected);
  assert_int_equal(surface.fan_start[1], 3);  // node 0 has the three triangles of the first tet
  assert_true(surface.fan[0] == 0 && surface.fan[1] == 1 && surface.fan[2] == 2);
  surface_destroy(&surface);
  mesh_destroy(&mesh);
}

static void inner_nodes_have_no_triangles(void **state) {
  (void)state;
  TetMesh mesh = { 0 };
  Surface surface = { 0 };
  Error error = { 0 };
  assert_true(mesh_make_box(2, 2, 2, (double[3]){ 1, 1, 1 }, &mesh, &error));
  assert_true(surface_create(&surface, &mesh, &error));
  // node 13, in the middle of 27 nodes, has no triangle
  assert_int_equal(surface.fan_start[13], surface.fan_start[14]);
  surface_destroy(&surface);
  mesh_destroy(&mesh);
}

// Two tets have the face 1 2 3 in common. A cut gives the second tet copies of the nodes 1 and 2, and the surface then
// has this face twice. If the tets belong to two bodies that touch, no face was opened by a cut.
static void faces_that_a_cut_opens_are_found(void **state) {
  (void)state;
  double X[7][3] = { { -1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } };
  int whole[2][4] = { { 1, 0, 2, 3 }, { 2, 1, 3, 4 } }, divided[2][4] = { { 1, 0, 2, 3 }, { 6, 5, 3, 4 } };
  int body[7] = { 0, 0, 0, 0, 0, 1, 1 };
  for (int k = 0; k < 3; k++) {
    const TetMesh mesh = { .node_count = k == 0 ? 5 : 7,
                           .tet_count = 2,
                           .X = X,
                           .tet = k == 0 ? whole : divided,
                           .body = k == 2 ? body : NULL };
    uint8_t opened[8] = { 0 };
    int sum = 0;
    Surface surface;
    Error error = { 0 };
    MUST(surface_create(&surface, &mesh, &error));
    assert_int_equal(surface.triangle_count, k == 0 ? 6 : 8);
    MUST(surface_find_opened(&surface, &mesh, opened, &error));
    for (int t = 0; t < surface.triangle_count; t++) {
      bool on_face = true;
      for (int c = 0; c < 3; c++) on_face = on_face && X[surface.triangle[t][c]][0] == 0;
      if (opened[t] && !on_face) fail_msg("triangle %d is not on the face", t);
      sum += opened[t];
    }
    assert_int_equal(sum, k == 1 ? 2 : 0);
    surface_destroy(&surface);
  }
}

static void tets_on_the_same_side_of_a_face_are_refused(void **state) {
  (void)state;
  static const char *const elements[][2] = {
    { "$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 1 2 3 4\n$EndElements\n",
      "2 tets lie on the same side of the face with nodes" },
    { "$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 1 2 3 5\n$EndElements\n",
      "2 tets lie on the same side of the face with nodes 1, 2, 3; tets overlap" },
    { "$Elements\n1 3 1 3\n3 1 4 3\n1 1 2 3 4\n2 2 3 4 5\n3 2 3 4 5\n$EndElements\n",
      "3 tets share the face with nodes 2, 3, 4;" },
  };
  for (size_t k = 0; k < sizeof elements / sizeof elements[0]; k++) {
    char content[1024];
    snprintf(content, sizeof content, "%s%s%s", FORMAT_41, NODES_41, elements[k][0]);
    TetMesh mesh = mesh_from(content, NULL);
    Surface surface = { 0 };
    Error error = { 0 };
    assert_false(surface_create(&surface, &mesh, &error));
    assert_contains(error.message, elements[k][1]);
    assert_null(surface.triangle);
    mesh_destroy(&mesh);
  }
}

// The mesh is a ring of tets around an axis. Each of the two nodes on the axis belongs to all tets, far more than a
// node of a common mesh.
static void nodes_with_very_many_tets_are_inside_or_not(void **state) {
  (void)state;
  enum { RING = 700 };
  TetMesh mesh = { .node_count = RING + 2, .tet_count = RING };
  mesh.X = calloc(RING + 2, sizeof *mesh.X);
  mesh.tet = calloc(RING, sizeof *mesh.tet);
  mesh.X[0][2] = -1;
  mesh.X[1][2] = 1;
  for (int k = 0; k < RING; k++) {
    mesh.X[2 + k][0] = cos(2 * acos(-1) * k / RING);
    mesh.X[2 + k][1] = sin(2 * acos(-1) * k / RING);
    const int tet[4] = { 0, 1, 2 + k, 2 + (k + 1) % RING };
    memcpy(mesh.tet[k], tet, sizeof tet);
  }
  for (int k = 0; k < RING; k++)
    if (mesh_tet_volume(&mesh, k) < 0) {
      mesh.tet[k][0] = 1;
      mesh.tet[k][1] = 0;
    }
  assert_int_equal(check_surface(&mesh), 2 * RING);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nodes_with_very_many_tets_are_inside_or_not),
    cmocka_unit_test(surface_of_a_box_is_closed_and_encloses_its_volume),
    cmocka_unit_test(triangles_come_in_the_order_of_tets_and_faces),
    cmocka_unit_test(inner_nodes_have_no_triangles),
    cmocka_unit_test(faces_that_a_cut_opens_are_found),
    cmocka_unit_test(tets_on_the_same_side_of_a_face_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
