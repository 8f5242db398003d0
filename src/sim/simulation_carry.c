// Implements simulation_carry (simulation.h): copies the state of a simulation to another one, whose mesh was separated
// by a cut. The original of a node is the old node from which it comes; a node and its copies have one original.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index_check.h"
#include "sim/simulation_parts.h"

// Copies one array of the body's state, [blocks][node_count][width], from the old simulation to this one. Node a gets
// the value of the old node from[a], from which it was copied, times fraction[a] if `fraction` is not NULL. Indices are
// internal.
static bool carry_vector(Simulation *w, Simulation *old, MotionVector vector, int blocks, int width, const int *from,
                         const double *fraction, Error *error) {
  const int64_t nodes = w->space.node_count, old_nodes = old->space.node_count;
  double *then = array_new(blocks * old_nodes * width, sizeof *then, "state", error);
  double *now = array_new(blocks * nodes * width, sizeof *now, "state", error);
  bool ok = then && now && old->arrays->read(old->motion, vector, then, simulation_stream(old), error);
  for (int k = 0; ok && k < blocks; k++)
    for (int64_t a = 0; a < nodes; a++) {
      const double *value = then + (k * old_nodes + from[a]) * width, part = fraction ? fraction[a] : 1;
      for (int i = 0; i < width; i++) now[(k * nodes + a) * width + i] = part * value[i];
    }
  ok = ok && w->arrays->write(w->motion, vector, now, simulation_stream(w), error);
  free(then);
  free(now);
  return ok;
}

// Finds the original of each node: the node of the old simulation that became this node, or from which a cut copied it.
// `from` has the originals' numbers in the user's order. Stores the originals' internal numbers in inside [node_count].
// Computes fraction [node_count]: each node's mass divided by the mass of its original.
static void find_slots(const Simulation *w, const Simulation *old, const int *from, int *inside, double *fraction) {
  for (int a = 0; a < w->space.node_count; a++) {
    inside[a] = old->loads.node_index[from[w->user_node[a]]];
    fraction[a] = w->mass[a] / old->mass[inside[a]];
  }
}

// For consistent masses: copies velocities from the simulation `old`, and computes momenta from them by the mass
// matrix. Momenta cannot be divided among copies of a node, because the mass matrix couples nodes. `inside`
// [node_count] is the node in `old` from which each node was copied.
static bool carry_velocities(Simulation *w, Simulation *old, const int *inside, Error *error) {
  double(*then)[3] = array_new(old->space.node_count, sizeof *then, "velocities", error);
  double(*now)[3] = array_new(w->space.node_count, sizeof *now, "velocities", error);
  bool ok = then && now && simulation_inside_velocities(old, then, error);
  for (int a = 0; ok && a < w->space.node_count; a++) memcpy(now[a], then[inside[a]], sizeof *now);
  ok = ok && simulation_set_inside_velocities(w, (const double(*)[3])now, error);
  free(then);
  free(now);
  return ok;
}

bool simulation_carry(Simulation *w, Simulation *old, const int *from, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count, obstacles = w->settings.obstacle_count;
  if (!index_check(from, nodes, old->space.node_count, "simulation_carry: from", error)) return false;
  int *inside = array_new(nodes, sizeof *inside, "node order", error);
  double *fraction = array_new(nodes, sizeof *fraction, "node order", error), origin[3];
  bool ok = inside && fraction;
  if (ok) find_slots(w, old, from, inside, fraction);

  // With lumped masses, copies of a node get its momentum in proportion to mass, so velocities do not change.
  ok = ok && carry_vector(w, old, MOTION_U, 1, 3, inside, NULL, error);
  ok = ok && (w->masses.diagonal ? carry_velocities(w, old, inside, error)
                                 : carry_vector(w, old, MOTION_P, 1, 3, inside, fraction, error));
  ok = ok && carry_vector(w, old, MOTION_ANCHOR, 1, 2, inside, NULL, error);
  ok = ok && (obstacles == 0 || carry_vector(w, old, MOTION_OBSTACLE_ANCHOR, obstacles, 3, inside, NULL, error));
  ok = ok && old->arrays->read(old->motion, MOTION_ORIGIN, origin, simulation_stream(old), error);
  ok = ok && w->arrays->write(w->motion, MOTION_ORIGIN, origin, simulation_stream(w), error);

  // Copy the state before the last step, which the integrator BDF2 and the extrapolated first guess need. With
  // consistent masses this state is not copied, because its momenta cannot be divided; the next step computes another.
  w->newton.has_before = ok && old->newton.has_before && !w->masses.diagonal;
  if (w->newton.has_before)
    ok = carry_vector(w, old, MOTION_U_BEFORE, 1, 3, inside, NULL, error) &&
         carry_vector(w, old, MOTION_P_BEFORE, 1, 3, inside, fraction, error);

  ok = ok && grabs_carry(&w->grabs, &old->grabs, inside, fraction, error);
  w->step_count = old->step_count;
  w->steps_then = old->steps_then;
  w->time_then = old->time_then;
  w->touched = old->touched + 1;
  free(inside);
  free(fraction);
  return ok && simulation_place_obstacles(w, simulation_time(w), simulation_time(w), error);
}
