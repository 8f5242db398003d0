// Bernstein-Bezier polynomials on a tet, B_I = degree! / I! xi^I in barycentric coordinates xi, numbered as the nodes
// of simplex_nodes.h: node I has its coefficient at xi = I / degree. Integrals of their products are closed forms, so
// element matrices need no quadrature (paper 004, section 4.4; Weber et al., 2015).
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Computes I of a node, four numbers whose sum is the degree.
void bernstein_index(int degree, int local, int index[4]);

/// Returns the integral of B_alpha B_beta over a tet of volume 1, both of `degree`; 0 if an index is negative.
double bernstein_product(int degree, const int alpha[4], const int beta[4]);

/// Computes B_I of all nodes [simplex_cell_nodes] at a point, and their derivatives by xi [..][4]; either may be NULL.
void bernstein_values(int degree, const double xi[4], double *values, double (*slopes)[4]);

/// Computes the integrals of the stiffness, which are common to all tets: with b_v the gradients of xi_v and V the
/// volume, the integral of grad B_I grad B_J^T is V sum over v, w of weight[(4 v + w) pairs + pair of I and J] b_v
/// b_w^T. Pairs I <= J [pairs = n (n + 1) / 2] by rows of the upper triangle.
void bernstein_weights(int degree, double *weight);

#ifdef __cplusplus
}
#endif
