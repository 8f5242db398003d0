// Elastica: cantilevers bent far by a load at the end, against the inextensible beam of Euler, in the table of
// Mattiasson, Numerical results from large deflection beam and frame problems analysed by means of elliptic integrals,
// Int. J. Numer. Meth. Eng. 17, 1981. Beams of quadratic tets with nu = 0, one cell across, by the direct solver.
#include "../sim_testing.h"

#include "mesh/order.h"
#include "mesh/quadratic.h"
#include "sim/load_path.h"

static const double SIDE = 0.1, YOUNG = 1e6;  // m, Pa

// A beam along x with a square section, clamped at x = 0.
typedef struct Beam {
  TetMesh mesh;
  double length;       // m
  uint8_t *pinned;     // [nodes]
  double (*force)[3];  // [nodes] N
  int tip;             // node at the centre of the loaded end
} Beam;

// `load` is P L^2 / EI. Any even distribution over the end has the same effect on a slender beam.
static Beam beam_of(int slenderness, int cells, double load) {
  Beam b = { .length = slenderness * SIDE, .tip = -1 };
  Error error = { 0 };
  b.mesh = box(cells, 1, 1, (double[3]){ b.length, SIDE, SIDE });
  MUST(mesh_raise(&b.mesh, 2, &error));
  b.pinned = calloc((size_t)b.mesh.node_count, 1);
  b.force = calloc((size_t)b.mesh.node_count, sizeof *b.force);
  const double EI = YOUNG * pow(SIDE, 4) / 12, total = load * EI / (b.length * b.length);
  for (int a = 0; a < b.mesh.node_count; a++) {
    const double *X = b.mesh.X[a], tiny = 1e-9 * b.length;
    if (X[0] < tiny) b.pinned[a] = PIN_ALL;
    if (X[0] < b.length - tiny) continue;
    b.force[a][2] = total / 9;  // 4 corners, 4 middles of sides and the centre
    if (fabs(X[1] - SIDE / 2) < tiny && fabs(X[2] - SIDE / 2) < tiny) b.tip = a;
  }
  assert_true(b.tip >= 0);
  return b;
}

static void beam_free(Beam *b) {
  free(b->pinned), free(b->force);
  mesh_destroy(&b->mesh);
}

// Bends a beam in load increments. Writes w/L and u/L of the tip.
static void bend(const Beam *b, int increments, double tip[2], LoadPathReport *report) {
  Error error = { 0 };
  Simulation *w;
  SimulationSettings s = simulation_defaults();
  s.device = DEVICE_CPU, s.precision = PRECISION_F64, s.statics = true;
  s.mu = YOUNG / 2, s.lambda = 0, s.newton_relative = 1e-8;
  MUST(simulation_create(&w, &b->mesh, &s, b->pinned, &error));
  assert_string_equal(simulation_settings(w)->solver, "cholmod");
  const LoadPath path = { .increments = increments, .force = (const double(*)[3])b->force, .pinned = b->pinned };
  double(*u)[3] = malloc(sizeof *u * (size_t)b->mesh.node_count);
  MUST(load_path_run(w, &b->mesh, &path, report, &error));
  MUST(simulation_displacements(w, u, &error));
  tip[0] = u[b->tip][2] / b->length, tip[1] = -u[b->tip][0] / b->length;
  free(u);
  simulation_destroy(w);
}

static void elastica_is_that_of_mattiasson(void **state) {
  static const struct {
    int slenderness, cells;
    double load, w, u;  // P L^2 / EI, w/L and u/L
  } cases[] = { { 40, 20, 1, 0.30172, 0.05643 },
                { 40, 20, 10, 0.81061, 0.55500 },
                { 100, 50, 1, 0.30172, 0.05643 },
                { 100, 50, 10, 0.81061, 0.55500 } };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Beam b = beam_of(cases[k].slenderness, cases[k].cells, cases[k].load);
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

// Newton's method does not converge for the whole load at once. Halved increments find the same equilibrium.
static void increments_adapt_to_the_load(void **state) {
  (void)state;
  Beam b = beam_of(40, 20, 10);
  LoadPathReport once, often;
  double tip[2], expected[2];
  bend(&b, 1, tip, &once);
  bend(&b, 8, expected, &often);
  assert_true(once.halvings > 0 && once.factor == 1);
  assert_true(once.increments < 8);
  for (int i = 0; i < 2; i++) assert_true(fabs(tip[i] - expected[i]) < 1e-6);
  beam_free(&b);
}

int main(void) {
  if (!stage_find(STAGE_SOLVER, "cholmod", DEVICE_CPU, PRECISION_F64, NULL)) {
    printf("skipped: CHOLMOD is not installed\n");
    return EXIT_SKIPPED;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(elastica_is_that_of_mattiasson),
    cmocka_unit_test(increments_adapt_to_the_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
