// Rigid obstacles: what they do to a node is the floor's law (floor.h), along any normal n. Both springs are taken at
// the end of the step, friction by return mapping.
//
// All obstacles are convex, so their signed distance is, and the plane that touches one where a node begins a step has
// the whole obstacle behind it. A node meets that plane while the step lasts: so its spring is convex and its friction
// has one surface, as the floor's have. At the end of the step the true distance is no less than that from the plane,
// and what is left of a node's way along the new surface no more than the way: both only take energy out. So contact
// with what is curved or has edges feeds no energy either. A node that flies past an obstacle within a step may meet
// the plane beside it: steps are to be short against obstacles.
//
// What moves goes along its path as the step's duration goes by: where it touches is where it stands as the node's step
// begins, and that plane moves on with it. So it pushes, and drags along by friction, as much as its way is.
//
// What turns has at the step's end another normal: the node meets the plane that touches it then, beside where the
// surface has pushed the node along the normal. That plane too has all of the obstacle behind it. Along the surface the
// node is not carried, so that a wheel which spins under what stands on it does not lift it. What sticks goes with it.
//
// On the GPU these are kernels of their own: within those of the body they would take the registers of half its
// threads.
#pragma once
#include <math.h>

#ifdef REAL
#include "base/real.h"
#endif
#include "base/obstacle.h"
#include "device/host_device.h"

/// The distance of x from an obstacle's surface, and its gradient n, of unit length.
HOST_DEVICE double obstacle_distance(const Obstacle *o, const double *x, double *n) {
  double q[3], out[3], length2 = 0;
  for (int k = 0; k < 3; k++) {
    q[k] = 0;
    for (int i = 0; i < 3; i++) q[k] += o->axis[k][i] * (x[i] - o->centre[i]);
  }
  if (o->kind == OBSTACLE_PLANE) {
    for (int i = 0; i < 3; i++) n[i] = o->axis[2][i];
    return q[2];
  }
  // from the nearest point of a box, of the line within a capsule, of a sphere's middle
  for (int k = 0; k < 3; k++) {
    const double reach = o->kind == OBSTACLE_BOX || (o->kind == OBSTACLE_CAPSULE && k == 2) ? o->size[k] : 0;
    out[k] = q[k] > reach ? q[k] - reach : q[k] < -reach ? q[k] + reach : 0;
    length2 += out[k] * out[k];
  }
  const double radius = o->kind == OBSTACLE_BOX ? 0 : o->size[0];
  if (length2 > 0) {
    const double length = sqrt(length2);
    for (int i = 0; i < 3; i++)
      n[i] = (out[0] * o->axis[0][i] + out[1] * o->axis[1][i] + out[2] * o->axis[2][i]) / length;
    return length - radius;
  }
  // in the middle of what is round, or inside a box: out through the nearest face
  int nearest = 0;
  for (int k = 1; k < 3 && o->kind == OBSTACLE_BOX; k++)
    if (o->size[k] - fabs(q[k]) < o->size[nearest] - fabs(q[nearest])) nearest = k;
  for (int i = 0; i < 3; i++) n[i] = q[nearest] < 0 ? -o->axis[nearest][i] : o->axis[nearest][i];
  return o->kind == OBSTACLE_BOX ? fabs(q[nearest]) - o->size[nearest] : -radius;
}

#ifdef REAL
// What obstacles do to one node.
typedef struct ObstacleContact {
  real force[3];    // N
  real tangent[6];  // N/m, of -force by displacement: xx, yy, zz, xy, xz, yz; how friction changes with the normal
                    // force is left out, which keeps it symmetric
  real anchor[3];   // m, displacement of the place the node sticks to from now on
  real energy;      // J, of both springs
} ObstacleContact;

HOST_DEVICE real along(const real *n, const real *v) {
  return n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
}

// tangent += factor a a^T
HOST_DEVICE void add_square(real *tangent, real factor, const real *a) {
  for (int i = 0; i < 3; i++) tangent[i] += factor * a[i] * a[i];
  tangent[3] += factor * a[0] * a[1];
  tangent[4] += factor * a[0] * a[2];
  tangent[5] += factor * a[1] * a[2];
}

// friction with this limit, N, for a node whose way along the surface since it stuck is e; its tangent has the share
// `slip_share` of limit / |e| along e
HOST_DEVICE void add_friction(const real *n, const real *u, const real *e, const real *anchor, real k, real limit,
                              real slip_share, ObstacleContact *c) {
  const real way = (real)sqrt((double)along(e, e));
  if (k * way <= limit) {
    for (int i = 0; i < 3; i++) {
      c->force[i] -= k * e[i];
      c->tangent[i] += k;
      c->anchor[i] = anchor[i];
    }
    add_square(c->tangent, -k, n);
    c->energy += (real)0.5 * k * way * way;
    return;
  }
  const real t[3] = { e[0] / way, e[1] / way, e[2] / way };
  const real beside[3] = { n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0] };
  add_square(c->tangent, limit / way, beside);
  if (slip_share > 0) add_square(c->tangent, slip_share * limit / way, t);
  for (int i = 0; i < 3; i++) {
    c->force[i] -= limit * t[i];
    c->anchor[i] = u[i] - t[i] * (limit / k);
  }
  c->energy += (real)0.5 * limit * (limit / k);
}

// When a step begins and how long it lasts, s, of the whole step in which obstacles have their velocities, and when
// anchors were where they are; static equilibrium lasts 0.
typedef struct StepSpan {
  real from, lasts, stuck;
  real slip_share;  // see TimeStep
} StepSpan;

// Where what goes with the obstacle and is at x [3] at a time of the step is at another one.
HOST_DEVICE void obstacle_carry(const Obstacle *o, double from, double to, const double *x, double *y) {
  double arm[3], turned[3];
  for (int i = 0; i < 3; i++) arm[i] = x[i] - (o->spin.about[i] + from * o->velocity[i]);
  turn_about(o->spin.axis, o->turning * (to - from), arm, turned);
  for (int i = 0; i < 3; i++) y[i] = turned[i] + (o->spin.about[i] + to * o->velocity[i]);
}

// The distance from an obstacle that turns and its gradient n at a time of the step.
HOST_DEVICE double turned_distance(const Obstacle *o, double time, const double *x, double *n) {
  double back[3], gradient[3];
  obstacle_carry(o, time, 0, x, back);
  const double distance = obstacle_distance(o, back, gradient);
  turn_about(o->spin.axis, o->turning * time, gradient, n);
  return distance;
}

// The plane that a node meets which is at x0 [3] as the span begins: the distance of that place from it, its normal n,
// how far it goes in the span, and how fast the surface goes, m/s.
HOST_DEVICE double obstacle_plane(const Obstacle *o, StepSpan span, const double *x0, double *n, real *way,
                                  double *velocity) {
  double from[3];
  for (int i = 0; i < 3; i++) {
    from[i] = x0[i] - span.from * o->velocity[i], way[i] = (real)(span.lasts * o->velocity[i]);
    velocity[i] = o->velocity[i];
  }
  if (o->turning == 0) return obstacle_distance(o, from, n);
  double arm[3], on[3];
  for (int i = 0; i < 3; i++) arm[i] = from[i] - o->spin.about[i];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    velocity[i] += o->turning * (o->spin.axis[j] * arm[k] - o->spin.axis[k] * arm[j]);
  }
  turned_distance(o, span.from, x0, n);
  double push = 0;
  for (int i = 0; i < 3; i++) push += (velocity[i] - o->velocity[i]) * n[i];
  for (int i = 0; i < 3; i++) {
    const double goes = span.lasts * (o->velocity[i] + push * n[i]);
    way[i] = (real)goes, on[i] = x0[i] + goes;
  }
  return turned_distance(o, (double)span.from + span.lasts, on, n);
}

/// What an obstacle does to a node that began the step at x0 [3] m with displacement u0, momentum p and `anchor` [3],
/// and ends it with displacement u, if its stiffness against what it touches is k. With a `lookahead`, s, a node that
/// will be so much later behind the surface counts as touching, and friction is that of then: see floor_contact.
HOST_DEVICE ObstacleContact obstacle_contact(const Obstacle *o, StepSpan span, const double *x0, const real *u0,
                                             const real *u, const real *p, const real *load, real mass, real lookahead,
                                             const real *anchor, real k) {
  ObstacleContact c = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { u[0], u[1], u[2] }, 0 };
  double gradient[3], velocity[3];
  real way[3];  // of the obstacle in the step
  const real gap = (real)obstacle_plane(o, span, x0, gradient, way, velocity);
  const real n[3] = { (real)gradient[0], (real)gradient[1], (real)gradient[2] };
  const real moved[3] = { u[0] - u0[0] - way[0], u[1] - u0[1] - way[1], u[2] - u0[2] - way[2] };
  const real depth = -(gap + along(n, moved));
  // what stands there is about to sink in, but not to slip
  const real push = lookahead * along(n, load);
  real ahead[3], e[3];
  for (int i = 0; i < 3; i++) ahead[i] = lookahead * (p[i] + push * n[i]) / mass - lookahead * (real)velocity[i];
  if (!(depth > 0) && !(depth - along(n, ahead) > 0)) return c;
  for (int i = 0; i < 3; i++) c.force[i] = k * depth * n[i];
  add_square(c.tangent, k, n);
  c.energy = (real)0.5 * k * depth * depth;
  if (!(o->friction > 0)) return c;

  real stuck[3];  // the anchor, which moves with the obstacle
  const real since = span.from + span.lasts - span.stuck;
  for (int i = 0; i < 3; i++) stuck[i] = anchor[i] + since * (real)o->velocity[i];
  if (o->turning != 0) {
    double at[3], to[3];
    for (int i = 0; i < 3; i++) at[i] = x0[i] + ((double)anchor[i] - u0[i]);
    obstacle_carry(o, span.stuck, (double)span.from + span.lasts, at, to);
    for (int i = 0; i < 3; i++) stuck[i] = (real)(anchor[i] + (to[i] - at[i]));
  }
  for (int i = 0; i < 3; i++) e[i] = u[i] + ahead[i] - stuck[i];
  const real off = along(n, e);
  for (int i = 0; i < 3; i++) e[i] -= off * n[i];
  add_friction(n, u, e, stuck, k, depth > 0 ? (real)o->friction * k * depth : (real)0, span.slip_share, &c);
  // the anchor comes along the normal, so that the way from it is one along the surface
  const real off_anchor[3] = { u[0] - c.anchor[0], u[1] - c.anchor[1], u[2] - c.anchor[2] };
  const real rest = along(n, off_anchor);
  for (int i = 0; i < 3; i++) c.anchor[i] += rest * n[i];
  return c;
}
#endif
