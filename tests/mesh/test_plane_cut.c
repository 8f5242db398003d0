// Tests sections of meshes by a plane. The triangles of a section must cover the body's cross-section exactly once and
// without gaps, also if nodes of the mesh lie in the plane.
#include "mesh_testing.h"

#include "mesh/plane_cut.h"
#include "mesh/shapes.h"

// Computes the rest position of a corner of the section. The corner is on an edge of a tet, and v->part is its distance
// from the first end of this edge, as a fraction of the edge's length.
static void corner_at_rest(const TetMesh *mesh, const PlaneCutVertex *v, double X[3]) {
  for (int i = 0; i < 3; i++)
    X[i] = (1 - (double)v->part) * mesh->X[v->ends[0]][i] + (double)v->part * mesh->X[v->ends[1]][i];
}

// Returns the area of the section. Asserts that each corner is in the plane and on an edge of its tet.
static double area_of(const TetMesh *mesh, const double normal[3], double at) {
  PlaneCut cut;
  Error error = { 0 };
  double sum = 0;
  assert_true(plane_cut_create(&cut, mesh, normal, at, &error));
  for (int t = 0; t < cut.triangle_count; t++) {
    double X[3][3], twice = 0;
    for (int c = 0; c < 3; c++) {
      const PlaneCutVertex *v = &cut.triangle[t][c];
      int found = 0;
      double height = -at;
      corner_at_rest(mesh, v, X[c]);
      for (int i = 0; i < 3; i++) height += normal[i] * X[c][i];
      assert_true(fabs(height) < 1e-6);  // rounding of float positions in a body of 1 m
      assert_true(v->ends[0] < v->ends[1] && v->part >= 0 && v->part <= 1);
      for (int a = 0; a < 4; a++)
        found += mesh->tet[cut.tet[t]][a] == v->ends[0] || mesh->tet[cut.tet[t]][a] == v->ends[1];
      assert_int_equal(found, 2);
    }
    for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3, l = (i + 2) % 3;
      const double n = (X[1][k] - X[0][k]) * (X[2][l] - X[0][l]) - (X[1][l] - X[0][l]) * (X[2][k] - X[0][k]);
      twice += n * n;
    }
    sum += 0.5 * sqrt(twice);
  }

  plane_cut_destroy(&cut);
  return sum;
}

static void a_box_is_cut_in_rectangles(void **state) {
  (void)state;
  const double size[3] = { 1, 0.5, 0.25 };
  TetMesh mesh;
  Error error = { 0 };
  assert_true(mesh_make_box(4, 3, 2, size, &mesh, &error));
  for (int axis = 0; axis < 3; axis++)
    for (double side = -1; side <= 1; side += 2)
      // the planes are at k/20 of the edge: those at a quarter, a half and three quarters contain nodes, the others do
      // not
      for (int k = 1; k < 20; k++) {
        const double normal[3] = { axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0 };
        const double expected = size[(axis + 1) % 3] * size[(axis + 2) % 3];
        const double area = area_of(&mesh, normal, side * size[axis] * k / 20);
        if (!(fabs(area - expected) < 1e-6))
          fail_msg("axis %d, plane at %d/20 of the edge: the section has the area %g m^2, expected %g m^2", axis, k,
                   area, expected);
      }

  // a plane through the far face or outside the body has no section
  assert_true(area_of(&mesh, (double[3]){ 1, 0, 0 }, 1) == 0);
  assert_true(area_of(&mesh, (double[3]){ 1, 0, 0 }, 7) == 0);
  assert_true(area_of(&mesh, (double[3]){ 1, 0, 0 }, -7) == 0);
  mesh_destroy(&mesh);
}

static void a_slanted_plane_cuts_a_hexagon_of_a_cube(void **state) {
  (void)state;
  TetMesh mesh;
  Error error = { 0 };
  assert_true(mesh_make_box(3, 3, 3, (double[3]){ 1, 1, 1 }, &mesh, &error));
  const double part = 1 / sqrt(3);
  // the section of the unit cube through its centre, normal to a space diagonal, is a regular hexagon with sides
  // 1/sqrt(2)
  const double area = area_of(&mesh, (double[3]){ part, part, part }, 1.5 * part);
  assert_true(fabs(area - 1.5 * sqrt(3) * 0.5) < 1e-6);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_box_is_cut_in_rectangles),
    cmocka_unit_test(a_slanted_plane_cuts_a_hexagon_of_a_cube),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
