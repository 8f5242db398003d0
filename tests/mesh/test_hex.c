// Tests meshes of hexahedra: reading from every format that has them, orientation, volumes, the surface, connected
// parts, writing and renumbering, and faulty meshes.
#include "mesh_testing.h"

#include "base/random.h"
#include "mesh/grid.h"
#include "mesh/hex.h"
#include "mesh/join.h"
#include "mesh/mesh_write.h"
#include "mesh/order.h"
#include "mesh/plane_cut.h"
#include "mesh/quadratic.h"
#include "mesh/quality.h"

// Returns a box of x * y * z hexahedra. `distort` is the largest random displacement of inner nodes, as a fraction of a
// cell's edge.
static TetMesh box(int x, int y, int z, double distort) {
  const Grid grid = {
    .shape = CELL_HEX8, .cells = { x, y, z }, .size = { 1, 2, 0.5 }, .low = { 3, 0, -1 }, .distort = distort, .seed = 5
  };
  CellMesh cells = { 0 };
  TetMesh mesh = { 0 };
  Error error = { 0 };
  if (!grid_make(&grid, &cells, &error) || !cell_mesh_to_body(&cells, &mesh, &error)) fail_msg("%s", error.message);
  return mesh;
}

// Computes the volume of a hexahedron by quadrature. share[a] is the part of node a: the integral of its shape
// function.
static void measured(const double X[8][3], double *volume, double share[8]) {
  double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX], N[8], x[3];
  *volume = 0;
  memset(share, 0, 8 * sizeof *share);
  const int points = cell_shape_rule(CELL_HEX8, 3, xi, weight);
  for (int q = 0; q < points; q++) {
    const double w = weight[q] * cell_shape_map(CELL_HEX8, X, xi[q], x, NULL);
    cell_shape_at(CELL_HEX8, xi[q], N, NULL);
    *volume += w;
    for (int a = 0; a < 8; a++) share[a] += w * N[a];
  }
}

static void volumes_and_shares_are_the_integrals_of_the_map(void **state) {
  (void)state;
  uint64_t seed = 9;
  for (int trial = 0; trial < 20; trial++) {
    double X[8][3], volume, share[8], own[8];
    for (int a = 0; a < 8; a++)
      for (int i = 0; i < 3; i++) X[a][i] = 100 + (a >> i & 1) + 0.3 * random_unit(&seed);
    measured((const double(*)[3])X, &volume, share);
    hex_shares((const double(*)[3])X, own);
    assert_near("volume", hex_volume((const double(*)[3])X), volume, 1e-11);
    for (int a = 0; a < 8; a++) assert_near("share", own[a], share[a], 1e-11);
  }
}

static void masses_and_weights_are_shares_of_the_volume(void **state) {
  (void)state;
  TetMesh mesh = box(3, 4, 2, 0.2);
  double *mass = calloc((size_t)mesh.node_count, sizeof *mass), *weight = calloc((size_t)mesh.node_count, sizeof *mass);
  double sum = 0, moment = 0;
  assert_near("volume", total_volume(&mesh), 1, 1e-12);
  mesh.density = calloc((size_t)mesh.tet_count, sizeof *mesh.density);
  for (int e = 0; e < mesh.tet_count; e++) mesh.density[e] = e % 2 ? 700 : NAN;  // NAN: the density of the call below
  mesh_lumped_mass(&mesh, 700, mass);
  mesh_weight(&mesh, 700, weight);
  for (int a = 0; a < mesh.node_count; a++) {
    assert_true(mass[a] > 0 && weight[a] == mass[a]);
    sum += mass[a];
    moment += mass[a] * mesh.X[a][1];
  }
  assert_near("mass", sum, 700, 1e-12);

  // Shape functions interpolate linear functions exactly. So the sum of nodal mass times y is the total mass times 1 m,
  // the y coordinate of the box's centre of mass.
  assert_near("moment", moment, 700, 1e-12);
  free(mass);
  free(weight);
  mesh_destroy(&mesh);
}

static void surface_is_closed_and_of_two_triangles_a_face(void **state) {
  (void)state;
  static const int sizes[][3] = { { 1, 1, 1 }, { 2, 1, 3 }, { 5, 4, 3 } };
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    const int nx = sizes[k][0], ny = sizes[k][1], nz = sizes[k][2];
    TetMesh mesh = box(nx, ny, nz, 0.2);
    assert_int_equal(check_surface(&mesh), 4 * (nx * ny + ny * nz + nz * nx));

    // renumbers the corners of every third cell, as if the cell were rotated about z; its geometry does not change
    for (int e = 0; e < mesh.tet_count; e++) {
      const int before[8] = { mesh.hex[e][0], mesh.hex[e][1], mesh.hex[e][2], mesh.hex[e][3],
                              mesh.hex[e][4], mesh.hex[e][5], mesh.hex[e][6], mesh.hex[e][7] };
      static const int turned[8] = { 1, 3, 0, 2, 5, 7, 4, 6 };
      for (int a = 0; e % 3 == 1 && a < 8; a++) mesh.hex[e][a] = before[turned[a]];
    }
    assert_int_equal(check_surface(&mesh), 4 * (nx * ny + ny * nz + nz * nx));
    mesh_destroy(&mesh);
  }
}

static void hexes_twice_are_refused_by_the_surface(void **state) {
  (void)state;
  TetMesh mesh = box(2, 1, 1, 0);
  Surface surface = { 0 };
  Error error = { 0 };
  memcpy(mesh.hex[1], mesh.hex[0], sizeof *mesh.hex);
  assert_false(surface_create(&surface, &mesh, &error));
  assert_contains(error.message, "2 hexes lie on the same side of the face with nodes");
  mesh_destroy(&mesh);
}

static void parts_fill_a_hex_and_its_surface(void **state) {
  (void)state;
  TetMesh mesh = box(1, 1, 1, 0);
  for (int a = 0; a < 8; a++) mesh.X[a][0] += 0.1 * mesh.X[a][1] * mesh.X[a][2];
  int part[MESH_PARTS_MAX][4];
  assert_int_equal(mesh_parts_of_tet(&mesh, 0, part), 6);
  const TetMesh parts = { .node_count = 8, .tet_count = 6, .X = mesh.X, .tet = part };
  Surface surface = { 0 };
  Error error = { 0 };
  assert_true(surface_create(&surface, &mesh, &error));
  assert_near("parts", total_volume(&parts), enclosed_volume(&mesh, &surface), 1e-12);
  for (int t = 0; t < surface.triangle_count; t++) {
    int found = 0;
    for (int k = 0; k < 6; k++) {
      int shared = 0;
      for (int c = 0; c < 12; c++) shared += part[k][c / 3] == surface.triangle[t][c % 3];
      found += shared == 3;
    }
    assert_int_equal(found, 1);
  }

  surface_destroy(&surface);

  // the section of the mesh with the plane y = 0.9 must have the area of the box's cross-section
  TetMesh larger = box(4, 3, 2, 0.2);
  PlaneCut cut = { 0 };
  double area = 0;
  assert_true(plane_cut_create(&cut, &larger, (double[3]){ 0, 1, 0 }, 0.9, &error));
  for (int t = 0; t < cut.triangle_count; t++) {
    double x[3][3], u[3], v[3];
    for (int c = 0; c < 3; c++) {
      const PlaneCutVertex *w = &cut.triangle[t][c];
      for (int i = 0; i < 3; i++)
        x[c][i] = (1 - (double)w->part) * larger.X[w->ends[0]][i] + (double)w->part * larger.X[w->ends[1]][i];
    }
    for (int i = 0; i < 3; i++) {
      u[i] = x[1][i] - x[0][i];
      v[i] = x[2][i] - x[0][i];
    }
    area += 0.5 * fabs(u[2] * v[0] - u[0] * v[2]);
  }

  // The area is not exact: inner faces are not flat, and the two cells at such a face divide it along different
  // diagonals. So parts of the section overlap or leave gaps.
  assert_near("section", area, 0.5, 0.02);
  plane_cut_destroy(&cut);
  mesh_destroy(&mesh);
  mesh_destroy(&larger);
}

// Fails unless the file begins with these bytes.
static void begins_with(const char *path, const char *bytes) {
  char begin[64] = { 0 };
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_true(fread(begin, 1, strlen(bytes), file) == strlen(bytes));
  fclose(file);
  assert_string_equal(begin, bytes);
}

static void files_bring_hexes_back(void **state) {
  (void)state;
  static const struct {
    const char *ending, *begin;  // begin: first bytes of the file
    MeshWriting how;
  } kinds[] = { { ".vtu", "<?xml", { 0 } },
                { ".msh", "$MeshFormat\n4.1 0 8\n", { 0 } },
                { ".msh", "$MeshFormat\n4.1 0 8\n", { .msh_version = 41 } },
                { ".msh", "$MeshFormat\n2.2 0 8\n", { .msh_version = 22 } },
                { ".msh", "$MeshFormat\n4.1 1 8\n", { MESH_BINARY, false, 41 } },
                { ".msh", "$MeshFormat\n2.2 1 8\n", { MESH_BINARY, true, 22 } },
                { ".msh.gz", "\x1f\x8b", { .msh_version = 22 } } };
  TetMesh mesh = box(2, 3, 2, 0.2);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char path[PATH_LENGTH];
    TetMesh read = { 0 };
    CellMesh cells = { 0 };
    Error error = { 0 };
    write_temporary("", 0, kinds[k].ending, path);
    const MeshWriting *how = kinds[k].how.msh_version ? &kinds[k].how : NULL;
    if (!mesh_write(path, &mesh, how, &error) || !mesh_read(path, 1, &read, &error)) fail_msg("%s", error.message);
    begins_with(path, kinds[k].begin);
    assert_true(read.hex && !read.tet && !read.middle);
    assert_int_equal(read.tet_count, mesh.tet_count);
    assert_memory_equal(read.hex, mesh.hex, sizeof *mesh.hex * (size_t)mesh.tet_count);
    assert_memory_equal(read.X, mesh.X, sizeof *mesh.X * (size_t)mesh.node_count);
    mesh_destroy(&read);

    // the other reader of meshes, which the program pliant-lab uses for stationary problems, accepts the file, too
    if (!cell_mesh_read(path, &cells, &error)) fail_msg("%s", error.message);
    assert_int_equal(cells.shape, CELL_HEX8);
    cell_mesh_destroy(&cells);
    assert_false(mesh_read(path, 2, &read, &error));
    assert_contains(error.message, "the mesh has hexahedra, which are of degree 1");
    remove(path);
  }

  Error error = { 0 };
  assert_false(mesh_write("/tmp/hexes.mesh", &mesh, NULL, &error));
  assert_contains(error.message, "cells of shape hex8 can be written only as .msh (Gmsh) or .vtu (VTK XML)");
  error = (Error){ 0 };
  assert_false(mesh_write("/tmp/hexes.vtu", &mesh, &(MeshWriting){ .encoding = MESH_TEXT }, &error));
  assert_contains(error.message, "hexes.vtu: .vtu files of hexahedra are written only in the default encoding");
  mesh_destroy(&mesh);
}

// The unit cube [0, 1]^3. Files number its corners around the bottom, then around the top.
#define CORNERS "0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n1 1 1 0\n0 1 1 0\n"
#define MEDIT(cell) "MeshVersionFormatted 1\nDimension 3\nVertices 8\n" CORNERS cell "End\n"
#define NODES "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n"
#define GMSH(elements) "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n" NODES "9 5 5 5\n$EndNodes\n" elements
#define VTK(words, cell, type)                                                                                    \
  "# vtk DataFile Version 3.0\nhex\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n0 0 0 1 0 0 1 1 0 0 1 0\n" \
  "0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 " words "\n" cell "\nCELL_TYPES 1\n" type "\n"

static bool read_text(const char *text, const char *ending, TetMesh *mesh, char *notices, Error *error) {
  char path[PATH_LENGTH];
  write_temporary(text, strlen(text), ending, path);
  Notices caught = catch_notices();
  const bool ok = mesh_read(path, 1, mesh, error);
  take_notices(&caught, notices);
  remove(path);
  return ok;
}

static void formats_number_corners_round_about(void **state) {
  (void)state;
  static const char *const files[][3] = {
    { ".msh", GMSH("$Elements\n1\n7 5 2 1 1 1 2 3 4 5 6 7 8\n$EndElements\n"), "dropped 1 node that no hex uses" },
    { ".mesh", MEDIT("Hexahedra\n1\n1 2 3 4 5 6 7 8 0\n"), "" },
    { ".vtk", VTK("9", "8 0 1 2 3 4 5 6 7", "12"), "" },
    { ".veg", "*VERTICES\n8 3 0 0\n" NODES "*ELEMENTS\nCUBIC\n1 8 0\n1 1 2 3 4 5 6 7 8\n", "" },
    // a cell that is inverted, since its first four nodes are those of the top face
    { ".mesh", MEDIT("Hexahedra\n1\n5 6 7 8 1 2 3 4 0\n"), "re-oriented 1 inverted hex" },
    // an entry for a quadrilateral is no cell, so the reader skips it
    { ".mesh", MEDIT("Quadrilaterals\n1\n1 2 3 4 0\nHexahedra\n1\n1 2 3 4 5 6 7 8 0\n"), "skipped 1 quadrangle" },
  };
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
    TetMesh mesh = { 0 };
    char notices[NOTICE_LENGTH];
    Error error = { 0 };
    if (!read_text(files[k][1], files[k][0], &mesh, notices, &error)) fail_msg("%s", error.message);
    assert_contains(notices, files[k][2]);
    assert_int_equal(mesh.tet_count, 1);
    assert_int_equal(mesh.node_count, 8);
    assert_near("volume", total_volume(&mesh), 1, 1e-15);

    // Bit i of a corner's number is its coordinate along axis i, so corners a and a ^ 1 << i must be the ends of an
    // edge of the cube.
    for (int a = 0; a < 8; a++)
      for (int i = 0; i < 3; i++) {
        const double *p = mesh.X[mesh.hex[0][a]], *q = mesh.X[mesh.hex[0][a ^ 1 << i]];
        assert_true(fabs(p[0] - q[0]) + fabs(p[1] - q[1]) + fabs(p[2] - q[2]) == 1);
      }
    mesh_destroy(&mesh);
  }
}

// Each row is a file whose hexahedra are faulty or missing: its ending, its content, and a part of the error message.
static void files_without_hexes_are_refused(void **state) {
  (void)state;
  static const char *const files[][3] = {
    { ".mesh", MEDIT("Hexahedra\n1\n1 2 3 4 5 6 7 7 0\n"), "has the same node at two corners" },
    { ".mesh", MEDIT("Hexahedra\n1\n1 2 3 4 5 6 7 9 0\n"), "element 1 has the node 9, which the file does not define" },
    { ".mesh", MEDIT("Hexahedra\n1\n1 3 2 4 5 6 7 8 0\n"), "the hex with nodes 1, 3, 4, 2, 5, 6, 8, 7 is inverted at" },
    { ".mesh", "MeshVersionFormatted 1\nDimension 3\nHexahedra\n1\n1 2 3 4 5 6 7 8 0\n",
      ":3: Hexahedra must come after Vertices" },
    { ".mesh",
      "MeshVersionFormatted 1\nDimension 3\nVertices 8\n0.5 0 0.5 0\n1 -1 0 0\n0.5 0.5 -0.5 0\n-0.5 1 -1 0\n1 0.5 0 "
      "0\n0.5 0.5 0.5 0\n2 0.5 1.5 0\n0 1 2 0\nHexahedra\n1\n1 2 3 4 5 6 7 8 0\n",
      "is inverted inside, though not at its corners" },
    { ".vtk", VTK("8", "7 0 1 2 3 4 5 6", "12"), "cell 0 is a hexahedron of 7 nodes, expected 8" },
    { ".vtk", VTK("7", "6 0 1 2 4 5 6", "13"),
      "the file has 1 prism, but Pliant needs tetrahedra, or hexahedra of 8 nodes" },
    { ".msh", GMSH("$Elements\n1\n7 5 2 1 1 1 2 3 4 5 6 7\n$EndElements\n"),
      ":18: the line ends, expected the number of a node of the element" },
  };
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
    TetMesh mesh = { 0 };
    char notices[NOTICE_LENGTH];
    Error error = { 0 };
    assert_false(read_text(files[k][1], files[k][0], &mesh, notices, &error));
    assert_contains(error.message, files[k][2]);
    assert_null(mesh.X);
  }
}

static void hexes_in_meshes_of_tets_are_left_out(void **state) {
  (void)state;
  TetMesh mesh = { 0 };
  char notices[NOTICE_LENGTH];
  Error error = { 0 };
  const char *text = MEDIT("Hexahedra\n1\n1 2 3 4 5 6 7 8 0\nTetrahedra\n1\n1 2 3 5 0\n");
  if (!read_text(text, ".mesh", &mesh, notices, &error)) fail_msg("%s", error.message);
  assert_contains(notices, "skipped 1 hexahedron");
  assert_true(mesh.tet && !mesh.hex && mesh.tet_count == 1);
  mesh_destroy(&mesh);
}

static void renumbered_and_joined_hexes_are_unchanged(void **state) {
  (void)state;
  static const MeshOrder kinds[] = { ORDER_METIS, ORDER_FILE, ORDER_RCM, ORDER_MORTON, ORDER_BISECTION };
  TetMesh mesh = box(5, 4, 3, 0.2), more = box(2, 2, 2, 0);
  Error error = { 0 };
  MeshQuality quality;
  assert_true(mesh_quality(&mesh, &quality, &error));
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    TetMesh ordered = { 0 };
    MeshQuality other;
    int *order = malloc(sizeof *order * (size_t)mesh.node_count);
    if (!mesh_order(&mesh, kinds[k], order, &error) || !mesh_renumber(&ordered, &mesh, order, NULL, NULL, &error))
      fail_msg("%s", error.message);
    assert_near("volume", total_volume(&ordered), 1, 1e-12);
    assert_int_equal(check_surface(&ordered), 4 * (5 * 4 + 4 * 3 + 3 * 5));
    assert_true(mesh_quality(&ordered, &other, &error));
    assert_true(other.worst_aspect == quality.worst_aspect && other.max_edge == quality.max_edge);
    assert_memory_equal(other.worst_tags, quality.worst_tags, sizeof quality.worst_tags);
    mesh_destroy(&ordered);
    free(order);
  }

  assert_true(mesh_join(&mesh, &more, &error));
  assert_near("volume", total_volume(&mesh), 2, 1e-12);
  assert_true(mesh_quality(&mesh, &quality, &error));
  assert_int_equal(quality.components, 2);
  assert_near("longest edge", quality.max_edge, 1, 0.3);  // an edge of `more` along y: 2 m divided by two cells
  TetMesh tets = { 0 };
  assert_true(mesh_make_box(1, 1, 1, (double[3]){ 1, 1, 1 }, &tets, &error));
  assert_false(mesh_join(&mesh, &tets, &error));
  assert_contains(error.message, "one body has hexes and another has tets; all bodies need cells of one shape");
  mesh_destroy(&mesh);
  mesh_destroy(&more);
  mesh_destroy(&tets);
}

// The box of 1 x 2 x 0.5 m is divided into cubes with edges of 0.5 m.
static void a_box_has_the_quality_of_a_box(void **state) {
  (void)state;
  TetMesh mesh = box(2, 4, 1, 0);
  MeshQuality q;
  Error error = { 0 };
  assert_true(mesh_quality(&mesh, &q, &error));
  assert_near("angle", q.min_dihedral, 90, 1e-12);
  assert_near("angle", q.max_dihedral, 90, 1e-12);
  assert_near("aspect", q.worst_aspect, 1, 1e-12);
  assert_near("edge", q.min_edge, 0.5, 1e-12);
  assert_near("edge", q.max_edge, 0.5, 1e-12);
  assert_int_equal(q.components, 1);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(volumes_and_shares_are_the_integrals_of_the_map),
    cmocka_unit_test(masses_and_weights_are_shares_of_the_volume),
    cmocka_unit_test(surface_is_closed_and_of_two_triangles_a_face),
    cmocka_unit_test(hexes_twice_are_refused_by_the_surface),
    cmocka_unit_test(parts_fill_a_hex_and_its_surface),
    cmocka_unit_test(files_bring_hexes_back),
    cmocka_unit_test(formats_number_corners_round_about),
    cmocka_unit_test(files_without_hexes_are_refused),
    cmocka_unit_test(hexes_in_meshes_of_tets_are_left_out),
    cmocka_unit_test(renumbered_and_joined_hexes_are_unchanged),
    cmocka_unit_test(a_box_has_the_quality_of_a_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
