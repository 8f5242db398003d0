// Tests tets of degrees 1 to 3 with Bernstein polynomials for linear elasticity, in double on the CPU. Matrices must
// equal quadrature, be symmetric, and give no forces for rigid motions. Also has patch tests of each degree, and tests
// the order of convergence with manufactured solutions.
#include "sim_testing.h"

#include "lab/rows.h"
#include "lab/simplex/bernstein.h"
#include "lab/simplex/simplex_matrix.h"
#include "lab/simplex/simplex_nodes.h"

enum { NODES = SIMPLEX_CELL_NODES_MAX, GAUSS = 5 };
static const double LAMBDA = 1.5, MU = 0.7;

// A displacement u(x), its derivatives slope [i][k] = du_i / dx_k, and the body force -div sigma that causes it.
typedef struct Field {
  void (*u)(const double x[3], double u[3]);
  void (*slope)(const double x[3], double slope[3][3]);
  void (*force)(const double x[3], double f[3]);
} Field;

// A box mesh with displaced inner nodes, and its stiffness matrix.
typedef struct Body {
  TetMesh mesh;
  SimplexTopology topology;
  SimplexMatrix A;
  int degree, nodes, cell_nodes;
} Body;

static void open_body(Body *body, int cells, int degree) {
  Error error = { 0 };
  *body = (Body){ .degree = degree, .cell_nodes = simplex_cell_nodes(degree) };
  uint64_t seed = 5;
  MUST(mesh_make_box(cells, cells, cells, (double[3]){ 1, 1, 1 }, &body->mesh, &error));
  for (int a = 0; a < body->mesh.node_count; a++) {
    double *X = body->mesh.X[a];
    bool inner = true;
    for (int i = 0; i < 3; i++) inner = inner && X[i] > 1e-9 && X[i] < 1 - 1e-9;
    for (int i = 0; inner && i < 3; i++) X[i] += 0.15 / cells * random_unit(&seed);
  }
  MUST(simplex_topology_open(&body->topology, &body->mesh, degree, (SimplexMemory){ 0 }, &error));
  const SimplexBuild build = { PRECISION_F64, SUM_PERENTRY, "binbcsr", LAMBDA, MU };
  MUST(simplex_matrix_build(&body->A, &body->topology, &build, &error));
  body->nodes = simplex_node_count(&body->topology);
}

static void close_body(Body *body) {
  simplex_matrix_destroy(&body->A);
  simplex_topology_close(&body->topology);
  mesh_destroy(&body->mesh);
}

static void point_of(const Body *body, int e, const double xi[4], double x[3]) {
  for (int i = 0; i < 3; i++) {
    x[i] = 0;
    for (int v = 0; v < 4; v++) x[i] += xi[v] * body->mesh.X[body->mesh.tet[e][v]][i];
  }
}

// Computes b [n][3] = M^-1 b by Gaussian elimination with partial pivoting. M is overwritten.
static void solve_dense(int n, double M[NODES][NODES], double (*b)[3]) {
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(M[r][c]) > fabs(M[pivot][c])) pivot = r;
    for (int k = 0; k < n; k++) {
      const double old = M[c][k];
      M[c][k] = M[pivot][k];
      M[pivot][k] = old;
    }
    for (int i = 0; i < 3; i++) {
      const double old = b[c][i];
      b[c][i] = b[pivot][i];
      b[pivot][i] = old;
    }
    for (int r = 0; r < n; r++) {
      if (r == c) continue;
      const double factor = M[r][c] / M[c][c];
      for (int k = c; k < n; k++) M[r][k] -= factor * M[c][k];
      for (int i = 0; i < 3; i++) b[r][i] -= factor * b[c][i];
    }
  }

  for (int c = 0; c < n; c++)
    for (int i = 0; i < 3; i++) b[c][i] /= M[c][c];
}

// Computes the coefficients c of the Bernstein polynomial on tet e that equals `function` at the nodes xi = I / degree.
// I is the multi-index of a node: four integers with the sum `degree`.
static void interpolate(const Body *body, int e, void (*function)(const double x[3], double u[3]), double (*c)[3]) {
  double M[NODES][NODES];
  for (int I = 0; I < body->cell_nodes; I++) {
    int index[4];
    double xi[4], x[3];
    bernstein_index(body->degree, I, index);
    for (int v = 0; v < 4; v++) xi[v] = (double)index[v] / body->degree;
    bernstein_values(body->degree, xi, M[I], NULL);
    point_of(body, e, xi, x);
    function(x, c[I]);
  }
  solve_dense(body->cell_nodes, M, c);
}

static int node_of(const Body *body, int e, int local) {
  return simplex_cell_node(body->degree, &body->topology, e, local);
}

// Function that quadrature() calls for each quadrature point of each cell. xi: barycentric coordinates of the point;
// weight: includes the volume of the cell. The points are those of Gauss's rule in a cube collapsed to a tet.
typedef void (*AtPoint)(const Body *body, int e, const double xi[4], double weight, void *data);

static void quadrature(const Body *body, AtPoint at, void *data) {
  static const double g[GAUSS] = { 0.046910077030668004, 0.23076534494715845, 0.5, 0.76923465505284155,
                                   0.953089922969332 };
  static const double w[GAUSS] = { 0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324,
                                   0.11846344252809454 };
  for (int e = 0; e < body->mesh.tet_count; e++)
    for (int a = 0; a < GAUSS; a++)
      for (int b = 0; b < GAUSS; b++)
        for (int c = 0; c < GAUSS; c++) {
          const double r = g[a], s = g[b] * (1 - r), t = g[c] * (1 - r - s);
          const double xi[4] = { r, s, t, 1 - r - s - t };
          at(body, e, xi, 6 * w[a] * w[b] * w[c] * (1 - r) * (1 - r - s) * mesh_tet_volume(&body->mesh, e), data);
        }
}

// Computes b [v], the gradient of barycentric coordinate xi_v in tet e.
static void gradients(const Body *body, int e, double b[4][3]) {
  const double *X[4];
  for (int v = 0; v < 4; v++) X[v] = body->mesh.X[body->mesh.tet[e][v]];

  // b_v is normal to the face opposite to corner v, and b_v . (X_v - o) = 1 with a corner o of this face
  for (int v = 0; v < 4; v++) {
    const double *o = X[(v + 1) % 4], *p = X[(v + 2) % 4], *q = X[(v + 3) % 4];
    double n[3], reach = 0;
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      n[i] = (p[j] - o[j]) * (q[k] - o[k]) - (p[k] - o[k]) * (q[j] - o[j]);
    }
    for (int i = 0; i < 3; i++) reach += n[i] * (X[v][i] - o[i]);
    for (int i = 0; i < 3; i++) b[v][i] = n[i] / reach;
  }
}

// ---- the matrix

typedef struct Dense {
  double *K;
} Dense;

static void add_stiffness(const Body *body, int e, const double xi[4], double weight, void *data) {
  double *K = ((Dense *)data)->K, slopes[NODES][4], b[4][3], grad[NODES][3] = { { 0 } };
  const int n = body->cell_nodes, size = 3 * body->nodes;
  bernstein_values(body->degree, xi, NULL, slopes);
  gradients(body, e, b);
  for (int I = 0; I < n; I++)
    for (int v = 0; v < 4; v++)
      for (int i = 0; i < 3; i++) grad[I][i] += slopes[I][v] * b[v][i];
  for (int I = 0; I < n; I++)
    for (int J = 0; J < n; J++) {
      double dot = 0;
      for (int i = 0; i < 3; i++) dot += grad[I][i] * grad[J][i];
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
          K[(3 * (int64_t)node_of(body, e, I) + i) * size + 3 * node_of(body, e, J) + k] +=
              weight * (LAMBDA * grad[I][i] * grad[J][k] + MU * grad[I][k] * grad[J][i] + (i == k ? MU * dot : 0));
    }
}

// Computes y = K x; x and y [nodes][3] are vectors on the host.
static void apply(const Body *body, const double *x, double *y) {
  Error error = { 0 };
  Operator op;
  Space space;
  MUST(simplex_operator_open(&op, &space, &body->A, &error));
  MUST(operator_apply(&op, x, y, NULL, (Stream){ 0 }, &error));
  simplex_operator_close(&op);
}

static void matrix_is_that_of_quadrature(void **state) {
  (void)state;
  for (int degree = 1; degree <= 3; degree++) {
    Body body;
    open_body(&body, 1, degree);
    const int size = 3 * body.nodes;
    Dense dense = { calloc((size_t)size * (size_t)size, sizeof(double)) };
    quadrature(&body, add_stiffness, &dense);
    double *unit = calloc((size_t)size, sizeof *unit), *column = malloc(sizeof *column * (size_t)size), scale = 0;
    for (int64_t k = 0; k < (int64_t)size * size; k++) scale = fmax(scale, fabs(dense.K[k]));
    assert_true(scale > 0);
    for (int c = 0; c < size; c++) {
      unit[c] = 1;
      apply(&body, unit, column);
      unit[c] = 0;
      for (int r = 0; r < size; r++) {
        const double difference = fabs(column[r] - dense.K[(int64_t)r * size + c]) / scale;
        if (!(difference <= 1e-13)) fail_msg("degree %d, (%d, %d): off by %.1e", degree, r, c, difference);
      }
    }
    free(dense.K);
    free(unit);
    free(column);
    close_body(&body);
  }
}

// Weights for Lagrange's polynomials: those of Bernstein's polynomials by quadrature of the shape functions of
// mesh/cell_shape.h, for a tet whose barycentric coordinates have the derivatives dN/dxi.
static void lagrange_weights_are_those_of_quadrature(void **state) {
  (void)state;
  static const CellShape shapes[] = { CELL_TET4, CELL_TET10, CELL_TET20 };
  for (int degree = 1; degree <= 3; degree++) {
    const int nodes = simplex_cell_nodes(degree), pairs = nodes * (nodes + 1) / 2;
    double *weight = malloc(sizeof *weight * 16 * (size_t)pairs);
    lagrange_weights(degree, weight);
    double xi[CELL_POINTS_MAX][3], w[CELL_POINTS_MAX];
    const int points = cell_shape_rule(shapes[degree - 1], 4, xi, w);
    for (int I = 0, pair = 0; I < nodes; I++)
      for (int J = I; J < nodes; J++, pair++)
        for (int i = 0; i < 3; i++)
          for (int k = 0; k < 3; k++) {
            // dN/dxi_i is the derivative by coordinate i minus that by the last one, which is 1 minus the others
            double expected = 0, volume = 0;
            for (int q = 0; q < points; q++) {
              double dN[CELL_NODES_MAX][3];
              cell_shape_at(shapes[degree - 1], xi[q], NULL, dN);
              expected += w[q] * dN[I][i] * dN[J][k];
              volume += w[q];
            }
            const double *a = weight + pair;
            const double found = a[(4 * i + k) * pairs] - a[(4 * i + 3) * pairs] - a[(12 + k) * pairs] + a[15 * pairs];
            assert_true(fabs(found - expected / volume) < 1e-12);
          }
    free(weight);
  }
}

static void matrix_is_symmetric_and_rigid_motions_cause_no_force(void **state) {
  (void)state;
  for (int degree = 1; degree <= 3; degree++) {
    Body body;
    open_body(&body, 3, degree);
    const int size = 3 * body.nodes;
    uint64_t seed = 9;
    double *x = malloc(sizeof *x * (size_t)size), *y = malloc(sizeof *x * (size_t)size),
           *Kx = malloc(sizeof *x * (size_t)size), *Ky = malloc(sizeof *x * (size_t)size), xKy = 0, yKx = 0, xKx = 0;
    for (int i = 0; i < size; i++) {
      x[i] = random_unit(&seed);
      y[i] = random_unit(&seed);
    }
    apply(&body, x, Kx);
    apply(&body, y, Ky);
    for (int i = 0; i < size; i++) {
      xKy += x[i] * Ky[i];
      yKx += y[i] * Kx[i];
      xKx += x[i] * Kx[i];
    }
    assert_true(fabs(xKy - yKx) <= 1e-13 * xKx && xKx > 0);
    double largest = 0;
    for (int i = 0; i < size; i++) largest = fmax(largest, fabs(Kx[i]));
    for (int motion = 0; motion < 6; motion++) {
      for (int e = 0; e < body.mesh.tet_count; e++)
        for (int I = 0; I < body.cell_nodes; I++) {
          // the coefficients of a linear function are its values at the points xi = I / degree
          int index[4];
          double xi[4], X[3];
          bernstein_index(degree, I, index);
          for (int v = 0; v < 4; v++) xi[v] = (double)index[v] / degree;
          point_of(&body, e, xi, X);
          double *to = x + 3 * (int64_t)node_of(&body, e, I);
          to[0] = to[1] = to[2] = 0;
          if (motion < 3)
            to[motion] = 1;
          else {
            to[(motion + 1) % 3] = -X[(motion + 2) % 3];
            to[(motion + 2) % 3] = X[(motion + 1) % 3];
          }
        }
      apply(&body, x, Kx);
      for (int i = 0; i < size; i++) assert_true(fabs(Kx[i]) <= 1e-13 * largest);
    }
    free(x);
    free(y);
    free(Kx);
    free(Ky);
    close_body(&body);
  }
}

// ---- solutions of boundary value problems

// A boundary value problem whose exact solution is `field`. Arrays [nodes][3]: u, the coefficients of the computed
// solution; `load`, the nodal forces; `exact`, the coefficients of the polynomials that interpolate `field`. fixed
// [nodes] is 1 for nodes on the boundary. l2 and h1: squares of the L2 norm and of the H1 seminorm of the error of u.
typedef struct Solve {
  double (*u)[3], (*load)[3], (*exact)[3];
  uint8_t *fixed;
  const Field *field;
  double l2, h1;
} Solve;

static void add_load(const Body *body, int e, const double xi[4], double weight, void *data) {
  Solve *s = data;
  double values[NODES], x[3], f[3];
  bernstein_values(body->degree, xi, values, NULL);
  point_of(body, e, xi, x);
  s->field->force(x, f);
  for (int I = 0; I < body->cell_nodes; I++)
    for (int i = 0; i < 3; i++) s->load[node_of(body, e, I)][i] += weight * values[I] * f[i];
}

static void add_error(const Body *body, int e, const double xi[4], double weight, void *data) {
  Solve *s = data;
  double values[NODES], slopes[NODES][4], b[4][3], x[3], u[3], slope[3][3];
  bernstein_values(body->degree, xi, values, slopes);
  gradients(body, e, b);
  point_of(body, e, xi, x);
  s->field->u(x, u);
  s->field->slope(x, slope);
  for (int I = 0; I < body->cell_nodes; I++)
    for (int i = 0; i < 3; i++) {
      const double c = s->u[node_of(body, e, I)][i];
      u[i] -= values[I] * c;
      for (int k = 0; k < 3; k++)
        for (int v = 0; v < 4; v++) slope[i][k] -= slopes[I][v] * b[v][k] * c;
    }
  for (int i = 0; i < 3; i++) {
    s->l2 += weight * u[i] * u[i];
    for (int k = 0; k < 3; k++) s->h1 += weight * slope[i][k] * slope[i][k];
  }
}

// Solves for u at the free nodes by CG, until the norm of the residual is 1e-15 of its initial value.
static void solve(const Body *body, Solve *s) {
  const int size = 3 * body->nodes;
  double *u = &s->u[0][0], *r = malloc(sizeof *r * (size_t)size), *p = malloc(sizeof *r * (size_t)size),
         *Ap = malloc(sizeof *r * (size_t)size), rr = 0, first = 0;
  apply(body, u, Ap);
  for (int i = 0; i < size; i++) {
    r[i] = s->fixed[i / 3] ? 0 : (&s->load[0][0])[i] - Ap[i];
    p[i] = r[i];
    rr += r[i] * r[i];
  }

  first = rr;
  for (int step = 0; step < 4 * size && rr > 1e-30 * first; step++) {
    double pAp = 0, next = 0;
    apply(body, p, Ap);
    for (int i = 0; i < size; i++)
      if (!s->fixed[i / 3]) pAp += p[i] * Ap[i];
    for (int i = 0; i < size; i++) {
      if (s->fixed[i / 3]) continue;
      u[i] += rr / pAp * p[i];
      r[i] -= rr / pAp * Ap[i];
      next += r[i] * r[i];
    }
    for (int i = 0; i < size; i++) p[i] = r[i] + next / rr * p[i];
    rr = next;
  }

  free(r);
  free(p);
  free(Ap);
}

// Solves the problem whose exact solution is `field`, with the values of `field` on the boundary. free_solve releases
// the arrays of the result.
static Solve solve_field(const Body *body, const Field *field) {
  const size_t n = (size_t)body->nodes;
  Solve s = {
    calloc(n, sizeof *s.u), calloc(n, sizeof *s.load), calloc(n, sizeof *s.exact), calloc(n, 1), field, 0, 0
  };
  for (int e = 0; e < body->mesh.tet_count; e++) {
    double c[NODES][3];
    interpolate(body, e, field->u, c);
    for (int I = 0; I < body->cell_nodes; I++) {
      int index[4];
      double xi[4], x[3];
      bernstein_index(body->degree, I, index);
      for (int v = 0; v < 4; v++) xi[v] = (double)index[v] / body->degree;
      point_of(body, e, xi, x);
      const int node = node_of(body, e, I);
      memcpy(s.exact[node], c[I], sizeof *c);
      for (int i = 0; i < 3; i++)
        if (x[i] < 1e-9 || x[i] > 1 - 1e-9) s.fixed[node] = 1;
      if (s.fixed[node]) memcpy(s.u[node], c[I], sizeof *c);
    }
  }

  quadrature(body, add_load, &s);
  solve(body, &s);
  return s;
}

static void free_solve(Solve *s) {
  free(s->u);
  free(s->load);
  free(s->exact);
  free(s->fixed);
}

// Polynomial displacements u1, u2 and u3 of degree 1, 2 and 3. Their body forces f = -div sigma are derived by hand
// from div sigma = (lambda + mu) grad div u + mu Laplace u.
static void u1(const double x[3], double u[3]) {
  u[0] = 0.3 * x[0] - 0.2 * x[1] + 0.1;
  u[1] = 0.5 * x[2] + 0.1 * x[0];
  u[2] = 0.2 * x[1] - 0.4 * x[2];
}
static void f1(const double x[3], double f[3]) {
  (void)x;
  f[0] = f[1] = f[2] = 0;
}
static void u2(const double x[3], double u[3]) {
  u[0] = x[0] * x[0] + x[1] * x[2];
  u[1] = x[0] * x[1] - x[2] * x[2];
  u[2] = x[1] * x[1] + 0.5 * x[0] * x[2];
}
static void f2(const double x[3], double f[3]) {  // for u = u2: div u = 2 x + x + x / 2; Laplace u = (2, -2, 2)
  (void)x;
  f[0] = -((LAMBDA + MU) * 3.5 + MU * 2);
  f[1] = MU * 2;
  f[2] = -MU * 2;
}
static void u3(const double x[3], double u[3]) {
  u[0] = x[0] * x[0] * x[1];
  u[1] = x[1] * x[1] * x[1] + x[0] * x[1] * x[2];
  u[2] = x[2] * x[2] * x[0];
}
static void f3(const double x[3], double f[3]) {
  // for u = u3: div u = 2 x y + 3 y^2 + x z + 2 z x; Laplace u = (2 y, 6 y, 2 x)
  const double grad[3] = { 2 * x[1] + 3 * x[2], 2 * x[0] + 6 * x[1], 3 * x[0] };
  const double laplace[3] = { 2 * x[1], 6 * x[1], 2 * x[0] };
  for (int i = 0; i < 3; i++) f[i] = -((LAMBDA + MU) * grad[i] + MU * laplace[i]);
}

static void patch_tests_of_each_degree(void **state) {
  (void)state;
  static const Field patches[] = { { u1, NULL, f1 }, { u2, NULL, f2 }, { u3, NULL, f3 } };
  for (int degree = 1; degree <= 3; degree++)
    for (int of = 1; of <= degree; of++) {
      Body body;
      open_body(&body, degree == 3 ? 2 : 3, degree);
      Solve s = solve_field(&body, &patches[of - 1]);
      double largest = 0, maximum = 0;
      int free_nodes = 0;
      for (int a = 0; a < body.nodes; a++) {
        free_nodes += !s.fixed[a];
        for (int i = 0; i < 3; i++) {
          largest = fmax(largest, fabs(s.exact[a][i]));
          maximum = fmax(maximum, fabs(s.u[a][i] - s.exact[a][i]));
        }
      }
      assert_true(free_nodes > 0);
      if (!(maximum <= 1e-12 * largest))
        fail_msg("degree %d, field of degree %d: relative error %.1e of the coefficients", degree, of,
                 maximum / largest);
      free_solve(&s);
      close_body(&body);
    }
}

// A manufactured solution u = (s, s / 2, -s) with s = sin(a x + b y + c z). WAVE: a, b, c; PART: 1, 1/2, -1.
static const double WAVE[3] = { 2.1, 1.3, -1.7 }, PART[3] = { 1, 0.5, -1 };
static double phase(const double x[3]) {
  return WAVE[0] * x[0] + WAVE[1] * x[1] + WAVE[2] * x[2];
}
static void u_wave(const double x[3], double u[3]) {
  for (int i = 0; i < 3; i++) u[i] = PART[i] * sin(phase(x));
}
static void slope_wave(const double x[3], double slope[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) slope[i][k] = PART[i] * WAVE[k] * cos(phase(x));
}
static void f_wave(const double x[3], double f[3]) {
  double along = 0, square = 0;
  for (int i = 0; i < 3; i++) {
    along += PART[i] * WAVE[i];
    square += WAVE[i] * WAVE[i];
  }
  for (int i = 0; i < 3; i++) f[i] = sin(phase(x)) * ((LAMBDA + MU) * along * WAVE[i] + MU * square * PART[i]);
}

// If edges are halved, errors must fall by the factor 2^(degree + 1) in the L2 norm and 2^degree in the H1 seminorm.
static void manufactured_solutions_converge_in_order(void **state) {
  (void)state;
  static const Field wave = { u_wave, slope_wave, f_wave };
  for (int degree = 1; degree <= 3; degree++) {
    double l2[2], h1[2];
    const int coarse = degree == 1 ? 4 : 2;
    for (int k = 0; k < 2; k++) {
      Body body;
      open_body(&body, coarse << k, degree);
      Solve s = solve_field(&body, &wave);
      quadrature(&body, add_error, &s);
      l2[k] = sqrt(s.l2);
      h1[k] = sqrt(s.h1);
      free_solve(&s);
      close_body(&body);
    }
    const double order_l2 = log2(l2[0] / l2[1]), order_h1 = log2(h1[0] / h1[1]);
    printf("degree %d: L2 %.3e to %.3e, order %.2f; H1 %.3e to %.3e, order %.2f\n", degree, l2[0], l2[1], order_l2,
           h1[0], h1[1], order_h1);

    // measured orders differ a little from degree + 1, since the meshes are coarse and their nodes are moved at random
    assert_true(order_l2 > degree + 1 - 0.35 && order_l2 < degree + 1 + 0.6);
    assert_true(order_h1 > degree - 0.25 && order_h1 < degree + 0.5);
  }
}

int main(void) {
  lab_add_stages();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(matrix_is_that_of_quadrature),
    cmocka_unit_test(lagrange_weights_are_those_of_quadrature),
    cmocka_unit_test(matrix_is_symmetric_and_rigid_motions_cause_no_force),
    cmocka_unit_test(patch_tests_of_each_degree),
    cmocka_unit_test(manufactured_solutions_converge_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
