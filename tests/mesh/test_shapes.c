// Tests generated shapes: their meshes are closed and conforming, and their volumes converge to the exact ones.
#include "mesh/quality.h"
#include "mesh/shapes.h"
#include "mesh_testing.h"

static TetMesh shape(const char *name, const double size[3], int cells) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  if (!mesh_make_shape(name, size, cells, &mesh, &error)) fail_msg("%s", error.message);
  return mesh;
}

static void shapes_are_whole_and_near_their_volume(void **state) {
  (void)state;
  const double pi = acos(-1);
  const struct {
    const char *name;
    double size[3], volume;
    int euler;  // Euler characteristic of the surface: 2 for a body without holes, 0 with one hole
  } rows[] = {
    { "box", { 1, 2, 0.5 }, 1, 2 },
    { "sphere", { 1, 1, 1 }, pi / 6, 2 },
    { "sphere", { 2, 1, 0.8 }, 1.6 * pi / 6, 2 },
    { "cylinder", { 0.5, 0.5, 2 }, pi / 8, 2 },
    { "torus", { 1, 1, 0.25 }, 2 * pi * pi * 0.375 * 0.125 * 0.125, 0 },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double off[2];
    for (int fine = 0; fine < 2; fine++) {
      TetMesh mesh = shape(rows[k].name, rows[k].size, fine ? 12 : 6);
      MeshQuality quality;
      Error error = { 0 };
      check_adjacency(&mesh);
      const int triangles = check_surface(&mesh);  // check_surface requires a closed surface
      assert_true(mesh_quality(&mesh, &quality, &error));
      assert_int_equal(quality.components, 1);
      assert_true(quality.min_dihedral > 15 && quality.max_dihedral < 160);
      off[fine] = fabs(quality.volume / rows[k].volume - 1);

      // a closed surface of T triangles has 3T/2 edges, so by Euler's formula it has euler + T/2 nodes
      int on_surface = 0;
      Surface surface = { 0 };
      assert_true(surface_create(&surface, &mesh, &error));
      for (int a = 0; a < mesh.node_count; a++) on_surface += surface.fan_start[a + 1] > surface.fan_start[a];
      assert_int_equal(on_surface, rows[k].euler + triangles / 2);
      surface_destroy(&surface);
      mesh_destroy(&mesh);
    }
    assert_true(off[0] < 0.15 &&
                // an error of second order in the edge length falls to a quarter if edges are halved
                (off[1] < 1e-12 || (off[1] > 0.2 * off[0] && off[1] < 0.32 * off[0])));
  }
}

static void the_smallest_shapes_are_valid(void **state) {
  (void)state;
  static const char *const names[] = { "box", "beam", "sphere", "cylinder", "torus" };
  for (int k = 0; k < 5; k++) {
    TetMesh mesh = shape(names[k], (double[3]){ 1, 1, 0.25 }, 1);
    check_surface(&mesh);
    mesh_destroy(&mesh);
  }
}

static void shapes_have_their_base_at_zero_and_their_height(void **state) {
  (void)state;
  const char *name;
  for (int k = 0; (name = mesh_shape_name(k)); k++)
    for (int cells = 1; cells <= 7; cells++) {
      TetMesh mesh = shape(name, mesh_shape_size(name), cells);
      double low[3], high[3];
      mesh_bounds(&mesh, low, high);
      for (int e = 0; e < mesh.tet_count; e++)
        if (!(mesh_tet_volume(&mesh, e) > 0)) fail_msg("%s of %d cells: tet %d is inverted", name, cells, e);

      // the positions of the lowest and highest points are products of numbers that are rounded once
      if (!(fabs(low[2]) < 1e-15 && fabs(high[2] - mesh_shape_size(name)[2]) < 1e-15))
        fail_msg("%s of %d cells: z from %g to %g", name, cells, low[2], high[2]);
      mesh_destroy(&mesh);
    }
}

static void bad_figures_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double size[3];
    int cells;
    const char *message;
  } rows[] = {
    { "cone", { 1, 1, 1 }, 4, "unknown shape \"cone\", expected box, beam, sphere, cylinder or torus" },
    { "box", { 1, 0, 1 }, 4, "size is 1, 0, 1 m, expected three numbers more than 0" },
    { "box", { 1, NAN, 1 }, 4, "expected three numbers more than 0" },
    { "sphere", { 1, 1, 1 }, 0, "cells is 0, expected 1 to 1000" },
    { "sphere", { 1, 1, 1 }, 1000, "a mesh has at most" },
    { "cylinder", { 1, 1, 1e9 }, 10, "a mesh has at most" },
    { "torus", { 1, 1, 0.5 }, 4, "has no hole: x must be more than twice z" },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    TetMesh mesh = { .node_count = -7 };
    Error error = { 0 };
    assert_false(mesh_make_shape(rows[k].name, rows[k].size, rows[k].cells, &mesh, &error));
    assert_contains(error.message, rows[k].message);
    assert_int_equal(mesh.node_count, -7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(shapes_are_whole_and_near_their_volume),
    cmocka_unit_test(the_smallest_shapes_are_valid),
    cmocka_unit_test(shapes_have_their_base_at_zero_and_their_height),
    cmocka_unit_test(bad_figures_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
