// Tests tets of degree 1, 2 and 3 with every material and every CPU assembly. Linear displacements are exact at large
// strains (the patch test). The error of a smooth solution of linear elasticity falls with the order of the shape
// functions.
#include "../sim_testing.h"

#include "mesh/quadratic.h"
#include "mesh/shapes.h"
#include "sim/assembly/assembly.h"
#include "sim/element/element_row.h"
#include "sim/solver/solver.h"

static const double MU = 5, LAMBDA = 4;

// A cube, meshed for one element (a cell shape with a material), and the linear system of its nodal displacements.
typedef struct System {
  const ElementRow *row;
  Space space;
  Operator A;
  Assembly assembly;
  AssemblyParameters parameters;
  Stream stream;
  int n;           // number of unknowns
  uint8_t *fixed;  // [n], 1 for unknowns at the surface
  // b [n]: right-hand side; x [n]: solution; F [n]: buffer for a force vector or the diagonal; zero [n + nodes]: zeros
  double *F, *b, *x, *zero;
} System;

static int degree_of(const ElementRow *row) {
  return row->nodes == 20 ? 3 : row->nodes == 10 ? 2 : 1;
}

// Creates the system of a cube of 1 m with `boxes` boxes along each edge. `shaken`: inner nodes are moved at random.
static void system_create(System *s, const ElementRow *row, const AssemblyMethod *method, int boxes, bool shaken) {
  const double size[3] = { 1, 1, 1 };
  Error error = { 0 };
  TetMesh mesh = { 0 };
  *s = (System){ .row = row, .parameters = { { MU, LAMBDA, 0.3 }, 1, 1 } };
  if (!row->check(s->parameters.material, &error)) s->parameters.material[MATERIAL_SECOND_INVARIANT] = 0;
  error = (Error){ 0 };
  MUST(stream_create(DEVICE_CPU, &s->stream, &error));
  MUST(mesh_make_box(boxes, boxes, boxes, size, &mesh, &error));
  uint64_t seed = 3;
  for (int a = 0; shaken && a < mesh.node_count; a++) {
    bool inside = true;
    for (int i = 0; i < 3; i++) inside = inside && mesh.X[a][i] > 1e-9 && mesh.X[a][i] < 1 - 1e-9;
    for (int i = 0; inside && i < 3; i++) mesh.X[a][i] += 0.2 / boxes * random_unit(&seed);
  }

  MUST(mesh_raise(&mesh, degree_of(row), &error));
  MUST(space_create(&s->space, &mesh, 3, &error));
  mesh_destroy(&mesh);
  const OperatorMethod *format = (const OperatorMethod *)stage_matrix_of(&method->stage);
  MUST(operator_create(&s->A, format, &s->space, &error));
  MUST(assembly_create(&s->assembly, method, &s->space, &s->A, PARTITION_GREEDY, 0, &error));
  s->n = space_dof(&s->space);
  const size_t n = (size_t)s->n;
  s->fixed = calloc(n, 1);
  s->F = calloc(n, sizeof *s->F);
  s->b = calloc(n, sizeof *s->b);
  s->x = calloc(n, sizeof *s->x);
  s->zero = calloc(n + (size_t)s->space.node_count, sizeof *s->zero);
  for (int i = 0; i < s->n; i++) {
    const double *X = s->space.X[i / 3];
    for (int k = 0; k < 3; k++) s->fixed[i] |= X[k] < 1e-9 || X[k] > 1 - 1e-9;
  }
}

static void system_destroy(System *s) {
  assembly_destroy(&s->assembly);
  operator_destroy(&s->A);
  space_destroy(&s->space);
  stream_destroy(&s->stream);
  free(s->fixed);
  free(s->F);
  free(s->b);
  free(s->x);
  free(s->zero);
}

// Solves A x = b for the unknowns that are not fixed, with the program's default solver.
static void solve(System *s) {
  Error error = { 0 };
  Solver solver;
  const SolverSystem system = { &s->A, s->fixed, s->b, s->x, 1e-12, 5000, 0, NULL };
  const SolverMethod *method = (const SolverMethod *)stage_find(STAGE_SOLVER, NULL, DEVICE_CPU, PRECISION_F64, NULL);
  MUST(operator_shift(&s->A, s->zero, 0, s->F, NULL, s->stream, &error));
  MUST(solver_create(&solver, method, &system, s->stream, &error));
  MUST(solver_solve(&solver, s->stream, &error));
  MUST(solver_wait(&solver, s->stream, &error));
  assert_int_equal(solver.report->end, SOLVER_CONVERGED);
  solver_destroy(&solver);
}

// Loops over the elements of the shapes tet4, tet10 and tet20, and over the CPU assemblies of each element.
#define FOR_EACH_SYSTEM(row, method)                                                                                \
  for (const ElementRow *row = NULL;                                                                                \
       (row = (const ElementRow *)stage_next((const Stage *)row, STAGE_ELEMENT, DEVICE_CPU, PRECISION_F64, NULL));) \
    for (const AssemblyMethod *method = NULL;                                                                       \
         (strcmp(row->stage.element, "tet4") == 0 || strcmp(row->stage.element, "tet10") == 0 ||                    \
          strcmp(row->stage.element, "tet20") == 0) &&                                                              \
         (method = (const AssemblyMethod *)stage_next((const Stage *)method, STAGE_ASSEMBLY, DEVICE_CPU,            \
                                                      PRECISION_F64, row->element));)

// Prescribes the positions x = F X of the surface nodes. Newton's method must find x = F X also inside, for every
// element.
static void the_inside_follows_a_linear_motion_of_the_surface(void **state) {
  (void)state;
  static const double F[3][3] = { { 1.3, 0.2, -0.1 }, { 0.1, 0.85, 0.15 }, { -0.05, 0.1, 1.1 } };
  FOR_EACH_SYSTEM(row, method) {
    Error error = { 0 };
    System s;
    system_create(&s, row, method, 2, true);
    double *u = calloc((size_t)s.n, sizeof *u), *exact = calloc((size_t)s.n, sizeof *exact), off = 0, change = 1;
    for (int i = 0; i < s.n; i++) {
      const double *X = s.space.X[i / 3];
      exact[i] = F[i % 3][0] * X[0] + F[i % 3][1] * X[1] + F[i % 3][2] * X[2] - X[i % 3];
      u[i] = s.fixed[i] ? exact[i] : exact[i] + (row->nodes == 20 ? 0.002 : 0.02) * sin(17 * i);
    }
    for (int k = 0; k < 12 && change > 1e-13; k++) {
      MUST(assembly_run(&s.assembly, &s.parameters, u, s.b, s.A.values, s.stream, &error));
      for (int i = 0; i < s.n; i++) s.b[i] = -s.b[i];
      solve(&s);
      change = 0;
      for (int i = 0; i < s.n; i++) {
        u[i] += s.x[i];
        change = fmax(change, fabs(s.x[i]));
      }
    }
    for (int i = 0; i < s.n; i++) off = fmax(off, fabs(u[i] - exact[i]));
    if (!(off < 1e-12)) fail_msg("%s with assembly %s: largest error %.1e m", row->element, method->stage.name, off);
    free(u);
    free(exact);
    system_destroy(&s);
  }
}

// Computes an exact solution of linear elasticity without a load: u = grad phi with the harmonic function phi = sin(2x)
// sin(3y) sinh(sqrt(13) z)/4, up to a factor.
static void harmonic(const double X[3], double u[3]) {
  const double c = sqrt(13), scale = 0.25 / sinh(c);
  u[0] = 2 * scale * cos(2 * X[0]) * sin(3 * X[1]) * sinh(c * X[2]);
  u[1] = 3 * scale * sin(2 * X[0]) * cos(3 * X[1]) * sinh(c * X[2]);
  u[2] = c * scale * sin(2 * X[0]) * sin(3 * X[1]) * cosh(c * X[2]);
}

// Returns the L2 norm of the error of u, divided by the L2 norm of the exact displacement, which `harmonic` computes.
// The integrals use 20 points per cell.
static double l2_error(const System *s, const double *u) {
  double wrong = 0, whole = 0;
  for (int e = 0; e < s->space.cell_count; e++) {
    const int *node = space_cell(&s->space, e);
    const double V = space_cell_volume(&s->space, e) / 20;
    for (int k = 0; k < 64; k++) {
      const int i[4] = { k / 16, k / 4 % 4, k % 4, 3 - k / 16 - k / 4 % 4 - k % 4 };
      if (i[3] < 0) continue;
      double l[4], N[CELL_NODES_MAX], X[3] = { 0 }, v[3] = { 0 }, exact[3];
      for (int c = 0; c < 4; c++) l[c] = (i[c] + 0.25) / 4;
      cell_shape_at(s->space.shape, l, N, NULL);
      for (int d = 0; d < 3; d++) {
        for (int c = 0; c < 4; c++) X[d] += l[c] * s->space.X[node[c]][d];
        for (int a = 0; a < s->row->nodes; a++) v[d] += N[a] * u[3 * node[a] + d];
      }
      harmonic(X, exact);
      for (int d = 0; d < 3; d++) {
        wrong += V * (v[d] - exact[d]) * (v[d] - exact[d]);
        whole += V * exact[d] * exact[d];
      }
    }
  }
  return sqrt(wrong / whole);
}

static double harmonic_error(const ElementRow *row, const AssemblyMethod *method, int boxes) {
  Error error = { 0 };
  System s;
  system_create(&s, row, method, boxes, false);
  double *u = calloc((size_t)s.n, sizeof *u);

  // Assemble the tangent at rest. Then move the prescribed displacements of the surface to the right-hand side.
  MUST(assembly_run(&s.assembly, &s.parameters, s.zero, s.F, s.A.values, s.stream, &error));
  for (int a = 0; a < s.space.node_count; a++)
    if (s.fixed[3 * a]) harmonic(s.space.X[a], u + 3 * a);
  MUST(operator_apply(&s.A, u, s.b, NULL, s.stream, &error));
  for (int i = 0; i < s.n; i++) s.b[i] = -s.b[i];
  solve(&s);
  for (int i = 0; i < s.n; i++) u[i] += s.x[i];
  const double wrong = l2_error(&s, u);
  free(u);
  system_destroy(&s);
  return wrong;
}

static void errors_fall_by_the_order_of_the_shape(void **state) {
  (void)state;
  FOR_EACH_SYSTEM(row, method) {
    const int degree = degree_of(row), boxes = 5 - degree;
    const double bounds[] = { 3e-2, 4e-3, 2e-3 };  // upper bounds of the error `fine`, for degrees 1, 2 and 3
    const double coarse = harmonic_error(row, method, boxes), fine = harmonic_error(row, method, 2 * boxes);
    const double order = log2(coarse / fine), expected = degree + 1;
    printf("  %s with assembly %s: relative L2 errors %.2e and %.2e, order of convergence %.2f\n", row->element,
           method->stage.name, coarse, fine, order);
    assert_true(fabs(order - expected) < 0.25);
    assert_true(fine < bounds[degree - 1]);
  }
}

int main(void) {
  elements_open_all(NULL);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_inside_follows_a_linear_motion_of_the_surface),
    cmocka_unit_test(errors_fall_by_the_order_of_the_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
