// Malformed files: every one is refused, in words that say where, what is wrong and what would be right.
#include <sys/stat.h>

#include "mesh_testing.h"

#define ROW(text, part) \
  { text, sizeof(text) - 1, part }
static const struct {
  const char *content;
  size_t size;
  const char *message;  // stands in the message; "@" is the file's path
} cases[] = {
  // not a file of ours
  ROW("", "@: the file is empty"),
  ROW("\n \r\n", "@: the file is empty"),
  ROW("solid cube\n", "@:1: \"solid\" where a section should begin, $MeshFormat for one (is this an MSH file?)"),
  ROW("\x1f\x8b\x08\x00\x01", "@:1: \"?????\" where a section should begin"),
  ROW("$NOD\n1\n1 0 0 0\n$ENDNOD\n", "@:1: MSH version 1 is not supported; supported: 2.2 and 4.1, ASCII"),
  ROW("$MeshFormat\n", "@:2: the file ends, expected version, file type and data size"),
  ROW("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "@:2: MSH version 4 is not supported; supported: 2.2 and 4.1"),
  ROW("$MeshFormat\n4.10 0 8\n$EndMeshFormat\n", "@:2: MSH version 4.10 is not supported"),
  ROW("$MeshFormat\n4.1 1 8\n\x01\0\0\0$EndMeshFormat\n", "@:2: binary MSH: not supported yet, save as ASCII"),
  ROW("$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n", "@:2: binary MSH: not supported yet, save as ASCII"),
  ROW("$MeshFormat\n4.1 0\n$EndMeshFormat\n", "@:2: the line ends, expected data size"),
  ROW("$MeshFormat\n4.1 0 8\n$Nodes\n", "@:3: \"$Nodes\", expected $EndMeshFormat"),

  // sections
  ROW(FORMAT_41, "@:3: the file ends without $Nodes"),
  ROW(FORMAT_41 NODES_41, "@:17: the file ends without $Elements"),
  ROW(FORMAT_41 ELEMENTS_41, "@:4: $Elements before $Nodes"),
  ROW(NODES_41, "@:1: $Nodes before $MeshFormat"),
  ROW(FORMAT_41 FORMAT_41, "@:4: a second $MeshFormat"),
  ROW(FORMAT_41 NODES_41 NODES_41, "@:18: a second $Nodes"),
  ROW(FORMAT_41 NODES_41 ELEMENTS_41 ELEMENTS_41, "a second $Elements"),
  ROW(FORMAT_41 "$Comments\nno end\n", "@:4: the file ends before a line $EndComments"),
  ROW(FORMAT_41 NODES_41 "1 2 3\n", "@:18: \"1\" where a section should begin, such as $Nodes"),

  // nodes, 2.2
  ROW(FORMAT_22 "$Nodes\n", "@:5: the file ends, expected node count"),
  ROW(FORMAT_22 "$Nodes\n-3\n", "@:5: node count is \"-3\", expected 4 to 715827882"),
  ROW(FORMAT_22 "$Nodes\n5.0\n", "@:5: node count is \"5.0\", expected 4"),
  ROW(FORMAT_22 "$Nodes\n700000000\n1 0 0 0\n", "@:5: node count is 700000000, but only 9 bytes are left in the file"),
  ROW(FORMAT_22 "$Nodes\n99999999999999999999\n", "@:5: node count is \"99999999999999999999\", expected 4"),
  ROW(FORMAT_22 "$Nodes\n5\n1 0 0 0\n2 1 0\n3 0 1 0\n4 0 0 1\n5 1 1 1.0\n", "@:7: the line ends, expected node's z"),
  ROW(FORMAT_22 "$Nodes\n5\n1 0 0 0\n2 1 0 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n", "@:7: \"0\" where the line should end"),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 nan 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n",
      "@:6: node's y is \"nan\", expected a finite number"),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1e999 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:7: node's x is \"1e999\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 0x10 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:7: node's x is \"0x10\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1,5 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:7: node's x is \"1,5\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1\0 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:7: node's x is \"1?\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n-2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n",
      "@:7: node tag is \"-2\", expected 0 to"),
  ROW(FORMAT_22 "$Nodes\n4\n7 0 0 0\n2 1 0 0\n3 0 1 0\n7 0 0 1\n$EndNodes\n", "$Nodes has two nodes with the tag 7"),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n",
      "@:10: \"5\", expected $EndNodes"),
  ROW(FORMAT_22 "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:10: node tag is \"$EndNodes\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0 0 0\n4 0 0", "@:8: \"0\" where the line should end"),

  // nodes, 4.1
  ROW(FORMAT_41 "$Nodes\n1 5 1\n", "@:5: node count is 5, but only 3 bytes are left in the file"),
  ROW(FORMAT_41 "$Nodes\n1 5 1\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n",
      "@:5: the line ends, expected largest tag"),
  ROW(FORMAT_41 "$Nodes\n1 5 1 5\n4 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n",
      "@:6: entity dimension is \"4\", expected 0 to 3"),
  ROW(FORMAT_41 "$Nodes\n1 5 1 5\n3 1 0 6\n1\n2\n3\n4\n5\n6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n",
      "@:6: count of nodes in this block is \"6\", expected 0 to 5"),
  ROW(FORMAT_41 "$Nodes\n1 5 1 5\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n",
      "the blocks of $Nodes hold 4 nodes, its first line promises 5"),
  ROW(FORMAT_41 "$Nodes\n2 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n",
      "@:17: entity dimension is \"$EndNodes\""),
  ROW(FORMAT_41 "$Nodes\n1 4 1 4\n2 1 1 4\n1\n2\n3\n4\n0.25 0 0 1\n",
      "@:11: the line ends, expected node's parametric"),
  ROW(FORMAT_41 "$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0.25 0 0\n1 0.25 0\n0 1",
      "@:14: the line ends, expected node's z"),

  // elements
  ROW(FORMAT_22 NODES_22 "$Elements\n0\n$EndElements\n", "@:13: element count is \"0\", expected 1 to 536870911"),
  ROW(FORMAT_22 NODES_22 "$Elements\n500000000\n1 4 0 1 2 3 4\n", "@:13: element count is 500000000, but only"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n77 4 0 1 2 3 9\n$EndElements\n",
      "@:14: element 77 has the node 9, which is not in $Nodes"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n77 4 0 1 2 3 0\n$EndElements\n", "@:14: element 77 has the node 0, which"),
  ROW(FORMAT_41 NODES_41 "$Elements\n1 1 1 1\n3 1 4 1\n78 1 2 3 6\n$EndElements\n",
      "@:21: element 78 has the node 6, which is not in $Nodes"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3\n$EndElements\n", "@:14: the line ends, expected tet's node"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 4 5\n$EndElements\n", "@:14: \"5\" where the line should end"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 -1 1 2 3 4\n$EndElements\n", "@:14: count of tags is \"-1\", expected 0"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 9 1 2 3 4\n$EndElements\n", "@:14: the line ends, expected tag"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 141 0 1 2 3 4\n", "@:14: element type is \"141\", expected 1 to 140"),
  ROW(FORMAT_22 NODES_22 "$Elements\n3\n1 4 0 1 2 3 4\n2 4 0 2 3 4 5\n", "@:16: the file ends, expected an element"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 4\n", "@:15: the file ends, expected $EndElements"),
  ROW(FORMAT_41 NODES_41 "$Elements\n1 2 1 2\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
      "the blocks of $Elements hold 1 elements, its first line promises 2"),
  ROW(FORMAT_41 NODES_41 "$Elements\n1 1 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n$EndElements\n",
      "@:20: count of elements in this block is \"2\", expected 0 to 1"),

  // no tets, and bad ones
  ROW(FORMAT_22 NODES_22 "$Elements\n2\n1 2 0 1 2 3\n2 11 0 1 2 3 4 5 1 2 3 4 5\n$EndElements\n",
      "@: no linear (4-node) tetrahedra; the file has 1 triangle, 1 10-node tetrahedron (higher order: not supported)"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 2\n$EndElements\n",
      "@: the tet with nodes 2, 1, 3, 2 has the same node at two corners"),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
      "is flat: it has no volume"),
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

// The message of a file that must be refused; the file's path in it becomes "@".
static void refuse(const char *content, size_t size, char shown[ERROR_LENGTH]) {
  char path[PATH_LENGTH], ignored[NOTICE_LENGTH];
  TetMesh mesh = { .node_count = -7 };
  Error error = { 0 };
  write_temporary(content, size, ".msh", path);
  Notices caught = catch_notices();
  bool ok = mesh_read(path, &mesh, &error);
  take_notices(&caught, ignored);
  remove(path);
  if (ok) fail_msg("accepted: %s", content);
  assert_int_equal(mesh.node_count, -7);  // not touched
  size_t length = strlen(path);
  if (strncmp(error.message, path, length) != 0) fail_msg("\"%s\" does not begin with the path", error.message);
  snprintf(shown, ERROR_LENGTH, "@%s", error.message + length);
}

static void malformed_files_are_refused_with_file_and_line(void **state) {
  (void)state;
  int wrong = 0;
  for (int k = 0; k < CASE_COUNT; k++) {
    char shown[ERROR_LENGTH];
    refuse(cases[k].content, cases[k].size, shown);
    if (strstr(shown, cases[k].message)) continue;
    print_error("\"%s\" is not in \"%s\"\n", cases[k].message, shown);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

static void files_cut_off_anywhere_are_refused(void **state) {
  (void)state;
  static const char *const whole[] = { FORMAT_41 NODES_41 ELEMENTS_41, FORMAT_22 NODES_22 ELEMENTS_22 };
  for (int k = 0; k < 2; k++)
    for (size_t size = 0; size + 1 < strlen(whole[k]); size++) {  // without the last line end it is still whole
      char shown[ERROR_LENGTH];
      refuse(whole[k], size, shown);
    }
}

static void files_with_a_byte_changed_do_no_harm(void **state) {
  (void)state;
  static const char *const whole[] = { FORMAT_41 NODES_41 ELEMENTS_41, FORMAT_22 NODES_22 ELEMENTS_22 };
  static const char bytes[] = { '\0', '\n', ' ', '-', '$', '9', 'e', '\x80' };
  for (int k = 0; k < 2; k++) {
    char content[512];
    size_t size = strlen(whole[k]);
    assert_true(size <= sizeof content);
    for (size_t at = 0; at < size; at += 3)  // a third of all places: the sanitizers make each one slow
      for (size_t b = 0; b < sizeof bytes; b++) {
        TetMesh mesh = { 0 };
        Error error = { 0 };
        memcpy(content, whole[k], size);
        content[at] = bytes[b];
        bool ok = read_content(content, size, &mesh, NULL, &error);
        assert_true(ok != (error.message[0] != 0));
        mesh_destroy(&mesh);
      }
  }
}

static void files_that_cannot_be_read_say_why(void **state) {
  (void)state;
  TetMesh mesh = { 0 };
  Error missing = { 0 }, folder = { 0 }, unknown = { 0 }, none = { 0 }, packed = { 0 };
  assert_false(mesh_read("/nowhere/at/all.msh", &mesh, &missing));
  assert_string_equal(missing.message, "/nowhere/at/all.msh: cannot open: No such file or directory");

  char path[64];
  snprintf(path, sizeof path, "/tmp/pliant_folder_%d.msh", (int)getpid());
  assert_int_equal(mkdir(path, 0700), 0);
  assert_false(mesh_read(path, &mesh, &folder));
  assert_contains(folder.message, "cannot read: Is a directory");
  rmdir(path);

  assert_false(mesh_read("mesh.d/hand.obj", &mesh, &unknown));
  assert_string_equal(unknown.message,
                      "mesh.d/hand.obj: no mesh format has the name ending \".obj\"; supported: .msh "
                      "(Gmsh MSH 2.2 and 4.1, ASCII)");
  assert_false(mesh_read("mesh.msh/hand", &mesh, &none));
  assert_contains(none.message, "no mesh format has the name ending \"\"");
  assert_false(mesh_read("hand.msh.gz", &mesh, &packed));
  assert_contains(packed.message, "unpack it first");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(malformed_files_are_refused_with_file_and_line),
    cmocka_unit_test(files_cut_off_anywhere_are_refused),
    cmocka_unit_test(files_with_a_byte_changed_do_no_harm),
    cmocka_unit_test(files_that_cannot_be_read_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
