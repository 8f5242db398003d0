// Tests the vertices from which surfaces are drawn. A node on a sharp edge of a box has several vertices, one for each
// face of the box at this node. A node of a round body has one. Each corner of a triangle uses one of the vertices of
// its node.
#include "mesh_testing.h"

#include "mesh/creases.h"
#include "mesh/shapes.h"

// Checks invariants that hold for all meshes. Returns the number of vertices.
static int check_vertices(const TetMesh *mesh) {
  Surface surface;
  SurfaceVertices v;
  Error error = { 0 };
  assert_true(surface_create(&surface, mesh, &error));
  assert_true(surface_vertices_create(&v, &surface, mesh, &error));
  for (int t = 0; t < surface.triangle_count; t++)
    for (int c = 0; c < 3; c++) assert_int_equal(v.node[v.triangle[t][c]], surface.triangle[t][c]);
  assert_int_equal(v.fan_start[0], 0);
  assert_int_equal(v.fan_start[v.count], 3 * surface.triangle_count);
  for (int k = 0; k < v.count; k++) {
    assert_true(v.fan_start[k + 1] > v.fan_start[k]);
    for (int i = v.fan_start[k]; i < v.fan_start[k + 1]; i++) {
      const int *triangle = v.triangle[v.fan[i]];
      assert_true(triangle[0] == k || triangle[1] == k || triangle[2] == k);
      assert_true(i == v.fan_start[k] || v.fan[i] > v.fan[i - 1]);
    }
  }
  const int count = v.count;
  surface_vertices_destroy(&v);
  surface_destroy(&surface);
  return count;
}

static int surface_nodes(const TetMesh *mesh) {
  Surface surface;
  Error error = { 0 };
  int count = 0;
  assert_true(surface_create(&surface, mesh, &error));
  for (int a = 0; a < mesh->node_count; a++) count += surface.fan_start[a + 1] > surface.fan_start[a];
  surface_destroy(&surface);
  return count;
}

static void a_box_has_its_faces_nodes_face_by_face(void **state) {
  (void)state;
  for (int n = 1; n < 5; n++) {
    TetMesh mesh;
    Error error = { 0 };
    assert_true(mesh_make_box(n, n + 1, n + 2, (double[3]){ 1, 3, 0.2 }, &mesh, &error));
    const int a = n + 1, b = n + 2, c = n + 3;  // number of nodes along the three edges
    assert_int_equal(check_vertices(&mesh), 2 * (a * b + b * c + c * a));
    mesh_destroy(&mesh);
  }
}

static void round_bodies_are_not_split(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int cells;
  } round[] = { { "sphere", 4 }, { "sphere", 9 }, { "torus", 2 }, { "torus", 5 } };
  for (size_t k = 0; k < sizeof round / sizeof *round; k++) {
    TetMesh mesh;
    Error error = { 0 };
    assert_true(mesh_make_shape(round[k].name, mesh_shape_size(round[k].name), round[k].cells, &mesh, &error));
    assert_int_equal(check_vertices(&mesh), surface_nodes(&mesh));
    mesh_destroy(&mesh);
  }
}

static void a_cylinder_is_split_where_its_ends_begin(void **state) {
  (void)state;
  for (int cells = 2; cells < 7; cells += 2) {
    TetMesh mesh;
    Error error = { 0 };
    assert_true(mesh_make_shape("cylinder", mesh_shape_size("cylinder"), cells, &mesh, &error));
    // the rim of each end of the cylinder is a ring of 3 * cells nodes; each of them has two vertices, one more than
    // others
    assert_int_equal(check_vertices(&mesh), surface_nodes(&mesh) + 2 * 3 * cells);
    mesh_destroy(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_box_has_its_faces_nodes_face_by_face),
    cmocka_unit_test(round_bodies_are_not_split),
    cmocka_unit_test(a_cylinder_is_split_where_its_ends_begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
