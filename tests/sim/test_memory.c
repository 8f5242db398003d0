// Compares the memory estimates, which simulation_create checks, with the memory that simulations allocate. If too
// little memory is free, simulation_create must fail with a message that contains figures. argv[1]: the device;
// argv[2]: a pattern for the names of the tests to run.
#include <malloc.h>

#include "mesh/adjacency.h"
#include "mesh/join.h"
#include "mesh/quadratic.h"
#include "sim/assembly/assembly.h"
#include "sim/memory.h"
#include "sim/simulation_parts.h"
#include "sim/simulation_tear.h"
#include "sim_testing.h"

static Device device;

// Returns the mesh of a cube. It is so large that allocations of constant size are negligible.
static TetMesh block(void) {
  Error error = { 0 };
  TetMesh mesh;
  const int side = device == DEVICE_CUDA ? 24 : 12;
  MUST(mesh_make_box(side, side, side, (double[3]){ 1, 1, 1 }, &mesh, &error));
  return mesh;
}

static double host_bytes(void) {
  const struct mallinfo2 info = mallinfo2();
  return (double)info.uordblks + (double)info.hblkhd;
}

// Returns the number of bytes that are allocated in the memory of the tested device.
static double taken_bytes(void) {
  return device == DEVICE_CUDA ? (double)device_memory_taken(DEVICE_CUDA) : host_bytes();
}

// Creates a simulation with these stages. Prints its estimated and its allocated memory. Returns true if they are
// close.
static bool estimate_is_near(const TetMesh *mesh, const StageSize *size, const Stage *assembly, const Stage *matrix,
                             const Stage *solver) {
  Error error = { 0 };
  SimulationSettings s = simulation_defaults();
  Simulation *simulation;
  s.device = device;
  s.precision = assembly->precision;
  s.memory_budget = size->budget / 1e6;
  s.mass = size->consistent ? MASS_CONSISTENT : MASS_LUMPED;
  snprintf(s.assembly, sizeof s.assembly, "%s", assembly->name);
  snprintf(s.matrix, sizeof s.matrix, "%s", matrix->name);
  snprintf(s.solver, sizeof s.solver, "%s", solver->name);
  const MemoryStages stages = {
    stage_find(STAGE_BODY, NULL, device, s.precision, NULL), assembly, matrix, solver, NULL, false, 0
  };
  const MemoryEstimate e = memory_estimate(size, &stages);

  // a first run, since the driver then loads the kernels, whose memory must not be measured below
  if (device == DEVICE_CUDA) {
    MUST(simulation_create(&simulation, mesh, &s, NULL, &error));
    simulation_destroy(simulation);
  }
  const double host = host_bytes(), cuda = (double)device_memory_taken(DEVICE_CUDA);
  MUST(simulation_create(&simulation, mesh, &s, NULL, &error));
  const double host_taken = host_bytes() - host, cuda_taken = (double)device_memory_taken(DEVICE_CUDA) - cuda;

  // The host's estimate includes temporary arrays for the creation of a simulation, and the session's copy of the mesh.
  // So a finished simulation uses less memory than the estimate.
  const double on_host = host_taken / e.host, on_cuda = device == DEVICE_CUDA ? cuda_taken / e.cuda : 1;

  // `least` is the smallest accepted ratio of memory in use to the estimate, on the host. It is small on a GPU, where
  // most memory of the host is temporary. It is smallest for the assemblies globalnz_entries and globalnz_product,
  // because their lists need far more temporary memory than those of other assemblies.
  const double least = device == DEVICE_CPU ? 0.65 : strncmp(assembly->name, "globalnz_", 9) == 0 ? 0.03 : 0.1;
  const bool good = on_host > least && on_host < 1.1 && on_cuda > 0.8 && on_cuda < 1.2;
  printf("  %-9s %-6s %-5s %-8s budget %.0f MB, host %5.1f MiB (estimate %5.1f), GPU %5.1f MiB (estimate %5.1f)%s\n",
         assembly->name, precision_name(assembly->precision), matrix->name, solver->name, s.memory_budget,
         host_taken / 1048576, e.host / 1048576, cuda_taken / 1048576, e.cuda / 1048576, good ? "" : "  WRONG");

  // The finished simulation must report the estimate that was checked before; the command `info` prints it.
  assert_true(memory_of_simulation(simulation).host == e.host && memory_of_simulation(simulation).cuda == e.cuda);
  simulation_destroy(simulation);
  return good;
}

// Tests each assembly with each matrix that it supports, and each solver with its default matrix. Assemblies that can
// work in chunks are also tested with a memory budget.
static void estimates_of_memory_are_near_its_use(void **state) {
  (void)state;
  TetMesh mesh = block();
  Adjacency adjacency;
  Error error = { 0 };
  const Stage *assembly, *matrix, *solver;
  int wrong = 0;
  MUST(adjacency_create(&adjacency, &mesh, &error));
  const StageSize size = { .nodes = mesh.node_count,
                           .cells = mesh.tet_count,
                           .node_dof = 3,
                           .cell_nodes = 4,
                           .pairs = (double)(adjacency.start[mesh.node_count] - mesh.node_count) / 2,
                           .supplemental = 9 };
  for (int k = 0; (assembly = simulation_stage(STAGE_ASSEMBLY, "tet4", k)); k++)
    for (int m = 0; (matrix = simulation_stage(STAGE_OPERATOR, "tet4", m)); m++) {
      if (assembly->device != device || matrix->device != device || matrix->precision != assembly->precision) continue;
      if (!stage_fits(assembly, matrix)) continue;

      // The assemblies globalnz_* have a list for each number that the matrix stores. Their estimates omit the lists of
      // zeros that only fill up rows. The format "dia" has so many such zeros that it is not tested.
      if (strncmp(assembly->name, "globalnz_", 9) == 0 && strcmp(matrix->name, "dia") == 0) continue;
      solver = stage_find(STAGE_SOLVER, NULL, device, assembly->precision, NULL);
      wrong += !estimate_is_near(&mesh, &size, assembly, matrix, solver);
      StageSize bounded = size;
      bounded.budget = 4e6;
      if (((const AssemblyMethod *)assembly)->chunks && (device == DEVICE_CUDA || matrix == stage_matrix_of(assembly)))
        wrong += !estimate_is_near(&mesh, &bounded, assembly, matrix, solver);
    }
  for (int k = 0; (solver = simulation_stage(STAGE_SOLVER, "tet4", k)); k++) {
    if (solver->device != device) continue;
    if (device == DEVICE_CUDA && stage_is_named(solver, "block")) continue;  // this body is too large for "block"
    assembly = stage_find(STAGE_ASSEMBLY, NULL, device, solver->precision, simulation_element("tet4"));
    wrong += !estimate_is_near(&mesh, &size, assembly, stage_matrix_of(solver), solver);
  }

  assert_int_equal(wrong, 0);
  adjacency_destroy(&adjacency);
  mesh_destroy(&mesh);
}

// Tests each assembly for elements of degree 2 with the default solver. The matrix is the solver's default or, if the
// assembly does not support it, the assembly's default.
static void estimates_of_quadratic_bodies_are_near_too(void **state) {
  (void)state;
  TetMesh mesh = { 0 };
  Adjacency adjacency;
  Error error = { 0 };
  const Stage *assembly;
  int wrong = 0;
  MUST(mesh_make_shape("box", (double[3]){ 1, 1, 1 }, 8, &mesh, &error));
  MUST(mesh_raise(&mesh, 2, &error));
  MUST(adjacency_create(&adjacency, &mesh, &error));
  const StageSize size = { .nodes = mesh.node_count,
                           .cells = mesh.tet_count,
                           .node_dof = 3,
                           .cell_nodes = 10,
                           .pairs = (double)(adjacency.start[mesh.node_count] - mesh.node_count) / 2,
                           .supplemental = 10 };
  for (int k = 0; (assembly = simulation_stage(STAGE_ASSEMBLY, "tet10", k)); k++) {
    if (assembly->device != device) continue;
    const Stage *solver = stage_find(STAGE_SOLVER, NULL, device, assembly->precision, NULL);
    const Stage *usual = stage_matrix_of(solver);
    wrong += !estimate_is_near(&mesh, &size, assembly, stage_fits(assembly, usual) ? usual : stage_matrix_of(assembly),
                               solver);
  }

  // tests the p-multigrid solver, and operators that store no matrix
  assembly = stage_find(STAGE_ASSEMBLY, NULL, device, PRECISION_F32, simulation_element("tet10"));
  const Stage *levels = stage_find(STAGE_SOLVER, "pmg", device, PRECISION_F32, NULL);
  if (levels) wrong += !estimate_is_near(&mesh, &size, assembly, stage_matrix_of(levels), levels);
  for (const Stage *m = NULL; (m = stage_next(m, STAGE_OPERATOR, device, PRECISION_F32, simulation_element("tet10")));)
    if (!simulation_stores(m))
      wrong +=
          !estimate_is_near(&mesh, &size, assembly, m, stage_find(STAGE_SOLVER, NULL, device, PRECISION_F32, NULL));
  assert_int_equal(wrong, 0);
  adjacency_destroy(&adjacency);
  mesh_destroy(&mesh);
}

// Tests estimates for consistent masses, for degrees 1 and 2. The mass matrix stores one number per pair of nodes, a
// ninth of the numbers of the tangent. Its creation needs temporary arrays.
static void estimates_with_consistent_masses_are_near_too(void **state) {
  (void)state;
  int wrong = 0;
  for (int degree = 1; degree <= 2; degree++)
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
      TetMesh mesh = { 0 };
      Adjacency adjacency;
      Error error = { 0 };
      MUST(mesh_make_shape("box", (double[3]){ 1, 1, 1 }, degree == 1 ? 16 : 8, &mesh, &error));
      MUST(mesh_raise(&mesh, degree, &error));
      MUST(adjacency_create(&adjacency, &mesh, &error));
      const StageSize size = { .nodes = mesh.node_count,
                               .cells = mesh.tet_count,
                               .node_dof = 3,
                               .cell_nodes = mesh_cell_nodes(&mesh),
                               .pairs = (double)(adjacency.start[mesh.node_count] - mesh.node_count) / 2,
                               .supplemental = degree == 1 ? 9 : 10,
                               .consistent = true };
      StageSize lumped = size;
      lumped.consistent = false;
      const char *element = simulation_element(degree == 1 ? "tet4" : "tet10");
      const Stage *assembly = stage_find(STAGE_ASSEMBLY, NULL, device, (Precision)precision, element);
      const Stage *solver = stage_find(STAGE_SOLVER, "dcg", device, (Precision)precision, NULL);
      const Stage *matrix = stage_matrix_of(stage_fits(assembly, stage_matrix_of(solver)) ? solver : assembly);
      const Stage *body = stage_find(STAGE_BODY, NULL, device, (Precision)precision, NULL);
      wrong += !estimate_is_near(&mesh, &size, assembly, matrix, solver);
      assert_true(body->bytes(body, &size).on[device] > 1.2 * body->bytes(body, &lumped).on[device]);
      adjacency_destroy(&adjacency);
      mesh_destroy(&mesh);
    }
  assert_int_equal(wrong, 0);
}

// Compares estimate and allocated memory for two flat boxes that touch along a face, with friction. This memory
// includes the contact arrays, the second solver if there is one, and the lists of contact pairs, which grow during the
// steps. `sticks` selects friction by springs.
static void estimate_of_bodies_that_touch(bool sticks) {
  const int side = device == DEVICE_CUDA ? 40 : 20;
  Error error = { 0 };
  TetMesh mesh = { 0 }, upper = { 0 };
  Simulation *simulation;
  StepReport report;
  MUST(mesh_make_box(side, side, 6, (double[3]){ 1, 1, 0.2 }, &mesh, &error));
  MUST(mesh_make_box(side, side, 6, (double[3]){ 1, 1, 0.2 }, &upper, &error));
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.self_contact = true;
  s.friction = 0.3;
  s.friction_sticks = sticks;
  s.gravity[2] = -9.81;

  // A GPU allows longer motions before it renews a list of contact pairs, so its lists are longer. There, a smaller
  // contact distance gives lists that are long enough for this test.
  s.contact_distance = (device == DEVICE_CUDA ? 0.04 : 0.1) / side;
  uint8_t *pinned = calloc(2 * (size_t)mesh.node_count, 1);
  memset(pinned, PIN_ALL, (size_t)mesh.node_count);
  for (int a = 0; a < upper.node_count; a++)
    for (int i = 0; i < 3; i++) upper.X[a][i] += (const double[]){ 0.01, 0.02, 0.2 + 0.8 * s.contact_distance }[i];
  MUST(mesh_join(&mesh, &upper, &error));
  if (device == DEVICE_CUDA) {  // loads the kernels before the measurement, as in estimate_is_near
    MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
    simulation_destroy(simulation);
  }

  const double host = host_bytes(), cuda = (double)device_memory_taken(DEVICE_CUDA);
  MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
  for (int step = 0; step < 2; step++) MUST(simulation_step(simulation, &report, &error));
  const MemoryEstimate e = memory_of_simulation(simulation);
  const double host_taken = host_bytes() - host, cuda_taken = (double)device_memory_taken(DEVICE_CUDA) - cuda;
  printf("  host %5.1f MiB (estimate %5.1f), GPU %5.1f MiB (estimate %5.1f)\n", host_taken / 1048576, e.host / 1048576,
         cuda_taken / 1048576, e.cuda / 1048576);
  assert_true(host_taken > (device == DEVICE_CPU ? 0.7 : 0.1) * e.host && host_taken < 1.1 * e.host);
  if (device == DEVICE_CUDA) assert_true(cuda_taken > 0.7 * e.cuda && cuda_taken < 1.3 * e.cuda);
  simulation_destroy(simulation);
  free(pinned);
  mesh_destroy(&mesh);
  mesh_destroy(&upper);
}

static void estimates_of_bodies_that_touch_are_near_too(void **state) {
  (void)state;
  for (int sticks = 0; sticks < 2; sticks++) estimate_of_bodies_that_touch(sticks);
}

// Without self_contact, neither memory nor estimate includes contact: no list of pairs, no surface, no contact term in
// matrix products, no second solver.
static void contact_that_is_off_needs_no_memory(void **state) {
  (void)state;
  TetMesh mesh = block();
  Error error = { 0 };
  double bytes[2];
  for (int on = 0; on < 2; on++) {
    Simulation *w;
    StepReport report;
    SimulationSettings s = simulation_defaults();
    s.device = device;
    s.self_contact = on;
    s.gravity[2] = -9.81;
    const double before = taken_bytes();
    MUST(simulation_create(&w, &mesh, &s, NULL, &error));
    MUST(simulation_step(w, &report, &error));
    bytes[on] = taken_bytes() - before;
    assert_int_equal(w->contact != NULL, on);
    assert_int_equal(w->A.term.apply != NULL, on);
    assert_int_equal(w->size.surface > 0, on);
    assert_null(w->surface.triangle);
    if (!on) assert_null(w->newton.alone);
    if (!on) assert_null(w->A.term.rows);
    simulation_destroy(w);
  }

  printf("  %.1f MiB without self_contact, %.1f MiB with it\n", bytes[0] / 1048576, bytes[1] / 1048576);
  assert_true(bytes[1] > 1.02 * bytes[0]);
  mesh_destroy(&mesh);
}

// The estimate must include the search for torn tets. It does not include memory for cuts, which is allocated when cuts
// occur.
static void estimates_of_bodies_that_tear_are_near_too(void **state) {
  (void)state;
  TetMesh mesh = block();
  Error error = { 0 };
  SimulationSettings s = simulation_defaults();
  double needed[2], host = 0, cuda = 0;
  Simulation *simulation;
  s.device = device;
  s.cuts = true;

  // two rounds: in the first one a GPU also loads kernels, so only the second one is measured
  for (int tears = 0; tears < 2; tears++) {
    uint8_t *torn;
    int count;
    s.tears = tears;
    host = host_bytes();
    cuda = (double)device_memory_taken(DEVICE_CUDA);
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    MUST(simulation_find_torn(simulation, FIELD_PRINCIPAL, 1, &torn, &count, &error));
    assert_int_equal(count, 0);
    assert_true(simulation_tears(simulation) == (device == DEVICE_CUDA));
    host = host_bytes() - host;
    cuda = (double)device_memory_taken(DEVICE_CUDA) - cuda;
    const MemoryEstimate e = memory_of_simulation(simulation);
    needed[tears] = device == DEVICE_CUDA ? e.cuda : e.host;
    simulation_destroy(simulation);
  }

  const double taken = device == DEVICE_CUDA ? cuda : host, cells = mesh.tet_count;
  printf("  %.1f MiB (estimate %.1f, of which %.1f for the search for torn tets)\n", taken / 1048576,
         needed[1] / 1048576, (needed[1] - needed[0]) / 1048576);

  // The search for torn tets stores 24 bytes per node (a displacement) and 1 byte per tet (1: torn). On a GPU it also
  // stores per tet two copies of 9 doubles, the constants at rest (memory.c), and an index of 4 bytes: 149 bytes.
  const double search = 24 * mesh.node_count + (device == DEVICE_CUDA ? 149 : 1) * cells;
  assert_true(needed[1] - needed[0] == search);
  assert_true(taken > 0.65 * needed[1] && taken < 1.25 * needed[1]);
  mesh_destroy(&mesh);
}

static void bodies_too_large_are_refused_with_figures(void **state) {
  (void)state;
  TetMesh mesh = block();
  Error error = { 0 };
  Simulation *simulation = NULL;
  SimulationSettings s = simulation_defaults();
  s.device = device;
  setenv("PLIANT_MEMORY_MIB", "4", 1);
  assert_false(simulation_create(&simulation, &mesh, &s, NULL, &error));
  unsetenv("PLIANT_MEMORY_MIB");
  printf("  %s\n", error.message);
  assert_non_null(strstr(error.message, "not enough memory on the host"));
  assert_non_null(strstr(error.message, "4.0 MiB are free"));
  assert_null(simulation);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(estimates_of_memory_are_near_its_use),
    cmocka_unit_test(estimates_of_quadratic_bodies_are_near_too),
    cmocka_unit_test(estimates_with_consistent_masses_are_near_too),
    cmocka_unit_test(estimates_of_bodies_that_touch_are_near_too),
    cmocka_unit_test(contact_that_is_off_needs_no_memory),
    cmocka_unit_test(estimates_of_bodies_that_tear_are_near_too),
    cmocka_unit_test(bodies_too_large_are_refused_with_figures),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
