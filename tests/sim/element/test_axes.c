// Tests two methods that GPUs use to multiply a cell's tangent matrix by a nodal vector x. The reference computes the
// product of each integration point separately, and adds these products. The first method is SHAPE_AXES in
// element/solid.h: it computes the gradient H of x at each point, from quantities that all points have in common. The
// second method, for tets only, is that of element/axis_points.h. Tets have another test: the 3 x 3 matrix blocks of
// pairs of corners, which operator/corner_block.h and element/axis_points.h compute. The program is built for each
// shape and precision.
#include "../sim_testing.h"

#include "sim/element/axis_points.h"
#include "sim/operator/corner_block.h"

enum { CELLS = 50 };
// Largest displacement of a node along an axis, m. It is smaller for cubic tets, because gradients of their shape
// functions are larger.
#define STRAIN (SHAPE_NODES == 20 ? 0.004 : 0.02)

// A strongly deformed cell. S: its shape constants. x: a nodal vector, which is multiplied by the cell's matrix. point:
// data of the material at each integration point. by_axes, axes: data of axis_points.h for each point and for the cell.
typedef struct Cell {
  ElementParameters parameters;
  real S[ELEMENT_SUPPLEMENTAL], x[ELEMENT_DOF];
  MaterialPoint point[SHAPE_POINTS];
#ifdef POINTS_BY_AXES
  AxisPoint by_axes[SHAPE_POINTS];
  real axes[AXIS_CELL_REALS];
#endif
} Cell;

static Cell random_cell(uint64_t *seed) {
  Cell c = { .parameters = { .material = { 4000, 6000 }, .matrix_scale = (real)0.25 } };
  real u[ELEMENT_DOF];
#ifdef SHAPE_DIMENSION  // S contains the corners of a hexahedron
  for (int k = 0; k < 21; k++) c.S[k] = (real)(((k / 3 + 1) >> k % 3 & 1 ? 0.2 : 0) + 0.02 * random_unit(seed));
#else
  for (int k = 0; k < 9; k++) c.S[k] = (real)((k % 4 == 0 ? 5 : 0) + random_unit(seed));
#endif
  c.S[ELEMENT_SUPPLEMENTAL - 1] = 2;
  for (int k = 0; k < ELEMENT_DOF; k++) {
    c.x[k] = (real)random_unit(seed);
    u[k] = (real)(STRAIN * random_unit(seed));
  }
  for (int q = 0; q < SHAPE_POINTS; q++) point_linearise(u, c.S, &c.parameters, q, &c.point[q]);
#ifdef POINTS_BY_AXES
  axis_cell(c.S, c.axes);
  for (int q = 0; q < SHAPE_POINTS; q++) c.by_axes[q] = axis_point(c.S, &c.parameters.material, &c.point[q]);
#endif
  return c;
}

static double tolerance(void) {
  // relative rounding error of a sum of some tens of terms of both signs
  return sizeof(real) == sizeof(float) ? 2e-6 : 4e-15;
}

static void check(const char *what, const double *got, const double *expected, int count) {
  const double apart = relative_l2(got, expected, count);
  if (!(apart <= tolerance())) fail_msg("%s: relative error %.1e, allowed %.1e", what, apart, tolerance());
}

// Computes the reference: the product of the cell's matrix with x, as a sum of the products of single integration
// points.
static void product_of_points(const Cell *c, double expected[ELEMENT_DOF]) {
  memset(expected, 0, sizeof *expected * ELEMENT_DOF);
  for (int q = 0; q < SHAPE_POINTS; q++) {
    real share[ELEMENT_DOF];
    point_share(c->S, &c->parameters, q, &c->point[q], c->x, share);
    for (int k = 0; k < ELEMENT_DOF; k++) expected[k] += share[k];
  }
}

static void products_from_gradients_are_those_by_points(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int turn = 0; turn < CELLS; turn++) {
    Cell c = random_cell(&seed);
    real y[ELEMENT_DOF];
    double got[ELEMENT_DOF], expected[ELEMENT_DOF];
    product_of_points(&c, expected);
    ShapeAxes axes;
    shape_axes_begin(c.x, &axes);
    for (int q = 0; q < SHAPE_POINTS; q++) {
      real H[3][3], dP[3][3];
      const real volume = shape_axes_gradient(c.x, c.S, &axes, q, H);
      const MaterialTangent t = volume_tangent(c.S, &c.parameters, volume, &c.point[q]);
      material_product(&c.point[q], &t, H, dP);
      shape_axes_add(dP, c.S, q, &axes, y);
    }
    shape_axes_end(&axes, y);
    for (int k = 0; k < ELEMENT_DOF; k++) got[k] = y[k];
    check("product by SHAPE_AXES", got, expected, ELEMENT_DOF);
  }
}

#ifdef POINTS_BY_AXES
static void products_by_axes_are_those_by_points(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int turn = 0; turn < CELLS; turn++) {
    Cell c = random_cell(&seed);
    const AxisTangent tangent = axis_tangent(c.axes, &c.parameters);
    real y[ELEMENT_DOF];
    double got[ELEMENT_DOF], expected[ELEMENT_DOF];
    product_of_points(&c, expected);
    ShapeAxes axes;
    shape_axes_begin(c.x, &axes);
    for (int q = 0; q < SHAPE_POINTS; q++) {
      real a[3][3], dP_b[3][3];
      shape_axes_at(c.x, &axes, q, a);
      for (int k = 0; k < 9; k++) a[k / 3][k % 3] *= shape_axes_share(q);
      axis_product(&c.by_axes[q], &tangent, a, dP_b);
      shape_axes_take(dP_b, q, &axes, y);
    }
    shape_axes_end(&axes, y);
    for (int k = 0; k < ELEMENT_DOF; k++) got[k] = y[k];
    check("product by axis_points.h", got, expected, ELEMENT_DOF);
  }
}

static void corners_have_the_blocks_by_points(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int turn = 0; turn < CELLS; turn++) {
    const Cell c = random_cell(&seed);
    const AxisTangent tangent = axis_tangent(c.axes, &c.parameters);
    real b[4][3];
    shape_corner_gradients(c.S, b);
    for (int pair = 0; pair < 16; pair++) {
      const int j = pair / 4, k = pair % 4;
      real by_points[9] = { 0 }, by_axes[9] = { 0 };
      double got[9], expected[9];
      for (int q = 0; q < SHAPE_POINTS; q++) {
        corner_add_point(c.S, &c.parameters, q, &c.point[q], b[j], b[k], by_points);
        axis_add_corners(&c.by_axes[q], &c.parameters, tangent.factor * shape_axes_share(q), b[j], b[k], j, k, by_axes);
      }
      for (int v = 0; v < 9; v++) {
        got[v] = by_axes[v];
        expected[v] = by_points[v];
      }
      check("block of two corners", got, expected, 9);
    }
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(products_from_gradients_are_those_by_points),
#ifdef POINTS_BY_AXES
    cmocka_unit_test(products_by_axes_are_those_by_points),
    cmocka_unit_test(corners_have_the_blocks_by_points),
#endif
  };
  return cmocka_run_group_tests_name("axes", tests, NULL, NULL);
}
