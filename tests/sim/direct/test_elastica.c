// Tests the elastica, Euler's inextensible beam: cantilevers are bent far by a load at the end, or by a pressure. For
// loads at the end, expected values are from Mattiasson, Numerical results from large deflection beam and frame
// problems analysed by means of elliptic integrals, Int. J. Numer. Meth. Eng. 17, 1981. Beams have quadratic tets,
// Poisson's ratio 0, and one cell across the section. The solver is direct.
#include "../sim_testing.h"

#include "mesh/boundary_faces.h"
#include "mesh/order.h"
#include "mesh/quadratic.h"
#include "sim/statics/arc_length.h"

static const double SIDE = 0.1, YOUNG = 1e6;  // side of the section, m; Young's modulus, Pa

// A beam along x with a square section, clamped at x = 0.
typedef struct Beam {
  TetMesh mesh;
  double length;       // m
  uint8_t *pinned;     // [nodes], PIN_ALL for nodes of the clamped end
  double (*force)[3];  // [nodes], N, load on the other end
  int tip;             // node at the centre of the loaded end
} Beam;

static double wave_at(const Beam *b, const double X[3]) {
  return cos(2 * acos(-1) * X[0] / b->length);
}

// Makes a beam of length slenderness * SIDE. With a `rise`, m, it is an arch z = rise (1 - cos(2 pi x/L))/2. `load` is
// P L^2 / EI. The force P is divided evenly over the nodes of the loaded end: for a slender beam the distribution does
// not matter.
static Beam beam_of(int slenderness, int cells, double load, double rise) {
  Beam b = { .length = slenderness * SIDE, .tip = -1 };
  Error error = { 0 };
  b.mesh = box(cells, 1, 1, (double[3]){ b.length, SIDE, SIDE });
  for (int a = 0; a < b.mesh.node_count; a++) b.mesh.X[a][2] += rise * (1 - wave_at(&b, b.mesh.X[a])) / 2;
  MUST(mesh_raise(&b.mesh, 2, &error));
  b.pinned = calloc((size_t)b.mesh.node_count, 1);
  b.force = calloc((size_t)b.mesh.node_count, sizeof *b.force);
  const double EI = YOUNG * pow(SIDE, 4) / 12, total = load * EI / (b.length * b.length);
  for (int a = 0; a < b.mesh.node_count; a++) {
    const double *X = b.mesh.X[a], tiny = 1e-9 * b.length;
    if (X[0] < tiny) b.pinned[a] = PIN_ALL;
    if (X[0] < b.length - tiny) continue;
    b.force[a][2] = total / 9;  // the end has 9 nodes: 4 corners, 4 middles of sides, and the centre
    if (fabs(X[1] - SIDE / 2) < tiny && fabs(X[2] - SIDE / 2) < tiny) b.tip = a;
  }
  assert_true(b.tip >= 0);
  return b;
}

static void beam_free(Beam *b) {
  free(b->pinned);
  free(b->force);
  mesh_destroy(&b->mesh);
}

static SimulationSettings settings_of_beams(void) {
  SimulationSettings s = simulation_defaults();
  s.device = DEVICE_CPU;
  s.precision = PRECISION_F64;
  s.statics = true;
  s.mu = YOUNG / 2;
  s.lambda = 0;
  s.newton_relative = 1e-8;
  return s;
}

// Bends a beam in load increments. tip receives w/L and u/L of the tip: its deflections across and along the beam.
static void bend(const Beam *b, int increments, double tip[2], LoadPathReport *report) {
  Error error = { 0 };
  Simulation *w;
  const SimulationSettings s = settings_of_beams();
  MUST(simulation_create(&w, &b->mesh, &s, b->pinned, &error));
  assert_string_equal(simulation_settings(w)->solver, "cholmod");
  const LoadPath path = { .increments = increments, .force = (const double(*)[3])b->force, .pinned = b->pinned };
  double(*u)[3] = malloc(sizeof *u * (size_t)b->mesh.node_count);
  MUST(load_path_run(w, &b->mesh, &path, report, &error));
  MUST(simulation_displacements(w, u, &error));
  tip[0] = u[b->tip][2] / b->length;
  tip[1] = -u[b->tip][0] / b->length;
  free(u);
  simulation_destroy(w);
}

static void elastica_is_that_of_mattiasson(void **state) {
  static const struct {
    int slenderness, cells;
    double load, w, u;  // P L^2 / EI, and expected w/L and u/L of the tip
  } cases[] = { { 40, 20, 1, 0.30172, 0.05643 },
                { 40, 20, 10, 0.81061, 0.55500 },
                { 100, 50, 1, 0.30172, 0.05643 },
                { 100, 50, 10, 0.81061, 0.55500 } };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Beam b = beam_of(cases[k].slenderness, cases[k].cells, cases[k].load, 0);
    LoadPathReport report;
    double tip[2];
    bend(&b, cases[k].load > 1 ? 8 : 1, tip, &report);
    printf("  L/h %d, P L^2/EI %g: w/L %.5f, u/L %.5f, %d iterations\n", cases[k].slenderness, cases[k].load, tip[0],
           tip[1], report.newton_iterations);
    if (!(fabs(tip[0] / cases[k].w - 1) < 1e-3 && fabs(tip[1] / cases[k].u - 1) < 1e-3))
      fail_msg("w/L is %.5f, expected %.5f; u/L is %.5f, expected %.5f", tip[0], cases[k].w, tip[1], cases[k].u);
    beam_free(&b);
  }
}

// Newton's method does not converge for the whole load at once, so the increments are halved. The result must be the
// equilibrium that 8 increments from the start give.
static void increments_adapt_to_the_load(void **state) {
  (void)state;
  Beam b = beam_of(40, 20, 10, 0);
  LoadPathReport once, often;
  double tip[2], expected[2];
  bend(&b, 1, tip, &once);
  bend(&b, 8, expected, &often);
  assert_true(once.halvings > 0 && once.factor == 1);
  assert_true(once.increments < 8);
  for (int i = 0; i < 2; i++) assert_true(fabs(tip[i] - expected[i]) < 1e-6);
  beam_free(&b);
}

// A shallow arch between two walls at distance L has the shape z = a (1 - cos(2 pi x/L))/2. Under the load q cos(2 pi
// x/L) per length it keeps this shape, with a rise b in place of a. The strain energy comes from bending and from the
// mean strain pi^2 (b^2 - a^2)/(4 L^2). E is Young's modulus, A the area and I the second moment of the section. The
// arch is in equilibrium at the load
//   q(b) = pi^4/L^4 (8 E I (a - b) + E A b (a^2 - b^2)/2).
// The limit load is the largest q. It is reached at 3 b^2 = a^2 - 16 I/A. With a = 5 sqrt(I/A) the arch does not buckle
// to one side.
typedef struct Arch {
  double length, rise, unit;  // m, m, and N/m: `unit` is the load pi^4/L^4 E I sqrt(I/A)
} Arch;

// Returns the load q / unit for the rise b in units of sqrt(I/A).
static double arch_load(double b) {
  return 8 * (5 - b) + 0.5 * b * (25 - b * b);
}

// Makes the arch by deforming a straight beam. `load` is q / unit at load factor 1.
static Beam arch_of(int slenderness, int cells, double load, Arch *arch) {
  const double pi = acos(-1), L = slenderness * SIDE, radius = SIDE / sqrt(12);
  Beam b = beam_of(slenderness, cells, 0, 5 * radius);
  double *weight = calloc((size_t)b.mesh.node_count, sizeof *weight);
  *arch = (Arch){ L, 5 * radius, pow(pi / L, 4) * YOUNG * pow(SIDE, 4) / 12 * radius };
  mesh_lumped_mass(&b.mesh, 1 / (SIDE * SIDE), weight);
  b.tip = -1;
  for (int a = 0; a < b.mesh.node_count; a++) {
    const double *X = b.mesh.X[a], wave = wave_at(&b, X);
    b.pinned[a] = X[0] < 1e-9 * L || X[0] > L * (1 - 1e-9) ? PIN_ALL : 0;
    b.force[a][2] = load * arch->unit * wave * weight[a];
    if (fabs(X[0] / L - 0.5) < 1e-9 && fabs(X[2] - arch->rise - SIDE / 2) < 1e-9) b.tip = a;
  }
  free(weight);
  assert_true(b.tip >= 0);
  return b;
}

static void arches_snap_through_at_their_limit_load(void **state) {
  const double TARGET = 60, b_limit = sqrt(3), b_least = -sqrt(3);
  Error error = { 0 };
  Arch arch;
  Simulation *w;
  ArcLengthReport report;
  (void)state;
  Beam beam = arch_of(100, 40, TARGET, &arch);
  const SimulationSettings s = settings_of_beams();
  MUST(simulation_create(&w, &beam.mesh, &s, beam.pinned, &error));
  const LoadPath path = { .increments = 20, .force = (const double(*)[3])beam.force, .pinned = beam.pinned };
  double(*u)[3] = malloc(sizeof *u * (size_t)beam.mesh.node_count);
  MUST(arc_length_run(w, &beam.mesh, &path, &report, &error));
  MUST(simulation_displacements(w, u, &error));

  // find the expected rise `low` under the whole load, beyond the limit load, by bisection of arch_load
  double low = -10, high = b_least;
  for (int k = 0; k < 100; k++) {
    const double middle = (low + high) / 2;
    *(arch_load(middle) > TARGET ? &low : &high) = middle;
  }
  const double rise = 5 + u[beam.tip][2] / (arch.rise / 5), limit = report.largest * TARGET;
  printf("  limit load %.4f, expected %.4f; rise %.4f, expected %.4f; %d limit points, %d increments\n", limit,
         arch_load(b_limit), rise, low, report.limit_points, report.path.increments);
  assert_int_equal(report.limit_points, 2);
  assert_true(report.path.factor == 1);
  assert_true(fabs(limit / arch_load(b_limit) - 1) < 0.01);
  assert_true(fabs(rise / low - 1) < 0.01);
  free(u);
  simulation_destroy(w);
  beam_free(&beam);
}

// Computes w/L and u/L of the tip of an elastica under a load q per length that stays normal to its axis; `load` is
// q L^3 / EI. With s in units of L, from the tip to the clamped end, the curvature k, the axial force N and the shear
// force Q, both in units of EI/L^2, follow
//   k' = Q, N' = -k Q, Q' = k N - load
// from 0 at the tip. The angle and the positions are integrated along with them. In the frame of the tip the clamped
// end has the angle `angle`, so the result is turned by it. The midpoint rule with 20,000 steps has an error below
// 1e-7.
static void expect_of_pressure(double load, double expected[2]) {
  enum { STEPS = 20000 };
  double angle = 0, k = 0, N = 0, Q = 0, x = 0, z = 0;
  for (int n = 0; n < STEPS; n++) {
    const double half = 0.5 / STEPS, k1 = k + half * Q, N1 = N - half * k * Q, Q1 = Q + half * (k * N - load);
    const double middle = angle - half * k;
    angle -= k1 / STEPS;
    k += Q1 / STEPS;
    N -= k1 * Q1 / STEPS;
    Q += (k1 * N1 - load) / STEPS;
    x += cos(middle) / STEPS;
    z += sin(middle) / STEPS;
  }
  expected[0] = fabs(z * cos(angle) - x * sin(angle));
  expected[1] = 1 - (x * cos(angle) + z * sin(angle));
}

// Returns 1 for a face of the upper side of the beam, -1 for one of the lower side, 0 for any other face. node: nodes
// of the face, the three corners first.
static int side_of(const Beam *b, const int *node) {
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += b->mesh.X[node[k]][2] / SIDE;
  return fabs(sum) < 1e-9 ? -1 : fabs(sum - 3) < 1e-9 ? 1 : 0;
}

// Half of the load pushes on the upper side of the beam and the other half pulls at the lower side, so that bending
// does not change their sum: it shortens one side as much as it lengthens the other. The beam rolls up. All edges of
// both sides but one are free, so the tangent of the pressure is not symmetric. With its symmetric part alone,
// increments took 12 Newton iterations and more, or did not converge.
static void a_pressure_rolls_a_beam_up(void **state) {
  static const double LOAD = 20;  // q L^3 / EI
  enum { INCREMENTS = 8, ITERATIONS = 9 };
  Error error = { 0 };
  (void)state;
  Beam b = beam_of(40, 20, 0, 0);
  uint8_t *sides = calloc((size_t)b.mesh.node_count, 1);
  for (int a = 0; a < b.mesh.node_count; a++) sides[a] = b.mesh.X[a][2] < 1e-9 || b.mesh.X[a][2] > SIDE - 1e-9;
  BoundaryFaces faces;
  MUST(boundary_faces_find(&faces, &b.mesh, sides, &error));
  double *value = malloc(sizeof *value * (size_t)faces.count), expected[2];
  const double pressure = LOAD * YOUNG * pow(SIDE, 3) / 12 / pow(b.length, 3) / 2;
  for (int k = 0; k < faces.count; k++) value[k] = pressure * side_of(&b, faces.node + k * faces.nodes);
  expect_of_pressure(LOAD, expected);

  for (int arc = 0; arc < 2; arc++) {
    const SimulationSettings s = settings_of_beams();
    Simulation *w;
    LoadPathReport report = { 0 };
    ArcLengthReport by_arc;
    MUST(simulation_create(&w, &b.mesh, &s, b.pinned, &error));
    const LoadPath path = { .increments = INCREMENTS,
                            .pressure = &(PressureLoad){ &faces, value, NULL },
                            .pinned = b.pinned };
    MUST(arc ? arc_length_run(w, &b.mesh, &path, &by_arc, &error) : load_path_run(w, &b.mesh, &path, &report, &error));
    double(*u)[3] = malloc(sizeof *u * (size_t)b.mesh.node_count);
    MUST(simulation_displacements(w, u, &error));
    const double across = fabs(u[b.tip][2]) / b.length, along = -u[b.tip][0] / b.length;
    const LoadPathReport *done = arc ? &by_arc.path : &report;
    printf("  %s: w/L %.5f, expected %.5f; u/L %.5f, expected %.5f; %d iterations in %d increments\n",
           arc ? "arc length" : "load", across, expected[0], along, expected[1], done->newton_iterations,
           done->increments);
    assert_true(done->factor == 1 && done->halvings == 0);
    assert_true(done->newton_iterations <= ITERATIONS * done->increments);
    assert_true(fabs(across / expected[0] - 1) < 5e-3 && fabs(along / expected[1] - 1) < 5e-3);
    free(u);
    simulation_destroy(w);
  }

  boundary_faces_destroy(&faces);
  free(value);
  free(sides);
  beam_free(&b);
}

static bool stop_here(void *user, double factor, const StepReport *report, Error *error) {
  (void)user, (void)factor;
  assert_true(report->converged);
  return error_set(error, "stopped");
}

static void the_last_equilibrium_of_a_path_that_fails_is_converged(void **state) {
  (void)state;
  Error error = { 0 };
  Simulation *w;
  ArcLengthReport report;
  Beam beam = beam_of(10, 4, 1, 0);
  const SimulationSettings s = settings_of_beams();
  MUST(simulation_create(&w, &beam.mesh, &s, beam.pinned, &error));
  const LoadPath path = {
    .increments = 4, .force = (const double(*)[3])beam.force, .pinned = beam.pinned, .reached = stop_here
  };
  assert_false(arc_length_run(w, &beam.mesh, &path, &report, &error));
  assert_string_equal(error.message, "stopped");
  assert_true(report.path.increments == 1 && report.path.last.converged);
  simulation_destroy(w);
  beam_free(&beam);
}

int main(void) {
  if (!stage_find(STAGE_SOLVER, "cholmod", DEVICE_CPU, PRECISION_F64, NULL)) {
    printf("skipped: CHOLMOD is not installed\n");
    return EXIT_SKIPPED;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(elastica_is_that_of_mattiasson),
    cmocka_unit_test(increments_adapt_to_the_load),
    cmocka_unit_test(a_pressure_rolls_a_beam_up),
    cmocka_unit_test(arches_snap_through_at_their_limit_load),
    cmocka_unit_test(the_last_equilibrium_of_a_path_that_fails_is_converged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
