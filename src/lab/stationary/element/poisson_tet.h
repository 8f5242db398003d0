// The linear tetrahedron of -div(k grad phi) = f, with one unknown per node. For two different nodes a and b, let c and
// d be the other two nodes. The stiffness is
//   K_ab = -k/6 l_cd cot theta_cd,   l_cd cot theta_cd = n_a.n_b / (6 V)
// with the length l_cd of the edge cd, the dihedral angle theta_cd at this edge, and the volume V. n_a is the normal of
// the face (c, d, a), and n_b that of (c, d, b); the length of each is twice the area of its face. Eq. 5 in section
// 4.1.2 of paper 003 lacks the factor 1/6. The nodal data are position and source (X, Y, Z, f). The element has no
// stored constants S(e).
#pragma once
#include "sim/element/space.h"
#include "lab/stationary/element/conductivity.h"
#include "sim/element/symmetric.h"

enum {
  ELEMENT_NODES = 4,
  ELEMENT_NODE_DATA = 4,
  ELEMENT_NODE_DOF = 1,
  ELEMENT_DOF = 4,
  ELEMENT_SUPPLEMENTAL = 0,
  ELEMENT_MATRIX = 10
};

// Returns six times the volume of the tet whose edges from one corner are u, v and w.
HOST_DEVICE real triple_product(const real u[3], const real v[3], const real w[3]) {
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/// Computes the load vector F [4] for a source that is linear in the tet and, unless A is NULL, the stiffness A [10],
/// its upper triangle by rows. nodal [4][4] holds (X, Y, Z, f) of each node: position and source. Returns six times the
/// volume.
HOST_DEVICE real element_evaluate(const real *nodal, const real *S, const ElementParameters *parameters, real *F,
                                  real *A) {
  (void)S;
  real u[3], v[3], w[3], sources = 0;
  for (int i = 0; i < 3; i++) {
    u[i] = nodal[i] - nodal[12 + i];
    v[i] = nodal[4 + i] - nodal[12 + i];
    w[i] = nodal[8 + i] - nodal[12 + i];
  }

  const real V6 = triple_product(u, v, w);
  for (int a = 0; a < 4; a++) sources += nodal[4 * a + 3];
  for (int a = 0; a < 4; a++) F[a] = parameters->vector_scale * V6 / 120 * (sources + nodal[4 * a + 3]);
  if (!A) return V6;

  real diagonal[4] = { 0, 0, 0, 0 };
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++) {
      // the two corners other than a and b
      const int c = a > 0 ? 0 : b > 1 ? 1 : 2, d = 6 - a - b - c;
      real edge[3], to_a[3], to_b[3], dot = 0;
      for (int i = 0; i < 3; i++) {
        edge[i] = nodal[4 * d + i] - nodal[4 * c + i];
        to_a[i] = nodal[4 * a + i] - nodal[4 * c + i];
        to_b[i] = nodal[4 * b + i] - nodal[4 * c + i];
      }
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dot += (edge[j] * to_a[k] - edge[k] * to_a[j]) * (edge[j] * to_b[k] - edge[k] * to_b[j]);
      }
      const real stiffness = -parameters->matrix_scale * parameters->conductivity / 6 * dot / V6;
      A[symmetric_index(4, a, b)] = stiffness;
      diagonal[a] -= stiffness;
      diagonal[b] -= stiffness;
    }
  for (int a = 0; a < 4; a++) A[symmetric_index(4, a, a)] = diagonal[a];
  return V6;
}

static inline void element_supplemental(const Space *space, int e, real *S) {
  (void)space, (void)e, (void)S;
}
