// Verification with a deformation gradient that is known everywhere: patch test, rigid rotation, stretches, shear. The
// gradient is constant except in the curved patch tests.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/quadratic.h"
#include "verify/closed_forms.h"
#include "verify/specimen.h"
#include "verify/verify.h"

static bool on_boundary(const Specimen *s, int a) {
  for (int axis = 0; axis < 3; axis++)
    if (specimen_on_face(s, a, axis, 0) || specimen_on_face(s, a, axis, 1)) return true;
  return false;
}

// Makes a unit cube whose inner nodes are moved at random by up to 0.15 of a cell's edge. Boundary nodes are pinned.
static bool distorted_cube(Specimen *s, const SimulationSettings *stages, uint64_t *seed, Error *error) {
  enum { CELLS = 4 };
  if (!specimen_box(s, stages, (int[3]){ CELLS, CELLS, CELLS }, (double[3]){ 1, 1, 1 }, 1e5, 0.3, 1000, error))
    return false;
  for (int a = 0; a < s->mesh.node_count; a++) {
    s->pinned[a] = on_boundary(s, a) ? PIN_ALL : 0;
    for (int i = 0; i < 3; i++) s->mesh.X[a][i] += s->pinned[a] ? 0 : 0.15 / CELLS * random_unit(seed);
  }
  mesh_place_middles(&s->mesh);
  memcpy(s->x, s->mesh.X, sizeof *s->x * (size_t)s->mesh.node_count);
  return specimen_start(s, error);
}

static void affine(const double F[3][3], const double X[3], double x[3]) {
  for (int i = 0; i < 3; i++) x[i] = F[i][0] * X[0] + F[i][1] * X[1] + F[i][2] * X[2];
}

// Computes the position x of a point X, both m, under a large displacement that is a polynomial of degree 2 or 3 in X,
// and the deformation gradient F.
static void bent_by(int degree, const double X[3], double x[3], double F[3][3]) {
  // x_i = X_i + sum over k of quadratic[i][k] times monomial k of XX, YY, ZZ, XY, YZ, ZX
  static const double quadratic[3][6] = { { 0.1, -0.08, 0.06, 0.12, -0.05, 0.07 },
                                          { -0.06, 0.09, 0.11, -0.1, 0.08, 0.04 },
                                          { 0.07, 0.05, -0.09, 0.06, 0.1, -0.08 } };
  static const double cubic[3][3] = { { 0.3, -0.2, 0.15 }, { 0.1, 0.25, -0.3 }, { -0.2, 0.15, 0.25 } };
  for (int i = 0; i < 3; i++) {
    const double *q = quadratic[i];
    x[i] = X[i] + q[0] * X[0] * X[0] + q[1] * X[1] * X[1] + q[2] * X[2] * X[2] + q[3] * X[0] * X[1] +
           q[4] * X[1] * X[2] + q[5] * X[2] * X[0];
    F[i][0] = (i == 0) + 2 * q[0] * X[0] + q[3] * X[1] + q[5] * X[2];
    F[i][1] = (i == 1) + 2 * q[1] * X[1] + q[3] * X[0] + q[4] * X[2];
    F[i][2] = (i == 2) + 2 * q[2] * X[2] + q[4] * X[1] + q[5] * X[0];
    if (degree < 3) continue;

    // cubic terms s^3 + s t^2, with linear functions s and t of X: together they contain all ten cubic monomials
    const double *c = cubic[i], s = c[0] * X[0] + c[1] * X[1] + c[2] * X[2],
                 t = c[1] * X[0] - c[2] * X[1] + c[0] * X[2];
    x[i] += s * s * s + s * t * t;
    const double of_s = 3 * s * s + t * t, of_t = 2 * s * t, dt[3] = { c[1], -c[2], c[0] };
    for (int k = 0; k < 3; k++) F[i][k] += of_s * c[k] + of_t * dt[k];
  }
}

static void bent_gradient(const double X[3], double F[3][3]) {
  double x[3];
  bent_by(2, X, x, F);
}
static void bent_gradient_of_cubic(const double X[3], double F[3][3]) {
  double x[3];
  bent_by(3, X, x, F);
}

// Returns the quadrature points that elements of degree 2 or 3 use. Degree 2: 4 points, exact for polynomials of degree
// 2. Degree 3: 14 points, exact for polynomials of degree 5 (Walkington, Quadrature on simplices of arbitrary
// dimension, 2000).
static Quadrature own_points(int degree) {
  static const double four[2] = { 0.13819660112501051518, 0.25 };
  static const double fourteen[2][2] = { { 0.31088591926330060980, 0.11268792571801585080 },
                                         { 0.092735250310891226402, 0.073493043116361949544 } };
  const double far = 0.045503704125649649492;
  Quadrature q = { .count = 4 * (degree - 1) };
  for (int n = 0; n < q.count; n++) {
    const double *of = degree == 2 ? four : fourteen[n / 4];
    for (int c = 0; c < 4; c++) q.barycentric[n][c] = c == n % 4 ? 1 - 3 * of[0] : of[0];
    q.weight[n] = of[1];
  }
  for (int k = 0; degree == 3 && k < 6; k++, q.count++) {
    for (int c = 0; c < 4; c++)
      q.barycentric[q.count][c] = c == tet_edge_corners[k][0] || c == tet_edge_corners[k][1] ? 0.5 - far : far;
    q.weight[q.count] = 0.042546020777081466438;
  }
  return q;
}

// Patch test for tets of degree 2 or 3, whose shape functions represent any displacement that is a polynomial of this
// degree. The stress of such a displacement gives nodal loads. The equilibrium under these loads must be this
// displacement up to rounding. To this end the loads are integrated by the quadrature points of the internal forces.
static bool bent_patch(Specimen *s, CaseReport *report, uint64_t *seed, Error *error) {
  const int degree = s->settings.degree;
  const Quadrature own = own_points(degree);
  double off = 0;
  memset(s->f, 0, sizeof *s->f * (size_t)s->mesh.node_count);
  specimen_stress_load(s, &own, degree == 2 ? bent_gradient : bent_gradient_of_cubic);
  for (int a = 0; a < s->mesh.node_count; a++) {
    double F[3][3];
    bent_by(degree, s->mesh.X[a], s->x[a], F);
    for (int i = 0; i < 3; i++) s->x[a][i] += s->pinned[a] ? 0 : 0.02 / degree * random_unit(seed);
  }

  StepReport step;
  bool ok = simulation_set_load(s->simulation, (const double(*)[3])s->f, error);
  ok = ok && simulation_set_state(s->simulation, (const double(*)[3])s->x, NULL, error);
  ok = ok && simulation_equilibrium(s->simulation, &step, error);
  ok = ok && simulation_state(s->simulation, s->x, NULL, error);
  for (int a = 0; ok && a < s->mesh.node_count; a++) {
    double x[3], F[3][3];
    bent_by(degree, s->mesh.X[a], x, F);
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(s->x[a][i] - x[i]));
  }

  char what[80];
  snprintf(what, sizeof what, "largest position error, displacement of degree %d", degree);
  report_check(report, what, "m", 0, ok && step.converged ? off : NAN, 1, bound_in(&s->settings, 1e-12, 2e-6));
  return ok;
}

// Patch test on a cube of tets or hexes. Its boundary nodes are moved by a constant deformation gradient. In
// equilibrium the inner nodes must follow this gradient.
static bool patch(const SimulationSettings *stages, CaseReport *report, Error *error) {
  enum { GRADIENTS = 4 };
  Specimen s = { 0 };
  uint64_t seed = 1;
  bool ok = distorted_cube(&s, stages, &seed, error);
  for (int k = 0; ok && k < GRADIENTS; k++) {
    double F[3][3], largest = 0, off = 0;
    const double size = 0.1 * (k + 1);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const double g = size * random_unit(&seed);
        F[i][j] = (i == j) + g;
        largest = fmax(largest, fabs(g));
      }

    // inner nodes start at a random distance from the solution: up to 1/10 of a cell for linear tets, 1/20 for
    // quadratic ones, and less for cubic ones, which invert more easily
    for (int a = 0; a < s.mesh.node_count; a++) {
      affine(F, s.mesh.X[a], s.x[a]);
      for (int i = 0; i < 3; i++)
        s.x[a][i] += s.pinned[a] ? 0 : (stages->degree == 3 ? 0.004 : 0.025 / stages->degree) * random_unit(&seed);
    }
    StepReport step;
    ok = simulation_set_state(s.simulation, (const double(*)[3])s.x, NULL, error) &&
         simulation_equilibrium(s.simulation, &step, error) && simulation_state(s.simulation, s.x, NULL, error);
    for (int a = 0; ok && a < s.mesh.node_count; a++) {
      double x[3];
      affine(F, s.mesh.X[a], x);
      for (int i = 0; i < 3; i++) off = fmax(off, fabs(s.x[a][i] - x[i]));
    }
    char what[80];
    snprintf(what, sizeof what, "largest position error, %s|F - I| up to %.2f", stages->hexes ? "hexes, " : "",
             largest);
    report_check(report, what, "m", 0, ok && step.converged ? off : NAN, 1, bound_in(stages, 2e-15, 2e-7));
    report_point(report, stages->hexes ? "error, hexes" : "error", largest, off);
  }

  ok = ok && (stages->degree == 1 || bent_patch(&s, report, &seed, error));
  specimen_destroy(&s);
  return ok;
}

bool verify_patch(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const SimulationSettings of_hexes = stages_of_hexes(stages);
  return patch(stages, report, error) && (!hexes_are_built() || patch(&of_hexes, report, error));
}

bool verify_rotation(const SimulationSettings *stages, CaseReport *report, Error *error) {
  enum { ANGLES = 13 };
  static const double axis[3] = { 2.0 / 7, 3.0 / 7, 6.0 / 7 };
  Specimen s = { 0 };
  uint64_t seed = 2;
  double worst = 0;
  bool ok = distorted_cube(&s, stages, &seed, error);
  for (int k = 0; ok && k < ANGLES; k++) {
    const double angle = acos(-1) * k / (ANGLES - 1), c = cos(angle), sine = sin(angle);
    double R[3][3], force = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int m = 3 - i - j;  // the third axis; entry (i, j) of the cross product matrix is axis[m] or -axis[m]
        const double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * axis[m];
        R[i][j] = (i == j) * c + sine * cross + (1 - c) * axis[i] * axis[j];
      }
    for (int a = 0; a < s.mesh.node_count; a++) affine(R, s.mesh.X[a], s.x[a]);
    ok = simulation_set_state(s.simulation, (const double(*)[3])s.x, NULL, error) &&
         simulation_internal_force(s.simulation, s.f, error);
    for (int a = 0; ok && a < s.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) force = fmax(force, fabs(s.f[a][i]));
    if (!(force <= worst)) worst = force;
    report_point(report, "force", angle * 180 / acos(-1), force / s.young);
  }

  if (ok)
    report_check(report, "largest nodal force at 13 angles; error relative to E L^2", "N", 0, worst, s.young,
                 bound_in(stages, 2e-15, 1e-6));
  specimen_destroy(&s);
  return ok;
}

// Stretches a block on rollers along its first `axes` axes. Its faces perpendicular to the other axes are free of
// stress. Checks the stress along the stretched axes, and the stretch along the free ones.
static bool stretch_case(const SimulationSettings *stages, CaseReport *report, int axes, double poisson,
                         const double *stretches, int count, Error *error) {
  Specimen s = { 0 };
  bool ok = true;
  for (int k = 0; ok && k < count; k++) {
    const double stretch = stretches[k], bound = bound_in(stages, 3e-15, 1e-6);
    ok = specimen_box(&s, stages, (int[3]){ 3, 2, 2 }, (double[3]){ 1, 0.8, 0.6 }, 1e5, poisson, 1000, error);
    for (int a = 0; ok && a < s.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        const bool pulled = i < axes && specimen_on_face(&s, a, i, 1);
        if (specimen_on_face(&s, a, i, 0) || pulled) s.pinned[a] |= PIN_X << i;
        if (pulled) s.x[a][i] = stretch * s.size[i];
      }
    double P[3][3], thickness = 0, least = HUGE_VAL;
    const int free_axis = 2;
    ok = ok && specimen_start(&s, error) && specimen_load(&s, 10, error) && specimen_mean_stress(&s, P, error);
    for (int a = 0; ok && a < s.mesh.node_count; a++)
      if (specimen_on_face(&s, a, free_axis, 1)) {
        thickness = fmax(thickness, s.x[a][2] / s.size[2]);
        least = fmin(least, s.x[a][2] / s.size[2]);
      }
    if (ok) {
      const Stretched reference = stretched(axes, stretch, poisson);
      char what[80];
      snprintf(what, sizeof what, "stress P/E, nu %g, given stretch %g", poisson, stretch);
      report_relative(report, what, "", reference.P, P[0][0] / s.young, bound);
      snprintf(what, sizeof what, "stretch of a free axis, nu %g, given stretch %g", poisson, stretch);
      report_relative(report, what, "", reference.free_stretch, thickness, bound);
      snprintf(what, sizeof what, "stretch of a free axis: least value of all nodes");
      report_relative(report, what, "", reference.free_stretch, least, bound);
      snprintf(what, sizeof what, "nu %g", poisson);
      report_point(report, what, stretch, P[0][0] / s.young);
    }
    specimen_destroy(&s);
  }

  // curve of the closed form, for the plot
  for (int k = 0; ok && k <= 60; k++) {
    const double low = fmin(stretches[0], 1) * 0.95, x = low + (stretches[count - 1] * 1.05 - low) * k / 60;
    char name[40];
    snprintf(name, sizeof name, "closed form, nu %g", poisson);
    report_point(report, name, x, stretched(axes, x, poisson).P);
  }
  return ok;
}

bool verify_uniaxial(const SimulationSettings *stages, CaseReport *report, Error *error) {
  // compressed to half of its height, a block of cubic tets wrinkles at the free faces, so it is compressed to 0.6
  const double pressed = stages->degree == 3 ? 0.6 : 0.5;
  return stretch_case(stages, report, 1, 0.3, (double[]){ pressed, 1.1, 1.5, 2.0 }, 4, error) &&
         stretch_case(stages, report, 1, 0.45, (double[]){ 2.0 }, 1, error);
}

bool verify_equibiaxial(const SimulationSettings *stages, CaseReport *report, Error *error) {
  return stretch_case(stages, report, 2, 0.3, (double[]){ 1.2, 1.5 }, 2, error);
}

bool verify_shear(const SimulationSettings *stages, CaseReport *report, Error *error) {
  static const double gammas[] = { 0.1, 0.5, 1.0 };
  Specimen s = { 0 };
  uint64_t seed = 3;
  bool ok = distorted_cube(&s, stages, &seed, error);
  for (int k = 0; ok && k < 3; k++) {
    const double gamma = gammas[k], mu = s.settings.mu, bound = bound_in(stages, 2e-15, 3e-7);
    double P[3][3];
    for (int a = 0; a < s.mesh.node_count; a++) {
      memcpy(s.x[a], s.mesh.X[a], sizeof s.x[a]);
      s.x[a][0] += gamma * s.mesh.X[a][1];
    }
    memset(s.f, 0, sizeof *s.f * (size_t)s.mesh.node_count);
    ok = specimen_load(&s, 4, error) && specimen_mean_stress(&s, P, error);
    if (!ok) break;

    // Cauchy stress sigma = P F^T, with J = 1 and F = I + gamma e1 e2^T
    const double sigma11 = P[0][0] + gamma * P[0][1], sigma22 = P[1][1];
    char what[80];
    snprintf(what, sizeof what, "shear stress P12 / mu, gamma %g", gamma);
    report_relative(report, what, "", gamma, P[0][1] / mu, bound);
    snprintf(what, sizeof what, "(sigma11 - sigma22) / mu, gamma %g", gamma);
    report_relative(report, what, "", gamma * gamma, (sigma11 - sigma22) / mu, bound / gamma);
    report_point(report, "P12 / mu", gamma, P[0][1] / mu);
    report_point(report, "(sigma11 - sigma22) / mu", gamma, (sigma11 - sigma22) / mu);
  }

  specimen_destroy(&s);
  return ok;
}
