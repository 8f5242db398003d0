// Tests quadratic meshes: edges and faces are compared with all pairs and triples of corners. Also tests raising the
// degree, files of 10-node tets in all formats with their node orders, and the surface.
#include "mesh_testing.h"

#include "mesh/curved_volume.h"
#include "mesh/format/vtu.h"
#include "mesh/mesh_write.h"
#include "mesh/quadratic.h"
#include "mesh/shapes.h"
#include "mesh/simplices.h"

static TetMesh ball(int cells) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  if (!mesh_make_shape("sphere", (double[3]){ 1, 1, 1 }, cells, &mesh, &error)) fail_msg("%s", error.message);
  return mesh;
}

// Quadratic and cubic functions can move the nodes of meshes of degree 2 and 3 so that edges become curved. The volume
// between x = 0 and 1 of the box is then the integral of the function's derivative.
static void volumes_of_curved_meshes_are_exact(void **state) {
  (void)state;
  for (int degree = 1; degree <= 3; degree++) {
    TetMesh mesh = { 0 };
    Error error = { 0 };
    double volume, rest;
    assert_true(mesh_make_box(2, 3, 2, (double[3]){ 1, 2, 0.5 }, &mesh, &error) && mesh_raise(&mesh, degree, &error));
    assert_true(mesh_curved_volume(&mesh, &rest, &error));
    assert_true(fabs(rest - 1) < 1e-14);
    for (int a = 0; a < mesh.node_count; a++) {
      const double x = mesh.X[a][0], y = mesh.X[a][1];
      mesh.X[a][0] += degree > 1 ? 0.3 * pow(x, degree) + 0.2 * pow(y, degree) : 0.3 * x;
      mesh.X[a][2] -= degree > 1 ? 0.4 * pow(y, degree) : 0;
    }
    assert_true(mesh_curved_volume(&mesh, &volume, &error));
    if (fabs(volume - 1.3) > 1e-14) fail_msg("degree %d: %.17g", degree, volume);
    mesh_destroy(&mesh);
  }
}

static int compare3(const void *left, const void *right) {
  const int *a = left, *b = right;
  for (int k = 0; k < 3; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

// Lists all pairs (size 2) or triples (size 3) of the tets' corners, each once, sorted. Returns their number.
static int all_simplices(const TetMesh *mesh, int size, int (*list)[3]) {
  int count = 0, different = 0;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int set = 1; set < 16; set++) {
      int node[4], nodes = 0;
      for (int c = 0; c < 4; c++)
        if (set >> c & 1) node[nodes++] = mesh->tet[e][c];
      if (nodes != size) continue;
      if (size == 2) node[2] = -1;
      for (int i = 0; i < size; i++)
        for (int k = i + 1; k < size; k++)
          if (node[k] < node[i]) {
            const int swap = node[i];
            node[i] = node[k];
            node[k] = swap;
          }
      memcpy(list[count++], node, sizeof *list);
    }
  qsort(list, (size_t)count, sizeof *list, compare3);
  for (int k = 0; k < count; k++)
    if (k == 0 || compare3(list[k], list[k - 1]) != 0) memmove(list[different++], list[k], sizeof *list);
  return different;
}

static bool among(int a, const int *node, int count) {
  for (int k = 0; k < count; k++)
    if (node[k] == a) return true;
  return false;
}

static void edges_and_faces_are_those_of_the_tets(void **state) {
  (void)state;
  TetMesh mesh = ball(4);
  Error error = { 0 };
  Simplices s = { 0 };
  assert_true(simplices_create(&s, &mesh, SIMPLEX_EDGES | SIMPLEX_FACES, &error));
  int(*list)[3] = malloc(sizeof *list * 6 * (size_t)mesh.tet_count);
  assert_int_equal(s.edge_count, all_simplices(&mesh, 2, list));
  for (int k = 0; k < s.edge_count; k++) assert_memory_equal(s.edge[k], list[k], sizeof *s.edge);
  assert_int_equal(s.face_count, all_simplices(&mesh, 3, list));
  for (int k = 0; k < s.face_count; k++) assert_memory_equal(s.face[k], list[k], sizeof *s.face);
  free(list);

  // Euler's formula for a ball without holes: nodes - edges + faces - tets = 1
  assert_int_equal(mesh.node_count - s.edge_count + s.face_count - mesh.tet_count, 1);
  for (int e = 0; e < mesh.tet_count; e++) {
    for (int k = 0; k < 6; k++) {
      const int node[2] = { mesh.tet[e][tet_edge_corners[k][0]], mesh.tet[e][tet_edge_corners[k][1]] };
      const int *edge = s.edge[s.tet_edge[e][k]];
      assert_true((edge[0] == node[0] && edge[1] == node[1]) || (edge[0] == node[1] && edge[1] == node[0]));
    }
    for (int c = 0; c < 4; c++) {
      const int *face = s.face[s.tet_face[e][c]];
      for (int k = 0; k < 4; k++) assert_true(among(mesh.tet[e][k], face, 3) == (k != c));
    }
  }

  // number of ordered pairs of nodes that share a cell: paper 004, Eq. 6, for degree 2
  const int64_t expected =
      mesh.node_count + 7 * (int64_t)s.edge_count + 12 * (int64_t)s.face_count + 6 * (int64_t)mesh.tet_count;
  assert_true(mesh_raise(&mesh, 2, &error));
  assert_int_equal(check_adjacency(&mesh), expected);
  simplices_destroy(&s);
  mesh_destroy(&mesh);
}

static void raised_mesh_has_a_node_on_each_edge(void **state) {
  (void)state;
  TetMesh mesh = ball(3);
  Error error = { 0 };
  Simplices s = { 0 };
  assert_true(simplices_create(&s, &mesh, SIMPLEX_EDGES, &error) && !s.face);
  const int corners = mesh.node_count, triangles = check_surface(&mesh);
  mesh.node_tag[3] = 5000;
  assert_true(mesh_raise(&mesh, 2, &error));
  assert_int_equal(mesh.node_count, corners + s.edge_count);
  for (int k = 0; k < s.edge_count; k++) {
    assert_int_equal(mesh.node_tag[corners + k], 5001 + k);
    for (int i = 0; i < 3; i++)
      assert_true(mesh.X[corners + k][i] == (mesh.X[s.edge[k][0]][i] + mesh.X[s.edge[k][1]][i]) / 2);
  }

  for (int e = 0; e < mesh.tet_count; e++)
    for (int k = 0; k < 6; k++) assert_int_equal(mesh.middle[e][k], corners + s.tet_edge[e][k]);
  assert_true(mesh_raise(&mesh, 2, &error));   // a mesh of degree 2 does not change
  assert_false(mesh_raise(&mesh, 3, &error));  // and cannot be raised again
  assert_non_null(strstr(error.message, "the mesh has degree 2"));
  error = (Error){ 0 };
  assert_int_equal(mesh.node_count, corners + s.edge_count);
  assert_int_equal(check_surface(&mesh), 4 * triangles);

  // A corner gets 1/36 of a tet's mass, and the node in the middle of an edge 4/27. Their weights, the integrals of
  // density times shape function, are -1/20 and 1/5 of the tet's mass. Over a tet, the masses add up to the tet's mass,
  // and so do the weights.
  double *mass = malloc(sizeof *mass * (size_t)mesh.node_count),
         *weight = malloc(sizeof *mass * (size_t)mesh.node_count);
  double all = 0, load = 0, about[3] = { 0 };
  mesh_lumped_mass(&mesh, 3, mass);
  mesh_weight(&mesh, 3, weight);
  for (int a = 0; a < mesh.node_count; a++) {
    assert_true(mass[a] > 0);
    all += mass[a];
    load += weight[a];
    for (int i = 0; i < 3; i++) about[i] += (mass[a] - weight[a]) * mesh.X[a][i];
  }

  assert_near("mass", all, 3 * total_volume(&mesh), 1e-13);
  assert_near("weight", load, all, 1e-13);

  // the weights have the same centre as the masses
  for (int i = 0; i < 3; i++) assert_true(fabs(about[i]) < 1e-13 * all);
  free(mass);
  free(weight);
  simplices_destroy(&s);
  mesh_destroy(&mesh);
}

// A quadratic tet is drawn as linear tets, which fill it. All linear tets together have the surface of the mesh.
static void parts_of_a_tet_fill_it(void **state) {
  (void)state;
  TetMesh mesh = ball(2);
  Error error = { 0 };
  int part[MESH_PARTS_MAX][4];
  assert_int_equal(mesh_parts_of_tet(&mesh, 1, part), 1);
  assert_memory_equal(part[0], mesh.tet[1], sizeof part[0]);
  assert_true(mesh_raise(&mesh, 2, &error));
  TetMesh parts = { .node_count = mesh.node_count, .tet_count = 8 * mesh.tet_count, .X = mesh.X };
  parts.tet = malloc(sizeof *parts.tet * (size_t)parts.tet_count);
  for (int e = 0; e < mesh.tet_count; e++) {
    assert_int_equal(mesh_parts_of_tet(&mesh, e, part), 8);
    memcpy(parts.tet + 8 * (size_t)e, part, sizeof part);
    for (int k = 0; k < 8; k++)
      assert_near("an eighth", mesh_tet_volume(&parts, 8 * e + k), mesh_tet_volume(&mesh, e) / 8, 1e-12);
  }
  assert_int_equal(check_surface(&parts), check_surface(&mesh));
  free(parts.tet);
  mesh_destroy(&mesh);
}

// ---- files in all formats

// Node order of a format: edge [k] has the two corners of the edge on which node 4 + k lies.
typedef struct Format {
  const char *name, *ending;
  int edge[6][2];
} Format;
static const Format formats[] = {
  { "Gmsh 2.2", ".msh", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 2, 3 }, { 1, 3 } } },
  { "Gmsh 4.1", ".msh", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 2, 3 }, { 1, 3 } } },
  { "VTK", ".vtk", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } } },
  { "VTU", ".vtu", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } } },
  { "Medit", ".mesh", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } } },
  { "Medit of Gmsh", ".mesh", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 2, 3 }, { 1, 3 } } },
  { "TetGen", ".node", { { 2, 3 }, { 0, 3 }, { 0, 1 }, { 1, 2 }, { 1, 3 }, { 0, 2 } } },
  { "Gmsh 2.2, binary", ".msh", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 2, 3 }, { 1, 3 } } },
  { "Gmsh 4.1, binary", ".msh", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 2, 3 }, { 1, 3 } } },
  { "VTK, binary", ".vtk", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } } },
  { "VTU, packed", ".vtu", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } } },
  { "Medit, binary", ".meshb", { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } } },
};
enum { FORMATS = sizeof formats / sizeof *formats };

// Returns the mesh's node that a file has as node k (from 0) of tet e.
static int file_node(const TetMesh *mesh, const Format *format, int e, int k) {
  if (k < 4) return mesh_file_corner(mesh, e, k);
  const int p = mesh_file_corner(mesh, e, format->edge[k - 4][0]),
            q = mesh_file_corner(mesh, e, format->edge[k - 4][1]);
  for (int m = 0; m < 6; m++) {
    const int a = mesh->tet[e][tet_edge_corners[m][0]], b = mesh->tet[e][tet_edge_corners[m][1]];
    if ((a == p && b == q) || (a == q && b == p)) return mesh->middle[e][m];
  }
  fail_msg("no such edge");
  return -1;
}

static void put_points(FILE *file, const TetMesh *mesh, bool number, const char *tail) {
  for (int a = 0; a < mesh->node_count; a++) {
    if (number) fprintf(file, "%d ", a + 1);
    fprintf(file, "%.17g %.17g %.17g%s\n", mesh->X[a][0], mesh->X[a][1], mesh->X[a][2], tail);
  }
}

static void put_tets(FILE *file, const TetMesh *mesh, const Format *format, const char *numbered, int first,
                     const char *tail) {
  for (int e = 0; e < mesh->tet_count; e++) {
    if (numbered) fprintf(file, numbered, e + 1);
    for (int k = 0; k < 10; k++) fprintf(file, "%d ", file_node(mesh, format, e, k) + first);
    fprintf(file, "%s\n", tail);
  }
}

// Writes `count` integers of 32 bits in the machine's byte order.
static void put_list(FILE *file, int count, const int *number) {
  for (int k = 0; k < count; k++) put_i32(file, number[k], false);
}

// Writes a binary file in the machine's byte order.
static void write_binary(const TetMesh *mesh, int f, FILE *file) {
  const Format *format = &formats[f];
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  if (f == 7) {
    fputs("$MeshFormat\n2.2 1 8\n", file);
    put_i32(file, 1, false);
    fprintf(file, "\n$EndMeshFormat\n$Nodes\n%d\n", nodes);
    for (int a = 0; a < nodes; a++) {
      put_i32(file, a + 1, false);
      for (int i = 0; i < 3; i++) put_f64(file, mesh->X[a][i], false);
    }
    fprintf(file, "\n$EndNodes\n$Elements\n%d\n", tets);
    put_list(file, 3, (int[]){ 11, tets, 2 });
    for (int e = 0; e < tets; e++) {
      put_list(file, 3, (int[]){ e + 1, 1, 1 });
      for (int k = 0; k < 10; k++) put_i32(file, file_node(mesh, format, e, k) + 1, false);
    }
    fputs("\n$EndElements\n", file);
  } else if (f == 8) {
    fputs("$MeshFormat\n4.1 1 8\n", file);
    put_i32(file, 1, false);
    fputs("\n$EndMeshFormat\n$Nodes\n", file);
    const int64_t head[4] = { 1, nodes, 1, nodes };
    for (int k = 0; k < 4; k++) put_i64(file, head[k], false);
    put_list(file, 3, (int[]){ 3, 1, 0 });
    put_i64(file, nodes, false);
    for (int a = 0; a < nodes; a++) put_i64(file, a + 1, false);
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++) put_f64(file, mesh->X[a][i], false);
    fputs("\n$EndNodes\n$Elements\n", file);
    const int64_t elements[4] = { 1, tets, 1, tets };
    for (int k = 0; k < 4; k++) put_i64(file, elements[k], false);
    put_list(file, 3, (int[]){ 3, 1, 11 });
    put_i64(file, tets, false);
    for (int e = 0; e < tets; e++) {
      put_i64(file, e + 1, false);
      for (int k = 0; k < 10; k++) put_i64(file, file_node(mesh, format, e, k) + 1, false);
    }
    fputs("\n$EndElements\n", file);
  } else if (f == 9) {  // a big-endian file
    fprintf(file, "# vtk DataFile Version 3.0\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n", nodes);
    for (int k = 0; k < 3 * nodes; k++) put_f64(file, mesh->X[k / 3][k % 3], true);
    fprintf(file, "\nCELLS %d %d\n", tets, 11 * tets);
    for (int e = 0; e < tets; e++) {
      put_i32(file, 10, true);
      for (int k = 0; k < 10; k++) put_i32(file, file_node(mesh, format, e, k), true);
    }
    fprintf(file, "\nCELL_TYPES %d\n", tets);
    for (int e = 0; e < tets; e++) put_i32(file, 24, true);
  } else if (f == 10) {
    Error error = { 0 };
    if (!vtu_write_fields(file, mesh, NULL, NULL, 0, &(MeshWriting){ MESH_ZLIB, false, 0 }, &error))
      fail_msg("%s", error.message);
  } else {  // Medit version 2, which stores byte offsets of 4 bytes and positions of 8
    const int vertices = 8 + 12 + 12, end = vertices + nodes * 28, last = end + 12 + tets * 44;
    put_list(file, 8, (int[]){ 1, 2, 3, 20, 3, 4, end, nodes });
    for (int a = 0; a < nodes; a++) {
      for (int i = 0; i < 3; i++) put_f64(file, mesh->X[a][i], false);
      put_i32(file, 0, false);
    }
    put_list(file, 3, (int[]){ 30, last, tets });
    for (int e = 0; e < tets; e++) {
      for (int k = 0; k < 10; k++) put_i32(file, file_node(mesh, format, e, k) + 1, false);
      put_i32(file, 0, false);
    }
    put_list(file, 2, (int[]){ 54, 0 });
  }
}

static void write_as(const TetMesh *mesh, int f, const char *path) {
  const Format *format = &formats[f];
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  if (f == 0) {
    fprintf(file, FORMAT_22 "$Nodes\n%d\n", nodes);
    put_points(file, mesh, true, "");
    fprintf(file, "$EndNodes\n$Elements\n%d\n", tets);
    put_tets(file, mesh, format, "%d 11 2 1 1 ", 1, "");
    fputs("$EndElements\n", file);
  } else if (f == 1) {
    fprintf(file, FORMAT_41 "$Nodes\n1 %d 1 %d\n3 1 0 %d\n", nodes, nodes, nodes);
    for (int a = 0; a < nodes; a++) fprintf(file, "%d\n", a + 1);
    put_points(file, mesh, false, "");
    fprintf(file, "$EndNodes\n$Elements\n1 %d 1 %d\n3 1 11 %d\n", tets, tets, tets);
    put_tets(file, mesh, format, "%d ", 1, "");
    fputs("$EndElements\n", file);
  } else if (f == 2) {
    fprintf(file, "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n", nodes);
    put_points(file, mesh, false, "");
    fprintf(file, "CELLS %d %d\n", tets, 11 * tets);
    for (int e = 0; e < tets; e++) {
      fputs("10 ", file);
      for (int k = 0; k < 10; k++) fprintf(file, "%d ", file_node(mesh, format, e, k));
      fputs("\n", file);
    }
    fprintf(file, "CELL_TYPES %d\n", tets);
    for (int e = 0; e < tets; e++) fputs("24\n", file);
  } else if (f == 3) {
    Error error = { 0 };
    if (!vtu_write_fields(file, mesh, NULL, NULL, 0, &(MeshWriting){ MESH_TEXT, false, 0 }, &error))
      fail_msg("%s", error.message);
  } else if (f == 4 || f == 5) {
    fprintf(file, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", nodes);
    put_points(file, mesh, false, " 0");
    fprintf(file, "TetrahedraP2\n%d\n", tets);
    put_tets(file, mesh, format, NULL, 1, "0");
    fputs("End\n", file);
  } else if (f > 6) {
    write_binary(mesh, f, file);
  } else {
    fprintf(file, "%d 3 0 0\n", nodes);
    put_points(file, mesh, true, "");
    char other[PATH_LENGTH];
    snprintf(other, sizeof other, "%.*s.ele", (int)(strlen(path) - strlen(".node")), path);
    FILE *ele = fopen(other, "w");
    assert_non_null(ele);
    fprintf(ele, "%d 10 0\n", tets);
    put_tets(ele, mesh, format, "%d ", 1, "");
    assert_int_equal(fclose(ele), 0);
  }
  assert_int_equal(fclose(file), 0);
}

static void temporary_path(const char *ending, char path[PATH_LENGTH]) {
  write_temporary("", 0, ending, path);
}

static void remove_all(const char *path, const char *ending) {
  char other[PATH_LENGTH];
  remove(path);
  if (strcmp(ending, ".node") != 0) return;
  snprintf(other, sizeof other, "%.*s.ele", (int)(strlen(path) - strlen(".node")), path);
  remove(other);
}

static bool read_as(const TetMesh *mesh, int f, int degree, TetMesh *back, char *notices, Error *error) {
  char path[PATH_LENGTH];
  temporary_path(formats[f].ending, path);
  write_as(mesh, f, path);
  Notices caught = catch_notices();
  const bool ok = mesh_read(path, degree, back, error);
  take_notices(&caught, notices);
  remove_all(path, formats[f].ending);
  return ok;
}

static void files_of_quadratic_tets_are_read_as_such(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = ball(2), back = { 0 }, corners = { 0 };
  char notices[NOTICE_LENGTH];
  const int linear_nodes = mesh.node_count;
  assert_true(mesh_raise(&mesh, 2, &error));
  for (int f = 0; f < FORMATS; f++) {
    if (!read_as(&mesh, f, 2, &back, notices, &error)) fail_msg("%s: %s", formats[f].name, error.message);
    if (notices[0]) fail_msg("%s: %s", formats[f].name, notices);
    assert_int_equal(back.node_count, mesh.node_count);
    assert_memory_equal(back.X, mesh.X, sizeof *mesh.X * (size_t)mesh.node_count);
    assert_memory_equal(back.tet, mesh.tet, sizeof *mesh.tet * (size_t)mesh.tet_count);
    if (memcmp(back.middle, mesh.middle, sizeof *mesh.middle * (size_t)mesh.tet_count) != 0)
      fail_msg("%s: middle nodes are on wrong edges", formats[f].name);
    mesh_destroy(&back);

    // at degree 1 the reader takes only the corners
    if (!read_as(&mesh, f, 1, &corners, notices, &error)) fail_msg("%s: %s", formats[f].name, error.message);
    assert_contains(notices, "higher-order tets are read as linear tets with straight edges");
    assert_true(!corners.middle);
    assert_int_equal(corners.node_count, linear_nodes);
    assert_memory_equal(corners.tet, mesh.tet, sizeof *mesh.tet * (size_t)mesh.tet_count);
    mesh_destroy(&corners);
  }
  mesh_destroy(&mesh);
}

// Reads a file that TetGen 1.6 wrote (-o2). The node order of this file differs from that of all other formats.
static void order_of_tetgen_is_that_of_tetgen(void **state) {
  (void)state;
  static const char nodes[] =
      "10 3 0 0\n1 0 0 0\n2 10 0 0\n3 0 10 0\n4 0 0 10\n5 5 0 5\n6 5 0 0\n7 0 5 0\n8 0 5 5\n9 5 5 0\n10 0 0 5\n";
  static const char tets[] = "1 10 0\n1 1 3 4 2 5 6 7 8 9 10\n# Generated by tetgen -po2 a.poly\n";
  char path[PATH_LENGTH], other[PATH_LENGTH], notices[NOTICE_LENGTH];
  TetMesh mesh = { 0 };
  Error error = { 0 };
  write_temporary(nodes, strlen(nodes), ".node", path);
  snprintf(other, sizeof other, "%.*s.ele", (int)(strlen(path) - strlen(".node")), path);
  FILE *ele = fopen(other, "w");
  assert_true(ele && fputs(tets, ele) >= 0);
  fclose(ele);
  Notices caught = catch_notices();
  const bool ok = mesh_read(path, 2, &mesh, &error);
  take_notices(&caught, notices);
  remove(path);
  remove(other);
  if (!ok) fail_msg("%s", error.message);

  // A wrong order would give edges with wrong midpoints, which count as curved. The tet is inverted, so it is
  // re-oriented together with its edges.
  assert_null(strstr(notices, "curved"));
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 3; i++)
      assert_true(mesh.X[mesh.middle[0][k]][i] ==
                  (mesh.X[mesh.tet[0][tet_edge_corners[k][0]]][i] + mesh.X[mesh.tet[0][tet_edge_corners[k][1]]][i]) /
                      2);
  mesh_destroy(&mesh);
}

static void curved_edges_are_straightened_with_a_notice(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = ball(2), back = { 0 };
  char notices[NOTICE_LENGTH];
  const int corners = mesh.node_count;
  assert_true(mesh_raise(&mesh, 2, &error));
  const double X[3] = { mesh.X[corners + 5][0], mesh.X[corners + 5][1], mesh.X[corners + 5][2] };
  mesh.X[corners + 5][1] += 0.01;
  mesh.X[corners + 9][2] -= 0.01;
  for (int f = 0; f < FORMATS; f++) {
    if (!read_as(&mesh, f, 2, &back, notices, &error)) fail_msg("%s: %s", formats[f].name, error.message);
    assert_contains(notices, ": straightened 2 curved edges of ");
    assert_memory_equal(back.X[corners + 5], X, sizeof X);
    mesh_destroy(&back);
  }
  mesh_destroy(&mesh);
}

static void nodes_that_fit_no_edge_are_refused(void **state) {
  (void)state;
  char notices[NOTICE_LENGTH];
  TetMesh back = { 0 };
  Error error = { 0 };

  // Faults: two tets have different nodes on a common edge; the node of an edge is also a corner; a node is on two
  // edges.
  static const char *const parts[] = { "on the edge from node", "and is also a corner", "and is also on another edge" };
  for (int k = 0; k < 3; k++) {
    Error why = { 0 };
    TetMesh mesh = { 0 };
    assert_true(mesh_make_box(1, 1, 1, (double[3]){ 1, 1, 1 }, &mesh, &error) && mesh_raise(&mesh, 2, &error));
    int at = 0, other = 0;  // two edges of tet 0: one that is also in tet 1, and one that is not
    for (int m = 0; m < 6; m++) {
      bool shared = false;
      for (int n = 0; n < 6; n++) shared = shared || mesh.middle[1][n] == mesh.middle[0][m];
      if (shared)
        at = m;
      else
        other = m;
    }
    const int old = mesh.middle[0][at];
    if (k == 0) mesh.middle[0][at] = mesh.middle[0][other];
    for (int e = 0; k > 0 && e < mesh.tet_count; e++)
      for (int m = 0; m < 6; m++)
        if (mesh.middle[e][m] == old) mesh.middle[e][m] = k == 1 ? mesh.tet[0][0] : mesh.middle[0][other];
    assert_false(read_as(&mesh, 0, 2, &back, notices, &why));
    assert_contains(why.message, parts[k]);
    assert_null(back.X);

    // at degree 1 these faults do not matter
    assert_true(read_as(&mesh, 0, 1, &back, notices, &error));
    mesh_destroy(&back);
    mesh_destroy(&mesh);
  }
}

// From files with linear and quadratic tets, or with degrees above 2, only the corners are read. The degree is then
// raised.
static void mixed_files_are_raised_from_their_corners(void **state) {
  (void)state;
  static const char text[] = FORMAT_22
      "$Nodes\n11\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 .5 0 0\n7 .5 .5 0\n8 0 .5 0\n9 0 0 .5\n10 0 .5 .5\n"
      "11 .5 0 .5\n$EndNodes\n$Elements\n2\n1 11 2 1 1 1 2 3 4 6 7 8 9 10 11\n2 4 2 1 1 2 3 4 5\n$EndElements\n";
  char path[PATH_LENGTH], notices[NOTICE_LENGTH];
  TetMesh mesh = { 0 };
  Error error = { 0 };
  write_temporary(text, strlen(text), ".msh", path);
  Notices caught = catch_notices();
  const bool ok = mesh_read(path, 2, &mesh, &error);
  take_notices(&caught, notices);
  remove(path);
  if (!ok) fail_msg("%s", error.message);
  assert_contains(notices, ": higher-order tets are read as linear tets with straight edges (number of tets: 1)\n");
  assert_contains(notices, ": dropped 6 nodes that no tet uses\n");
  assert_int_equal(mesh.node_count, 5 + 9);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(volumes_of_curved_meshes_are_exact),
    cmocka_unit_test(edges_and_faces_are_those_of_the_tets),
    cmocka_unit_test(raised_mesh_has_a_node_on_each_edge),
    cmocka_unit_test(parts_of_a_tet_fill_it),
    cmocka_unit_test(files_of_quadratic_tets_are_read_as_such),
    cmocka_unit_test(order_of_tetgen_is_that_of_tetgen),
    cmocka_unit_test(curved_edges_are_straightened_with_a_notice),
    cmocka_unit_test(nodes_that_fit_no_edge_are_refused),
    cmocka_unit_test(mixed_files_are_raised_from_their_corners),
  };
  return cmocka_run_group_tests_name("quadratic meshes", tests, NULL, NULL);
}
