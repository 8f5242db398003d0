// Tests the solvers schwarz, resident_schwarz and pmg. They must take fewer CG iterations than dcg, for bodies that are
// rotated or consist of several pieces; pmg also for a quadratic beam. They must accept bodies of few nodes. Also tests
// their aggregates (groups of nodes): each is connected, and every block of the matrix is counted once. argv[1]: the
// device; argv[2]: a pattern for the names of the tests to run.
#include "mesh/quadratic.h"
#include "sim/element/moduli.h"
#include "sim/solver/multigrid/part_aggregates.h"
#include "../sim_testing.h"

static Device device;

// the tested solvers, as far as the device supports them
static const char *const SOLVERS[] = { "schwarz", "resident_schwarz", "pmg" };

static bool there_is(const char *solver) {
  return stage_find(STAGE_SOLVER, solver, device, PRECISION_F64, NULL);
}

// Returns true if the solver supports bodies of this degree. resident_schwarz needs a matrix in parts, which on the GPU
// only linear bodies have.
static bool suits(const char *solver, int degree) {
  return there_is(solver) && (degree == 1 || device == DEVICE_CPU || strcmp(solver, "resident_schwarz") != 0);
}

static SimulationSettings stiff(Precision precision, const char *solver) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.mu = lame_mu(1e6, 0.3);
  s.lambda = lame_lambda(1e6, 0.3);
  s.density = 1000;
  s.dt = 0.1;
  snprintf(s.solver, sizeof s.solver, "%s", solver);
  return s;
}

// Makes two separate bodies, and `crumbs` single tets around them.
static TetMesh bodies(int crumbs) {
  enum { CORNERS = 4 };
  Error error = { 0 };
  TetMesh one = { 0 }, all = { 0 };
  MUST(mesh_make_box(3, 3, 24, (double[3]){ 0.1, 0.1, 0.8 }, &one, &error));
  const int nodes = one.node_count, tets = one.tet_count;
  MUST(mesh_allocate(&all, 2 * nodes + CORNERS * crumbs, 2 * tets + crumbs, &error));
  for (int a = 0; a < 2 * nodes; a++)
    for (int i = 0; i < 3; i++) all.X[a][i] = one.X[a % nodes][i] + (i == 0 && a >= nodes ? 0.5 : 0);
  for (int e = 0; e < 2 * tets; e++)
    for (int c = 0; c < CORNERS; c++) all.tet[e][c] = one.tet[e % tets][c] + (e >= tets ? nodes : 0);
  for (int k = 0; k < crumbs; k++)
    for (int c = 0; c < CORNERS; c++) {
      const int a = 2 * nodes + CORNERS * k + c;
      all.tet[2 * tets + k][c] = a;
      for (int i = 0; i < 3; i++) all.X[a][i] = one.X[one.tet[0][c]][i] + (i == 1 ? 1 + 0.2 * k : 0);
    }
  for (int a = 0; a < all.node_count; a++) all.node_tag[a] = a + 1;
  mesh_destroy(&one);
  return all;
}

// Returns the number of CG iterations in the first steps of a free body that begins to bend. Its initial state is
// rotated by `turns` quarter turns. x receives the final positions, rotated back.
static int iterations(const TetMesh *mesh, const SimulationSettings *s, int turns, double (*x)[3]) {
  enum { STEPS = 3 };
  Error error = { 0 };
  Simulation *simulation;
  StepReport report;
  int sum = 0;
  const size_t n = (size_t)mesh->node_count;
  double *mass = malloc(sizeof *mass * n), (*p)[3] = calloc(n, sizeof *p), (*at)[3] = calloc(n, sizeof *at);
  mesh_lumped_mass(mesh, s->density, mass);
  for (size_t a = 0; a < n; a++) {
    const double z = mesh->X[a][2], speed = 0.1 * mass[a] * (z * z - 0.2);
    memcpy(at[a], mesh->X[a], sizeof at[a]);
    p[a][0] = speed;
    for (int k = 0; k < turns; k++) {  // a quarter turn about y: z becomes x, x becomes -z
      const double X = at[a][0], P = p[a][0];
      at[a][0] = at[a][2];
      at[a][2] = -X;
      p[a][0] = p[a][2];
      p[a][2] = -P;
    }
  }

  MUST(simulation_create(&simulation, mesh, s, NULL, &error));
  MUST(simulation_set_state(simulation, (const double(*)[3])at, (const double(*)[3])p, &error));
  for (int k = 0; k < STEPS; k++) {
    MUST(simulation_step(simulation, &report, &error));
    assert_true(report.converged);
    sum += report.cg_iterations;
  }

  MUST(simulation_state(simulation, x, NULL, &error));
  for (size_t a = 0; a < n; a++)
    for (int k = 0; k < turns; k++) {
      const double X = x[a][0];
      x[a][0] = -x[a][2];
      x[a][2] = X;
    }
  simulation_destroy(simulation);
  free(mass);
  free(p);
  free(at);
  return sum;
}

// Simulates two bodies next to each other, among `crumbs` single tets, all rotated by `turns` quarter turns. Each
// solver must have the same solution as the solver dcg, in at most a third of dcg's iterations.
static void save_iterations(Precision precision, int crumbs, int turns) {
  TetMesh mesh = bodies(crumbs);
  const int n = 3 * mesh.node_count;
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count), (*y)[3] = malloc(sizeof *y * (size_t)mesh.node_count);
  const SimulationSettings usual = stiff(precision, "dcg");
  const int many = iterations(&mesh, &usual, turns, x);
  for (int k = 0; k < 3; k++) {
    if (!there_is(SOLVERS[k])) continue;
    const SimulationSettings s = stiff(precision, SOLVERS[k]);
    const int few = iterations(&mesh, &s, turns, y);
    double far = 0, apart = 0;
    for (int i = 0; i < n; i++) {
      const double at = x[i / 3][i % 3];
      far = fmax(far, fabs(at - mesh.X[i / 3][i % 3]));
      apart = fmax(apart, fabs(at - y[i / 3][i % 3]));
    }
    printf(
        "  %s in %s, %d single tets, turned %d times: %d iterations, with dcg %d; the positions differ by %.1e m after "
        "motions of up to %.1e m\n",
        SOLVERS[k], precision_name(precision), crumbs, turns, few, many, apart, far);
    assert_true(many > 100 && 3 * few < many);
    assert_true(apart < 2e-3 * far);  // Newton's tolerance
  }

  free(x);
  free(y);
  mesh_destroy(&mesh);
}

static void schwarz_saves_iterations_on_stiff_bodies(void **state) {
  (void)state;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (int crumbs = 0; crumbs <= 40; crumbs += 40)
      // rotated only in double, since in float rounding would hide the motion
      for (int turns = 0; turns <= (precision == PRECISION_F64); turns++) {
        const bool sampled = precision == PRECISION_F32 ? crumbs > 0 : crumbs == 0 || turns;
        if (device == DEVICE_CUDA || sampled) save_iterations((Precision)precision, crumbs, turns);
      }
}

// Simulates meshes of few nodes, with and without pinned nodes.
static void takes_any_mesh(const char *solver, int degree) {
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (int cells = 1; cells <= 3; cells++)
      for (int pinned = 0; pinned <= 2; pinned++) {
        Error error = { 0 };
        TetMesh mesh = { 0 };
        Simulation *simulation;
        StepReport report;
        MUST(mesh_make_box(cells, 1, cells, (double[3]){ 1, 1, 1 }, &mesh, &error));
        if (degree == 2) MUST(mesh_raise(&mesh, 2, &error));
        uint8_t *pins = calloc((size_t)mesh.node_count, 1);
        for (int a = 0; a < mesh.node_count; a++)  // pinned: 0: no nodes, 1: the face z = 0, 2: all but one
          pins[a] = (pinned == 1 && mesh.X[a][2] == 0) || (pinned == 2 && a > 0) ? PIN_ALL : 0;
        SimulationSettings s = stiff((Precision)precision, solver);
        s.gravity[0] = -10;
        MUST(simulation_create(&simulation, &mesh, &s, pins, &error));
        for (int k = 0; k < 3; k++) {
          MUST(simulation_step(simulation, &report, &error));
          assert_true(report.converged);
        }
        simulation_destroy(simulation);
        free(pins);
        mesh_destroy(&mesh);
      }
}

static void schwarz_accepts_any_mesh(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int degree = 1; degree <= 2; degree++)
      if (suits(SOLVERS[k], degree)) takes_any_mesh(SOLVERS[k], degree);
}

// Returns the number of CG iterations per solve in the first time step of a bending beam. u receives the displacements.
// The beam has quadratic tets, a length of 16 times its thickness, and a Young's modulus of 1 GPa. It bends under a
// tenth of gravity. Under full gravity Newton's method would need 37 iterations, more than allowed. Then the time step
// would be divided, at points that depend on rounding.
static int bending_iterations(const TetMesh *mesh, Precision precision, const char *solver, const char *matrix,
                              double (*u)[3]) {
  Error error = { 0 };
  Simulation *simulation;
  StepReport report;
  SimulationSettings s = stiff(precision, solver);
  uint8_t *pins = calloc((size_t)mesh->node_count, 1);
  for (int a = 0; a < mesh->node_count; a++) pins[a] = mesh->X[a][2] == 0 ? PIN_ALL : 0;
  s.mu *= 1000;
  s.lambda *= 1000;
  s.gravity[0] = -1;
  s.cg_max = 20000;
  snprintf(s.matrix, sizeof s.matrix, "%s", matrix);
  s.cg_relative = precision == PRECISION_F64 ? 1e-6 : 1e-4;
  s.newton_absolute = 0;
  s.newton_relative = precision == PRECISION_F64 ? 1e-5 : 1e-3;
  MUST(simulation_create(&simulation, mesh, &s, pins, &error));
  MUST(simulation_step(simulation, &report, &error));
  assert_true(report.converged && report.newton_iterations > 0 && report.substeps == 1 && report.damped == 0);
  MUST(simulation_displacements(simulation, u, &error));
  simulation_destroy(simulation);
  free(pins);
  return report.cg_iterations / report.newton_iterations;
}

static void stiff_beams_of_degree_2_bend_in_few_iterations(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_box(1, 1, 16, (double[3]){ 0.05, 0.05, 0.8 }, &mesh, &error));
  MUST(mesh_raise(&mesh, 2, &error));
  const int n = 3 * mesh.node_count;
  double(*u)[3] = malloc(sizeof *u * (size_t)mesh.node_count), (*v)[3] = malloc(sizeof *v * (size_t)mesh.node_count);

  // In float, rounding ends Newton's iterations: even the displacements by dcg differ from those in double by a
  // relative 1.3e-2. So all results are compared with those of dcg in double.
  for (int precision = PRECISION_F64; precision >= PRECISION_F32 && there_is("pmg"); precision--) {
    const bool reference = precision == PRECISION_F64;
    const int many = bending_iterations(&mesh, (Precision)precision, "dcg", "", reference ? u : v);
    for (int k = 0; k < 2; k++) {  // the operator "partial" stores no matrix, the format "dcsr" stores it
      const char *matrix = k ? "partial" : "dcsr";
      const int few = bending_iterations(&mesh, (Precision)precision, "pmg", matrix, v);
      const double apart = relative_l2(&v[0][0], &u[0][0], n);
      printf("  pmg in %s with %s: %d iterations per solve, with dcg %d; relative difference from dcg in double %.1e\n",
             precision_name((Precision)precision), matrix, few, many, apart);
      assert_true(many > 300 && few < 60);
      assert_true(apart < (reference ? 1e-4 : 3e-2));  // tolerances and rounding limit the agreement
    }
  }

  free(u);
  free(v);
  mesh_destroy(&mesh);
}

// The preconditioner is built in the first solve of a time step, and never kept for the next time step. So a step
// depends only on its state, and a simulation continues from a restored state with the same bits.
static void step_depends_on_its_state_alone(const char *solver) {
  Error error = { 0 };
  TetMesh mesh = bodies(0);
  const size_t bytes = sizeof(double[3]) * (size_t)mesh.node_count;
  double(*x)[3] = malloc(bytes), (*y)[3] = malloc(bytes);
  SimulationSettings s = stiff(PRECISION_F32, solver);
  s.gravity[0] = -10;
  s.newton_relative = 1e-5;
  Simulation *one, *two;
  StepReport report;
  uint8_t *pins = calloc((size_t)mesh.node_count, 1);
  for (int a = 0; a < mesh.node_count; a++) pins[a] = mesh.X[a][2] == 0 ? PIN_ALL : 0;
  MUST(simulation_create(&one, &mesh, &s, pins, &error));
  MUST(simulation_create(&two, &mesh, &s, pins, &error));
  for (int k = 0; k < 2; k++) MUST(simulation_step(one, &report, &error));
  copy_state(one, two);
  for (int k = 0; k < 2; k++) {
    MUST(simulation_step(one, &report, &error));
    assert_true(report.newton_iterations >= 2);  // later Newton iterations have reused the preconditioner
    MUST(simulation_step(two, &report, &error));
  }

  MUST(simulation_state(one, x, NULL, &error));
  MUST(simulation_state(two, y, NULL, &error));
  assert_memory_equal(x, y, bytes);
  simulation_destroy(one);
  simulation_destroy(two);
  free(x);
  free(y);
  free(pins);
  mesh_destroy(&mesh);
}

static void a_step_depends_on_its_state_alone(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++)
    if (there_is(SOLVERS[k])) step_depends_on_its_state_alone(SOLVERS[k]);
}

// Every node of a large body must be in an aggregate. A small body is entirely in one aggregate, or in none. Aggregates
// must be connected, and their lists must have one item for every matrix block of their nodes.
static void aggregates_are_connected_and_list_every_block_once(void **state) {
  (void)state;
  Error error = { 0 };
  enum { CRUMBS = 600 };  // exceeds the maximum number of aggregates
  TetMesh mesh = bodies(CRUMBS);
  Space space;
  Operator A;
  Aggregates g;
  const int large = mesh.node_count - 4 * CRUMBS;
  const OperatorMethod *format =
      (const OperatorMethod *)stage_find(STAGE_OPERATOR, NULL, DEVICE_CPU, PRECISION_F64, NULL);
  MUST(space_create(&space, &mesh, 3, &error));
  MUST(operator_create(&A, format, &space, &error));
  MUST(aggregates_create(&g, &A, NULL, 0, &error));
  assert_int_equal(g.count, AGGREGATES_MAX);
  for (int a = 0; a < mesh.node_count; a++) assert_true(g.of[a] >= (a < large ? 0 : -1) && g.of[a] < g.count);
  for (int a = large; a < mesh.node_count; a++) assert_int_equal(g.of[a], g.of[(a - large) / 4 * 4 + large]);

  // `member` must contain all nodes, sorted first by aggregate, then by node number
  for (int k = 0; k <= g.count; k++)
    for (int m = g.start[k]; m < (k < g.count ? g.start[k + 1] : mesh.node_count); m++) {
      assert_int_equal(g.of[g.member[m]], k < g.count ? k : -1);
      if (m > g.start[k]) assert_true(g.member[m] > g.member[m - 1]);
    }

  // all members of an aggregate must be connected to its first member
  int *queue = malloc(sizeof *queue * (size_t)mesh.node_count);
  uint8_t *seen = calloc((size_t)mesh.node_count, 1);

  for (int k = 0; k < g.count; k++) {
    int head = 0, tail = 0;
    queue[tail++] = g.member[g.start[k]];
    seen[queue[0]] = 1;
    while (head < tail) {
      const int a = queue[head++];
      for (int64_t s = space.graph.start[a]; s < space.graph.start[a + 1]; s++) {
        const int b = space.graph.neighbour[s];
        if (g.of[b] == k && !seen[b]) {
          seen[b] = 1;
          queue[tail++] = b;
        }
      }
    }
    assert_int_equal(tail, g.start[k + 1] - g.start[k]);
  }

  // Each matrix block that couples nodes of aggregates must be listed once. For blocks between two different
  // aggregates, the list has only the block in one triangle of the matrix, not its transpose.
  int64_t expected = 0;
  uint8_t *listed = calloc((size_t)space_pairs(&space), 1);
  for (int a = 0; a < mesh.node_count; a++)
    for (int64_t s = space.graph.start[a]; s < space.graph.start[a + 1]; s++)
      expected += g.of[a] >= 0 && g.of[a] <= g.of[space.graph.neighbour[s]];
  assert_int_equal(g.item_start[g.pair_count], expected);
  for (int pair = 0; pair < g.pair_count; pair++)
    for (int64_t k = g.item_start[pair]; k < g.item_start[pair + 1]; k++) {
      const AggregateItem *item = g.item + k;
      const int64_t position = adjacency_find(&space.graph, item->row, item->column);
      assert_true(position >= 0 && !listed[position]);
      listed[position] = 1;
      assert_int_equal(g.of[item->row], g.pair[pair].row);
      assert_int_equal(g.of[item->column], g.pair[pair].column);
      assert_memory_equal(&item->slots, &A.slots[position], sizeof item->slots);
    }

  free(queue);
  free(seen);
  free(listed);
  aggregates_destroy(&g);
  operator_destroy(&A);
  space_destroy(&space);
  mesh_destroy(&mesh);
}

// If the matrix is divided into parts, no aggregate has nodes of two parts. Each part lists the aggregates near it,
// first those of its nodes. Each node that the part uses refers to one of them.
static void parts_know_the_aggregates_near_them(void **state) {
  (void)state;
  Error error = { 0 };
  Stream stream;
  TetMesh mesh = bodies(40);
  Space space;
  Operator A;
  Aggregates g;
  PartAggregates p;
  const OperatorMethod *format =
      (const OperatorMethod *)stage_find(STAGE_OPERATOR, "parts", DEVICE_CPU, PRECISION_F64, NULL);
  MUST(stream_create(DEVICE_CPU, &stream, &error));
  MUST(space_create(&space, &mesh, 3, &error));
  MUST(operator_create(&A, format, &space, &error));
  MUST(part_aggregates_create(&p, &g, &A, stream, &error));
  const PartLayout *l = A.parts;
  assert_true(l->part_count > 4 && g.count >= l->part_count && p.near_max > p.owned_max);
  assert_int_equal(p.owned_start[l->part_count], g.count);

  for (int part = 0; part < l->part_count; part++) {
    const int *near = p.near + p.near_start[part], count = p.near_start[part + 1] - p.near_start[part];
    const int first = p.owned_start[part], own = p.owned_start[part + 1] - first;
    const int own_nodes = l->owned_start[part + 1] - l->owned_start[part],
              begin = l->owned_start[part] + l->halo_start[part];
    assert_true(count <= p.near_max && own <= p.owned_max);
    for (int k = 0; k < count; k++) {
      if (k < own) assert_int_equal(near[k], first + k);
      if (k > own) assert_true(near[k] > near[k - 1]);
      if (k >= own) assert_true(near[k] < first || near[k] >= first + own);
    }
    for (int node = begin; node < l->owned_start[part + 1] + l->halo_start[part + 1]; node++) {
      assert_in_range(p.slot[node], 0, count - 1);
      assert_int_equal(near[p.slot[node]], g.of[l->node[node]]);
      assert_int_equal(p.slot[node] < own, node < begin + own_nodes);
    }
  }

  part_aggregates_destroy(&p);
  aggregates_destroy(&g);
  operator_destroy(&A);
  space_destroy(&space);
  mesh_destroy(&mesh);
  stream_destroy(&stream);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(schwarz_saves_iterations_on_stiff_bodies),
    cmocka_unit_test(schwarz_accepts_any_mesh),
    cmocka_unit_test(stiff_beams_of_degree_2_bend_in_few_iterations),
    cmocka_unit_test(a_step_depends_on_its_state_alone),
    cmocka_unit_test(aggregates_are_connected_and_list_every_block_once),
    cmocka_unit_test(parts_know_the_aggregates_near_them),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
