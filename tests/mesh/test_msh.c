// Tests valid Gmsh files: both versions of MSH, any number of blocks, any order of node numbers, and elements and
// sections that the reader skips.
#include "mesh_testing.h"

// Checks the mesh that NODES_41 and ELEMENTS_41 describe. The first two corners of each tet are in the opposite order,
// because Pliant's orientation differs from Gmsh's.
static void assert_two_tets(const TetMesh *mesh) {
  static const int tet[2][4] = { { 1, 0, 2, 3 }, { 2, 1, 3, 4 } };
  assert_int_equal(mesh->node_count, 5);
  assert_int_equal(mesh->tet_count, 2);
  assert_memory_equal(mesh->tet, tet, sizeof tet);
  for (int a = 0; a < 5; a++) assert_int_equal(mesh->node_tag[a], a + 1);
  assert_true(mesh->X[4][0] == 1 && mesh->X[4][1] == 1 && mesh->X[4][2] == 1);
  assert_near("volume", total_volume(mesh), 1.0 / 6 + 1.0 / 3, 1e-15);
}

static void assert_reads_as_two_tets(const char *content) {
  char notices[NOTICE_LENGTH];
  TetMesh mesh = mesh_from(content, notices);
  assert_two_tets(&mesh);
  assert_string_equal(notices, "");
  mesh_destroy(&mesh);
}

static void both_versions_read_alike_without_a_notice(void **state) {
  (void)state;
  assert_reads_as_two_tets(FORMAT_41 NODES_41 ELEMENTS_41);
  assert_reads_as_two_tets(FORMAT_22 NODES_22 ELEMENTS_22);
}

static void lines_may_end_in_crlf(void **state) {
  (void)state;
  static const char *const contents[] = { FORMAT_41 NODES_41 ELEMENTS_41, FORMAT_22 NODES_22 ELEMENTS_22 };
  for (int k = 0; k < 2; k++) {
    char crlf[2048];
    int length = 0;
    for (const char *c = contents[k]; *c; c++) {
      if (*c == '\n') crlf[length++] = '\r';
      crlf[length++] = *c;
    }
    crlf[length] = 0;
    assert_reads_as_two_tets(crlf);
  }
}

static void blank_lines_and_a_missing_last_line_end_do_no_harm(void **state) {
  (void)state;
  assert_reads_as_two_tets("\n  \n" FORMAT_41 "\n\n" NODES_41
                           "\t\n$Elements\n\n1 2 1 2\n3 1 4 2\n\n1 1 2 3 4 \n"
                           "2  2\t3 4 5\n$EndElements");
}

static void other_sections_are_skipped(void **state) {
  (void)state;
  assert_reads_as_two_tets("$Comments\nmade by hand\n$Nodes\n$EndComments\n" FORMAT_41
                           "$PhysicalNames\n1\n3 1 \"a $Nodes b\"\n$EndPhysicalNames\n"
                           "$Entities\n0 0 0 0\n$EndEntities\n"
                           "$PartitionedEntities\n0\n$EndPartitionedEntities\n" NODES_41
                           "$Periodic\n0\n$EndPeriodic\n" ELEMENTS_41
                           "$NodeData\n1\n\"T\"\n1\n0.0\n3\n0\n1\n1\n1 3.5\n$EndNodeData\n");
}

static void nodes_and_tets_may_come_in_many_blocks(void **state) {
  (void)state;
  assert_reads_as_two_tets(FORMAT_41
                           "$Nodes\n4 5 1 5\n0 1 0 1\n1\n0 0 0\n1 7 0 0\n2 3 0 2\n2\n3\n1 0 0\n0 1 0\n"
                           "3 1 0 2\n4\n5\n0 0 1\n1 1 1\n$EndNodes\n"
                           "$Elements\n3 2 1 2\n3 1 4 1\n1 1 2 3 4\n3 2 4 0\n3 9 4 1\n2 2 3 4 5\n$EndElements\n");
}

static void parametric_nodes_are_read(void **state) {
  (void)state;
  assert_reads_as_two_tets(FORMAT_41
                           "$Nodes\n4 5 1 5\n0 1 1 1\n1\n0 0 0\n1 7 1 1\n2\n1 0 0 0.25\n2 3 1 1\n3\n0 1 0 0.5 0.5\n"
                           "3 1 1 2\n4\n5\n0 0 1 7 8 9\n1 1 1 7 8 9\n$EndNodes\n" ELEMENTS_41);
  assert_reads_as_two_tets(FORMAT_22
                           "$ParametricNodes\n5\n1 0 0 0 0 1\n2 1 0 0 1 1 0.5\n3 0 1 0 2 1 0.5 0.5\n4 0 0 1 3 1\n"
                           "5 1 1 1 3 1\n$EndParametricNodes\n" ELEMENTS_22);
}

static void node_tags_may_be_sparse_and_in_any_order(void **state) {
  (void)state;
  TetMesh mesh = mesh_from(FORMAT_41
                           "$Nodes\n1 5 7 9000000000000\n3 1 0 5\n500\n7\n9000000000000\n8\n3000000000\n"
                           "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
                           "$Elements\n1 2 1 2\n3 1 4 2\n1 500 7 9000000000000 8\n"
                           "2 7 9000000000000 8 3000000000\n$EndElements\n",
                           NULL);
  static const int tet[2][4] = { { 1, 0, 2, 3 }, { 2, 1, 3, 4 } };
  static const int64_t tag[5] = { 500, 7, 9000000000000, 8, 3000000000 };
  assert_memory_equal(mesh.tet, tet, sizeof tet);
  assert_memory_equal(mesh.node_tag, tag, sizeof tag);
  mesh_destroy(&mesh);
}

static void other_elements_are_counted_in_one_notice(void **state) {
  (void)state;
  char notices[NOTICE_LENGTH];
  TetMesh mesh = mesh_from(FORMAT_22 NODES_22
                           "$Elements\n8\n1 15 2 0 1 1\n2 2 2 0 1 1 2 3\n3 4 2 1 1 1 2 3 4\n"
                           "4 15 0 2\n5 1 0 1 2\n6 4 3 1 1 9 2 3 4 5\n7 77 0 1 2 3\n"
                           "8 11 0 1 2 3 4 5 1 2 3 4 5\n$EndElements\n",
                           notices);
  assert_contains(notices, ": skipped 2 points, 1 line, 1 triangle, 1 other element\n");
  assert_contains(notices, ": higher-order tets are read as linear tets with straight edges (number of tets: 1)\n");
  assert_int_equal(mesh.tet_count, 3);  // the third tet has the four corners of the 10-node tet
  mesh_destroy(&mesh);
}

static void large_counts_are_grouped_in_the_notice(void **state) {
  (void)state;
  enum { POINTS = 1234567, POINT_LENGTH = 4 };
  static const char head[] = FORMAT_41 NODES_41
      "$Elements\n2 1234569 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n"
      "0 1 15 1234567\n";
  static const char tail[] = "$EndElements\n";
  size_t size = sizeof head - 1 + POINTS * POINT_LENGTH + sizeof tail - 1, at = sizeof head - 1;
  char *content = malloc(size), notices[NOTICE_LENGTH];
  assert_non_null(content);
  memcpy(content, head, at);
  for (int p = 0; p < POINTS; p++, at += POINT_LENGTH) memcpy(content + at, "3 1\n", POINT_LENGTH);
  memcpy(content + at, tail, sizeof tail - 1);
  TetMesh mesh = { 0 };
  Error error = { 0 };
  if (!read_content(content, size, &mesh, notices, &error)) fail_msg("%s", error.message);
  assert_contains(notices, "skipped 1,234,567 points\n");
  mesh_destroy(&mesh);
  free(content);
}

static void only_tets_that_gmsh_calls_inverted_are_reported(void **state) {
  (void)state;
  char notices[NOTICE_LENGTH];
  TetMesh mesh =
      mesh_from(FORMAT_41 NODES_41 "$Elements\n1 2 1 2\n3 1 4 2\n1 2 1 3 4\n2 2 3 4 5\n$EndElements\n", notices);
  assert_contains(notices, ": re-oriented 1 inverted tet\n");
  assert_near("volume", total_volume(&mesh), 0.5, 1e-15);
  mesh_destroy(&mesh);

  mesh = mesh_from(FORMAT_41 NODES_41 "$Elements\n1 2 1 2\n3 1 4 2\n1 2 1 3 4\n2 3 2 4 5\n$EndElements\n", notices);
  assert_contains(notices, ": re-oriented 2 inverted tets\n");
  assert_near("volume", total_volume(&mesh), 0.5, 1e-15);
  mesh_destroy(&mesh);
}

static void unused_nodes_are_dropped(void **state) {
  (void)state;
  char notices[NOTICE_LENGTH];
  TetMesh mesh = mesh_from(FORMAT_22
                           "$Nodes\n7\n99 5 5 5\n1 0 0 0\n2 1 0 0\n98 6 6 6\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
                           "$EndNodes\n" ELEMENTS_22,
                           notices);
  assert_two_tets(&mesh);
  assert_contains(notices, ": dropped 2 nodes that no tet uses\n");
  mesh_destroy(&mesh);
}

static void numbers_may_be_written_in_any_usual_way(void **state) {
  (void)state;
  TetMesh mesh = mesh_from(FORMAT_22
                           "$Nodes\n4\n1 -0 +0.0 .0\n2 1.e0 0 -1e-320\n3 0 10E-1 0\n4 1e-400 0 +1\n"
                           "$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
                           NULL);
  assert_near("volume", total_volume(&mesh), 1.0 / 6, 1e-15);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_versions_read_alike_without_a_notice),
    cmocka_unit_test(lines_may_end_in_crlf),
    cmocka_unit_test(blank_lines_and_a_missing_last_line_end_do_no_harm),
    cmocka_unit_test(other_sections_are_skipped),
    cmocka_unit_test(nodes_and_tets_may_come_in_many_blocks),
    cmocka_unit_test(parametric_nodes_are_read),
    cmocka_unit_test(node_tags_may_be_sparse_and_in_any_order),
    cmocka_unit_test(other_elements_are_counted_in_one_notice),
    cmocka_unit_test(large_counts_are_grouped_in_the_notice),
    cmocka_unit_test(only_tets_that_gmsh_calls_inverted_are_reported),
    cmocka_unit_test(unused_nodes_are_dropped),
    cmocka_unit_test(numbers_may_be_written_in_any_usual_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
