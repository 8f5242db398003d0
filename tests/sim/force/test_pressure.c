// Tests pressure on parts of the surface. Closed forms are known for forces on deformed faces, the energy of a closed
// surface, a box in equilibrium under pressure, and an inflated cavity. Also tests conservation laws. argv[1]: the
// device; argv[2]: a pattern for the names of the tests to run.
#include "../sim_testing.h"

#include "mesh/boundary_faces.h"
#include "mesh/quadratic.h"
#include "mesh/surface.h"

static Device device;

static SimulationSettings settings(void) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = PRECISION_F64;
  s.mu = 5;
  s.lambda = 7;
  s.density = 1;
  s.dt = 0.02;
  memset(s.gravity, 0, sizeof s.gravity);
  return s;
}

static Simulation *create(const TetMesh *mesh, const SimulationSettings *s, const uint8_t *pinned) {
  Error error = { 0 };
  Simulation *simulation;
  MUST(simulation_create(&simulation, mesh, s, pinned, &error));
  return simulation;
}

// Applies the pressure p, Pa, to each face of the surface whose nodes are all marked in inside [nodes]; NULL: to all
// faces.
static void press_on(Simulation *simulation, const TetMesh *mesh, const uint8_t *inside, double p) {
  Error error = { 0 };
  BoundaryFaces faces;
  uint8_t *all = malloc((size_t)mesh->node_count);
  memset(all, 1, (size_t)mesh->node_count);
  MUST(boundary_faces_find(&faces, mesh, inside ? inside : all, &error));
  double *value = malloc(sizeof *value * (size_t)faces.count);
  for (int k = 0; k < faces.count; k++) value[k] = p;
  MUST(simulation_set_pressure(simulation, &(PressureLoad){ &faces, value, NULL }, &error));
  boundary_faces_destroy(&faces);
  free(value);
  free(all);
}

// Applies the pressure p, Pa, to all faces of the surface if axis < 0, otherwise only to those at the lower end of this
// axis.
static void press(Simulation *simulation, const TetMesh *mesh, int axis, double p) {
  uint8_t *inside = malloc((size_t)mesh->node_count);
  double low[3], high[3];
  mesh_bounds(mesh, low, high);
  for (int a = 0; a < mesh->node_count; a++) inside[a] = axis < 0 || mesh->X[a][axis] < low[axis] + 1e-9;
  press_on(simulation, mesh, inside, p);
  free(inside);
}

// Returns six times the volume inside a surface with the node positions x.
static double volume6(const Surface *surface, const double (*x)[3]) {
  double sum = 0;
  for (int t = 0; t < surface->triangle_count; t++) {
    const double *a = x[surface->triangle[t][0]], *b = x[surface->triangle[t][1]], *c = x[surface->triangle[t][2]];
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      sum += a[i] * (b[j] * c[k] - b[k] * c[j]);
    }
  }
  return sum;
}

static double potential(Simulation *simulation) {
  Error error = { 0 };
  Energy energy;
  MUST(simulation_energy(simulation, &energy, &error));
  return energy.potential;
}

// Copies the external forces f [nodes][3], N, from the device.
static void forces(Simulation *simulation, int nodes, float (*f)[3]) {
  Error error = { 0 };
  const Stream stream = simulation_stream(simulation);
  const size_t bytes = sizeof *f * (size_t)nodes;
  float *on_device = device_alloc(device, bytes, &error);
  assert_non_null(on_device);
  MUST(simulation_write_vectors(simulation, VECTORS_FORCE, on_device, &error));
  MUST(device_download(stream, f, on_device, bytes, &error) && stream_sync(stream, &error));
  device_free(device, on_device);
}

// The deformation x = F X + b has this deformation gradient, with shear and stretch.
static const double F[3][3] = { { 1.2, 0.1, -0.05 }, { 0.2, 0.9, 0.15 }, { -0.1, 0.05, 1.1 } };

static void deform(const TetMesh *mesh, double (*x)[3]) {
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++)
      x[a][i] = 0.3 * i + F[i][0] * mesh->X[a][0] + F[i][1] * mesh->X[a][1] + F[i][2] * mesh->X[a][2];
}

// A box, and a buffer for node positions x [node_count][3], m. `surface` is the surface of the box; hollow_out replaces
// it by the surface of a cavity.
typedef struct Box {
  TetMesh mesh;
  Surface surface;
  double (*x)[3];
} Box;

static Box make_box(int cells, const double size[3]) {
  Error error = { 0 };
  Box box = { 0 };
  MUST(mesh_make_box(cells, cells, cells, size, &box.mesh, &error));
  MUST(surface_create(&box.surface, &box.mesh, &error));
  box.x = malloc(sizeof *box.x * (size_t)box.mesh.node_count);
  return box;
}

static void destroy_box(Box *box) {
  surface_destroy(&box->surface);
  mesh_destroy(&box->mesh);
  free(box->x);
}

static void a_face_has_the_force_of_its_deformed_area(void **state) {
  (void)state;
  Error error = { 0 };
  const double p = 3, size[3] = { 1, 2, 1.5 };
  Box box = make_box(3, size);
  const int nodes = box.mesh.node_count;
  const SimulationSettings s = settings();
  Simulation *simulation = create(&box.mesh, &s, NULL);
  float(*f)[3] = malloc(sizeof *f * (size_t)nodes);
  deform(&box.mesh, box.x);
  MUST(simulation_set_state(simulation, (const double(*)[3])box.x, NULL, &error));
  for (int axis = 0; axis < 3; axis++) {
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double A = size[j] * size[k];
    press(simulation, &box.mesh, axis, p);
    forces(simulation, nodes, f);
    for (int i = 0; i < 3; i++) {
      // The force on the face is -p times its outward area vector after the deformation, which is -A (F e_j) x (F e_k).
      const int m = (i + 1) % 3, n = (i + 2) % 3;
      const double expected = p * A * (F[m][j] * F[n][k] - F[n][j] * F[m][k]);
      double sum = 0;
      for (int a = 0; a < nodes; a++) sum += f[a][i];
      if (!(fabs(sum - expected) <= 1e-5 * p * A))
        fail_msg("axis %d: a component of the force on the lower face is %.9g N, expected %.9g N", axis, sum, expected);
    }
  }

  simulation_destroy(simulation);
  free(f);
  destroy_box(&box);
}

static double determinant(const double A[3][3]) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum += A[0][i] * (A[1][j] * A[2][k] - A[1][k] * A[2][j]);
  }
  return sum;
}

// Compares the forces f with central differences of the energy, for displacements of 1e-3 m. The energy of the pressure
// is cubic in the displacements, so the relative error of these differences is about 1e-6.
static void compare_slopes(Simulation *simulation, int nodes, double (*x)[3], const float (*f)[3], double bound) {
  Error error = { 0 };
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++) {
      const double h = 1e-3, at = x[a][i];
      double energy[2];
      for (int side = 0; side < 2; side++) {
        x[a][i] = at + (side ? h : -h);
        MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
        energy[side] = potential(simulation);
      }
      x[a][i] = at;
      const double slope = (energy[1] - energy[0]) / (2 * h);
      if (!(fabs(f[a][i] + slope) <= bound))
        fail_msg("node %d: a component of the force is %.9g N, but the slope of the energy is %.9g N", a, f[a][i],
                 slope);
    }
}

// The whole surface of a box has no rim. A part of it has one, and so has a surface with two different factors.
static void surfaces_with_a_rim_are_found(void **state) {
  (void)state;
  Error error = { 0 };
  for (int degree = 1; degree <= 3; degree++) {
    Box box = make_box(3, (double[3]){ 1, 2, 1.5 });
    MUST(mesh_raise(&box.mesh, degree, &error));
    const int nodes = box.mesh.node_count;
    uint8_t *inside = malloc((size_t)nodes);
    for (int part = 0; part < 2; part++) {
      BoundaryFaces faces;
      bool closed;
      for (int a = 0; a < nodes; a++) inside[a] = part == 0 || box.mesh.X[a][2] > 0.6;
      MUST(boundary_faces_find(&faces, &box.mesh, inside, &error));
      double *value = malloc(sizeof *value * (size_t)faces.count);
      for (int k = 0; k < faces.count; k++) value[k] = -7;
      MUST(boundary_faces_closed(&faces, value, nodes, &closed, &error));
      assert_int_equal(closed, part == 0);
      value[faces.count / 2] = -7.001;
      MUST(boundary_faces_closed(&faces, value, nodes, &closed, &error));
      assert_false(closed);
      boundary_faces_destroy(&faces);
      free(value);
    }
    free(inside);
    destroy_box(&box);
  }
}

// The energy of a pressure p on all of the surface is p times the change of the volume. A deformation gradient F
// changes the volume of the box, 3 m^3, by 3 (det F - 1).
static void a_closed_surface_has_the_energy_of_its_volume(void **state) {
  (void)state;
  Error error = { 0 };
  const double p = 3;
  for (int degree = 1; degree <= 2; degree++) {
    Box box = make_box(2, (double[3]){ 1, 2, 1.5 });
    MUST(mesh_raise(&box.mesh, degree, &error));
    const int nodes = box.mesh.node_count;
    box.x = realloc(box.x, sizeof *box.x * (size_t)nodes);
    const SimulationSettings s = settings();
    Simulation *simulation = create(&box.mesh, &s, NULL);
    float(*f)[3] = malloc(sizeof *f * (size_t)nodes);
    uint64_t seed = 7;
    press(simulation, &box.mesh, -1, p);
    assert_true(fabs(potential(simulation)) <= 1e-14);
    deform(&box.mesh, box.x);
    MUST(simulation_set_state(simulation, (const double(*)[3])box.x, NULL, &error));
    assert_true(fabs(potential(simulation) - p * 3 * (determinant(F) - 1)) <= 1e-12 * p);

    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++) box.x[a][i] += 0.03 * random_unit(&seed);
    MUST(simulation_set_state(simulation, (const double(*)[3])box.x, NULL, &error));
    const double grown =
        (volume6(&box.surface, (const double(*)[3])box.x) - volume6(&box.surface, (const double(*)[3])box.mesh.X)) / 6;
    if (degree == 1) assert_true(fabs(potential(simulation) - p * grown) <= 1e-12 * p);
    forces(simulation, nodes, f);
    compare_slopes(simulation, nodes, box.x, (const float(*)[3])f, 1e-5 * p);

    // without pressure, its forces and its energy must be 0
    MUST(simulation_set_pressure(simulation, NULL, &error));
    forces(simulation, nodes, f);
    for (int a = 0; a < nodes; a++) assert_true(f[a][0] == 0 && f[a][1] == 0 && f[a][2] == 0);
    assert_true(potential(simulation) == 0);
    simulation_destroy(simulation);
    free(f);
    destroy_box(&box);
  }
}

// Returns the stretch t of a box in equilibrium under the pressure p, Pa; it is equal in all directions. Bisection
// solves (mu (t^2 - 1) + 3 lambda ln t) / t^3 = -p, in which the left side is the normal Cauchy stress.
static double stretch_under(double p, const SimulationSettings *s) {
  double low = 0.5, high = 2;
  for (int k = 0; k < 80; k++) {
    const double t = (low + high) / 2;
    *((s->mu * (t * t - 1) + 3 * s->lambda * log(t)) / (t * t * t) < -p ? &low : &high) = t;
  }
  return low;
}

// Compares a box on frictionless supports under the pressure p, Pa, with the closed form. solver: name, or empty for
// the default solver.
static void box_at_rest(const Box *box, const uint8_t *pinned, double p, const char *solver) {
  Error error = { 0 };
  SimulationSettings s = settings();
  StepReport report;
  double low[3], high[3];
  mesh_bounds(&box->mesh, low, high);
  s.newton_relative = 1e-11;
  s.cg_relative = 1e-10;
  s.newton_max = 200;
  s.presses = true;
  snprintf(s.solver, sizeof s.solver, "%s", solver);
  Simulation *simulation = create(&box->mesh, &s, pinned);
  press(simulation, &box->mesh, -1, p);
  MUST(simulation_equilibrium(simulation, &report, &error));
  assert_true(report.converged);
  if (report.newton_iterations > 5)
    fail_msg("pressure %g Pa, solver \"%s\": %d Newton iterations, at most 5 are allowed", p, solver,
             report.newton_iterations);
  MUST(simulation_state(simulation, box->x, NULL, &error));
  const double t = stretch_under(p, &s);
  for (int a = 0; a < box->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) {
      const double expected = low[i] + t * (box->mesh.X[a][i] - low[i]);
      if (!(fabs(box->x[a][i] - expected) <= 1e-8))
        fail_msg("pressure %g Pa, solver \"%s\": a coordinate is %.12g m, expected %.12g m", p, solver, box->x[a][i],
                 expected);
    }
  simulation_destroy(simulation);
}

// The three lower faces of the box slide on frictionless supports, so the pressure stretches the box equally in all
// directions.
static void a_box_comes_to_rest_at_the_stretch_of_its_pressure(void **state) {
  (void)state;
  Box box = make_box(3, (double[3]){ 1, 2, 1.5 });
  const int nodes = box.mesh.node_count;
  uint8_t *pinned = calloc((size_t)nodes, 1);
  double low[3], high[3];
  mesh_bounds(&box.mesh, low, high);
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++)
      if (box.mesh.X[a][i] < low[i] + 1e-9) pinned[a] |= (uint8_t)(PIN_X << i);
  const double pressures[] = { 0.5, -0.5, 2 };
  const bool direct = device == DEVICE_CPU && stage_find(STAGE_SOLVER, "cholmod", device, PRECISION_F64, NULL);
  for (int k = 0; k < 3; k++) {
    box_at_rest(&box, pinned, pressures[k], "");
    if (direct) box_at_rest(&box, pinned, pressures[k], "cholmod");
  }
  free(pinned);
  destroy_box(&box);
}

// Removes the central cell of a box of 3 x 3 x 3 cells. The surface of the cavity has 12 triangles.
static void hollow_out(Box *box) {
  Error error = { 0 };
  TetMesh *mesh = &box->mesh;
  double low[3], high[3];
  int kept = 0;
  mesh_bounds(mesh, low, high);
  for (int e = 0; e < mesh->tet_count; e++) {
    bool middle = true;
    for (int i = 0; i < 3; i++) {
      double centre = 0;
      for (int c = 0; c < 4; c++) centre += mesh->X[mesh->tet[e][c]][i] / 4;
      middle = middle && fabs(centre - (low[i] + high[i]) / 2) < (high[i] - low[i]) / 6;
    }
    if (!middle) memcpy(mesh->tet[kept++], mesh->tet[e], sizeof *mesh->tet);
  }

  mesh->tet_count = kept;
  surface_destroy(&box->surface);
  MUST(surface_create(&box->surface, mesh, &error));
  int cavity = 0;
  for (int t = 0; t < box->surface.triangle_count; t++) {
    bool inside = true;
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 3; c++) {
        const double x = mesh->X[box->surface.triangle[t][c]][i];
        inside = inside && x > low[i] + 1e-9 && x < high[i] - 1e-9;
      }
    if (inside) memcpy(box->surface.triangle[cavity++], box->surface.triangle[t], sizeof *box->surface.triangle);
  }

  assert_int_equal(cavity, 12);
  box->surface.triangle_count = cavity;
}

static void a_pressure_within_a_cavity_inflates_it(void **state) {
  (void)state;
  Error error = { 0 };
  const double p = 0.5;
  Box box = make_box(3, (double[3]){ 3, 3, 3 });
  hollow_out(&box);
  SimulationSettings s = settings();
  s.integrator = INTEGRATOR_EULER;
  Simulation *simulation = create(&box.mesh, &s, NULL);
  uint8_t *inside = calloc((size_t)box.mesh.node_count, 1);
  for (int k = 0; k < 3 * box.surface.triangle_count; k++) inside[box.surface.triangle[k / 3][k % 3]] = 1;
  press_on(simulation, &box.mesh, inside, p);
  free(inside);

  // a stretch by 1.1 of the cavity of 1 m^3 has the energy -p (1.1^3 - 1)
  for (int a = 0; a < box.mesh.node_count; a++)
    for (int i = 0; i < 3; i++) box.x[a][i] = 1.1 * box.mesh.X[a][i];
  MUST(simulation_set_state(simulation, (const double(*)[3])box.x, NULL, &error));
  assert_true(fabs(potential(simulation) + p * (1.1 * 1.1 * 1.1 - 1)) <= 1e-12);

  MUST(simulation_reset(simulation, &error));
  for (int k = 0; k < 100; k++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    assert_true(report.converged);
  }

  MUST(simulation_state(simulation, box.x, NULL, &error));
  const double cavity = -volume6(&box.surface, (const double(*)[3])box.x) / 6;
  if (!(cavity > 1.02)) fail_msg("the cavity has %.6g m^3, expected more than 1.02 m^3", cavity);
  simulation_destroy(simulation);
  destroy_box(&box);
}

static void a_free_body_under_pressure_keeps_momentum_and_energy(void **state) {
  (void)state;
  Error error = { 0 };
  const double p = 1.5;
  Box box = make_box(2, (double[3]){ 1, 1.2, 0.8 });
  SimulationSettings s = settings();
  s.dt = 0.01;
  s.newton_relative = 1e-11;
  s.cg_relative = 1e-10;
  s.newton_max = 100;
  s.integrator = INTEGRATOR_MIDPOINT;
  Simulation *simulation = create(&box.mesh, &s, NULL);
  Energy first, now = { 0 };
  press(simulation, &box.mesh, -1, p);
  throw_body(simulation, &box.mesh, (double[3]){ 0.3, -0.2, 0.1 });
  MUST(simulation_energy(simulation, &first, &error));
  double swing = 0, worst = 0;
  for (int k = 0; k < 400; k++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    assert_true(report.converged);
    MUST(simulation_energy(simulation, &now, &error));
    swing = fmax(swing, now.elastic);
    worst = fmax(worst, fabs(now.kinetic + now.elastic + now.potential - first.kinetic));
  }

  for (int i = 0; i < 3; i++) {
    assert_true(fabs(now.linear[i] - first.linear[i]) <= 1e-9);
    assert_true(fabs(now.angular[i] - first.angular[i]) <= 1e-9);
  }

  // The energy of the pressure is cubic, so the midpoint rule conserves the total energy only up to order dt^2. The
  // bound is relative to the largest elastic energy.
  if (!(swing > 0.01 && worst <= 0.01 * swing))
    fail_msg("the energy changes by %.3g J; the largest elastic energy is %.3g J", worst, swing);
  simulation_destroy(simulation);
  destroy_box(&box);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  Box box = make_box(1, (double[3]){ 1, 1, 1 });
  const SimulationSettings s = settings();
  Simulation *simulation = create(&box.mesh, &s, NULL);
  int outside[3] = { 0, 1, box.mesh.node_count }, sound[3] = { 0, 1, 2 }, facet[1] = { 0 };
  BoundaryFaces faces = { CELL_TET4, 1, 3, outside, facet, NULL };
  assert_false(simulation_set_pressure(simulation, &(PressureLoad){ &faces, (double[]){ 1 }, NULL }, &error));
  assert_non_null(strstr(error.message, "under pressure"));
  error = (Error){ 0 };
  faces.node = sound;
  assert_false(simulation_set_pressure(simulation, &(PressureLoad){ &faces, (double[]){ NAN }, NULL }, &error));
  assert_non_null(strstr(error.message, "pressure"));
  simulation_destroy(simulation);
  destroy_box(&box);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_face_has_the_force_of_its_deformed_area),
    cmocka_unit_test(surfaces_with_a_rim_are_found),
    cmocka_unit_test(a_closed_surface_has_the_energy_of_its_volume),
    cmocka_unit_test(a_box_comes_to_rest_at_the_stretch_of_its_pressure),
    cmocka_unit_test(a_pressure_within_a_cavity_inflates_it),
    cmocka_unit_test(a_free_body_under_pressure_keeps_momentum_and_energy),
    cmocka_unit_test(wrong_arguments_are_refused),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests_name("pressure", tests, NULL, NULL);
}
