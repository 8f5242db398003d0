// Writes meshes in every format and reads them back. Tets and positions (to the last bit) must be unchanged, and node
// numbers, too, if the format has them. A truncated or damaged file must give an error or a valid mesh.
#include "mesh/mesh_write.h"
#include "mesh/quality.h"
#include "mesh_testing.h"

// Kinds of files that are written. how: encoding, big-endian byte order, and version of MSH files (22 or 41).
static const struct {
  const char *ending;
  MeshWriting how;
  bool numbers;  // the format stores node numbers
  int first;     // number that the reader gives to the first node, if the format stores no numbers
} variants[] = {
  { ".msh", { MESH_USUAL, false, 41 }, true, 0 },     { ".msh", { MESH_TEXT, false, 22 }, true, 0 },
  { ".msh", { MESH_BINARY, false, 41 }, true, 0 },    { ".msh", { MESH_BINARY, true, 41 }, true, 0 },
  { ".msh", { MESH_BINARY, false, 22 }, true, 0 },    { ".msh", { MESH_BINARY, true, 22 }, true, 0 },
  { ".mesh", { MESH_USUAL, false, 0 }, false, 1 },    { ".meshb", { MESH_USUAL, false, 0 }, false, 1 },
  { ".meshb", { MESH_BINARY, true, 0 }, false, 1 },   { ".node", { MESH_USUAL, false, 0 }, true, 0 },
  { ".ele", { MESH_TEXT, false, 0 }, true, 0 },       { ".vtk", { MESH_USUAL, false, 0 }, false, 0 },
  { ".vtk", { MESH_BINARY, false, 0 }, false, 0 },    { ".vtu", { MESH_USUAL, false, 0 }, false, 0 },
  { ".vtu", { MESH_TEXT, false, 0 }, false, 0 },      { ".vtu", { MESH_BINARY, false, 0 }, false, 0 },
  { ".vtu", { MESH_BINARY, true, 0 }, false, 0 },     { ".vtu", { MESH_BASE64, false, 0 }, false, 0 },
  { ".vtu", { MESH_BASE64, true, 0 }, false, 0 },     { ".vtu", { MESH_ZLIB, true, 0 }, false, 0 },
  { ".veg", { MESH_USUAL, false, 0 }, true, 0 },      { ".inp", { MESH_USUAL, false, 0 }, true, 0 },
  { ".msh.gz", { MESH_BINARY, false, 41 }, true, 0 }, { ".vtu.gz", { MESH_TEXT, false, 0 }, false, 0 },
  { ".ele.gz", { MESH_USUAL, false, 0 }, true, 0 },
};
enum { VARIANTS = sizeof variants / sizeof *variants };

// Creates a box with positions that need all digits of a double, and with irregular node numbers.
static TetMesh odd_box(int n) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  if (!mesh_make_box(n, n, n, (double[3]){ 1.0 / 3, 1.0 / 7, 0.1 }, &mesh, &error)) fail_msg("%s", error.message);
  for (int a = 0; a < mesh.node_count; a++) mesh.node_tag[a] = 3 * a + 17;
  return mesh;
}

static void name_of(const char *folder, const char *ending, char path[PATH_LENGTH]) {
  snprintf(path, PATH_LENGTH, "%.480s/mesh%s", folder, ending);
}

static void temporary_folder(char folder[PATH_LENGTH]) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, PATH_LENGTH, "%.400s/pliant_formats_XXXXXX", base ? base : "/tmp");
  assert_non_null(mkdtemp(folder));
}

static void remove_folder(const char *folder) {
  char command[PATH_LENGTH + 16];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

// Gmsh and Abaqus expect positive node numbers.
static void no_node_of_gmsh_and_abaqus_has_the_number_0(void **state) {
  (void)state;
  char folder[PATH_LENGTH];
  temporary_folder(folder);
  for (int k = 0; k < VARIANTS; k++) {
    char path[PATH_LENGTH];
    Error error = { 0 };
    TetMesh mesh = odd_box(1), back = { 0 };
    const char *ending = variants[k].ending;
    const int first = strncmp(ending, ".msh", 4) == 0 || strcmp(ending, ".inp") == 0 ? 1 : 0;
    for (int a = 0; a < mesh.node_count; a++) mesh.node_tag[a] = 3 * a;
    name_of(folder, ending, path);
    if (!mesh_write(path, &mesh, &variants[k].how, &error) || !mesh_read(path, 1, &back, &error))
      fail_msg("%s", error.message);
    assert_memory_equal(back.tet, mesh.tet, sizeof *mesh.tet * (size_t)mesh.tet_count);
    assert_int_equal(mesh.node_tag[0], 0);  // the mesh itself does not change
    for (int a = 0; variants[k].numbers && a < mesh.node_count; a++) assert_int_equal(back.node_tag[a], 3 * a + first);
    mesh_destroy(&mesh);
    mesh_destroy(&back);
  }
  remove_folder(folder);
}

static void all_formats_bring_everything_back(void **state) {
  (void)state;
  char folder[PATH_LENGTH];
  temporary_folder(folder);
  for (int n = 1; n <= 13; n += 6)  // files of larger meshes have several compressed blocks
    for (int k = 0; k < VARIANTS; k++) {
      char path[PATH_LENGTH], notices[NOTICE_LENGTH];
      Error error = { 0 };
      TetMesh mesh = odd_box(n), back = { 0 };
      name_of(folder, variants[k].ending, path);
      if (!mesh_write(path, &mesh, &variants[k].how, &error)) fail_msg("%s", error.message);
      Notices caught = catch_notices();
      const bool ok = mesh_read(path, 1, &back, &error);
      take_notices(&caught, notices);
      if (!ok) fail_msg("%s", error.message);
      assert_string_equal(notices, "");
      assert_int_equal(back.node_count, mesh.node_count);
      assert_int_equal(back.tet_count, mesh.tet_count);
      assert_memory_equal(back.X, mesh.X, sizeof *mesh.X * (size_t)mesh.node_count);
      assert_memory_equal(back.tet, mesh.tet, sizeof *mesh.tet * (size_t)mesh.tet_count);
      for (int a = 0; a < mesh.node_count; a++)
        assert_true(back.node_tag[a] == (variants[k].numbers ? mesh.node_tag[a] : variants[k].first + a));
      mesh_destroy(&mesh);
      mesh_destroy(&back);
    }
  remove_folder(folder);
}

// Returns the file's bytes. The caller frees them.
static char *read_bytes(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s", path);
  char *bytes = malloc(1 << 16);
  *size = fread(bytes, 1, 1 << 16, file);
  assert_true(*size < 1 << 16);
  fclose(file);
  return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

// Reads a damaged file. Returns true if the reader accepts it; the result must then be a valid mesh. Otherwise there
// must be an error message.
static bool read_any(const char *path) {
  char notices[NOTICE_LENGTH];
  TetMesh mesh = { 0 };
  Error error = { 0 };
  Notices caught = catch_notices();
  const bool ok = mesh_read(path, 1, &mesh, &error);
  take_notices(&caught, notices);
  assert_true(ok != (error.message[0] != 0));
  for (int e = 0; e < mesh.tet_count; e++)
    for (int c = 0; c < 4; c++) assert_true(mesh.tet[e][c] >= 0 && mesh.tet[e][c] < mesh.node_count);
  mesh_destroy(&mesh);
  return ok;
}

static void damaged_files_do_no_harm(void **state) {
  (void)state;
  static const unsigned char values[] = { 0, '\n', ' ', '-', '9', 0x7f, 0x80, 0xff };
  char folder[PATH_LENGTH];
  temporary_folder(folder);
  for (int k = 0; k < VARIANTS; k++) {
    char path[PATH_LENGTH];
    Error error = { 0 };
    size_t size;
    TetMesh mesh = odd_box(1);
    name_of(folder, variants[k].ending, path);
    if (!mesh_write(path, &mesh, &variants[k].how, &error)) fail_msg("%s", error.message);
    mesh_destroy(&mesh);
    char *bytes = read_bytes(path, &size);

    // truncates the file at a sample of positions, since tests with sanitizers are slow
    for (size_t at = 0; at < size; at += 23) {
      write_bytes(path, bytes, at);
      read_any(path);
    }
    for (size_t at = 0; at < size; at += 37) {
      const char kept = bytes[at];
      bytes[at] = (char)values[at / 37 % sizeof values];
      write_bytes(path, bytes, size);
      read_any(path);
      bytes[at] = kept;
    }
    write_bytes(path, bytes, size / 2);
    assert_false(read_any(path));
    free(bytes);
  }
  remove_folder(folder);
}

// Reads a tet with edges of 10 along the axes from every text format. Numbers have Fortran exponents (1D1). Numbers in
// the files of Vega and Abaqus are separated by commas, and the VTU file has a number of 61 digits.
static void fortran_exponents_commas_long_numbers_and_marks_are_read(void **state) {
  (void)state;
  static const struct {
    const char *ending, *content;
  } files[] = {
    { ".msh",
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0.0D0\n2 1.0D+01 0 0\n3 0 1d1 0\n4 0 0 "
      "100.D-01\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n" },
    { ".mesh",
      "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0.0D0 0\n1.0D+01 0 0 0\n0 1d1 0 0\n0 0 "
      "100.D-01 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n" },
    { ".vtk",
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0.0D0\n"
      "1.0D+01 0 0\n0 1d1 0\n0 0 100.D-01\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n" },
    { ".vtu",
      "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>"
      "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0.0D0 "
      "10.00000000000000000000000000000000000000000000000000000000001 0 0\n0 1d1 0 0 0 100.D-01</DataArray></Points>"
      "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>"
      "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>"
      "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid>"
      "</VTKFile>" },
    { ".veg",
      "*VERTICES\n4, 3, 0, 0\n1, 0, 0, 0.0D0\n2,1.0D+01,0,0\n3\t0 , 1d1 , 0\n4 0 0 100.D-01\n"
      "*ELEMENTS\nTET\n1, 4, 0\n1, 1, 2, 3, 4\n" },
    { ".inp",
      "*NODE\n1, 0, 0, 0.0D0\n2,1.0D+01,0,0\n3,\t0 , 1d1 , 0\n4, 0, 0, 100.D-01\n"
      "*Element, type=C3D4\n1, 1, 2, 3, 4\n" },
  };

  // each file is read as it is, and with a byte order mark as editors of Windows write it
  for (size_t k = 0; k < 2 * (sizeof files / sizeof *files); k++) {
    char path[PATH_LENGTH], notices[NOTICE_LENGTH], content[2048];
    TetMesh mesh = { 0 };
    Error error = { 0 };
    snprintf(content, sizeof content, "%s%s", k % 2 ? "\xef\xbb\xbf" : "", files[k / 2].content);
    write_temporary(content, strlen(content), files[k / 2].ending, path);
    Notices caught = catch_notices();
    const bool ok = mesh_read(path, 1, &mesh, &error);
    take_notices(&caught, notices);
    remove(path);
    if (!ok) fail_msg("%s", error.message);
    for (int a = 0; a < 4; a++)
      for (int i = 0; i < 3; i++) assert_true(mesh.X[a][i] == (a == i + 1 ? 10 : 0));
    mesh_destroy(&mesh);
  }
}

static void failed_writes_give_a_reason(void **state) {
  (void)state;
  TetMesh mesh = odd_box(1);
  Error ending = { 0 }, encoding = { 0 }, folder = { 0 }, large = { 0 };
  const MeshWriting zlib = { MESH_ZLIB, false, 0 }, old = { MESH_BINARY, false, 22 };
  assert_false(mesh_write("/tmp/mesh.stp", &mesh, NULL, &ending));
  assert_contains(ending.message, "unknown mesh format \".stp\"");
  assert_false(mesh_write("/tmp/mesh.veg", &mesh, &zlib, &encoding));
  assert_contains(encoding.message, "cannot be written with encoding zlib");
  assert_false(mesh_write("/nowhere/mesh.veg", &mesh, NULL, &folder));
  assert_contains(folder.message, "/nowhere/mesh.veg: cannot be written: No such file");
  mesh.node_tag[3] = INT64_C(1) << 40;
  assert_false(mesh_write("/tmp/mesh.msh", &mesh, &old, &large));
  assert_contains(large.message, "does not fit into binary MSH 2.2");
  mesh_destroy(&mesh);
}

static void quality_of_known_shapes(void **state) {
  (void)state;
  TetMesh mesh = { 0 };
  Error error = { 0 };
  MeshQuality q;
  if (!mesh_make_box(1, 1, 1, (double[3]){ 1, 1, 1 }, &mesh, &error)) fail_msg("%s", error.message);
  assert_true(mesh_quality(&mesh, &q, &error));
  assert_near("volume", q.volume, 1, 1e-14);

  // a cube that is divided into six of Kuhn's tets has dihedral angles of 45, 60 and 90 degrees
  assert_near("smallest dihedral angle", q.min_dihedral, 45, 1e-12);
  assert_near("largest dihedral angle", q.max_dihedral, 90, 1e-12);

  // Kuhn's tet: circumradius sqrt(3)/2, inradius 3V/area = (1/2) / (1 + sqrt(2))
  assert_near("aspect ratio", q.worst_aspect, sqrt(3) / 2 / (3 * 0.5 / (1 + sqrt(2))), 1e-12);
  assert_near("longest edge", q.max_edge, sqrt(3), 1e-14);
  assert_int_equal(q.components, 1);

  // makes a regular tet from alternate corners of the cube
  const double regular[4][3] = { { 0, 0, 0 }, { 1, 1, 0 }, { 1, 0, 1 }, { 0, 1, 1 } };
  memcpy(mesh.X, regular, sizeof regular);
  mesh.node_count = 4;
  mesh.tet_count = 1;
  memcpy(mesh.tet[0], (int[4]){ 0, 1, 2, 3 }, sizeof mesh.tet[0]);
  if (mesh_tet_volume(&mesh, 0) < 0) memcpy(mesh.tet[0], (int[4]){ 1, 0, 2, 3 }, sizeof mesh.tet[0]);
  assert_true(mesh_quality(&mesh, &q, &error));
  assert_near("aspect ratio", q.worst_aspect, 1, 1e-12);
  assert_near("dihedral angle", q.min_dihedral, acos(1.0 / 3) * 180 / acos(-1), 1e-12);
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_node_of_gmsh_and_abaqus_has_the_number_0),
    cmocka_unit_test(all_formats_bring_everything_back),
    cmocka_unit_test(damaged_files_do_no_harm),
    cmocka_unit_test(fortran_exponents_commas_long_numbers_and_marks_are_read),
    cmocka_unit_test(failed_writes_give_a_reason),
    cmocka_unit_test(quality_of_known_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
