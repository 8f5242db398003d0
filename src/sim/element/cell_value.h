// Functions for one cell that element_row.c and element_row.cu both use: one loads nodal data, the other integrates a
// displayed field over the cell.
#pragma once
#include "base/field_kind.h"
#include "sim/element/element.h"
#include "sim/element/stress_measure.h"

// Copies the data of the nodes of cell e from `all` [node_count][3] to `nodal`. cell [cells][ELEMENT_NODES] has the
// nodes of all cells.
HOST_DEVICE void gather_cell(const int *cell, const real *all, int e, real nodal[ELEMENT_DOF]) {
  for (int a = 0; a < ELEMENT_NODES; a++)
    for (int i = 0; i < 3; i++) nodal[3 * a + i] = all[3 * cell[(size_t)e * ELEMENT_NODES + a] + i];
}

/// Computes the integral of a displayed field over a cell. value[0] is the sum over the integration points of field *
/// V, and value[1] the sum of V. V is the part of the cell's volume that belongs to the point, m^3. value[0] / value[1]
/// is the field's mean. Points whose field is infinite or NaN are left out.
HOST_DEVICE void cell_value(FieldKind kind, const real *nodal, const real *S, const ElementParameters *parameters,
                            real value[2]) {
  for (int q = 0; q < SHAPE_POINTS; q++) {
    real sigma[6], f;
    if (kind == FIELD_J) {
      f = element_J(nodal, S, q);
    } else {
      element_stress(nodal, S, parameters, q, sigma);
      f = kind == FIELD_VON_MISES ? von_mises_stress(sigma) : largest_principal_stress(sigma);
    }
    const real V = f - f == 0 ? shape_volume(S, q) : (real)0, whole = V > 0 ? V * f : (real)0;
    value[0] = q == 0 ? whole : value[0] + whole;
    value[1] = q == 0 ? V : value[1] + V;
  }
}
