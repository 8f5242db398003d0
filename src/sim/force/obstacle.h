// Contact of single nodes with rigid obstacles that do not take part in self-contact. Forces are computed as for the
// floor (floor.h), but with any normal n: a spring along n and Coulomb friction by return mapping, both evaluated at
// the end of the time step.
//
// During a time step, a plane replaces a curved obstacle: the tangent plane at the obstacle's point that is nearest to
// the node at the start of the time step. So the energy of the spring is convex and friction acts along one plane. Then
// contact adds no energy, for the reasons that floor.h gives. The next time step takes another tangent plane. An
// obstacle is convex, so it is on one side of each of its tangent planes. Therefore a new tangent plane can only
// decrease the depth of the node and the stretch of the springs. In a time step, a node must move less than the size of
// the obstacle. Otherwise the node may touch the plane, which is unbounded, at a place where there is no obstacle.
//
// Moving obstacles: the plane is computed from the obstacle's position at the start of the time step, and moves with
// the obstacle's velocity. So the plane pushes and drags nodes.
//
// Rotating obstacles: first, the node's position at the start of the time step is moved with the obstacle's
// translation, and along the normal as the turning surface would push it. Then the obstacle is turned to the end of the
// time step, and the plane is the obstacle's tangent plane at the point nearest to the moved position. The tangential
// velocity of the turning surface is left out, so that a spinning wheel does not lift a body on it. Friction anchors,
// the points to which nodes stick, rotate with the obstacle.
//
// On the GPU these functions run in separate kernels. If the kernels of other forces contained these functions, each
// thread would need so many registers that only half as many threads could run at once.
#pragma once
#include <math.h>

#ifdef REAL
#include "base/real.h"
#endif
#include "base/obstacle.h"
#include "device/host_device.h"

/// Returns the signed distance of the point x [3] from an obstacle's surface, m, negative inside. n [3] gets the
/// gradient of the distance, a unit vector.
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

  // `out` is the vector to the point x from the nearest point of the obstacle's core: the box itself, the axis of a
  // capsule, or the centre of a sphere.
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

  // Here x is inside a box, on the axis of a capsule or at the centre of a sphere. In a box, n is the normal of the
  // nearest face. Otherwise n is axis 0 of the obstacle; in a capsule, axis 0 is perpendicular to the capsule's axis.
  int nearest = 0;
  for (int k = 1; k < 3 && o->kind == OBSTACLE_BOX; k++)
    if (o->size[k] - fabs(q[k]) < o->size[nearest] - fabs(q[nearest])) nearest = k;
  for (int i = 0; i < 3; i++) n[i] = q[nearest] < 0 ? -o->axis[nearest][i] : o->axis[nearest][i];
  return o->kind == OBSTACLE_BOX ? fabs(q[nearest]) - o->size[nearest] : -radius;
}

#ifdef REAL
// Force, tangent and energy of obstacles at one node.
typedef struct ObstacleContact {
  real force[3];  // force of the obstacles on the node, N
  // N/m, derivative of -force by displacement: xx, yy, zz, xy, xz, yz. The derivative of friction by the normal force
  // is left out, because it would make the tangent unsymmetric.
  real tangent[6];
  real anchor[3];  // m, the new anchor: displacement at which the node would be at the point to which friction ties it
  real energy;     // J, energy of the normal spring and of the friction spring
} ObstacleContact;

HOST_DEVICE real along(const real *n, const real *v) {
  return n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
}

// Adds factor * a a^T to the symmetric matrix tangent [6], stored as xx, yy, zz, xy, xz, yz.
HOST_DEVICE void add_square(real *tangent, real factor, const real *a) {
  for (int i = 0; i < 3; i++) tangent[i] += factor * a[i] * a[i];
  tangent[3] += factor * a[0] * a[1];
  tangent[4] += factor * a[0] * a[2];
  tangent[5] += factor * a[1] * a[2];
}

// Adds the friction of an obstacle on one node to the force, tangent and energy in *c, and sets the new anchor, the
// point to which friction ties the node. n [3] is the normal, u [3] the node's displacement, and e [3] its displacement
// from the anchor along the surface. k is the stiffness of the friction spring, N/m, and `limit` the largest friction
// force, N. In the tangent, a slipping node has the stiffness slip_fraction * limit / |e| along e.
HOST_DEVICE void add_friction(const real *n, const real *u, const real *e, const real *anchor, real k, real limit,
                              real slip_fraction, ObstacleContact *c) {
  const real slip = (real)sqrt((double)along(e, e));
  if (k * slip <= limit) {
    for (int i = 0; i < 3; i++) {
      c->force[i] -= k * e[i];
      c->tangent[i] += k;
      c->anchor[i] = anchor[i];
    }
    add_square(c->tangent, -k, n);
    c->energy += (real)0.5 * k * slip * slip;
    return;
  }
  const real t[3] = { e[0] / slip, e[1] / slip, e[2] / slip };
  const real beside[3] = { n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0] };
  add_square(c->tangent, limit / slip, beside);
  if (slip_fraction > 0) add_square(c->tangent, slip_fraction * limit / slip, t);
  for (int i = 0; i < 3; i++) {
    c->force[i] -= limit * t[i];
    c->anchor[i] = u[i] - t[i] * (limit / k);
  }
  c->energy += (real)0.5 * limit * (limit / k);
}

// Times, s, of a time step, or of one part of a time step that has failed and is repeated in shorter parts. from: start
// of this time step or part. lasts: duration of this time step or part, 0 in a stationary problem. stuck: time at which
// friction anchors, the points to which nodes stick, were stored. `from` and `stuck` count from the start of the whole
// time step, during which obstacles have constant velocities.
typedef struct StepSpan {
  real from, lasts, stuck;
  // 0 to 1. In the tangent, a slipping node has the stiffness slip_fraction * (friction force / length of the slip)
  // along its slip.
  real slip_fraction;
} StepSpan;

// Computes y [3], the position at time `to` of a point that moves with the obstacle and has the position x [3] at time
// `from`. Positions in m. Times, s, count from the start of the time step.
HOST_DEVICE void obstacle_carry(const Obstacle *o, double from, double to, const double *x, double *y) {
  double arm[3], turned[3];
  for (int i = 0; i < 3; i++) arm[i] = x[i] - (o->motion.spin.about[i] + from * o->velocity[i]);
  turn_about(o->motion.spin.axis, o->turning * (to - from), arm, turned);
  for (int i = 0; i < 3; i++) y[i] = turned[i] + (o->motion.spin.about[i] + to * o->velocity[i]);
}

// Returns the signed distance of the point x [3] from a rotating obstacle, m, at the time `time`, s, counted from the
// start of the time step. n [3] becomes the gradient of the distance, a unit vector.
HOST_DEVICE double turned_distance(const Obstacle *o, double time, const double *x, double *n) {
  double back[3], gradient[3];
  obstacle_carry(o, time, 0, x, back);
  const double distance = obstacle_distance(o, back, gradient);
  turn_about(o->motion.spin.axis, o->turning * time, gradient, n);
  return distance;
}

// Finds the contact plane of a node, which replaces the obstacle's surface during the time step. x0 [3], m, is the
// node's position at the start of the time step. Computes n [3], the plane's normal; moves [3], m, the plane's
// displacement in the time step; and velocity [3], m/s, the velocity of the obstacle's surface. Returns the signed
// distance of x0 from the plane at the start of the time step, m.
HOST_DEVICE double obstacle_plane(const Obstacle *o, StepSpan span, const double *x0, double *n, real *moves,
                                  double *velocity) {
  double from[3];
  for (int i = 0; i < 3; i++) {
    from[i] = x0[i] - span.from * o->velocity[i];
    moves[i] = (real)(span.lasts * o->velocity[i]);
    velocity[i] = o->velocity[i];
  }

  if (o->turning == 0) return obstacle_distance(o, from, n);
  double arm[3], on[3];
  for (int i = 0; i < 3; i++) arm[i] = from[i] - o->motion.spin.about[i];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    velocity[i] += o->turning * (o->motion.spin.axis[j] * arm[k] - o->motion.spin.axis[k] * arm[j]);
  }
  turned_distance(o, span.from, x0, n);
  double push = 0;
  for (int i = 0; i < 3; i++) push += (velocity[i] - o->velocity[i]) * n[i];
  for (int i = 0; i < 3; i++) {
    const double goes = span.lasts * (o->velocity[i] + push * n[i]);
    moves[i] = (real)goes;
    on[i] = x0[i] + goes;
  }
  return turned_distance(o, (double)span.from + span.lasts, on, n);
}

/// Evaluates the contact of one node with an obstacle. At the start of the time step, the node has position x0, m,
/// displacement u0, m, and momentum p, kg m/s. `anchor`, m, is the displacement at which the node would be at its
/// anchor, the point to which friction ties it. At the end of the time step, the node's displacement is u. x0, u0, p,
/// `anchor` and u are vectors [3]. `mass`, kg, is the node's mass, and k its contact stiffness, N/m. load [3], N, is
/// the node's constant load, limited as in load_ahead.
///
/// `lookahead`, s: if it is above 0, a node counts as touching if it would be inside the obstacle after this time.
/// Friction then includes the node's displacement in this time (floor_contact).
HOST_DEVICE ObstacleContact obstacle_contact(const Obstacle *o, StepSpan span, const double *x0, const real *u0,
                                             const real *u, const real *p, const real *load, real mass, real lookahead,
                                             const real *anchor, real k) {
  ObstacleContact c = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { u[0], u[1], u[2] }, 0 };
  double gradient[3], velocity[3];
  real moves[3];  // displacement of the tangent plane in the time step
  const real gap = (real)obstacle_plane(o, span, x0, gradient, moves, velocity);
  const real n[3] = { (real)gradient[0], (real)gradient[1], (real)gradient[2] };
  const real moved[3] = { u[0] - u0[0] - moves[0], u[1] - u0[1] - moves[1], u[2] - u0[2] - moves[2] };
  const real depth = -(gap + along(n, moved));

  // Estimate the node's motion in the time `lookahead`. Only the component of the load along the normal is used: it
  // presses a body at rest into the obstacle. The tangential component would make this body slip.
  const real push = lookahead * along(n, load);
  real ahead[3], e[3];
  for (int i = 0; i < 3; i++) ahead[i] = lookahead * (p[i] + push * n[i]) / mass - lookahead * (real)velocity[i];
  if (!(depth >= 0) && !(depth - along(n, ahead) > 0)) return c;
  for (int i = 0; i < 3; i++) c.force[i] = k * depth * n[i];
  add_square(c.tangent, k, n);
  c.energy = (real)0.5 * k * depth * depth;
  if (!(o->friction > 0)) return c;

  real stuck[3];  // displacement of a node at the anchor, which moves with the obstacle, at the end of the time step
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
  add_friction(n, u, e, stuck, k, depth > 0 ? (real)o->friction * k * depth : (real)0, span.slip_fraction, &c);

  // The new anchor is the point of the obstacle to which friction ties the node in the next time step. Move it along
  // the normal, so that the node's displacement from the anchor is tangential.
  const real off_anchor[3] = { u[0] - c.anchor[0], u[1] - c.anchor[1], u[2] - c.anchor[2] };
  const real rest = along(n, off_anchor);
  for (int i = 0; i < 3; i++) c.anchor[i] += rest * n[i];
  return c;
}
#endif
