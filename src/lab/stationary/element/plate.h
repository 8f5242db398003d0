// Element of a thin plate under bending, D Laplace Laplace w = q, with three unknowns per node: the deflection w and
// its slopes w_x and w_y. q is the load per area. The element combines a bending shape with the rigidity D and
// Poisson's ratio nu, the first two parameters of the material:
//   K = sum over integration points of weight B^T E B,  E = D [1 nu 0; nu 1 0; 0 0 (1 - nu)/2]
// The matrix B gives the curvatures (w_xx, w_yy, 2 w_xy) at a point from the unknowns. The E of paper 003 lacks the
// factor D = Y t^3 / (12 (1 - nu^2)), with Young's modulus Y and thickness t, and is that of plane strain. The choice
// of plane strain alone makes deflections wrong by 18 % for nu = 0.3. The nodal data are position and load (X, Y, q).
//
// A bending shape (lab/stationary/shape/plate_*.h) is a header, named by SHAPE_HEADER, that defines
//   SHAPE_NODES, SHAPE_POINTS, SHAPE_SUPPLEMENTAL   numbers of nodes, of integration points, and of reals of S
//   plate_curvatures(nodal, S, q, B [3][3 NODES])   B at integration point q; returns its weight, an area
//   plate_load(nodal, S, F [3 NODES])               the load q, linear or bilinear between nodes, on each unknown
//   plate_soundness(nodal, S)                       positive if the cell is valid
//   plate_supplemental(space, e, S)                 computes S(e), the stored constants of cell e, on the host in
//                                                    double, and rounds them; S[0] is the cell's factor on D
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/material/parameters.h"
#include "sim/element/space.h"
#include "sim/element/symmetric.h"
#include SHAPE_HEADER

enum {
  ELEMENT_NODES = SHAPE_NODES,
  ELEMENT_NODE_DATA = 3,
  ELEMENT_NODE_DOF = 3,
  ELEMENT_DOF = 3 * SHAPE_NODES,
  ELEMENT_SUPPLEMENTAL = SHAPE_SUPPLEMENTAL,
  ELEMENT_MATRIX = ELEMENT_DOF * (ELEMENT_DOF + 1) / 2
};

typedef struct ElementParameters {
  real rigidity, ratio;             // bending rigidity D, N m, and Poisson's ratio nu
  real vector_scale, matrix_scale;  // factors by which the load vector and K are multiplied
} ElementParameters;

HOST_DEVICE ElementParameters element_parameters(const double material[MATERIAL_PARAMETERS], double vector_scale,
                                                 double matrix_scale) {
  const ElementParameters p = { (real)material[0], (real)material[1], (real)vector_scale, (real)matrix_scale };
  return p;
}

/// Computes the load vector F [3 NODES] and, unless A is NULL, the stiffness A, its upper triangle by rows. nodal
/// [NODES][3] holds (X, Y, q) of each node, and S the cell's constants. Returns a number that is positive if the cell
/// is valid (plate_soundness).
HOST_DEVICE real element_evaluate(const real *nodal, const real *S, const ElementParameters *parameters, real *F,
                                  real *A) {
  plate_load(nodal, S, F);
  for (int i = 0; i < ELEMENT_DOF; i++) F[i] *= parameters->vector_scale;
  for (int v = 0; A && v < ELEMENT_MATRIX; v++) A[v] = 0;
  for (int q = 0; A && q < SHAPE_POINTS; q++) {
    real B[3][ELEMENT_DOF];
    const real area = plate_curvatures(nodal, S, q, B);
    const real factor = parameters->matrix_scale * parameters->rigidity * S[0] * area, nu = parameters->ratio;
    int at = 0;
    for (int i = 0; i < ELEMENT_DOF; i++) {
      const real x = factor * (B[0][i] + nu * B[1][i]), y = factor * (nu * B[0][i] + B[1][i]);
      const real xy = factor * (1 - nu) / 2 * B[2][i];
      for (int k = i; k < ELEMENT_DOF; k++, at++) A[at] += x * B[0][k] + y * B[1][k] + xy * B[2][k];
    }
  }
  return plate_soundness(nodal, S);
}

static inline void element_supplemental(const Space *space, int e, real *S) {
  plate_supplemental(space, e, S);
}
