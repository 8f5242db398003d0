// Bernstein-Bezier polynomials on a tet. I = (I_0, .., I_3) are four integers whose sum is the degree, and the
// polynomial is B_I(xi) = degree! / (I_0! .. I_3!) xi_0^I_0 .. xi_3^I_3 in barycentric coordinates xi. The polynomials
// are numbered as the nodes of simplex_nodes.h: the coefficient of B_I belongs to the node at xi = I / degree.
// Integrals of products of these polynomials have closed forms, so element matrices need no quadrature (paper 004,
// section 4.4; Weber et al., 2015).
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Computes the index I of a node of a tet.
void bernstein_index(int degree, int local, int index[4]);

/// Returns the integral of B_alpha B_beta over a tet of volume 1, both of this degree. Returns 0 if an index is
/// negative.
double bernstein_product(int degree, const int alpha[4], const int beta[4]);

/// Computes B_I of all nodes [simplex_cell_nodes] at a point xi, and their derivatives by xi, [..][4]. Either array may
/// be NULL.
void bernstein_values(int degree, const double xi[4], double *values, double (*slopes)[4]);

/// Computes the weights from which stiffness matrices are built; all tets have the same weights. Let b_v be the
/// gradient of xi_v, and V the volume of a tet. Then the integral of grad B_I grad B_J^T is V times the sum over v and
/// w of weight[(4 v + w) pairs + pair] b_v b_w^T, where v and w run from 0 to 3. `pair` is the index of (I, J), I <= J,
/// in the upper triangle by rows, and pairs = n (n + 1) / 2 for n nodes.
void bernstein_weights(int degree, double *weight);

#ifdef __cplusplus
}
#endif
