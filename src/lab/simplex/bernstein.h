// Bernstein-Bezier polynomials on a tet. An index I = (I_0, I_1, I_2, I_3) consists of four integers that are at least
// 0 and whose sum is the degree. In barycentric coordinates xi, its polynomial is
//   B_I(xi) = degree! / (I_0! I_1! I_2! I_3!) xi_0^I_0 xi_1^I_1 xi_2^I_2 xi_3^I_3
// There is one polynomial for each node of the tet: B_I belongs to the node at xi = I / degree. For degree 2, the node
// in the middle of the edge between corners 0 and 1 has I = (1, 1, 0, 0). Polynomials are numbered as their nodes
// (simplex_nodes.h). Integrals of products of these polynomials have closed forms, so element matrices need no
// quadrature (paper 004, section 4.4; Weber et al., 2015).
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Computes index[4], the four exponents I of the polynomial that belongs to node `local` of a tet.
void bernstein_index(int degree, int local, int index[4]);

/// Returns the integral of B_alpha B_beta over a tet of volume 1. alpha and beta are indices of polynomials of this
/// degree. An index with a negative entry stands for the polynomial 0, so the result is then 0.
double bernstein_product(int degree, const int alpha[4], const int beta[4]);

/// Evaluates the polynomials of all nodes of a tet at the point with barycentric coordinates xi. values [nodes] gets
/// their values, and slopes [nodes][4] their derivatives by the four coordinates. Either array may be NULL.
void bernstein_values(int degree, const double xi[4], double *values, double (*slopes)[4]);

/// Computes weight [16][pairs], from which the stiffness matrix of any tet is built. A tet has n nodes and pairs = n (n
/// + 1) / 2 pairs of nodes (I, J) with I <= J, numbered by rows of the upper triangle: `pair` is 0 for (0, 0) and 1 for
/// (0, 1). B_I is the Bernstein polynomial of node I. Let b_v be the gradient of the barycentric coordinate xi_v, and V
/// the volume of the tet. Then the integral of grad B_I grad B_J^T over the tet is
///   V * sum over v and w from 0 to 3 of weight[(4 v + w) pairs + pair] b_v b_w^T
void bernstein_weights(int degree, double *weight);

/// As bernstein_weights, but for Lagrange's polynomials L_I of the nodes in place of B_I: L_I is 1 at node I and 0 at
/// the other nodes. The unknowns of the matrix are then values at nodes, not coefficients of Bernstein polynomials.
void lagrange_weights(int degree, double *weight);

#ifdef __cplusplus
}
#endif
