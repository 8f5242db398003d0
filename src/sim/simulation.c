// Takes steps of a simulation, and changes its pins, loads, grabs, obstacles and settings (simulation.h).
#include "sim/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/contact/contact_cuda.h"
#include "sim/contact/round.h"
#include "sim/element/moduli.h"
#include "base/index_check.h"
#include "sim/material_advice.h"
#include "sim/element/number_range.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"
#include "sim/stage_choice.h"

void simulation_set_floor(Simulation *w) {
  const SimulationSettings *s = &w->settings;
  w->arrays->set_floor(w->motion, &(Floor){ .present = s->has_floor && !s->self_contact,
                                            .height = s->floor_height,
                                            .modulus = s->lambda + 2 * s->mu,
                                            .friction = s->friction });
}

bool simulation_check(const Simulation *w, const SimulationSettings *s, Error *error) {
  if (!settings_check(s, error) || !range_check(&w->range, s, error)) return false;

  const Stage *named = stage_find(STAGE_ASSEMBLY, s->assembly, s->device, s->precision, NULL);
  if (s->assembly[0] && named && ((const AssemblyMethod *)named)->compact && stages_auxetic(&w->space, s))
    return error_set(error,
                     "assembly \"%s\" does not support different Poisson's ratios of bodies if one is below 0; choose "
                     "another --assembly",
                     s->assembly);

  // A body may have its own Poisson's ratio, and so another lambda. Check also the smallest lambda of all bodies.
  SimulationSettings least = *s;
  least.lambda = w->range.ratio.low * s->mu;
  return !isfinite(least.lambda) || settings_check(&least, error) || error_prefix(error, "Poisson's ratio of a body");
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

// Sets the dampers of bodies whose damping coefficient differs from settings.damping. The force on each of their nodes
// is -difference * mass * velocity, in addition to the damping of the settings.
bool simulation_set_dampers(Simulation *w, Error *error) {
  const double *own = w->space.damping;
  if (!own) return true;
  double *damper = array_new(w->space.node_count, sizeof *damper, "nodes", error);
  for (int a = 0; damper && a < w->space.node_count; a++)
    damper[a] = isnan(own[a]) ? 0 : w->mass[a] * (own[a] - w->settings.damping);
  const bool ok = damper && grabs_set_dampers(&w->grabs, damper, error);
  free(damper);
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

bool simulation_set_obstacles(Simulation *w, const Obstacle *list, Error *error) {
  if (w->settings.obstacle_count == 0) return true;  // so the settings need not be copied
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

bool simulation_begin_reset(Simulation *w, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  w->step_count = w->steps_then = 0;
  w->newton.has_before = w->newton.knows_start = false;
  w->time_then = 0;
  w->pushes = false;
  if (w->contact) contact_forget_friction(w->contact);
  return simulation_place_obstacles(w, 0, 0, error);
}

bool simulation_reset(Simulation *w, Error *error) {
  return simulation_begin_reset(w, error) && simulations_end_reset(&w, 1, error);
}

// Converts pins, one byte for each node in the user's order, to marks of unknowns in the internal order. `unknown` and
// `follows`, both [3 node_count], mark the pinned unknowns by 1: `unknown` those at rest, `follows` those that follow a
// motion.
static void sort_pins(const Simulation *w, const uint8_t *pinned, uint8_t *unknown, uint8_t *follows) {
  const int n = 3 * w->space.node_count;
  for (int i = 0; pinned && i < n; i++) {
    const uint8_t pin = pinned[w->user_node[i / 3]];
    const bool has_motion = w->supports.count > 0 && w->supports.of[i / 3][i % 3] > 0;
    follows[i] = pin_holds(pin, i % 3) && pin & PIN_FOLLOWS && has_motion;
    unknown[i] = pin_holds(pin, i % 3) && !follows[i];
  }
}

// Returns the data that determine the constrained nodes and their positions at `time`, s. Constraints are pins, grabs
// with stiffness 0 and supports.
static ConstraintSource constraint_source(const Simulation *w, const uint8_t *pinned, double time) {
  return (ConstraintSource){ .node_count = w->space.node_count,
                             .pinned = pinned,
                             .grabs = &w->grabs,
                             .supports = &w->supports,
                             .X = (const double(*)[3])w->space.X,
                             .time = time };
}

// Marks the unknowns that pins, grabs and supports hold, and copies the marks to the body's state. pinned [3
// node_count] has new pins in the internal order; NULL: the present pins remain.
static bool set_held(Simulation *w, const uint8_t *pinned, Error *error) {
  const int n = 3 * w->space.node_count;
  WORK_ARRAYS_HERE(&w->work);
  uint8_t *held = work_array(&w->work, n, 1, "pins", error);
  uint8_t *now = pinned ? NULL : work_array(&w->work, n, 1, "pins", error);
  bool ok = held && (pinned || now);
  if (ok && now) {
    ok = w->arrays->held(w->motion, now, simulation_stream(w), error);
    for (int i = 0; i < n; i++) now[i] &= HELD_PINNED;
  }
  if (ok) {
    const ConstraintSource source = constraint_source(w, pinned ? pinned : now, 0);
    constraints_mark(&source, held);
    w->grabs.holds_changed = false;
    ok = w->newton_functions->set_held(&w->newton, held, error);
  }
  return ok;
}

const char *simulation_reason(const Simulation *w, StageKind kind) {
  return kind == STAGE_ASSEMBLY ? w->assembly_reason : w->solver_reason;
}

bool simulation_set_pins(Simulation *w, const uint8_t *pinned, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  const int n = 3 * w->space.node_count;
  WORK_ARRAYS_HERE(&w->work);
  uint8_t *unknown = work_array(&w->work, n, 1, "pins", error), *follows = work_array(&w->work, n, 1, "pins", error);
  if (!unknown || !follows) return false;
  sort_pins(w, pinned, unknown, follows);
  supports_follow(&w->supports, follows);

  // all processes must agree if supports move the body, so that energy_change does not depend on the owner of a node
  double any = w->supports.any_followers;
  if (!halo_sum(w->halo, &any, 1, error)) return false;
  w->supports.any_followers = any > 0;
  return set_held(w, unknown, error);
}

bool simulation_set_supports(Simulation *w, const RigidMotion *motions, int count, const uint16_t (*support)[3],
                             const uint8_t *pinned, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count;
  for (int k = 0; k < count; k++) {
    char name[40];
    snprintf(name, sizeof name, "motion %d of pins", k + 1);
    if (!range_check_motion(&motions[k], name, w->settings.precision, error)) return false;
  }
  uint16_t(*of)[3] = array_new(nodes, sizeof *of, "motions of pins", error);
  Supports made = { 0 };
  bool ok = of;
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) {
      of[a][i] = count > 0 ? support[w->user_node[a]][i] : 0;
      if (of[a][i] > count)
        ok = error_set(error, "node %d follows motion %d of pins, expected 0 to %d", w->user_node[a], of[a][i], count);
    }
  ok = ok && (count == 0 || supports_create(&made, motions, count, (const uint16_t(*)[3])of, nodes, error));
  free(of);
  if (!ok) return false;
  supports_destroy(&w->supports);
  w->supports = made;
  return simulation_set_pins(w, pinned, error);
}

// Fails if one of `count` numbers, loads in N, is outside the precision's range.
static bool check_load(const Simulation *w, const double *load, int count, Error *error) {
  return range_check_values(load, count, w->settings.precision, "the load on a node", "N", error);
}

// Copies the total load of each node, its force plus its weight, to the body's state on the device.
static bool apply_load(Simulation *w, Error *error) {
  const int n = 3 * w->space.node_count;
  WORK_ARRAYS_HERE(&w->work);
  double *load = work_array(&w->work, n, sizeof *load, "forces", error);
  if (!load) return false;
  for (int i = 0; i < n; i++) load[i] = w->settings.gravity[i % 3] * w->weight[i / 3] + w->loads.force[i / 3][i % 3];
  return check_load(w, load, n, error) && w->arrays->write(w->motion, MOTION_LOAD, load, simulation_stream(w), error);
}

bool simulation_set_load(Simulation *w, const double (*force)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  static const double none[3] = { 0, 0, 0 };
  w->touched++;
  for (int a = 0; a < w->space.node_count; a++)
    memcpy(w->loads.force[a], force ? force[w->user_node[a]] : none, sizeof none);
  return apply_load(w, error);
}

bool simulation_change_load(Simulation *w, const double (*force)[3], const int *nodes, int count, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const Stream stream = simulation_stream(w);
  int listed;
  double largest;
  if (!index_check(nodes, count, w->user_count, "the nodes whose loads change", error)) return false;
  if (count > w->loads.listed_max) return simulation_set_load(w, force, error);
  w->touched++;
  return loads_change(&w->loads, force, nodes, count, w->settings.gravity, w->weight, stream, &listed, &largest,
                      error) &&
         check_load(w, &largest, 1, error) &&
         w->loops->set_load(w->motion, w->loads.node_dev, &w->loads.value_dev[0][0], listed, stream, error);
}

bool simulation_give_load(Simulation *w, const void *values, Precision precision, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  return w->arrays->give_load(w->motion, values, precision, simulation_stream(w), error);
}

bool simulation_has_given_load(const Simulation *w) {
  return w->arrays->has_given(w->motion);
}

void simulation_set_prelude(Simulation *w, const Graph *prelude) {
  w->newton.prelude = prelude;
  w->newton.preludes++;
}

bool simulation_given_load(Simulation *w, double (*force)[3], Error *error) {
  WORK_ARRAYS_HERE(&w->work);
  double(*inside)[3] = work_array(&w->work, w->space.node_count, sizeof *inside, "forces", error);
  const bool ok = inside && w->arrays->read(w->motion, MOTION_GIVEN, &inside[0][0], simulation_stream(w), error);
  for (int a = 0; ok && a < w->space.node_count; a++) memcpy(force[w->user_node[a]], inside[a], sizeof *force);
  return ok;
}

// Fails unless all pressures are numbers in the precision's range.
static bool check_pressures(const Simulation *w, const double *pressure, int count, Error *error) {
  if (!range_check_values(pressure, count, w->settings.precision, "a pressure", "Pa", error)) return false;
  for (int k = 0; k < count; k++)
    if (!isfinite(pressure[k]))
      return error_set(error, "the pressure of face %d is %g, expected a finite number of Pa", k, pressure[k]);
  return true;
}

// Stores in w->local_face [w->local_faces] the indices of the faces under pressure whose nodes are all in this process.
// node [faces][nodes per face]: the nodes of all faces in the internal order, or -1 for a node that is not in this
// process.
static bool select_local_faces(Simulation *w, const BoundaryFaces *faces, const int *node, Error *error) {
  int *list = array_new(faces->count, sizeof *list, "pressures", error);
  if (!list) return false;
  free(w->local_face);
  w->local_face = list;
  w->local_faces = 0;
  for (int k = 0; k < faces->count; k++) {
    bool is_local = true;
    for (int a = 0; a < faces->nodes; a++) is_local = is_local && node[k * faces->nodes + a] >= 0;
    if (is_local) list[w->local_faces++] = k;
  }
  return true;
}

// Sets the pressures on the local faces, whose nodes are all in this process. node [faces][nodes per face] has the
// nodes of all faces, -1 for nodes of other processes. The function overwrites this array by the nodes of the local
// faces.
static bool set_local_pressure(Simulation *w, const PressureLoad *load, int *node, Error *error) {
  const BoundaryFaces *all = load->faces;
  const int nodes = all->nodes;
  BoundaryFaces faces = { all->shape, 0, nodes, node, NULL, NULL };
  if (!select_local_faces(w, all, node, error)) return false;
  faces.facet = array_new(w->local_faces, sizeof *faces.facet, "pressures", error);
  double *value = array_new(w->local_faces, sizeof *value, "pressures", error), *points = NULL;
  bool ok = faces.facet && value;
  if (load->points)
    ok = (points = array_new(FACE_POINTS_MAX * (int64_t)w->local_faces, sizeof *points, "pressures", error)) && ok;
  for (int at = 0; ok && at < w->local_faces; at++) {
    const int k = w->local_face[at];
    FaceRule rule;
    face_rule(all->shape, all->facet[k], &rule);
    faces.facet[at] = all->facet[k];
    value[at] = load->value[k];
    memmove(&node[at * nodes], &node[k * nodes], sizeof *node * (size_t)nodes);
    if (points)
      memcpy(points + (int64_t)at * rule.points, load->points + (int64_t)k * rule.points,
             sizeof *points * (size_t)rule.points);
  }
  faces.count = w->local_faces;
  ok = ok &&
       w->arrays->set_pressure(w->motion, &(PressureLoad){ &faces, value, points }, node, simulation_stream(w), error);
  free(faces.facet);
  free(value);
  free(points);
  return ok;
}

bool simulation_set_pressure(Simulation *w, const PressureLoad *load, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int count = load ? load->faces->count : 0, entries = load ? count * load->faces->nodes : 0;
  if (!index_check(count > 0 ? load->faces->node : NULL, entries, w->user_count, "the faces under pressure", error) ||
      (load && !check_pressures(w, load->value, count, error)))
    return false;

  // Convert the faces' nodes to the internal order.
  int *node = array_new(entries > 0 ? entries : 1, sizeof *node, "pressures", error);
  for (int k = 0; node && k < entries; k++) node[k] = w->loads.node_index[load->faces->node[k]];
  const bool ok =
      node && (w->halo && load ? set_local_pressure(w, load, node, error)
                               : w->arrays->set_pressure(w->motion, load, node, simulation_stream(w), error));
  free(node);
  w->touched++;
  if (!ok) return false;
  w->pressures = count;
  w->A.load_changes++;
  if (simulation_solver_device(&w->settings) == w->settings.device)
    w->A.load_term = (OperatorTerm){ .apply = w->loops->apply_pressure,
                                     .context = w->motion,
                                     .entries = w->loops->pressure_entries,
                                     .antisymmetric = w->loops->pressure_antisymmetric };
  return true;
}

bool simulation_change_pressure(Simulation *w, const double *pressure, Error *error) {
  w->touched++;
  if (!check_pressures(w, pressure, w->pressures, error)) return false;
  if (!w->halo) return w->arrays->change_pressure(w->motion, pressure, simulation_stream(w), error);
  double *value = array_new(w->local_faces, sizeof *value, "pressures", error);
  for (int k = 0; value && k < w->local_faces; k++) value[k] = pressure[w->local_face[k]];
  const bool ok = value && w->arrays->change_pressure(w->motion, value, simulation_stream(w), error);
  free(value);
  return ok;
}

bool simulation_set_masses(Simulation *w, Error *error) {
  MassMatrix *masses = &w->masses;
  if (w->settings.mass == MASS_LUMPED) return true;
  mass_matrix_destroy(masses);
  if (!mass_matrix_create(masses, &w->space, w->settings.density, error) ||
      !halo_refresh(w->halo, masses->diagonal, 1, error) ||
      !w->arrays->set_mass_matrix(w->motion, &w->space, masses, simulation_stream(w), error))
    return false;
  w->A.term =
      (OperatorTerm){ .apply = w->loops->apply_masses, .context = w->motion, .entries = w->loops->mass_entries };
  return true;
}

// Computes the consistent mass matrix for the density in the settings, which has changed. Then computes momenta from
// the present velocities, so that the velocities do not change.
static bool set_density_of_matrix(Simulation *w, Error *error) {
  double(*v)[3] = array_new(w->space.node_count, sizeof *v, "velocities", error);
  const bool ok = v && simulation_inside_velocities(w, v, error) && simulation_set_masses(w, error) &&
                  simulation_set_inside_velocities(w, (const double(*)[3])v, error);
  free(v);
  return ok;
}

// Computes masses and momenta for the changed density in the settings and for unchanged velocities. `heavier` is the
// new density divided by the old one.
static bool set_density(Simulation *w, double heavier, Error *error) {
  double(*p)[3] = array_new(w->space.node_count, sizeof *p, "momenta", error);
  bool ok = p && w->arrays->read(w->motion, MOTION_P, &p[0][0], simulation_stream(w), error);
  double *before = w->space.density ? array_new(w->space.node_count, sizeof *before, "nodal masses", error) : NULL;
  if (w->space.density && !before) ok = false;
  if (before) memcpy(before, w->mass, sizeof *before * (size_t)w->space.node_count);

  // Momenta change in proportion to the nodes' masses.
  space_lumped_mass(&w->space, w->settings.density, w->mass);
  ok = ok && halo_refresh(w->halo, w->mass, 1, error);
  for (int a = 0; ok && a < w->space.node_count; a++)
    for (int i = 0; i < 3; i++) p[a][i] *= before ? w->mass[a] / before[a] : heavier;
  free(before);

  space_weight(&w->space, w->settings.density, w->weight);
  ok = ok && halo_refresh(w->halo, w->weight, 1, error) &&
       w->arrays->write(w->motion, MOTION_MASS, w->mass, simulation_stream(w), error) &&
       (w->masses.diagonal ? set_density_of_matrix(w, error)
                           : w->arrays->write(w->motion, MOTION_P, &p[0][0], simulation_stream(w), error));
  free(p);
  return ok;
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

// Changes the floor to the floor of the settings `changed`, if the floor is a surface of self-contact. Fails, and
// changes nothing, if a body is not completely above the new floor. Does nothing without self-contact.
static bool change_floor(Simulation *w, const SimulationSettings *changed, Error *error) {
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

bool simulation_adjust(Simulation *w, const SimulationSettings *settings, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  SimulationSettings *s = &w->settings, changed = *s;
  options_copy(simulation_options, APPLIES_LIVE, &changed, settings);
  if (!simulation_check(w, &changed, error)) return false;

  // Times count from the last change of dt (simulation_time), so record time and step count here.
  if (changed.dt != s->dt) {
    w->time_then = simulation_time(w);
    w->steps_then = w->step_count;
  }

  const double heavier = changed.density / s->density;
  const bool other_ratio = w->space.ratio && (changed.lambda != s->lambda || changed.mu != s->mu);
  const bool other_floor = changed.has_floor && (!s->has_floor || changed.floor_height != s->floor_height);
  if (!change_floor(w, &changed, error)) return false;

  // BDF2 and the extrapolated first guess use the state before the last step, which is valid only for the same dt and
  // density.
  if (changed.dt != s->dt || heavier != 1) w->newton.has_before = false;

  *s = changed;
  w->newton_settings = settings_newton(s);
  simulation_set_floor(w);
  simulation_set_barrier(w);

  // Update data on the device that depend on the settings.
  if (other_floor && !w->loops->reset_anchors(w->motion, simulation_stream(w), error)) return false;
  if (heavier != 1 && !set_density(w, heavier, error)) return false;
  if (other_ratio && !simulation_set_floor_stiffness(w, error)) return false;
  if (!simulation_set_dampers(w, error)) return false;
  return apply_load(w, error);
}

// Adds a grab: springs that pull nodes which are closer to the point X than `radius`, m. If `seed` is a node, the grab
// has this node and those nodes that paths of edges within the radius connect with it. If `seed` is -1, the grab has
// the node nearest to X and all other nodes of its body within the radius.
static bool grab(Simulation *w, int seed, const double X[3], double radius, double stiffness, int *id, Error *error) {
  if (!(radius >= 0) || !(stiffness > 0) || !isfinite(stiffness))
    return error_set(error,
                     "the springs that pull the nodes within %g m of a point have a stiffness of %g N/m; expected a "
                     "distance of 0 or more and a stiffness above 0",
                     radius, stiffness);
  if (!range_check_values(&stiffness, 1, w->settings.precision, "a grab's stiffness", "N/m", error)) return false;
  double(*u)[3] = array_new(w->space.node_count, sizeof *u, "displacements", error);
  if (!u) return false;
  const bool ok =
      w->arrays->displacements(w->motion, u, simulation_stream(w), error) &&
      grabs_add(&w->grabs, &w->space, w->mass, (const double(*)[3])u, X, radius, seed, stiffness, id, error);
  free(u);
  return ok;
}

bool simulation_grab(Simulation *w, const double X[3], double radius, double stiffness, int *id, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  return grab(w, -1, X, radius, stiffness, id, error);
}

// Fails if one of the user's nodes does not exist, or if processes divide the body, so that each has only some nodes.
static bool check_nodes(const Simulation *w, const int *nodes, int count, Error *error) {
  if (w->halo) return error_set(error, "single nodes cannot be grabbed if several processes divide the body");
  return index_check(nodes, count, w->space.node_count, "the node of a grab", error);
}

bool simulation_grab_part(Simulation *w, int node, const double X[3], double radius, double stiffness, int *id,
                          Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  if (!check_nodes(w, &node, 1, error)) return false;
  return grab(w, w->loads.node_index[node], X, radius, stiffness, id, error);
}

bool simulation_grab_nodes(Simulation *w, const uint8_t *inside, double stiffness, int *id, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count;
  double(*u)[3] = array_new(nodes, sizeof *u, "displacements", error);
  int *list = array_new(nodes, sizeof *list, "grabbed nodes", error), count = 0;
  bool ok = u && list;
  for (int a = 0; ok && a < nodes; a++)
    if (inside[w->user_node[a]]) list[count++] = a;
  double all = count;
  ok = ok && halo_sum(w->halo, &all, 1, error);
  if (ok && all == 0) ok = error_set(error, "there is no node to be grabbed (pulled or held); give at least one node");
  ok = ok && range_check_values(&stiffness, 1, w->settings.precision, "a grab's stiffness", "N/m", error) &&
       w->arrays->displacements(w->motion, u, simulation_stream(w), error) &&
       grabs_add_nodes(&w->grabs, &w->space, w->mass, (const double(*)[3])u, list, count, stiffness, id, error);
  free(u);
  free(list);
  return ok;
}

bool simulation_drag(Simulation *w, int id, const double offset[3], Error *error) {
  for (int i = 0; i < 3; i++)
    if (!range_check_number(offset[i], "m", w->settings.precision, "the offset of a drag", error)) return false;
  grabs_move(&w->grabs, id, offset);
  return true;
}

bool simulation_drag_nodes(Simulation *w, int id, const int *nodes, int count, const double (*x)[3], Error *error) {
  if (!check_nodes(w, nodes, count, error)) return false;
  int *inside = array_new(count, sizeof *inside, "grabbed nodes", error), missing;
  double(*u)[3] = array_new(count, sizeof *u, "grabbed nodes", error);
  bool ok = inside && u;
  for (int k = 0; ok && k < count; k++) {
    inside[k] = w->loads.node_index[nodes[k]];
    for (int i = 0; ok && i < 3; i++) {
      ok = range_check_number(x[k][i], "m", w->settings.precision, "the target of a node", error);
      u[k][i] = x[k][i] - w->space.X[inside[k]][i];
    }
  }
  ok = ok && (grabs_put(&w->grabs, id, inside, count, (const double(*)[3])u, &missing, error) ||
              (missing >= 0 && error_prefix(error, "node %d", nodes[missing])));
  free(inside);
  free(u);
  return ok;
}

bool simulation_release(Simulation *w, int id, Error *error) {
  (void)error;
  grabs_release(&w->grabs, id);
  return true;
}

bool simulation_grabs(const Simulation *w, int id) {
  return grabs_has(&w->grabs, id);
}

void simulation_keep_grabs(Simulation *w, int *ids, int count) {
  grabs_keep(&w->grabs, ids, count);
}

void simulation_grab_save(const Simulation *w, int id, FILE *file) {
  grabs_save_one(&w->grabs, id, w->user_node, file);
}

bool simulation_grab_again(Simulation *w, Bytes *bytes, int *id, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  return grabs_restore_one(&w->grabs, w->loads.node_index, bytes, id, error);
}

bool simulation_grab_start(const Simulation *w, int id, int node, double x[3], Error *error) {
  if (!check_nodes(w, &node, 1, error)) return false;
  const int inside = w->loads.node_index[node];
  grabs_start(&w->grabs, id, inside, x);
  for (int i = 0; i < 3; i++) x[i] += w->space.X[inside][i];
  return true;
}

// Copies the prescribed positions of constrained nodes at `time`, s, to the device if they may have changed.
static bool update_constraints(Simulation *w, double time, Error *error) {
  const ConstraintSource source = constraint_source(w, NULL, time);
  Constraints *c = &w->constraints;
  if (!w->grabs.changed && w->supports.followers == 0) return true;
  int count;
  return (!w->grabs.holds_changed || set_held(w, NULL, error)) &&
         constraints_list(c, &source, simulation_stream(w), &count, error) &&
         w->loops->set_targets(w->motion, c->list.node_dev, c->list.value_dev, count, simulation_stream(w), error);
}

bool simulation_copy_springs(Simulation *w, double theta, Error *error) {
  int count;
  return grabs_list(&w->grabs, theta, simulation_stream(w), &count, error) &&
         w->loops->set_springs(w->motion, w->grabs.list.node_dev, w->grabs.list.value_dev, count, simulation_stream(w),
                               error);
}

// Returns det F of cell e at displacements u. For cells other than linear tets it is the smallest value at the
// integration points and the corners.
static double smallest_J(const Simulation *w, const double (*u)[3], int e) {
  if (w->space.shape == CELL_TET4) return space_cell_J(&w->space, u, e);
  const ElementRow *row = element_row(stages_shape(&w->space), w->settings.material, DEVICE_CPU, PRECISION_F64);
  double nodal[CELL_NODES_MAX][3], F[3 * CELL_NODES_MAX], material[MATERIAL_PARAMETERS];
  settings_material(&w->settings, material);
  for (int a = 0; a < w->space.cell_nodes; a++) memcpy(nodal[a], u[space_cell(&w->space, e)[a]], sizeof *nodal);
  return row->evaluate(&w->space, nodal, e, material, F, NULL);
}

// Used if the body is divided among processes: replaces the report's worst cell by the worst one of all processes. The
// worst cell has a det F that is not finite or, if there is none, the smallest det F.
static bool take_worst(const Simulation *w, StepReport *report, Error *error) {
  const double own = isfinite(report->worst_J) ? report->worst_J : -HUGE_VAL;
  double least = own, first;
  if (!w->halo) return true;
  if (!halo_smallest(w->halo, &least, error)) return false;
  first = own == least ? w->halo->ranks->rank : HUGE_VAL;
  if (!halo_smallest(w->halo, &first, error)) return false;
  double tags[8] = { 0 };
  for (int c = 0; c < report->worst_corners && w->halo->ranks->rank == (int)first; c++)
    tags[c] = (double)report->worst_tags[c];
  if (!halo_sum(w->halo, tags, report->worst_corners, error)) return false;
  for (int c = 0; c < report->worst_corners; c++) report->worst_tags[c] = (int64_t)tags[c];
  report->worst_J = least;
  return true;
}

// Finds the cell with the smallest det F in the last Newton iterate, for messages. This function copies the state to
// the host, so it is called only if Newton's method has not converged.
static bool diagnose(Simulation *w, StepReport *report, Error *error) {
  double(*u)[3] = array_new(w->space.node_count, sizeof *u, "state", error);
  bool ok = u && w->arrays->read(w->motion, MOTION_ITERATE, &u[0][0], simulation_stream(w), error);

  // Find the first cell with a det F that is not finite or, if there is none, the cell with the smallest det F.
  int worst = 0;
  report->worst_J = HUGE_VAL;
  for (int e = 0; ok && e < w->space.cell_count; e++) {
    const double J = smallest_J(w, (const double(*)[3])u, e);
    if (J >= report->worst_J) continue;
    worst = e;
    report->worst_J = J;
    if (!isfinite(J)) break;
  }
  free(u);
  report->worst_corners = cell_shape_info(w->space.shape)->corners;
  for (int c = 0; c < report->worst_corners; c++)
    report->worst_tags[c] = w->space.node_tag[space_cell(&w->space, worst)[c]];
  ok = ok && take_worst(w, report, error);
  if (!isfinite(report->worst_J)) {
    report->worst_J = NAN;
    report->cause = NEWTON_NOT_FINITE;
  }
  return ok;
}

bool simulation_equilibrium(Simulation *w, StepReport *report, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  return update_constraints(w, simulation_time(w), error) && simulation_copy_springs(w, 1, error) &&
         w->newton_functions->equilibrium(&w->newton, report, error) &&
         (report->converged || diagnose(w, report, error));
}

// Returns false and sets the error of a failed step: the cause, the cell and advice.
static bool give_up(Simulation *w, StepReport *report, Error *error) {
  char trouble[400];
  Error second = { 0 };
  if (report->cause == NEWTON_STOPPED) return false;
  if (report->cause == NEWTON_CONVERGED || !diagnose(w, report, &second))
    return error_prefix(error, "step %lld", (long long)w->step_count + 1);

  newton_trouble_text(report, trouble, sizeof trouble);
  *error = (Error){ 0 };
  char material[MATERIAL_ADVICE] = "";
  if (report->cause != NEWTON_NOT_FINITE && report->cause != NEWTON_BLOCKED) material_advice(&w->settings, material);

  const char *advice = w->settings.newton == NEWTON_ROBUST ? "; a smaller dt or a stiffer material may help"
                                                           : "; a smaller dt or newton \"robust\" may help";
  if (report->cause == NEWTON_NOT_FINITE)
    advice = w->settings.precision == PRECISION_F32
                 ? "; precision double, smaller loads or a body nearer to the origin may help"
                 : "; smaller loads may help";
  return error_set(error,
                   "step %lld: Newton's method failed after %d iteration%s: %s. The previous state is restored%s%s",
                   (long long)w->step_count + 1, report->newton_iterations, report->newton_iterations == 1 ? "" : "s",
                   trouble, material, advice);
}

bool simulation_internal_force(Simulation *w, double (*force)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  double(*inside)[3] = array_new(w->space.node_count, sizeof *inside, "forces", error);
  const bool ok = inside && w->newton_functions->forces(&w->newton, error) &&
                  w->arrays->read(w->motion, MOTION_INTERNAL, &inside[0][0], simulation_stream(w), error);
  for (int a = 0; ok && a < w->space.node_count; a++) memcpy(force[w->user_node[a]], inside[a], sizeof *force);
  free(inside);
  return ok && simulation_complete(w, &force[0][0], 3, error);
}

bool simulation_begin_step(Simulation *w, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const double now = simulation_time(w), next = simulation_next_time(w);
  const double theta = integrator_is_midpoint(simulation_integrator(&w->settings)) ? 0.5 : 1;

  // In the step after the end of a motion, the held nodes lose their kinetic energy, so it counts as a change too.
  const bool moves = supports_move(&w->supports, now, next) || supports_move(&w->supports, 2 * now - next, now);
  w->touched += w->grabs.changed || moves;

  // Copy the springs of grabs and the targets of constrained nodes to the device, if they have changed. Set positions
  // and velocities of obstacles for the step.
  return update_constraints(w, next, error) && simulation_copy_springs(w, theta, error) &&
         simulation_place_obstacles(w, now, next, error);
}

bool simulation_end_step(Simulation *w, StepReport *report, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  int span;
  const double now = simulation_time(w), next = simulation_next_time(w);
  if (!stage_begin(&w->clock, TIMED_STEP, simulation_stream(w), &span, error)) return false;

  // Solve by Newton's method. On failure, obstacles return to their positions before the step.
  if (!w->newton_functions->step(&w->newton, w->settings.dt, report, error)) {
    Error second = { 0 };
    simulation_place_obstacles(w, now, now, &second);
    return give_up(w, report, error);
  }

  if (!report->converged && !diagnose(w, report, error)) return false;

  // Obstacles and the pushing ball stop at the end of the step.
  for (int i = 0; i < 3; i++) {
    w->push_from[i] += w->push_motion[i];
    w->push_motion[i] = 0;
  }
  if (!stage_end(&w->clock, span, simulation_stream(w), error) || !simulation_place_obstacles(w, next, next, error))
    return false;

  grabs_step_done(&w->grabs);
  w->last_substeps = report->substeps;
  w->last_damped = report->damped;
  w->step_count++;
  w->profile.steps++;
  w->profile.newton_iterations += report->newton_iterations;
  w->profile.cg_iterations += report->cg_iterations;
  return !w->clock.running || (stream_sync(simulation_stream(w), error) && stage_clock_collect(&w->clock, error));
}

bool simulation_step(Simulation *w, StepReport *report, Error *error) {
  return simulation_begin_step(w, error) && simulation_end_step(w, report, error);
}
