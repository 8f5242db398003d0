// A barrier keeps two surface primitives (point, edge, triangle or half space) apart. It is an energy E that depends on
// their distance d. E is 0 if d is above the length `reach`, and infinite at d = 0. E is twice continuously
// differentiable.
//   E = area * modulus * reach * phi(d / reach),   phi(s) = -(s - 1)^2 ln s  if s < 1, else 0
// The barrier's force divided by the area is the pressure -modulus * phi'(d / reach). At d = reach / 2 the pressure is
// 1.2 * modulus. Sources: Li et al., Incremental Potential Contact (IPC), 2020; and Li et al., Convergent IPC, 2023,
// where the barrier depends on d instead of d^2.
//
// The nearest points of two edges jump when the edges become parallel, and the force would jump too. Therefore the
// energy of two edges is multiplied by a factor m, which falls to 0 as they become parallel (IPC, Eq. 24). With u and v
// the edges as vectors and q = |u x v|^2 / ContactPair.across, m = q (2 - q) if q is below 1, else 1. Nearly parallel
// edges still stay apart, because their end points also form pairs with the triangles next to the other edge.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "device/host_device.h"
#include "sim/contact/nearest.h"

// Two primitives, such as a point and a triangle, in the list of pairs that may touch (nearby.h). The members of this
// struct stay constant while the list is used, often for many Newton iterations.
typedef struct ContactPair {
  int node[4];    // the four nodes of the pair, those of the first primitive first
  PairKind kind;  // point and triangle, two edges, or point and half space
  double reach;   // m, distance below which the pair pushes
  // m^2, surface area of the pair times its stiffness factor. The stiffness factor is the largest number by which cells
  // at the pair's nodes multiply the material's moduli. `strength` times the barrier's modulus, Pa, is a force, N.
  double strength;
  // m^4; if |u x v|^2 of two edges u and v is below this number, they are nearly parallel and their barrier is
  // weakened; 0 for other kinds of pairs
  double across;
  double distance;  // m, distance of the primitives when the list of pairs was made
  // m, bound on the decrease of the distance: after a fraction s of the displacements that were predicted when the list
  // of pairs was made, the distance is at least distance - s * closing
  double closing;
  // if nodes deviate by up to d, m, from their predicted positions, the distance changes by at most spread * d
  double spread;
} ContactPair;

typedef struct BarrierValue {
  // Value and derivatives of the barrier at a distance d, m, for strength 1 and modulus 1. energy: the value, m. slope:
  // first derivative by d, without unit. curvature: second derivative, 1/m.
  double energy, slope, curvature;
} BarrierValue;

/// Returns the barrier's energy at a distance, m, and its two derivatives by the distance, for strength 1 and modulus
/// 1.
HOST_DEVICE BarrierValue barrier(double distance, double reach) {
  const double s = distance / reach, one = s - 1, log_s = log(s);
  const BarrierValue value = { -reach * one * one * log_s, -(2 * one * log_s + one * one / s),
                               -(2 * log_s + 4 * one / s - one * one / (s * s)) / reach };
  return value;
}

// Force and tangent of a pair that touches: its distance is below its reach. The 3x3 block of the tangent for nodes i
// and j of the pair is w_i w_j `stiffness`, with w_i and w_j the weights of the nodes.
//
// The tangent is approximate in three ways. One term has only half of its exact value (pair_add). Terms for edges and
// corners (pair_touches) use the weights of the whole pair, with a relative error up to reach / (length of an edge).
// The factor m of nearly parallel edges (top of this file) counts as constant.
typedef struct Touch {
  int node[4];  // the four nodes of the pair, those of the first primitive first
  // weights w_j of the four nodes at positions x_j: the sum of w_j x_j is the vector between the nearest points of the
  // two primitives
  double weight[4];
  double n[3];          // unit normal from the second primitive to the first
  double force[4][3];   // force on each of the four nodes, N
  double push;          // N, magnitude of the normal force with which the two primitives push each other apart
  double stiffness[6];  // N/m, symmetric 3x3 matrix, from which the tangent's blocks follow: xx, yy, zz, xy, xz, yz
  double energy;        // energy of the pair, J
  PairKind kind;        // point and triangle, two edges, or point and half space
  double tie;  // N/m, stiffness of the friction spring if the pair sticks (sliding.h); does not depend on the distance
} Touch;

/// Adds factor * a a^T to B for each unit vector a along which the distance vector between the nearest points can turn
/// without changing its length. If both nearest points are corners, these are two vectors perpendicular to the normal
/// n. If one nearest point is inside an edge and the other is a corner, the first can slide along the edge. So a single
/// vector is left, perpendicular to n and to the edge. Otherwise there is no such vector. The weights show which case
/// applies: a nearest point lies between those nodes of its primitive whose weight is not 0. B is symmetric, stored as
/// xx, yy, zz, xy, xz, yz.
HOST_DEVICE void pair_add_turning(PairKind kind, double factor, const double x[4][3], const double weight[4],
                                  const double n[3], double B[6]) {
  const int own = pair_own(kind);
  double edge[3] = { 0 }, across[3];
  int slides = 0, before = -1;
  for (int j = 0; j < 4; j++) {
    if (j == own) before = -1;  // from here on, nodes belong to the second primitive of the pair
    if (weight[j] == 0) continue;
    if (before >= 0) {
      slides++;
      subtract3(x[j], x[before], edge);
    }
    before = j;
  }
  if (slides == 0) {
    for (int i = 0; i < 3; i++) B[i] += factor;
    add_square6(B, -factor, n);
  } else if (slides == 1) {
    cross3(n, edge, across);
    const double length2 = dot3(across, across);
    if (length2 > 0) add_square6(B, factor / length2, across);
  }
}

/// Adds one term of a pair's energy, with its force and tangent, to *touch. The term is `factor`, m^2 Pa, times the
/// barrier of the distance d, m, between two points of the pair. `apart` is the vector between these points: the sum of
/// weight[j] x[j] over the pair's nodes.
///
/// The exact tangent is curvature * n n^T - push / d * (sum of a a^T). The sum is over the unit vectors a along which
/// `apart` can turn (pair_add_turning). This function multiplies the second term by TURNING = 0.5. With a smaller
/// factor, Newton's method may step beyond the solution in each iteration. With a larger one, the tangent is indefinite
/// more often.
HOST_DEVICE void pair_add(const ContactPair *pair, double factor, const double x[4][3], const double weight[4],
                          const double apart[3], double d, Touch *touch) {
  const double TURNING = 0.5;
  const BarrierValue b = barrier(d, pair->reach);
  const double push = -factor * b.slope;
  double n[3];
  for (int i = 0; i < 3; i++) n[i] = d > 0 ? apart[i] / d : 0;
  touch->energy += factor * b.energy;
  touch->push += push;
  add_square6(touch->stiffness, factor * b.curvature, n);
  if (d > 0 && pair->kind != PAIR_POINT_PLANE)
    pair_add_turning(pair->kind, -TURNING * push / d, x, weight, n, touch->stiffness);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) touch->force[j][i] += push * weight[j] * n[i];
}

/// As pair_add, but computes the distance from the weights: adds one term of a pair's energy, with its force and
/// tangent, to *touch. The term is `factor` times the barrier of the distance between two points of the pair. The
/// vector between these points is the sum of weight[j] x[j] over the pair's nodes. Adds nothing if the distance is not
/// below the pair's reach.
HOST_DEVICE void pair_add_part(const ContactPair *pair, double factor, const double x[4][3], const double weight[4],
                               Touch *touch) {
  double apart[3];
  for (int i = 0; i < 3; i++)
    apart[i] = weight[0] * x[0][i] + weight[1] * x[1][i] + weight[2] * x[2][i] + weight[3] * x[3][i];
  const double d = sqrt(dot3(apart, apart));
  if (d < pair->reach) pair_add(pair, factor, x, weight, apart, d, touch);
}

/// Adds terms to the energy of a pair of a point x[0] and a triangle: the barrier between the point and each edge of
/// the triangle, times -1/2, and between the point and each corner, times 1/6. pair_touches gives the reason.
HOST_DEVICE void pair_add_sides(const ContactPair *pair, double strength, const double x[4][3], Touch *touch) {
  for (int a = 1; a < 4; a++) {
    const int b = a % 3 + 1;
    const double t = nearest_on_edge(x[0], x[a], x[b]);
    double side[4] = { 1, 0, 0, 0 }, corner[4] = { 1, 0, 0, 0 };
    side[a] = t - 1;
    side[b] = -t;
    corner[a] = -1;
    pair_add_part(pair, -strength / 2, x, side, touch);
    pair_add_part(pair, strength / 6, x, corner, touch);
  }
}

/// Adds terms to the energy of a pair of two edges: the barrier between each end and the other edge, times -1/2, and
/// between each end of one edge and each end of the other, times 1/4. pair_touches gives the reason.
HOST_DEVICE void pair_add_ends(const ContactPair *pair, double strength, const double x[4][3], Touch *touch) {
  for (int a = 0; a < 4; a++) {
    const int other = a < 2 ? 2 : 0, sign = a < 2 ? 1 : -1;
    const double t = nearest_on_edge(x[a], x[other], x[other + 1]);
    double end[4] = { 0, 0, 0, 0 };
    end[a] = sign;
    end[other] = sign * (t - 1);
    end[other + 1] = -sign * t;
    pair_add_part(pair, -strength / 2, x, end, touch);
    for (int b = 2; b < 4 && a < 2; b++) {
      double ends[4] = { 0, 0, 0, 0 };
      ends[a] = 1;
      ends[b] = -1;
      pair_add_part(pair, strength / 4, x, ends, touch);
    }
  }
}

/// Computes the energy, forces and tangent of a pair with nodes at x [4][3], m, in *touch. Returns false if the
/// distance is not below the pair's reach; *touch is then invalid. The energy is infinite at distance 0.
///
/// The energy is the barrier of the pair's distance, plus terms for edges and corners (inclusion and exclusion; Li et
/// al., Convergent IPC, 2023). Without these terms, a point near a common edge of two triangles would be pushed twice.
/// Each edge would be a ridge of energy, and Newton's method would need hundreds of iterations for nodes that slide
/// over it. A triangle subtracts half of the barrier for each of its edges, since two triangles share an edge. It adds
/// a sixth for each corner, since six triangles usually share a corner. A pair of two edges has the terms of
/// pair_add_ends for the same reason.
HOST_DEVICE bool pair_touches(const ContactPair *pair, double modulus, const double x[4][3], Touch *touch) {
  const double reach = pair->reach, strength = modulus * pair->strength;
  double apart[3], u[3] = { 0 }, v[3] = { 0 };
  const double d = nearest_distance(x, pair->kind, touch->weight, apart);
  if (!(d < reach)) return false;

  // smooth: factor on the energy of two edges u and v that falls to 0 as they become parallel; falls: its derivative by
  // |u x v|^2
  double smooth = 1, falls = 0;
  if (pair->kind == PAIR_EDGES) {
    subtract3(x[1], x[0], u);
    subtract3(x[3], x[2], v);
    const double q = (dot3(u, u) * dot3(v, v) - dot3(u, v) * dot3(u, v)) / pair->across;
    if (q < 1) {
      smooth = q > 0 ? q * (2 - q) : 0;
      falls = 2 * (1 - (q > 0 ? q : 0)) / pair->across;
    }
  }

  // Add up the barriers of several distances: the pair's distance, and distances between single points, edges and
  // corners of the two primitives (pair_add_sides, pair_add_ends).
  touch->energy = touch->push = 0;
  for (int i = 0; i < 6; i++) touch->stiffness[i] = 0;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) touch->force[j][i] = 0;
  pair_add(pair, strength, x, touch->weight, apart, d, touch);
  if (pair->kind == PAIR_POINT_TRIANGLE && d > 0) pair_add_sides(pair, strength, x, touch);
  if (pair->kind == PAIR_EDGES && d > 0) pair_add_ends(pair, strength, x, touch);

  const double all = touch->energy;
  touch->kind = pair->kind;
  touch->tie = strength / reach;
  touch->energy *= smooth;
  touch->push = smooth * fmax(touch->push, 0.0);
  for (int i = 0; i < 3; i++) touch->n[i] = d > 0 ? apart[i] / d : 0;
  for (int i = 0; i < 6; i++) touch->stiffness[i] *= smooth;
  for (int j = 0; j < 4; j++) {
    touch->node[j] = pair->node[j];
    for (int i = 0; i < 3; i++) touch->force[j][i] *= smooth;
  }
  if (falls > 0) {
    const double uu = dot3(u, u), vv = dot3(v, v), uv = dot3(u, v), factor = 2 * all * falls;
    for (int i = 0; i < 3; i++) {
      const double by_u = factor * (vv * u[i] - uv * v[i]), by_v = factor * (uu * v[i] - uv * u[i]);
      touch->force[0][i] += by_u;
      touch->force[1][i] -= by_u;
      touch->force[2][i] += by_v;
      touch->force[3][i] -= by_v;
    }
  }
  return true;
}
