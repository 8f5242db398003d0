// Tests fields that VTU and MSH files contain. mesh_read_field returns the values of the mesh's nodes or cells, also if
// the reader dropped or added nodes. If a file is faulty, the error message names the fault.
#include "mesh_testing.h"

#include <math.h>

#include "mesh/format/writing.h"
#include "mesh/mesh_field.h"

// Start of an MSH file with a triangle, two tets, and node 9, which has no cell. Tests append fields. In the field
// "shift" of nodes, a value is 10 * tag of the node + index of the component. In the field "E" of cells, the value of a
// cell is its number.
#define HEAD_22                                                                  \
  FORMAT_22                                                                      \
  "$Nodes\n6\n9 7 7 7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n" \
  "$Elements\n3\n30 2 2 0 1 1 2 3\n31 4 2 0 1 1 2 3 4\n32 4 2 0 1 2 3 4 5\n$EndElements\n"
#define NODE_DATA(name, entries) "$NodeData\n1\n\"" name "\"\n1\n0.5\n3\n0\n3\n" entries "$EndNodeData\n"
#define SHIFTS "6\n5 50 51 52\n9 0 0 0\n1 10 11 12\n2 20 21 22\n3 30 31 32\n4 40 41 42\n"
#define CELL_DATA(name, entries) "$ElementData\n1\n\"" name "\"\n1\n0.5\n3\n0\n1\n" entries "$EndElementData\n"
#define MSH \
  HEAD_22 NODE_DATA("shift", "1\n1 9 9 9\n") NODE_DATA("shift", SHIFTS) CELL_DATA("E", "3\n32 32\n31 31\n30 30\n")

#define ARRAY(name, components, numbers)                                                                          \
  "<DataArray type=\"Float64\" Name=\"" name "\" NumberOfComponents=\"" components "\" format=\"ascii\">" numbers \
  "</DataArray>"
#define PIECE(data) \
  "<Piece NumberOfPoints=\"6\" " \
  "NumberOfCells=\"3\"><Points>" \
  ARRAY("", "3", "7 7 7 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1") "</Points><Cells><DataArray type=\"Int32\" " \
  "Name=\"connectivity\" format=\"ascii\">1 2 3 1 2 3 4 2 3 4 5</DataArray><DataArray type=\"Int32\" " \
  "Name=\"offsets\" format=\"ascii\">3 7 11</DataArray><DataArray type=\"UInt8\" " \
  "Name=\"types\" format=\"ascii\">5 10 10</DataArray>" \
  "</Cells>" data "</Piece>"
#define PIECES(pieces) "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>" pieces "</UnstructuredGrid></VTKFile>"
#define VTU_WITH(data) PIECES(PIECE(data))
#define VTU                                                                                                         \
  VTU_WITH(                                                                                                         \
      "<PointData>" ARRAY("T", "1", "1 2 3 4 5 6")                                                                  \
          ARRAY("shift", "3", "0 0 0 10 11 12 20 21 22 30 31 32 40 41 42 50 51 52") "</PointData><CellData>" ARRAY( \
              "E", "1", "30 31 32") "</CellData>")

static const MeshField SHIFT = { "shift", false, 3 }, E = { "E", true, 1 };

// Reads a field from a file with this content. Returns its values, or NULL with the error.
static double *read_field(const char *content, size_t size, const char *ending, int degree, const MeshField *field,
                          TetMesh *mesh, Error *error) {
  char path[PATH_LENGTH], ignored[NOTICE_LENGTH];
  double *values = NULL;
  write_temporary(content, size, ending, path);
  Notices caught = catch_notices();
  const bool ok = mesh_read_field(path, degree, field, mesh, &values, error);
  take_notices(&caught, ignored);
  remove(path);
  assert_true(ok == (values != NULL));
  return values;
}

static void values_are_those_of_the_nodes_and_cells_that_are_kept(void **state) {
  (void)state;
  static const char *const contents[2][2] = { { MSH, ".msh" }, { VTU, ".vtu" } };
  for (int k = 0; k < 2; k++) {
    TetMesh mesh = { 0 };
    Error error = { 0 };
    double *u = read_field(contents[k][0], strlen(contents[k][0]), contents[k][1], 1, &SHIFT, &mesh, &error);
    if (!u) fail_msg("%s", error.message);
    assert_int_equal(mesh.node_count, 5);
    for (int a = 0; a < 5; a++)
      for (int i = 0; i < 3; i++) assert_true(u[3 * a + i] == 10 * (a + 1) + i);
    free(u);
    mesh_destroy(&mesh);
    double *scale = read_field(contents[k][0], strlen(contents[k][0]), contents[k][1], 1, &E, &mesh, &error);
    if (!scale) fail_msg("%s", error.message);
    assert_int_equal(mesh.tet_count, 2);
    assert_true(scale[0] == 31 && scale[1] == 32);
    free(scale);
    mesh_destroy(&mesh);
  }
}

static void nodes_that_are_added_have_interpolated_values(void **state) {
  (void)state;
  for (int degree = 2; degree <= 3; degree++) {
    // The values of this field are the positions of the nodes. A position is a linear function, so the interpolation to
    // the new nodes of a higher degree is exact.
    static const char vtu[] =
        VTU_WITH("<PointData>" ARRAY("X", "3", "7 7 7 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1") "</PointData>");
    const MeshField field = { "X", false, 3 };
    TetMesh mesh = { 0 };
    Error error = { 0 };
    double *X = read_field(vtu, strlen(vtu), ".vtu", degree, &field, &mesh, &error);
    if (!X) fail_msg("%s", error.message);
    assert_true(mesh.node_count > 10);
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) assert_true(fabs(X[3 * a + i] - mesh.X[a][i]) < 1e-15);
    free(X);
    mesh_destroy(&mesh);
  }
}

static void binary_data_of_gmsh_are_read(void **state) {
  (void)state;
  for (int swap = 0; swap < 2; swap++) {
    static const double X[5][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 } };
    char content[4096];
    FILE *file = fmemopen(content, sizeof content, "w");
    assert_non_null(file);
    fputs("$MeshFormat\n2.2 1 8\n", file);
    put_i32(file, 1, swap);
    fputs("\n$EndMeshFormat\n$Nodes\n5\n", file);
    for (int a = 0; a < 5; a++) {
      put_i32(file, a + 1, swap);
      for (int i = 0; i < 3; i++) put_f64(file, X[a][i], swap);
    }
    fputs("\n$EndNodes\n$Elements\n2\n", file);
    put_i32(file, 4, swap);
    put_i32(file, 2, swap);
    put_i32(file, 0, swap);
    for (int e = 0; e < 2; e++)
      for (int k = 0; k < 5; k++) put_i32(file, k ? e + k : 31 + e, swap);
    fputs("\n$EndElements\n$NodeData\n1\n\"other\"\n1\n0\n3\n0\n1\n1\n", file);
    put_i32(file, 1, swap);
    put_f64(file, 1, swap);
    fputs("\n$EndNodeData\n$NodeData\n1\n\"shift\"\n1\n0\n3\n0\n3\n5\n", file);
    for (int a = 5; a >= 1; a--) {
      put_i32(file, a, swap);
      for (int i = 0; i < 3; i++) put_f64(file, 10 * a + i, swap);
    }
    fputs("\n$EndNodeData\n", file);
    const long size = ftell(file);
    assert_int_equal(fclose(file), 0);
    TetMesh mesh = { 0 };
    Error error = { 0 };
    double *u = read_field(content, (size_t)size, ".msh", 1, &SHIFT, &mesh, &error);
    if (!u) fail_msg("%s", error.message);
    for (int a = 0; a < 5; a++)
      for (int i = 0; i < 3; i++) assert_true(u[3 * a + i] == 10 * (a + 1) + i);
    free(u);
    mesh_destroy(&mesh);
  }
}

static void faults_are_named(void **state) {
  (void)state;
  static const MeshField none = { "speed", false, 3 }, wide = { "E", true, 3 }, scalar = { "shift", false, 1 };
  static const struct {
    const char *ending, *content;
    const MeshField *field;
    const char *message;
  } rows[] = {
    { ".msh", MSH, &none, ": no field of the nodes has the name \"speed\"; there are: shift" },
    { ".msh", HEAD_22, &E, ": no field of the cells has the name \"E\"; there are: none" },
    { ".msh", MSH, &wide, ": the number of components of the field \"E\" is 1, expected 3" },
    { ".msh", HEAD_22 NODE_DATA("shift", "1\n1 0 0 0\n"), &SHIFT, ": the field \"shift\" has no value for node 2" },
    { ".msh", HEAD_22 CELL_DATA("E", "1\n31 5\n"), &E, ": the field \"E\" has no value for element 32" },
    { ".msh", HEAD_22 NODE_DATA("shift", "1\n1 0 nan 0\n"), &SHIFT, ":28: value is \"nan\", expected a finite number" },
    { ".msh", HEAD_22 NODE_DATA("shift", "900\n1 0 0 0\n"), &SHIFT, "a field has 900 entries, but only" },
    { ".msh", HEAD_22 NODE_DATA("shift", "2\n1 0 0 0\n"), &SHIFT, "tag is \"$EndNodeData\"" },
    { ".msh", HEAD_22 "$NodeData\n1\n\"shift\"\n0\n2\n0\n3\n", &SHIFT, "count of integers is \"2\", expected 3 to" },
    { ".vtu", VTU, &none, ": no field of the nodes has the name \"speed\"; there are: T, shift" },
    { ".vtu", VTU, &wide, ":1: NumberOfComponents of the field is \"1\", expected 3" },
    { ".vtu", VTU, &scalar, ":1: NumberOfComponents of the field is \"3\", expected 1" },
    { ".vtu", VTU_WITH("<CellData>" ARRAY("E", "1", "30 31 inf") "</CellData>"), &E,
      ": value 2 of the field is \"inf\", expected a finite number" },
    { ".vtu", PIECES(PIECE("<CellData>" ARRAY("E", "1", "30 31 32") "</CellData>") PIECE("")), &E,
      ": the field \"E\" is missing in a <Piece>, but another <Piece> has it" },
    { ".vtu", VTU_WITH("<CellData>" ARRAY("E", "1", "3") "</CellData>"), &E,
      ": the data of the field are too short for 3 values" },
    { ".veg", "*VERTICES\n", &E, ": fields can be read only from .vtu and .msh files; save the field in such a file" },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    TetMesh mesh = { 0 };
    Error error = { 0 };
    assert_null(read_field(rows[k].content, strlen(rows[k].content), rows[k].ending, 1, rows[k].field, &mesh, &error));
    assert_contains(error.message, rows[k].message);
    assert_null(mesh.X);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_those_of_the_nodes_and_cells_that_are_kept),
    cmocka_unit_test(nodes_that_are_added_have_interpolated_values),
    cmocka_unit_test(binary_data_of_gmsh_are_read),
    cmocka_unit_test(faults_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
