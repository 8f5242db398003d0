// Tests cells of any shape: shape functions, quadrature rules, facets, grids, and files.
#include "mesh_testing.h"

#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "base/random.h"
#include "mesh/cell_surface.h"
#include "mesh/grid.h"

static const CellShape shapes[] = { CELL_TET4, CELL_TRI3, CELL_QUAD4, CELL_QUAD9, CELL_QUAD16, CELL_QUAD25, CELL_HEX8 };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static CellMesh grid(CellShape shape, int cells, double distort) {
  Error error = { 0 };
  CellMesh mesh;
  const Grid g = { shape, { cells, cells + 1, cells }, { -1, 2, 0.5 }, { 1, 2, 1.5 }, distort, 4 };
  if (!grid_make(&g, &mesh, &error)) fail_msg("%s", error.message);
  return mesh;
}

static void shape_functions_are_one_at_their_node_and_slope_as_differences_say(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int shape = 0; shape < CELL_SHAPES; shape++) {
    const CellShapeInfo *k = cell_shape_info((CellShape)shape);
    assert_true(k->nodes <= CELL_NODES_MAX && cell_shape_find(k->dimension, k->simplex, k->degree) == (CellShape)shape);
    for (int trial = 0; trial < 20; trial++) {
      double xi[3], N[CELL_NODES_MAX], dN[CELL_NODES_MAX][3], low[CELL_NODES_MAX], high[CELL_NODES_MAX], sum = 0;
      for (int i = 0; i < 3; i++) xi[i] = 0.5 + 0.3 * random_unit(&seed);
      cell_shape_at((CellShape)shape, xi, N, dN);
      for (int a = 0; a < k->nodes; a++) sum += N[a];
      assert_true(fabs(sum - 1) < 1e-14);
      for (int i = 0; i < k->dimension; i++) {
        double moved[3] = { xi[0], xi[1], xi[2] };
        moved[i] += 1e-6;
        cell_shape_at((CellShape)shape, moved, high, NULL);
        moved[i] -= 2e-6;
        cell_shape_at((CellShape)shape, moved, low, NULL);
        for (int a = 0; a < k->nodes; a++) assert_true(fabs((high[a] - low[a]) / 2e-6 - dN[a][i]) < 1e-7);
      }
    }
  }
}

// Quadrature rules integrate the monomial x^4 exactly over the reference cell, and their weights add up to the volume
// of this cell.
static void rules_are_as_exact_as_they_say(void **state) {
  (void)state;
  static double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX];
  for (int s = 0; s < SHAPES; s++) {
    const CellShapeInfo *k = cell_shape_info(shapes[s]);
    const int points = cell_shape_rule(shapes[s], 5, xi, weight), power = 4;
    double volume = 0, monomial = 0;
    for (int q = 0; q < points; q++) {
      volume += weight[q];
      monomial += weight[q] * pow(xi[q][0], power);
    }

    // the integral of x^n over a simplex of dimension d is n! / (n + d)!
    const double expected = !k->simplex ? 1.0 / (power + 1) : k->dimension == 2 ? 1.0 / 30 : 1.0 / 210;
    assert_true(fabs(volume - (!k->simplex ? 1 : k->dimension == 2 ? 0.5 : 1.0 / 6)) < 1e-14);
    assert_true(fabs(monomial - expected) < 1e-14);
  }
}

// The measures of the boundary facets add up to the perimeter of the rectangle or the surface area of the box.
static void facets_add_up_to_the_boundary(void **state) {
  (void)state;
  for (int s = 0; s < SHAPES; s++) {
    Error error = { 0 };
    CellMesh mesh = grid(shapes[s], 3, 0.2);
    const CellShapeInfo *k = cell_shape_info(mesh.shape);
    const double size[3] = { 1, 2, 1.5 };
    double measure = 0, xi[100][3], weight[100], along[2][3];
    int count;
    CellFacet *facet = cell_mesh_facets(&mesh, &count, &error);
    assert_non_null(facet);
    for (int f = 0; f < count; f++) {
      double X[CELL_NODES_MAX][3], x[3], J[3][3];
      const int *node = mesh.cell + facet[f].cell * k->nodes;
      for (int a = 0; a < k->nodes; a++) memcpy(X[a], mesh.X[node[a]], sizeof X[a]);
      const int points = cell_shape_facet_rule(mesh.shape, facet[f].number, 3, xi, weight, along);
      int local[CELL_FACET_NODES_MAX];
      const int nodes = cell_shape_facet(mesh.shape, facet[f].number, local, NULL);
      for (int q = 0; q < points; q++) {
        double t[2][3] = { { 0 } }, N[CELL_NODES_MAX], on = 0, area = 0;
        cell_shape_map(mesh.shape, (const double(*)[3])X, xi[q], x, J);
        for (int v = 0; v < 2; v++)
          for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) t[v][i] += J[i][j] * along[v][j];
        if (k->dimension == 2) t[1][2] = 1;
        for (int i = 0; i < 3; i++)
          area += pow(t[0][(i + 1) % 3] * t[1][(i + 2) % 3] - t[0][(i + 2) % 3] * t[1][(i + 1) % 3], 2);
        measure += weight[q] * sqrt(area);

        // at points of a facet, the shape functions of the facet's nodes add up to 1, since those of other nodes are 0
        cell_shape_at(mesh.shape, xi[q], N, NULL);
        for (int a = 0; a < nodes; a++) on += N[local[a]];
        assert_true(fabs(on - 1) < 1e-13);
      }
    }
    const double expected =
        k->dimension == 2 ? 2 * (size[0] + size[1]) : 2 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
    assert_true(fabs(measure / expected - 1) < 1e-13);
    free(facet);
    cell_mesh_destroy(&mesh);
  }
}

static void grids_have_their_volume_and_boundary(void **state) {
  (void)state;
  static double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX];
  for (int s = 0; s < SHAPES; s++) {
    Error error = { 0 };
    CellMesh mesh = grid(shapes[s], 4, 0.15);
    const CellShapeInfo *k = cell_shape_info(mesh.shape);
    const Grid g = { .shape = shapes[s], .cells = { 4, 5, 4 } };
    double volume = 0;
    const int points = cell_shape_rule(mesh.shape, 3, xi, weight);
    for (int e = 0; e < mesh.cell_count; e++) {
      double X[CELL_NODES_MAX][3], x[3];
      for (int a = 0; a < k->nodes; a++) memcpy(X[a], mesh.X[mesh.cell[e * k->nodes + a]], sizeof X[a]);
      for (int q = 0; q < points; q++)
        volume += weight[q] * cell_shape_map(mesh.shape, (const double(*)[3])X, xi[q], x, NULL);
    }
    assert_true(fabs(volume / (k->dimension == 2 ? 2 : 3) - 1) < 1e-13);
    uint8_t *by_facets = malloc((size_t)mesh.node_count), *by_local_index = malloc((size_t)mesh.node_count);
    assert_true(cell_mesh_boundary(&mesh, by_facets, &error));
    grid_boundary(&g, &mesh, by_local_index);
    assert_memory_equal(by_facets, by_local_index, (size_t)mesh.node_count);
    free(by_facets);
    free(by_local_index);
    cell_mesh_destroy(&mesh);
  }
}

static void written_files_are_read_back(void **state) {
  (void)state;
  const char *path = "test_cells_out.msh";
  for (int s = 0; s < SHAPES; s++) {
    Error error = { 0 };
    CellMesh mesh = grid(shapes[s], 3, 0.2), back;
    if (!cell_mesh_write(path, &mesh, NULL, 0, &error) || !cell_mesh_read(path, &back, &error))
      fail_msg("%s", error.message);
    assert_true(back.shape == mesh.shape && back.node_count == mesh.node_count && back.cell_count == mesh.cell_count);
    assert_memory_equal(back.X, mesh.X, sizeof *mesh.X * (size_t)mesh.node_count);
    assert_memory_equal(back.cell, mesh.cell,
                        sizeof(int) * (size_t)(mesh.cell_count * cell_shape_info(mesh.shape)->nodes));
    assert_memory_equal(back.node_tag, mesh.node_tag, sizeof *mesh.node_tag * (size_t)mesh.node_count);
    cell_mesh_destroy(&mesh);
    cell_mesh_destroy(&back);
  }
  remove(path);
}

// Reads a mesh from a text. If `words` is not NULL, expects an error message that contains them.
static void read_text(const char *text, const char *words, CellMesh *mesh) {
  const char *path = "test_cells_text.msh";
  Error error = { 0 };
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  const bool ok = cell_mesh_read(path, mesh, &error);
  remove(path);
  if (words && ok) fail_msg("the mesh was accepted, expected an error with \"%s\"", words);
  if (words) assert_contains(error.message, words);
  if (!words && !ok) fail_msg("%s", error.message);
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 2\n2 1 0 2\n3 1 1 2\n4 0 1 2\n9 7 7 2\n$EndNodes\n"
static void files_with_other_cells_are_refused(void **state) {
  (void)state;
  CellMesh mesh;

  // The file has a quad in Gmsh's order with inverted orientation, and also a line and a point. Only the quad is a
  // cell, and the mesh must have only its four nodes.
  read_text(HEAD "$Elements\n3\n1 1 2 1 1 1 2\n2 3 2 1 1 1 4 3 2\n3 15 2 1 1 1\n$EndElements\n", NULL, &mesh);
  assert_true(mesh.shape == CELL_QUAD4 && mesh.node_count == 4 && mesh.cell_count == 1);
  assert_true(mesh.X[mesh.cell[0]][2] == 0);
  Error error = { 0 };
  assert_true(cell_mesh_check(&mesh, "quad", &error));
  cell_mesh_destroy(&mesh);
  read_text(HEAD "$Elements\n2\n1 2 2 1 1 1 2 3\n2 3 2 1 1 1 2 3 4\n$EndElements\n",
            "the file mixes shapes of cells (1 of shape tri3 and 1 of shape quad4)", &mesh);
  read_text(HEAD "$Elements\n1\n1 1 2 1 1 1 2\n$EndElements\n", "no cells of a supported shape", &mesh);
  read_text(HEAD "$Elements\n1\n1 2 2 1 1 1 2 8\n$EndElements\n", ":14: element 1 has the node 8", &mesh);
  read_text(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 1\n4 0 1 0\n$EndNodes\n$Elements\n"
      "1\n1 3 2 1 1 1 2 3 4\n$EndElements\n",
      "node 3 has z = 1", &mesh);
  read_text(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0.2 0.2 0\n4 0 1 0\n$EndNodes\n"
      "$Elements\n1\n1 3 2 1 1 1 2 3 4\n$EndElements\n",
      "cell 1, a quad4, is inverted or flat", &mesh);
}

#define NAMES(lines) "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n" lines "\n$EndPhysicalNames\n"
#define ENTITIES(lines) "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n" lines "\n$EndEntities\n"
static void groups_are_those_of_the_file(void **state) {
  (void)state;
  CellMesh mesh;

  // Group 4 of dimension 1 has the sides 1-2 and 2-3; side 2-3 is in the file twice, once reversed. Node 9 belongs to
  // no cell. The cell is in another group, which also has the number 4 but the dimension 2, so it is no part of the
  // boundary.
  read_text(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 4 \"a side\"\n2 4 \"cells\"\n1 5 \"none\"\n"
      "$EndPhysicalNames\n$Nodes\n5\n9 7 7 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n7\n"
      "1 1 2 4 1 2 1\n2 1 2 4 1 2 3\n3 1 2 -4 1 3 2\n4 1 0 3 4\n5 15 2 6 1 9\n6 15 2 6 1 4\n7 3 2 4 1 1 2 3 4\n"
      "$EndElements\n",
      NULL, &mesh);
  assert_int_equal(mesh.group_count, 2);
  const CellGroup *point = &mesh.group[0], *side = &mesh.group[1];
  assert_string_equal(point->name, "6");
  assert_string_equal(side->name, "a side");
  assert_true(point->node_count == 1 && point->node[0] == 3 && point->facet_count == 0);
  assert_true(side->node_count == 3 && side->facet_count == 2);
  for (int a = 0; a < 4; a++) assert_true(cell_group_has_node(side, a) == (a < 3));
  int count = 0, found = 0, corner[4];
  Error error = { 0 };
  CellFacet *facet = cell_mesh_facets(&mesh, &count, &error);
  for (int k = 0; k < count; k++) {
    cell_mesh_facet_corners(&mesh, &facet[k], corner);
    found += cell_group_has_facet(side, corner);
  }
  assert_true(count == 4 && found == 2);
  free(facet);
  cell_mesh_destroy(&mesh);

  // each row is a faulty file, and a part of the error message: often the number of the faulty line
  static const char *const bad[][2] = {
    { NAMES("1\n1 4 side"), ":6: expected the name of a physical group in quotes" },
    { NAMES("1\n4 4 \"side\""), ":6: physical group's dimension is \"4\", expected 0 to 3" },
    { NAMES("2\n1 4 \"side\""), ":7: " },
    { NAMES("x"), ":5: count of physical names is \"x\"" },
    { ENTITIES("1 0 0 0\n1 0 0 0 1"), ":6: " },
    { ENTITIES("0 1 0 0\n1 0 0 0 1 0 0 9 7"), "count of physical groups" },
    { ENTITIES("0 0 0"), ":5: " },
    { ENTITIES("0 0 0 1"), ":6: " },
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) read_text(bad[k][0], bad[k][1], &mesh);
}

// Reads a file with one thread and with several threads. Then several threads read files in which one line has a bad
// number or an unknown node.
static void several_threads_read_the_same_mesh_as_one(void **state) {
  (void)state;
  const char *path = "test_cells_many.msh";
  Error error = { 0 };
  CellMesh mesh = { 0 }, back[2];
  const Grid g = { .shape = CELL_QUAD4, .cells = { 150, 100 }, .size = { 1, 1 }, .distort = 0.2 };
  assert_true(grid_make(&g, &mesh, &error) && cell_mesh_write(path, &mesh, NULL, 0, &error));
  for (int k = 0; k < 2; k++) {
    parallel_set_threads(k ? 4 : 1);
    if (!cell_mesh_read(path, &back[k], &error)) fail_msg("%s", error.message);
    assert_memory_equal(back[k].X, mesh.X, sizeof *mesh.X * (size_t)mesh.node_count);
    assert_memory_equal(back[k].cell, mesh.cell, sizeof(int) * (size_t)(4 * mesh.cell_count));
    cell_mesh_destroy(&back[k]);
  }

  // line: number of the line of the file that `text` replaces. words: part of the error message
  static const struct {
    int line;
    const char *text, *words;
  } bad[] = { { 9001, "8996 0.5 0.5x 0\n", ":9001: node's y" },
              { 20000, "4736 3 2 1 1 1 2 99999 4\n", ":20000: element 4736 has the node 99999" },
              { 20000, "4736 3 2 1 1 1 2 3\n", ":20000: " } };
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
    for (int k = 0; k < 2; k++) {
      const char *other = "test_cells_bad.msh";
      char row[400];
      FILE *in = fopen(path, "r"), *out = fopen(other, "w");
      for (int line = 1; fgets(row, sizeof row, in); line++) fputs(line == bad[b].line ? bad[b].text : row, out);
      fclose(in);
      fclose(out);
      parallel_set_threads(k ? 4 : 1);
      error = (Error){ 0 };
      assert_false(cell_mesh_read(other, &back[0], &error));
      assert_contains(error.message, bad[b].words);
      remove(other);
    }
  parallel_set_threads(0);
  remove(path);
  cell_mesh_destroy(&mesh);
}

static void bad_grids_are_refused(void **state) {
  (void)state;

  // grid: cell shape, numbers of cells, lowest corner, lengths of the sides, distort, seed (struct Grid). words: part
  // of the expected message
  static const struct {
    Grid grid;
    const char *words;
  } rows[] = {
    { { CELL_QUAD4, { 0, 1 }, { 0 }, { 1, 1 }, 0, 0 }, "the grid has 0 cells along x, expected at least 1" },
    { { CELL_QUAD4, { 1, 1 }, { 0 }, { 1, 0 }, 0, 0 }, "along y, the grid begins at 0 m and is 0 m long" },
    { { CELL_QUAD4, { 1, 1 }, { 0 }, { 1, 1 }, 0.5, 0 }, "distort is 0.5" },
    { { CELL_TET10, { 1, 1, 1 }, { 0 }, { 1, 1, 1 }, 0, 0 }, "degree 1 only" },
    { { CELL_HEX8, { 2000, 2000, 2000 }, { 0 }, { 1, 1, 1 }, 0, 0 }, "the limit is 2147483647" },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    Error error = { 0 };
    CellMesh mesh;
    assert_false(grid_make(&rows[k].grid, &mesh, &error));
    assert_contains(error.message, rows[k].words);
  }
}

// Renumbers the corners of a hex without a change of its geometry. Corner `first` becomes corner 0. `round`: also
// permutes the axes x, y and z cyclically.
static void turn_hex(int node[8], int first, bool round) {
  int turned[8];
  for (int c = 0; c < 8; c++) {
    // The bits of a corner's number are its coordinates. If `first` flips an odd number of them, the cell is mirrored.
    // An exchange of two coordinates then restores the orientation.
    const bool swap = (first == 1 || first == 2 || first == 4 || first == 7);
    int bits = round ? (c << 1 & 7) | c >> 2 : c;
    if (swap) bits = (bits & 1) | (bits >> 1 & 1) << 2 | (bits >> 2 & 1) << 1;
    turned[c] = node[bits ^ first];
  }
  memcpy(node, turned, sizeof turned);
}

static void cells_are_drawn_by_tets_and_triangles_that_fill_them(void **state) {
  (void)state;
  for (int s = 0; s < SHAPES; s++) {
    const CellShapeInfo *k = cell_shape_info(shapes[s]);
    Error error = { 0 };
    CellSurface made;
    CellMesh mesh = grid(shapes[s], 4, 0.15);
    uint64_t seed = 3;
    for (int e = 0; shapes[s] == CELL_HEX8 && e < mesh.cell_count; e++) {
      const int first = (int)(4 + 3.999 * random_unit(&seed));
      turn_hex(mesh.cell + (int64_t)8 * e, first, random_unit(&seed) > 0);
    }
    if (shapes[s] == CELL_HEX8 && !cell_mesh_check(&mesh, "turned", &error)) fail_msg("%s", error.message);
    if (!cell_surface_create(&made, &mesh, &error)) fail_msg("%s: %s", k->name, error.message);

    // Two neighbouring cells must divide their common face into the same triangles. Otherwise these triangles would be
    // taken for surface, and the sums below would be wrong.
    double volume = 0, area = 0, boundary = 0;
    for (int e = 0; e < made.mesh.tet_count; e++) volume += mesh_tet_volume(&made.mesh, e);
    for (int t = 0; t < made.surface.triangle_count; t++) {
      const int *n = made.surface.triangle[t];
      double u[3], v[3], normal[3], middle = 0;
      for (int i = 0; i < 3; i++) {
        u[i] = mesh.X[n[1]][i] - mesh.X[n[0]][i];
        v[i] = mesh.X[n[2]][i] - mesh.X[n[0]][i];
      }
      for (int i = 0; i < 3; i++) normal[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
      for (int c = 0; c < 3; c++) middle += mesh.X[n[c]][2] / 3;
      area += normal[2] / 2;
      boundary += middle * normal[2] / 2;  // the integral of z n_z is the volume
    }
    if (k->dimension == 2) {
      assert_true(made.mesh.tet_count == 0 && fabs(area - 1 * 2) < 1e-12);
    } else {
      assert_true(fabs(volume - 1 * 2 * 1.5) < 1e-12 && fabs(area) < 1e-12 && fabs(boundary - volume) < 1e-12);
    }
    cell_surface_destroy(&made);
    cell_mesh_destroy(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(shape_functions_are_one_at_their_node_and_slope_as_differences_say),
    cmocka_unit_test(rules_are_as_exact_as_they_say),
    cmocka_unit_test(facets_add_up_to_the_boundary),
    cmocka_unit_test(grids_have_their_volume_and_boundary),
    cmocka_unit_test(written_files_are_read_back),
    cmocka_unit_test(files_with_other_cells_are_refused),
    cmocka_unit_test(groups_are_those_of_the_file),
    cmocka_unit_test(several_threads_read_the_same_mesh_as_one),
    cmocka_unit_test(cells_are_drawn_by_tets_and_triangles_that_fill_them),
    cmocka_unit_test(bad_grids_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
