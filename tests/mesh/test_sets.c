// Tests named sets of mesh files: Gmsh's physical groups, and sets and surfaces of Abaqus. Also tests the sets after a
// mesh has been changed. The files of the macros below have two tets: 1 2 3 4 in the set "left", 2 3 4 5 in the set
// "right". The set "tip" has node 5, and "side" has the face 1 2 3.
#include "mesh_testing.h"

#include "mesh/format/writing.h"
#include "mesh/join.h"
#include "mesh/mesh_sets.h"

#define NAMES "$PhysicalNames\n4\n0 1 \"tip\"\n2 2 \"side\"\n3 3 \"left\"\n3 4 \"right\"\n$EndPhysicalNames\n"
#define GROUPS_22          \
  FORMAT_22 NAMES NODES_22 \
      "$Elements\n4\n1 15 2 1 1 5\n2 2 2 2 1 1 2 3\n3 4 2 3 1 1 2 3 4\n4 4 2 4 2 2 3 4 5\n$EndElements\n"
#define GROUPS_41                                                                                        \
  FORMAT_41 NAMES                                                                                        \
      "$Entities\n1 0 1 2\n7 1 1 1 1 1\n8 0 0 0 1 1 0 1 -2 0\n1 0 0 0 1 1 1 1 3 1 8\n2 0 0 0 1 1 1 1 4 " \
      "0\n$EndEntities\n" NODES_41                                                                       \
      "$Elements\n4 4 1 4\n0 7 15 1\n1 5\n2 8 2 1\n2 1 2 3\n3 1 4 1\n3 1 2 3 4\n3 2 4 1\n4 2 3 4 5\n$EndElements\n"
#define INP_NODES "*Node\n1, 0, 0, 0\n2, 1., 0, 0\n3, , 1\n 4, 0, 0, 1d0\n5, 1, 1, 1\n"
#define INP_ELEMENTS "*Element, type=C3D4, elset=left\n31, 1, 2, 3,\n 4\n*ELEMENT,TYPE=C3D4H\n32, 2, 3, 4, 5\n"
#define INP                                                                                                         \
  "*Heading\n** a comment, then text\nnodes, elements\n" INP_NODES INP_ELEMENTS                                     \
  "*Nset, nset=tip\n5\n*Elset, elset=\"right\", generate\n32, 40, 1\n*Surface, name=side, type=ELEMENT\nleft, S1\n" \
  "*Step\n*Static\n1., 1.\n*End Step\n"

static TetMesh read_file(const char *content, size_t size, const char *ending, int degree) {
  char path[PATH_LENGTH], ignored[NOTICE_LENGTH];
  TetMesh mesh = { 0 };
  Error error = { 0 };
  write_temporary(content, size, ending, path);
  Notices caught = catch_notices();
  const bool ok = mesh_read(path, degree, &mesh, &error);
  take_notices(&caught, ignored);
  remove(path);
  if (!ok) fail_msg("%s", error.message);
  return mesh;
}

static const MeshSet *set_of(const TetMesh *mesh, const char *name) {
  const MeshSet *set = mesh_sets_find(mesh->sets, name, (int)strlen(name));
  if (!set) fail_msg("there is no set %s", name);
  return set;
}

// Returns the nodes of a set: bit a is 1 if node a of the mesh is in the set.
static unsigned nodes_of(const TetMesh *mesh, const char *name) {
  const MeshSet *set = set_of(mesh, name);
  unsigned bits = 0;
  for (int a = 0; a < mesh->node_count; a++) bits |= (unsigned)mesh_set_has_node(set, mesh, a) << a;
  return bits;
}

static int count_nodes(const TetMesh *mesh, const char *name) {
  return __builtin_popcount(nodes_of(mesh, name));
}

static void assert_sets(const TetMesh *mesh) {
  static const int side[3] = { 2, 0, 1 }, other[3] = { 0, 1, 3 };
  assert_non_null(mesh->sets);
  assert_int_equal(mesh->sets->count, 4);
  assert_int_equal(nodes_of(mesh, "tip"), 16);
  assert_int_equal(nodes_of(mesh, "side"), 7);
  assert_int_equal(nodes_of(mesh, "left"), 15);
  assert_int_equal(nodes_of(mesh, "right"), 30);
  assert_int_equal(set_of(mesh, "tip")->cell_count + set_of(mesh, "tip")->facet_count, 0);
  assert_true(mesh_set_has_cell(set_of(mesh, "left"), 0) && !mesh_set_has_cell(set_of(mesh, "left"), 1));
  assert_true(mesh_set_has_cell(set_of(mesh, "right"), 1) && !mesh_set_has_cell(set_of(mesh, "right"), 0));
  assert_true(mesh_set_has_facet(set_of(mesh, "side"), mesh, side, 3));
  assert_false(mesh_set_has_facet(set_of(mesh, "side"), mesh, other, 3));
}

static void only_elements_in_no_set_count_as_skipped(void **state) {
  (void)state;
  char notices[NOTICE_LENGTH];
  TetMesh mesh = mesh_from(GROUPS_41, notices);
  assert_string_equal(notices, "");
  mesh_destroy(&mesh);
  mesh = mesh_from(
      FORMAT_22 NODES_22 "$Elements\n3\n1 2 2 0 1 1 2 3\n2 2 2 5 1 1 2 4\n3 4 2 1 1 1 2 3 4\n$EndElements\n", notices);
  assert_contains(notices, ": skipped 1 triangle\n");
  mesh_destroy(&mesh);
}

static void text_files_have_their_sets(void **state) {
  (void)state;
  static const char *const contents[][2] = { { GROUPS_22, ".msh" }, { GROUPS_41, ".msh" }, { INP, ".inp" } };
  for (int k = 0; k < 3; k++) {
    TetMesh mesh = read_file(contents[k][0], strlen(contents[k][0]), contents[k][1], 1);
    assert_sets(&mesh);
    mesh_destroy(&mesh);
  }
}

// Writes the five nodes of the two tets as binary MSH 4.1 (new_version) or 2.2. swap: writes numbers in the byte order
// that this machine does not use.
static void put_nodes(FILE *file, bool new_version, bool swap) {
  static const double X[5][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 } };
  fputs(new_version ? "$Nodes\n" : "$Nodes\n5\n", file);
  if (new_version) {
    put_i64(file, 1, swap);
    put_i64(file, 5, swap);
    put_i64(file, 1, swap);
    put_i64(file, 5, swap);
    put_i32(file, 3, swap);
    put_i32(file, 1, swap);
    put_i32(file, 0, swap);
    put_i64(file, 5, swap);
    for (int a = 1; a <= 5; a++) put_i64(file, a, swap);
  }
  for (int a = 0; a < 5; a++) {
    if (!new_version) put_i32(file, a + 1, swap);
    for (int i = 0; i < 3; i++) put_f64(file, X[a][i], swap);
  }
  fputs("\n$EndNodes\n", file);
}

// Writes the section Entities of an MSH 4.1 file: point 7, surface 8 and volumes 1 and 2, each with its physical group.
static void put_entities(FILE *file, bool swap) {
  static const int entity[4][3] = { { 0, 7, 1 }, { 2, 8, 2 }, { 3, 1, 3 }, { 3, 2, 4 } };  // dimension, tag, group
  fputs("$Entities\n", file);
  put_i64(file, 1, swap);
  put_i64(file, 0, swap);
  put_i64(file, 1, swap);
  put_i64(file, 2, swap);
  for (int k = 0; k < 4; k++) {
    put_i32(file, entity[k][1], swap);
    for (int i = 0; i < (entity[k][0] ? 6 : 3); i++) put_f64(file, 0, swap);
    put_i64(file, 1, swap);
    put_i32(file, entity[k][2], swap);
    if (entity[k][0]) put_i64(file, 0, swap);
  }
  fputs("\n$EndEntities\n", file);
}

static void put_elements(FILE *file, bool new_version, bool swap) {
  // columns: dimension, entity, element type of Gmsh, physical group, number of nodes, nodes
  static const int element[4][9] = {
    { 0, 7, 15, 1, 1, 5 }, { 2, 8, 2, 2, 3, 1, 2, 3 }, { 3, 1, 4, 3, 4, 1, 2, 3, 4 }, { 3, 2, 4, 4, 4, 2, 3, 4, 5 }
  };
  fputs(new_version ? "$Elements\n" : "$Elements\n4\n", file);
  if (new_version) {
    put_i64(file, 4, swap);
    put_i64(file, 4, swap);
    put_i64(file, 1, swap);
    put_i64(file, 4, swap);
  }

  for (int k = 0; k < 4; k++) {
    const int *e = element[k];
    if (new_version) {
      put_i32(file, e[0], swap);
      put_i32(file, e[1], swap);
      put_i32(file, e[2], swap);
      put_i64(file, 1, swap);
      put_i64(file, k + 1, swap);
    } else {
      put_i32(file, e[2], swap);
      put_i32(file, 1, swap);
      put_i32(file, 2, swap);
      put_i32(file, k + 1, swap);
      put_i32(file, e[3], swap);
      put_i32(file, e[1], swap);
    }
    for (int a = 0; a < e[4]; a++) {
      if (new_version)
        put_i64(file, e[5 + a], swap);
      else
        put_i32(file, e[5 + a], swap);
    }
  }
  fputs("\n$EndElements\n", file);
}

static void binary_files_have_their_sets(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const bool new_version = k & 1, swap = k & 2;
    char content[4096];
    FILE *file = fmemopen(content, sizeof content, "w");
    assert_non_null(file);
    fprintf(file, "$MeshFormat\n%s 1 8\n", new_version ? "4.1" : "2.2");
    put_i32(file, 1, swap);
    fputs("\n$EndMeshFormat\n" NAMES, file);
    if (new_version) put_entities(file, swap);
    put_nodes(file, new_version, swap);
    put_elements(file, new_version, swap);
    const long size = ftell(file);
    assert_int_equal(fclose(file), 0);
    TetMesh mesh = read_file(content, (size_t)size, ".msh", 1);
    assert_sets(&mesh);
    mesh_destroy(&mesh);
  }
}

static void new_nodes_of_degrees_2_and_3_join_the_sets_of_their_faces_and_cells(void **state) {
  (void)state;

  // expected numbers of nodes in the sets tip, side, left and right: first for degree 2, then for degree 3
  static const int nodes[2][4] = { { 1, 6, 10, 10 }, { 1, 10, 20, 20 } };
  for (int degree = 2; degree <= 3; degree++) {
    TetMesh mesh = read_file(GROUPS_41, strlen(GROUPS_41), ".msh", degree);
    static const char *const names[4] = { "tip", "side", "left", "right" };
    for (int k = 0; k < 4; k++) assert_int_equal(count_nodes(&mesh, names[k]), nodes[degree - 2][k]);
    mesh_destroy(&mesh);
  }

  // a set that has nodes but no cells also gets a new node on an edge between two of its nodes
  static const char two[] = INP "*NSET, NSET=two\n1, 3\n";
  TetMesh mesh = read_file(two, strlen(two), ".inp", 2);
  assert_int_equal(count_nodes(&mesh, "two"), 3);
  mesh_destroy(&mesh);
}

static void sets_keep_their_nodes_when_unused_nodes_are_dropped_and_tets_turned(void **state) {
  (void)state;
  static const char file[] = "*NODE\n90, 7, 7, 7\n" INP_NODES
                             "*ELEMENT, TYPE=C3D4, ELSET=left\n31, 2, 1, 3, 4\n*ELEMENT, TYPE=C3D4, ELSET=right\n"
                             "32, 3, 2, 4, 5\n*NSET, NSET=tip\n5, 90\n*SURFACE, NAME=side\n31, S1\n";
  TetMesh mesh = read_file(file, strlen(file), ".inp", 1);
  assert_sets(&mesh);
  mesh_destroy(&mesh);
}

static void joined_meshes_have_the_sets_of_both(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh all = { 0 };
  for (int k = 0; k < 3; k++) {
    TetMesh one = k == 1 ? read_file(INP, strlen(INP), ".inp", 1) : read_file(GROUPS_22, strlen(GROUPS_22), ".msh", 1);
    if (!mesh_join(&all, &one, &error)) fail_msg("%s", error.message);
    mesh_destroy(&one);
  }
  assert_int_equal(nodes_of(&all, "tip"), 1 << 4 | 1 << 9 | 1 << 14);
  assert_int_equal(nodes_of(&all, "left"), 15 | 15 << 5 | 15 << 10);
  for (int e = 0; e < 6; e++) assert_true(mesh_set_has_cell(set_of(&all, "right"), e) == (e % 2 == 1));
  const int side[3] = { 7, 5, 6 }, not_side[3] = { 0, 1, 7 };
  assert_true(mesh_set_has_facet(set_of(&all, "side"), &all, side, 3));
  assert_false(mesh_set_has_facet(set_of(&all, "side"), &all, not_side, 3));

  TetMesh copy = { 0 };  // the copy shares the sets, which must remain after the first mesh is destroyed
  assert_true(mesh_copy(&all, &copy, &error));
  mesh_destroy(&all);
  assert_int_equal(count_nodes(&copy, "tip"), 3);
  mesh_destroy(&copy);
}

static void abaqus_sets_name_other_sets_parts_and_shells(void **state) {
  (void)state;
  static const char flat[] = INP
      "*ELSET, ELSET=both\nLEFT, right\n*NSET, NSET=ends\ntip, 1\n*SURFACE, NAME=outside\nboth\n"
      "*ELEMENT, TYPE=S3, ELSET=skin\n50, 1, 2, 4\n*ELEMENT, TYPE=B31, ELSET=beam\n51, 1, 2\n"
      "*SURFACE, NAME=nodes, TYPE=NODE\nends\n*ELSET, ELSET=_hidden, INTERNAL\n31\n*NSET, NSET=left\n1\n"
      "*NSET, NSET=of_left, ELSET=left\n*NSET, NSET=of_skin, ELSET=skin\n*NSET, NSET=right, ELSET=right\n";
  TetMesh mesh = read_file(flat, strlen(flat), ".inp", 1);

  // nodes_of returns bits: nodes 1 to 5 of the file have the bits 1, 2, 4, 8 and 16. For example, "ends" has the nodes
  // 5 (of "tip") and 1, so its bits are 16 + 1 = 17; the shell "skin" has the nodes 1, 2 and 4, so 1 + 2 + 8 = 11.
  assert_int_equal(set_of(&mesh, "both")->cell_count, 2);
  assert_int_equal(nodes_of(&mesh, "ends"), 17);
  assert_int_equal(nodes_of(&mesh, "nodes"), 17);
  assert_int_equal(set_of(&mesh, "outside")->facet_count, 7);  // the two tets have one of their eight faces in common
  assert_int_equal(nodes_of(&mesh, "skin"), 11);
  assert_int_equal(set_of(&mesh, "skin")->facet_count, 1);

  // a node set with the option ELSET has the nodes of these elements, also if both sets have the same name
  assert_int_equal(nodes_of(&mesh, "of_left"), 15);
  assert_int_equal(set_of(&mesh, "of_left")->cell_count, 0);
  assert_int_equal(nodes_of(&mesh, "of_skin"), 11);
  assert_int_equal(nodes_of(&mesh, "right"), 30);

  // the file has a node set "left" with the file's node 1, and an element set "left" with one cell. In the program the
  // node has the number 0, so bit 0 of nodes_of is 1.
  assert_int_equal(nodes_of(&mesh, "left"), 1);
  assert_int_equal(set_of(&mesh, "left")->cell_count, 1);
  assert_null(mesh_sets_find(mesh.sets, "_hidden", 7));
  assert_null(mesh_sets_find(mesh.sets, "beam", 4));
  mesh_destroy(&mesh);

  static const char parts[] = "*Part, name=Bar\n" INP_NODES INP_ELEMENTS
                              "*Nset, nset=Set-1\n1\n*Nset, nset=all, generate\n1, 5\n*End Part\n*Assembly, name=A\n"
                              "*Instance, name=Bar-1, part=Bar\n0., 0., 0.\n*End Instance\n*Node\n1, 9, 9, 9\n"
                              "*Nset, nset=Ref\n1,\n*Nset, nset=Set-1, instance=Bar-1\n 2, 3\n"
                              "*Surface, name=top, type=ELEMENT\nBar-1.left, S2\n*End Assembly\n";

  // "Set-1" of the assembly has the nodes 2 and 3 (bits 2 + 4), "Set-1" of the part Bar has node 1. The side S2 of the
  // tet 1 2 3 4 has the nodes 1, 4 and 2 (bits 1 + 8 + 2).
  mesh = read_file(parts, strlen(parts), ".inp", 1);
  assert_int_equal(nodes_of(&mesh, "Set-1"), 6);
  assert_int_equal(nodes_of(&mesh, "Bar.Set-1"), 1);
  assert_int_equal(nodes_of(&mesh, "all"), 31);
  assert_int_equal(nodes_of(&mesh, "top"), 11);
  mesh_destroy(&mesh);
}

static void abaqus_hexahedra_have_sides(void **state) {
  (void)state;
  static const char hex[] =
      "*NODE, NSET=all\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
      "*ELEMENT, TYPE=C3D8R, ELSET=cube\n1, 1,2,3,4,5,6,7,8\n*NSET, NSET=corners, ELSET=cube\n"
      "*SURFACE, NAME=s1\n1,S1\n*SURFACE, NAME=s2\n1,S2\n"
      "*SURFACE, NAME=s3\n1,S3\n*SURFACE, NAME=s4\n1,S4\n*SURFACE, NAME=s5\n1,S5\n*SURFACE, NAME=s6\n1,S6\n";
  TetMesh mesh = read_file(hex, strlen(hex), ".inp", 1);

  // nodes [k]: nodes of side k + 1 of the cube, as bits. Bit a is set if node a belongs to the side. In this order, the
  // sides have z = 0, z = 1, y = 0, x = 1, y = 1 and x = 0.
  static const unsigned nodes[6] = { 0x0f, 0xf0, 0x33, 0x66, 0xcc, 0x99 };
  for (int s = 0; s < 6; s++) {
    const char name[3] = { 's', (char)('1' + s), 0 };
    assert_int_equal(nodes_of(&mesh, name), nodes[s]);
    assert_int_equal(set_of(&mesh, name)->facet_count, 1);
  }
  assert_int_equal(nodes_of(&mesh, "all"), 255);
  assert_int_equal(nodes_of(&mesh, "corners"), 255);
  assert_near("volume", total_volume(&mesh), 1, 1e-14);
  mesh_destroy(&mesh);
}

static void abaqus_tets_of_10_nodes_are_quadratic(void **state) {
  (void)state;
  static const char file[] =
      "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,.5,0,0\n6,.5,.5,0\n7,0,.5,0\n8,0,0,.5\n9,.5,0,.5\n10,0,.5,.5\n"
      "*ELEMENT, TYPE=C3D10M, ELSET=tet\n1, 1,2,3,4,5,6,7,8,\n9,10\n*SURFACE, NAME=side\n1, S1\n"
      "*ELEMENT, TYPE=STRI65, ELSET=skin\n2, 1,2,4,5,9,8\n"
      "*NSET, NSET=nodes, ELSET=tet\n*NSET, NSET=of_skin, ELSET=skin\n";
  TetMesh mesh = read_file(file, strlen(file), ".inp", 2);
  assert_non_null(mesh.middle);
  assert_int_equal(mesh.node_count, 10);

  // the reader moves middle nodes to the midpoints of their edges; with a wrong node order, it would change these
  // positions
  const double half[10][3] = { [4] = { .5, 0, 0 }, [5] = { .5, .5, 0 }, [6] = { 0, .5, 0 },
                               [7] = { 0, 0, .5 }, [8] = { .5, 0, .5 }, [9] = { 0, .5, .5 } };
  assert_memory_equal(mesh.X[4], half[4], 6 * sizeof *half);
  assert_int_equal(nodes_of(&mesh, "side"), 7 | 1 << 4 | 1 << 5 | 1 << 6);
  assert_int_equal(nodes_of(&mesh, "skin"), 11 | 1 << 4 | 1 << 7 | 1 << 8);
  assert_int_equal(nodes_of(&mesh, "of_skin"), nodes_of(&mesh, "skin"));
  assert_int_equal(nodes_of(&mesh, "nodes"), 1023);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(text_files_have_their_sets),
    cmocka_unit_test(only_elements_in_no_set_count_as_skipped),
    cmocka_unit_test(binary_files_have_their_sets),
    cmocka_unit_test(new_nodes_of_degrees_2_and_3_join_the_sets_of_their_faces_and_cells),
    cmocka_unit_test(sets_keep_their_nodes_when_unused_nodes_are_dropped_and_tets_turned),
    cmocka_unit_test(joined_meshes_have_the_sets_of_both),
    cmocka_unit_test(abaqus_sets_name_other_sets_parts_and_shells),
    cmocka_unit_test(abaqus_hexahedra_have_sides),
    cmocka_unit_test(abaqus_tets_of_10_nodes_are_quadratic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
