// Sets the floor, obstacles and the pushing ball of a simulation, and moves them (simulation.h).
#include "sim/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/contact/contact_cuda.h"
#include "sim/contact/round.h"
#include "sim/element/moduli.h"
#include "sim/element/number_range.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"

void simulation_set_floor(Simulation *w) {
  const SimulationSettings *s = &w->settings;
  w->arrays->set_floor(w->motion, &(Floor){ .present = s->has_floor && !s->self_contact,
                                            .height = s->floor_height,
                                            .modulus = s->lambda + 2 * s->mu,
                                            .friction = s->friction });
}

// Computes for each node its contact stiffness, N/m, against floor and obstacles, divided by the modulus lambda + 2 mu,
// Pa. The result is a length, m, proportional to the cube root of the node's volume.
bool simulation_set_floor_stiffness(Simulation *w, Error *error) {
  const Space *space = &w->space;
  const double wave = w->settings.lambda / w->settings.mu + 2;
  double *contact = array_new(space->node_count, sizeof *contact, "nodes", error);

  // Compute the nodes' volumes: lumped masses at a uniform density, divided by this density.
  if (contact && space->density) {
    Space alike = *space;
    alike.density = NULL;
    space_lumped_mass(&alike, w->settings.density, contact);
  } else if (contact) {
    memcpy(contact, w->mass, sizeof *contact * (size_t)space->node_count);
  }
  for (int a = 0; contact && a < space->node_count; a++)
    contact[a] = FLOOR_STIFFNESS * cbrt(contact[a] / w->settings.density);

  // Multiply each node's value by the largest factor among its cells. A cell's factor is its modulus lambda + 2 mu
  // divided by that of the settings.
  const bool differs = space->stiffness || space->ratio;
  double *factor = differs ? array_new(space->node_count, sizeof *factor, "nodes", error) : NULL;
  for (int e = 0; factor && e < space->cell_count; e++) {
    double stiff = space->stiffness ? space->stiffness[e] : 1;
    if (space->ratio && !isnan(space->ratio[e])) stiff *= (space->ratio[e] + 2) / wave;
    for (int a = 0; a < space->cell_nodes; a++)
      factor[space_cell(space, e)[a]] = fmax(factor[space_cell(space, e)[a]], stiff);
  }

  for (int a = 0; contact && factor && a < space->node_count; a++) contact[a] *= factor[a];

  const bool ok = contact && (factor || !differs) && halo_refresh(w->halo, contact, 1, error) &&
                  w->arrays->write(w->motion, MOTION_CONTACT, contact, simulation_stream(w), error);
  free(factor);
  free(contact);
  return ok;
}

int simulation_solid_obstacles(const SimulationSettings *s, Obstacle solid[OBSTACLES_MAX]) {
  int count = 0;
  for (int k = 0; k < s->obstacle_count; k++)
    if (!obstacle_is_surface(&s->obstacles[k], s->self_contact)) solid[count++] = s->obstacles[k];
  return count;
}

// Moves an obstacle to its position at `time`, s. Sets its velocities so that one step brings it to its position at
// `next`, s. Returns true if it moves in this step.
static bool place_obstacle(const SimulationSettings *s, Obstacle *o, double time, double next) {
  double from[3], to[3];
  const double turned = motion_degrees(&o->motion, next) - motion_degrees(&o->motion, time);
  motion_offset(&o->motion, time, from);
  motion_offset(&o->motion, next, to);
  o->turning = next > time && motion_spins(&o->motion) ? turned * (acos(-1.0) / 180) / s->dt : 0;
  bool moves = o->turning != 0;
  obstacle_place(o, time);
  for (int i = 0; i < 3; i++) {
    o->velocity[i] = next > time ? (to[i] - from[i]) / s->dt : 0;
    moves = moves || o->velocity[i] != 0;
  }
  return moves;
}

// Moves the nodes of the ball of simulation_push to its present centre. If `moves` is true, sets their velocity so that
// one step moves the ball by push_motion. The ball's nodes are the last nodes of the contact surface. Contact ignores
// them while the ball is absent.
static void place_pusher(Simulation *w, bool moves) {
  Contact *c = w->contact;
  const int first = c->skin.node_count - PUSHER_NODES, active = w->pushes ? c->skin.node_count : first;
  const double dt = w->settings.dt;
  double(*X)[3] = &c->rigid[first - c->skin.body_nodes],
  (*velocity)[3] = &c->rigid_velocity[first - c->skin.body_nodes];

  // If the ball appears or disappears, contact must search for nearby pairs again.
  if (active != c->skin.active_nodes) c->nearby.found = c->settled = false;
  c->skin.active_nodes = active;

  round_make(PUSHER_ROUND, w->settings.pusher, 0, X, NULL);
  for (int v = 0; v < PUSHER_NODES; v++)
    for (int i = 0; i < 3; i++) {
      X[v][i] += w->push_from[i];
      velocity[v][i] = moves && w->pushes ? w->push_motion[i] / dt : 0;
      c->rigid_moves = c->rigid_moves || velocity[v][i] != 0;
    }
}

// Returns true if no node of an obstacle has moved by more than 1e-3 of the reach of contact since the end of the last
// step. c->to has the positions at the end of that step.
static bool have_stayed(const Contact *c) {
  const double slack = 1e-3 * c->nearby.reach;
  bool stayed = true;
  contact_place_rigid(c, NULL, c->displacement);
  for (int a = c->skin.body_nodes; a < c->skin.node_count; a++)
    for (int i = 0; i < 3; i++) stayed = stayed && fabs(c->displacement[a][i] - c->to[a][i]) <= slack;
  return stayed;
}

// Moves the obstacles that self-contact treats as surfaces to their positions at `time`, s. Sets the velocities of
// their nodes so that one step brings the nodes to their positions at `next`, s. rigid->own has the position of each
// node in the coordinate frame of its obstacle, m.
static bool place_surfaces(Simulation *w, double time, double next, Error *error) {
  Contact *c = w->contact;
  const RigidSurface *rigid = &w->rigid;
  bool any = w->settings.pusher > 0 || w->obstacles_jumped;
  if (!c) return true;

  for (int k = 0; k < w->settings.obstacle_count; k++) {
    const Obstacle *o = &w->settings.obstacles[k];
    any = any || (obstacle_is_surface(o, w->settings.self_contact) && motion_moves(&o->motion));
  }

  // sets c->to, the positions of the obstacles' nodes at the end of the last step
  if (any) contact_place_rigid(c, NULL, c->to);
  c->elapsed = 0;
  c->rigid_moves = false;
  if (!any) return true;

  // Set positions and velocities of the nodes of each obstacle.
  for (int k = 0; k < w->settings.obstacle_count; k++) {
    Obstacle o = w->settings.obstacles[k], then = o;
    if (!obstacle_is_surface(&o, w->settings.self_contact)) continue;
    c->rigid_moves = place_obstacle(&w->settings, &o, time, next) || c->rigid_moves;
    obstacle_place(&then, next);
    for (int node = rigid->first_node[k]; node < rigid->first_node[k + 1]; node++) {
      obstacle_point(&o, rigid->own[node], c->rigid[node]);
      memcpy(c->rigid_velocity[node], o.velocity, sizeof o.velocity);
      if (o.turning == 0) continue;

      // Within a step, the nodes of a turning obstacle move on straight lines, not on arcs.
      double to[3];
      obstacle_point(&then, rigid->own[node], to);
      for (int i = 0; i < 3; i++) c->rigid_velocity[node][i] = (to[i] - c->rigid[node][i]) / w->settings.dt;
    }
  }

  if (w->settings.pusher > 0) place_pusher(w, next > time);
  w->touched += c->rigid_moves;
  if (next > time) c->moved = c->rigid_moves ? CONTACT_MOVED : c->moved - (c->moved > 0);

  // If a node of an obstacle has moved, the list of contact pairs of the last step may be invalid.
  if (!have_stayed(c)) c->settled = false;
#ifdef PLIANT_CUDA
  if (c->cuda) return contact_cuda_place_rigid(c->cuda, simulation_stream(w), error);
#endif
  (void)error;
  return true;
}

bool simulation_place_obstacles(Simulation *w, double time, double next, Error *error) {
  Obstacle solid[OBSTACLES_MAX];
  const int count = simulation_solid_obstacles(&w->settings, solid);
  bool any = w->obstacles_jumped, works = false;
  for (int k = 0; k < count; k++) {
    any = any || motion_moves(&solid[k].motion);
    works = place_obstacle(&w->settings, &solid[k], time, next) || works;
  }
  w->touched += works;
  const bool ok = place_surfaces(w, time, next, error) &&
                  (!any || count == 0 || w->arrays->move_obstacles(w->motion, solid, simulation_stream(w), error));
  w->obstacles_jumped = w->obstacles_jumped && !ok;
  return ok;
}

bool simulation_move_obstacle(Simulation *w, int k, const double centre[3], const double axis[3][3], Error *error) {
  const double now = simulation_time(w), next = simulation_next_time(w);
  if (k < 0 || k >= w->settings.obstacle_count)
    return error_set(error, "obstacle %d does not exist: there %s %d in the scene, counted from 0", k,
                     w->settings.obstacle_count == 1 ? "is" : "are", w->settings.obstacle_count);
  Obstacle moved = w->settings.obstacles[k];
  if (integrator_is_midpoint(w->settings.integrator) && !obstacle_is_surface(&moved, w->settings.self_contact))
    return error_set(error,
                     "integrator \"midpoint\" supports only obstacles that do not move; use \"auto\" or \"bdf2\"");
  obstacle_place(&moved, now);
  moved.motion = (RigidMotion){ .point_count = 2, .path = { { now }, { next } } };
  for (int i = 0; i < 3; i++) {
    if (!range_check_number(centre[i], "m", w->settings.precision, "the position of the obstacle", error)) return false;
    moved.motion.path[1][1 + i] = centre[i] - moved.centre[i];
  }
  Spin *spin = &moved.motion.spin;
  const double degrees = rotation_between((const double(*)[3])moved.axis, axis, spin->axis);
  if (!(degrees <= OBSTACLE_TURN_MAX))
    return error_set(error,
                     "obstacle %d would turn by %g degrees in a time step, more than %d degrees; use a smaller dt", k,
                     degrees, OBSTACLE_TURN_MAX);
  memcpy(spin->about, moved.centre, sizeof spin->about);
  spin->angle_count = 2;
  spin->angles[0][0] = now;
  spin->angles[1][0] = next;
  spin->angles[1][1] = degrees;
  w->settings.obstacles[k] = moved;
  return true;
}

// Returns true if both obstacles have the same centre, axes and motion.
static bool equal_places(const Obstacle *a, const Obstacle *b) {
  return memcmp(a->centre, b->centre, sizeof a->centre) == 0 && memcmp(a->axis, b->axis, sizeof a->axis) == 0 &&
         memcmp(&a->motion, &b->motion, sizeof a->motion) == 0;
}

bool simulation_set_obstacles(Simulation *w, const Obstacle *list, Error *error) {
  // Usually, no obstacle has moved. Then the settings need not be copied, and the obstacles need not be placed again.
  int equal = 0;
  while (equal < w->settings.obstacle_count && equal_places(&w->settings.obstacles[equal], &list[equal])) equal++;
  if (equal == w->settings.obstacle_count) return true;
  SimulationSettings next = w->settings;
  for (int k = 0; k < next.obstacle_count; k++) {
    const RigidMotion *motion = &list[k].motion;
    if (motion->point_count < 0 || motion->point_count > MOTION_POINTS_MAX || motion->spin.angle_count < 0 ||
        motion->spin.angle_count > MOTION_POINTS_MAX)
      return error_set(error, "the motion of obstacle %d has %d points and %d angles, expected 0 to %d of each", k,
                       motion->point_count, motion->spin.angle_count, MOTION_POINTS_MAX);
    Obstacle *o = &next.obstacles[k];
    memcpy(o->centre, list[k].centre, sizeof o->centre);
    memcpy(o->axis, list[k].axis, sizeof o->axis);
    o->motion = *motion;
  }
  if (!simulation_check(w, &next, error)) return false;
  memcpy(w->settings.obstacles, next.obstacles, sizeof next.obstacles);
  w->obstacles_jumped = true;
  return true;
}

bool simulation_push(Simulation *w, const double from[3], const double to[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const bool comes = from && !w->pushes, goes = !from && w->pushes;
  const double now = simulation_time(w);
  if (!w->contact || !(w->settings.pusher > 0)) return !from || error_set(error, "the simulation has no pushing ball");

  w->pushes = from != NULL;
  if (comes) memcpy(w->push_from, from, sizeof w->push_from);
  for (int i = 0; i < 3; i++) w->push_motion[i] = from ? to[i] - w->push_from[i] : 0;
  for (int i = 0; i < 3; i++)
    if (!range_check_number(w->push_from[i], "m", w->settings.precision, "the position of the ball", error) ||
        !range_check_number(w->push_motion[i], "m", w->settings.precision, "the motion of the ball", error))
      return w->pushes = false;

  w->touched += comes || goes;
  if (!comes) return !goes || simulation_place_obstacles(w, now, now, error);
  if (!simulation_place_obstacles(w, now, now, error)) return false;

  // A ball that appears must not intersect a surface; otherwise the ball is removed.
  if (simulation_check_state(w, error)) return true;
  Error second = { 0 };
  w->pushes = false;
  simulation_place_obstacles(w, now, now, &second);
  return false;
}

void simulation_set_barrier(Simulation *w) {
  const SimulationSettings *s = &w->settings;
  if (!w->contact) return;
  contact_set_modulus(w->contact,
                      s->contact_modulus > 0 ? s->contact_modulus : CONTACT_MODULUS * young_modulus(s->mu, s->lambda));
  w->contact->friction = s->friction;
  w->contact->sticks = s->friction_sticks;
  w->contact->still_speed = s->friction_speed > 0 ? s->friction_speed : CONTACT_STILL_SPEED * w->contact->skin.extent;
}

// Moves the floor, a plane of self-contact, to the height in the settings. Deactivates the floor if the settings have
// none.
static bool place_floor(Simulation *w, Error *error) {
  const SimulationSettings *s = &w->settings;
  Contact *c = w->contact;
  for (int v = 0; v < PLANE_NODES && s->has_floor; v++) c->rigid[w->rigid.floor_node + v][2] = s->floor_height;
  const int active = c->skin.plane_count - !s->has_floor;  // the floor is the last plane
  if (active != c->skin.active_planes) c->nearby.found = false;
  c->skin.active_planes = active;
  contact_forget_friction(c);
#ifdef PLIANT_CUDA
  if (c->cuda) return contact_cuda_place_rigid(c->cuda, simulation_stream(w), error);
#endif
  (void)error;
  return true;
}

bool simulation_change_floor(Simulation *w, const SimulationSettings *changed, Error *error) {
  SimulationSettings *s = &w->settings;
  const SimulationSettings old = *s;
  if (!w->contact || (changed->has_floor == s->has_floor && changed->floor_height == s->floor_height)) return true;
  if (w->rigid.floor_node < 0)
    return !changed->has_floor ||
           error_set(error,
                     "with self_contact, a floor cannot be added to a running simulation; give the scene a floor");

  s->has_floor = changed->has_floor;
  s->floor_height = changed->floor_height;
  if (place_floor(w, error) && simulation_check_state(w, error)) return true;
  Error second = { 0 };
  s->has_floor = old.has_floor;
  s->floor_height = old.floor_height;
  place_floor(w, &second);
  return false;
}
