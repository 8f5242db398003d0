// Tests the meshes of the hand that come with the program, and those in ../shared/meshes next to the checkout if any.
#include "base/timer.h"
#include "mesh_testing.h"

// Reads a mesh that needs no repair. The only notices may be about skipped triangles.
static TetMesh read_clean(const char *path) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  char notices[NOTICE_LENGTH];
  Notices caught = catch_notices();
  bool ok = mesh_read(path, 1, &mesh, &error);
  take_notices(&caught, notices);
  if (!ok) fail_msg("%s", error.message);
  if (strstr(notices, "inverted") || strstr(notices, "dropped")) fail_msg("%s", notices);
  return mesh;
}

// Checks invariants that hold for all meshes. *entries receives the length of all adjacency lists, *triangles the
// number of triangles of the surface, and *max_tets the largest number of tets that have a common node.
static void check_mesh(const TetMesh *mesh, int *entries, int *triangles, int *max_tets) {
  *entries = check_adjacency(mesh);
  *triangles = check_surface(mesh);
  double *mass = malloc((size_t)mesh->node_count * sizeof *mass), total = 0;
  int *tets = calloc((size_t)mesh->node_count, sizeof *tets);
  assert_true(mass && tets);
  mesh_lumped_mass(mesh, 1000, mass);
  *max_tets = 0;
  for (int a = 0; a < mesh->node_count; a++) total += mass[a];

  // the mass is a sum of up to 1e5 terms, each with a relative rounding error of 1e-16
  assert_near("mass", total, 1000 * total_volume(mesh), 1e-11);
  for (int e = 0; e < mesh->tet_count; e++)
    for (int c = 0; c < 4; c++) {
      int count = ++tets[mesh->tet[e][c]];
      if (count > *max_tets) *max_tets = count;
    }
  free(mass);
  free(tets);
}

static void the_hand_is_the_benchmark_hand(void **state) {
  (void)state;
  const char *assets = getenv("PLIANT_ASSETS");
  if (!assets) fail_msg("PLIANT_ASSETS is not set: it is the path of assets/");
  char path[PATH_LENGTH];
  int entries, triangles, max_tets;
  snprintf(path, sizeof path, "%s/meshes/hand.msh", assets);
  double start = timer_seconds();
  TetMesh mesh = read_clean(path);
  print_message("hand.msh read in %.0f ms\n", 1e3 * (timer_seconds() - start));
  check_mesh(&mesh, &entries, &triangles, &max_tets);
  assert_int_equal(mesh.node_count, 28795);
  assert_int_equal(mesh.tet_count, 125159);
  assert_int_equal(9 * (int64_t)entries, 3304629);  // entries of the stored matrix: nine for each pair of neighbours
  assert_int_equal(max_tets, 48);
  double low[3], high[3];
  mesh_bounds(&mesh, low, high);
  assert_near("height", high[2] - low[2], 1, 1e-12);
  assert_true(fabs(low[2]) < 1e-12);
  mesh_destroy(&mesh);

  snprintf(path, sizeof path, "%s/meshes/hand_coarse.msh", assets);
  mesh = read_clean(path);
  check_mesh(&mesh, &entries, &triangles, &max_tets);
  assert_int_equal(mesh.node_count, 3011);
  assert_int_equal(mesh.tet_count, 10738);
  assert_int_equal(max_tets, 96);
  mesh_destroy(&mesh);
}

static void shared_meshes_are_as_their_table_says(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int nodes, tets, max_tets;  // expected numbers of nodes and tets, and largest number of tets that share a node
    double volume;              // expected volume; 0: no closed form is known, so the volume is not tested
  } meshes[] = {
    { "sphere_63.msh", 63, 120, 120, 0 },
    { "sphere_305.msh", 305, 960, 120, 0 },
    { "sphere_1700.msh", 1676, 7067, 40, 0 },
    { "sphere_3600.msh", 3560, 16531, 42, 0 },
    { "beam_1x1x10.msh", 1086, 3629, 44, 10 },
    { "beam_1x1x10_regular.msh", 1025, 3840, 24, 10 },
    { "cube_patch.msh", 230, 684, 40, 1 },
    { "cube_6tet.msh", 8, 6, 5, 1 },
    { "little_elephant.msh", 7008, 24953, 72, 0 },
    { "two_cubes.msh", 7714, 32981, 50, 0 },
    { "bimetal.msh", 3881, 16275, 42, 10 },
    { "dinosaur.msh", 13270, 49973, 62, 0 },
    { "boot.vtk", 610, 2419, 50, 0 },
    { "teapot.ele", 1970, 8455, 50, 0 },
    { "octopus.node", 33113, 105440, 154, 0 },
    { "comb.veg", 1623, 5844, 24, 0 },
    { "archbridge.mesh", 6457, 31164, 46, 0 },
    { "spot.vtu", 87460, 499047, 52, 0 },
  };
  const char *assets = getenv("PLIANT_ASSETS");
  int read_count = 0;
  for (size_t k = 0; k < sizeof meshes / sizeof meshes[0]; k++) {
    char path[PATH_LENGTH];
    int entries, triangles, max_tets;
    snprintf(path, sizeof path, "%s/../../shared/meshes/%s", assets ? assets : "assets", meshes[k].name);
    if (access(path, R_OK) != 0) continue;
    TetMesh mesh = read_clean(path);
    print_message("%s\n", meshes[k].name);
    check_mesh(&mesh, &entries, &triangles, &max_tets);
    assert_int_equal(mesh.node_count, meshes[k].nodes);
    assert_int_equal(mesh.tet_count, meshes[k].tets);
    assert_int_equal(max_tets, meshes[k].max_tets);
    if (meshes[k].volume > 0) assert_near("volume", total_volume(&mesh), meshes[k].volume, 1e-11);
    mesh_destroy(&mesh);
    read_count++;
  }
  if (read_count == 0) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_hand_is_the_benchmark_hand),
    cmocka_unit_test(shared_meshes_are_as_their_table_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
