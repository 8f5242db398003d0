// Verification with finer and finer meshes, whose results must approach a known one: a bar under its weight, a
// cantilever and its first frequency, a manufactured solution.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "verify/closed_forms.h"
#include "verify/specimen.h"
#include "verify/verify.h"

// Computes the equilibrium of a bar under its weight, with `cells` cells across, held at Z = 0, with free lateral
// faces. It hangs (load > 0) or stands (load < 0); load = rho g L / E. `draw`: adds the displacements to the plot. *tip
// gets the mean displacement of the free end, divided by the bar's length. *rms gets the root mean square error of the
// nodes' displacements, divided by the bar's length.
static bool bar_at(const SimulationSettings *stages, CaseReport *report, int cells, double load, bool draw, double *tip,
                   double *rms, Error *error) {
  const double young = 1e5, length = 1, density = 1000, side = 1;
  Specimen s = { 0 };
  bool ok = specimen_box(&s, stages, (int[3]){ cells, cells, cells }, (double[3]){ side, side, length }, young, 0,
                         density, error);
  double *fraction = ok ? array_new(s.mesh.node_count, sizeof *fraction, "shares", error) : NULL;
  ok = ok && fraction;
  if (ok) specimen_share_over_end(&s, fraction);
  double *weight = ok ? array_new(s.mesh.node_count, sizeof *weight, "weights", error) : NULL;
  ok = ok && weight;
  if (ok) mesh_weight(&s.mesh, density, weight);
  for (int a = 0; ok && a < s.mesh.node_count; a++) {
    s.pinned[a] = specimen_on_face(&s, a, 2, 0) ? PIN_ALL : 0;
    s.f[a][2] = weight[a] * load * young / (density * length);
  }
  ok = ok && specimen_start(&s, error) && specimen_load(&s, 4, error);
  *tip = *rms = 0;
  for (int a = 0; ok && a < s.mesh.node_count; a++) {
    const double *X = s.mesh.X[a], expected = bar_displacement(load, X[2]);
    const double u = s.x[a][2] - X[2], off[3] = { s.x[a][0] - X[0], s.x[a][1] - X[1], u - expected };
    if (draw && X[0] == 0 && X[1] == 0) report_point(report, load > 0 ? "hanging" : "standing", X[2], u);
    *tip += fraction[a] * u / length;
    for (int i = 0; i < 3; i++) *rms += s.mass[a] / (density * side * side * length) * off[i] * off[i];
  }

  *rms = sqrt(*rms);
  free(fraction);
  free(weight);
  specimen_destroy(&s);
  return ok;
}

bool verify_hanging_bar(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const bool quadratic = stages->degree > 1;
  const int coarsest = 4 >> (stages->degree - 1);
  static const double loads[] = { 0.05, 0.1, 0.5, -0.05, -0.1, -0.5 };
  for (int k = 0; k < 6; k++) {
    double tip[3], rms[3];
    for (int m = 0; m < 3; m++)
      if (!bar_at(stages, report, coarsest << m, loads[k], m == 2 && fabs(loads[k]) == 0.5, &tip[m], &rms[m], error))
        return false;
    char what[80];
    const char *pose = loads[k] > 0 ? "hanging" : "standing";
    snprintf(what, sizeof what, "tip displacement / length, rho g L/E %g, %s", fabs(loads[k]), pose);
    report_relative(report, what, "", bar_tip(loads[k]), tip[2], 2e-3 * fabs(loads[k]));
    snprintf(what, sizeof what, "order of the nodal errors, rho g L/E %g, %s", fabs(loads[k]), pose);

    // At degree 3, the errors at the nodes are too small to measure their order of convergence.
    if (stages->degree == 3) continue;
    report_check(report, what, "", quadratic ? 3.7 : 2, log2(rms[1] / rms[2]), 1, loads[k] == -0.5 ? 0.4 : 0.3);
  }

  for (int k = 0; k <= 50; k++) {
    report_point(report, "closed form, hanging", k / 50.0, bar_displacement(0.5, k / 50.0));
    report_point(report, "closed form, standing", k / 50.0, bar_displacement(-0.5, k / 50.0));
  }
  return true;
}

// Computes the deflection of a cantilever's tip per load, m/N. The cantilever is 1 m long and 0.1 m thick, with `cells`
// cells across. If not NULL, *frequency gets its first frequency, Hz.
static bool cantilever_at(const SimulationSettings *stages, int cells, double poisson, double *deflection,
                          double *frequency, Error *error) {
  const double length = 1, side = 0.1, load = 0.01;  // m, m, N; the load deflects the tip by 4e-5 of the length
  Specimen s = { 0 };
  bool ok = specimen_box(&s, stages, (int[3]){ cells, cells, 10 * cells }, (double[3]){ side, side, length }, 1e7,
                         poisson, 1000, error);
  double *fraction = ok ? array_new(s.mesh.node_count, sizeof *fraction, "shares", error) : NULL;
  ok = ok && fraction;
  if (ok) specimen_share_over_end(&s, fraction);
  for (int a = 0; ok && a < s.mesh.node_count; a++) {
    s.pinned[a] = specimen_on_face(&s, a, 2, 0) ? PIN_ALL : 0;
    s.f[a][1] = load * fraction[a];
  }
  s.settings.newton_relative = stages->precision == PRECISION_F64 ? 1e-6 : 1e-7;
  s.settings.cg_relative = 0.1 * s.settings.newton_relative;  // CG is so exact that one Newton iteration suffices
  ok = ok && specimen_start(&s, error) && specimen_load(&s, 1, error);
  *deflection = 0;
  for (int a = 0; ok && a < s.mesh.node_count; a++) *deflection += fraction[a] * (s.x[a][1] - s.mesh.X[a][1]) / load;

  // Two inverse iterations K v = M u that start with the bent shape u give the first mode v. Its squared frequency is
  // omega^2 = v.M u / v.M v.
  for (int iteration = 0; ok && frequency && iteration < 2; iteration++) {
    double norm = 0, across = 0;
    for (int a = 0; a < s.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        const double u = s.x[a][i] - s.mesh.X[a][i];

        // The factor 100 /s^2 is about omega^2 of the first mode, so the iteration hardly changes the amplitude.
        s.f[a][i] = s.pinned[a] ? 0 : 100 * s.mass[a] * u;
        if (s.pinned[a]) s.x[a][i] = s.mesh.X[a][i];
      }
    double(*u)[3] = array_new(s.mesh.node_count, sizeof *u, "shape", error);
    ok = u != NULL;
    for (int a = 0; ok && a < s.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) u[a][i] = s.x[a][i] - s.mesh.X[a][i];
    ok = ok && specimen_load(&s, 1, error);
    for (int a = 0; ok && a < s.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        const double v = s.x[a][i] - s.mesh.X[a][i];
        across += s.mass[a] * v * u[a][i];
        norm += s.mass[a] * v * v;
      }
    free(u);
    *frequency = sqrt(100 * across / norm) / (2 * acos(-1));
  }

  free(fraction);
  specimen_destroy(&s);
  return ok;
}

// Checks a cantilever of 60 quadratic tets, one cell across, for three Poisson's ratios. expected[k]: the tip's
// deflection divided by the deflection of Timoshenko's beam. For comparison, linear tets, eight cells across, reach
// 0.930 at ratio 0.3 and 0.156 at ratio 0.499.
static bool coarse_cantilevers(const SimulationSettings *stages, CaseReport *report, Error *error) {
  static const double poisson[] = { 0.3, 0.49, 0.499 }, expected[] = { 0.976, 0.883, 0.863 };

  // in float Poisson's ratio 0.499 is left out, because rounding errors are too large for this check
  const int count = stages->precision == PRECISION_F64 ? 3 : 2;
  for (int k = 0; k < count; k++) {
    const double nu = poisson[k], young = 1e7, length = 1, side = 0.1;

    // deflection of the beam per newton by bending, and by shear with Cowper's coefficient
    const double bending = 4 * pow(length, 3) / (young * pow(side, 4));
    const double shear = 2 * (1 + nu) * length * (12 + 11 * nu) / (10 * (1 + nu) * young * side * side);
    double deflection, ignored;
    char what[80];
    if (!cantilever_at(stages, 1, nu, &deflection, &ignored, error)) return false;
    snprintf(what, sizeof what, "tip deflection / exact value, beam of 60 tets, nu %g", nu);
    report_check(report, what, "", expected[k], deflection / (bending + shear), 1, 1e-3);
  }
  return true;
}

// Checks cantilevers of hexes, 2, 4 and 8 cells across. Hexes are too stiff in bending (locking), but less so than
// linear tets.
static bool hex_cantilevers(const SimulationSettings *stages, double deflection, CaseReport *report, Error *error) {
  const SimulationSettings of_hexes = stages_of_hexes(stages);
  double d[3];
  for (int m = 0; m < 3; m++) {
    if (!cantilever_at(&of_hexes, 2 << m, 0.3, &d[m], NULL, error)) return false;
    report_point(report, "deflection, hexes", 2 << m, d[m] / deflection);
  }
  const Richardson r = richardson(d);
  report_relative(report, "hexes: tip deflection per load, extrapolated to cell size 0", "m/N", deflection, r.limit,
                  0.01);
  report_check(report, "hexes: order of convergence of the tip deflection", "", 2, r.order, 1, 0.4);
  return true;
}

bool verify_cantilever(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const double deflection = 4.0306e-3, frequency = 1.6029;  // exact values of Timoshenko's beam, m/N and Hz
  // In float the four extrapolated checks with tets (not coarse_cantilevers) are marked as undecidable: on the finest
  // mesh rounding errors exceed the solution, and coarser linear tets are too stiff to extrapolate.
  const bool in_double = stages->precision == PRECISION_F64;
  const int coarsest = stages->degree > 1 ? 1 : in_double ? 4 : 2;
  const double bound = 0.01, order_bound = 0.4;
  double d[3], f[3];
  for (int m = 0; m < 3; m++) {
    if (!cantilever_at(stages, coarsest << m, 0.3, &d[m], &f[m], error)) return false;
    report_point(report, "deflection", coarsest << m, d[m] / deflection);
    report_point(report, "frequency", coarsest << m, f[m] / frequency);
  }
  const Richardson rd = richardson(d), rf = richardson(f);
  report_relative(report, "tip deflection per load, extrapolated to cell size 0", "m/N", deflection, rd.limit, bound);
  report_check(report, "order of convergence of the tip deflection", "", 2, rd.order, 1, order_bound);
  report_relative(report, "first bending frequency, extrapolated to cell size 0", "Hz", frequency, rf.limit, bound);
  report_check(report, "order of convergence of the first bending frequency", "", 2, rf.order, 1, order_bound);
  if (!in_double) report_beyond(report, 4);
  if (hexes_are_built() && !hex_cantilevers(stages, deflection, report, error)) return false;
  return stages->degree != 2 || coarse_cantilevers(stages, report, error);
}

static const double AMPLITUDE = 0.1;  // m, of the manufactured displacement

// Computes a freely chosen displacement u, m, of the unit cube at the point X, m, and the deformation gradient F of u.
// The case then applies the loads under which u is in equilibrium.
static void manufactured(const double X[3], double u[3], double F[3][3]) {
  const double pi = acos(-1);
  const double s[3] = { sin(pi * X[0]), sin(pi * X[1]), sin(pi * X[2]) };
  const double c[3] = { cos(pi * X[0]), cos(pi * X[1]), cos(pi * X[2]) };
  const double value[3] = { s[0] * c[1] + X[1] * X[2], c[0] * s[1] * s[2] + X[0] * X[0], s[2] * c[0] + X[0] * X[1] };
  const double gradient[3][3] = {
    { pi * c[0] * c[1], -pi * s[0] * s[1] + X[2], X[1] },
    { -pi * s[0] * s[1] * s[2] + 2 * X[0], pi * c[0] * c[1] * s[2], pi * c[0] * s[1] * c[2] },
    { -pi * s[2] * s[0] + X[1], X[0], pi * c[2] * c[0] },
  };
  for (int i = 0; i < 3; i++) {
    u[i] = AMPLITUDE * value[i];
    for (int k = 0; k < 3; k++) F[i][k] = (i == k) + AMPLITUDE * gradient[i][k];
  }
}

// Returns a quadrature over a tet that is exact for polynomials of degree up to 5: Gauss-Legendre points of a cube
// collapsed to a tet (Duffy).
enum { LINE = 4, POINTS = LINE * LINE * LINE };
static Quadrature tet_quadrature(void) {
  static const double node[2] = { 0.33998104358485626, 0.86113631159405258 };
  static const double fraction[2] = { 0.65214515486254614, 0.34785484513745386 };
  Quadrature q = { .count = POINTS };
  double at[LINE], w[LINE];
  for (int k = 0; k < 2; k++) {
    at[2 * k] = 0.5 - 0.5 * node[k];
    at[2 * k + 1] = 0.5 + 0.5 * node[k];
    w[2 * k] = w[2 * k + 1] = 0.5 * fraction[k];
  }
  for (int n = 0; n < POINTS; n++) {
    const int i = n % LINE, j = n / LINE % LINE, k = n / LINE / LINE;
    const double a = at[i], b = (1 - a) * at[j], c = (1 - a) * (1 - at[j]) * at[k];
    q.barycentric[n][0] = a;
    q.barycentric[n][1] = b;
    q.barycentric[n][2] = c;
    q.barycentric[n][3] = 1 - a - b - c;
    q.weight[n] = 6 * w[i] * w[j] * w[k] * (1 - a) * (1 - a) * (1 - at[j]);
  }
  return q;
}

static void manufactured_gradient(const double X[3], double F[3][3]) {
  double u[3];
  manufactured(X, u, F);
}

// Computes two norms of the error of the displacement: the L2 norm, *L2, and the H1 seminorm, *H1.
static void error_norms(const Specimen *s, const Quadrature *q, double *L2, double *H1) {
  *L2 = *H1 = 0;
  for (int e = 0; e < s->mesh.tet_count; e++) {
    const double volume = mesh_tet_volume(&s->mesh, e);
    for (int n = 0; n < q->count; n++) {
      const ShapeAt at = specimen_shape(s, e, q->barycentric[n]);
      double X[3] = { 0 }, u[3], F[3][3];
      for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++) X[i] += q->barycentric[n][c] * s->mesh.X[at.node[c]][i];
      manufactured(X, u, F);
      for (int i = 0; i < 3; i++) {
        double off = X[i] + u[i];
        for (int a = 0; a < at.nodes; a++) off -= at.N[a] * s->x[at.node[a]][i];
        *L2 += q->weight[n] * volume * off * off;
        for (int k = 0; k < 3; k++) {
          double slope = F[i][k];
          for (int a = 0; a < at.nodes; a++) slope -= s->x[at.node[a]][i] * at.B[a][k];
          *H1 += q->weight[n] * volume * slope * slope;
        }
      }
    }
  }

  *L2 = sqrt(*L2);
  *H1 = sqrt(*H1);
}

bool verify_manufactured(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const Quadrature q = tet_quadrature();
  double L2[3], H1[3];
  for (int m = 0; m < 3; m++) {
    const int cells = (stages->degree == 1 ? 4 : 2) << m;
    Specimen s = { 0 };
    bool ok = specimen_box(&s, stages, (int[3]){ cells, cells, cells }, (double[3]){ 1, 1, 1 }, 1e5, 0.3, 1000, error);
    if (ok) specimen_stress_load(&s, &q, manufactured_gradient);
    for (int a = 0; ok && a < s.mesh.node_count; a++) {
      double u[3], F[3][3];
      manufactured(s.mesh.X[a], u, F);
      for (int axis = 0; axis < 3; axis++)
        if (specimen_on_face(&s, a, axis, 0) || specimen_on_face(&s, a, axis, 1)) s.pinned[a] = PIN_ALL;
      for (int i = 0; i < 3; i++) s.x[a][i] += s.pinned[a] ? u[i] : 0;
    }
    ok = ok && specimen_start(&s, error) && specimen_load(&s, 4, error);
    if (ok) error_norms(&s, &q, &L2[m], &H1[m]);
    specimen_destroy(&s);
    if (!ok) return false;
    report_point(report, "L2", cells, L2[m]);
    report_point(report, "H1", cells, H1[m]);
    if (m == 0) continue;
    char what[80];
    snprintf(what, sizeof what, "order of the error's L2 norm, %d to %d cells", cells / 2, cells);
    report_check(report, what, "", stages->degree + 1, log2(L2[m - 1] / L2[m]), 1, 0.15);
    snprintf(what, sizeof what, "order of the error's H1 seminorm, %d to %d cells", cells / 2, cells);
    report_check(report, what, "", stages->degree, log2(H1[m - 1] / H1[m]), 1, (m == 1 ? 0.1 : 0.05) * stages->degree);
  }
  return true;
}
