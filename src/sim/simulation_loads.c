// Sets the loads and pressures of a simulation (simulation.h).
#include "sim/simulation.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index_check.h"
#include "sim/element/number_range.h"
#include "sim/simulation_parts.h"

// Fails if one of `count` numbers, loads in N, is outside the precision's range.
static bool check_load(const Simulation *w, const double *load, int count, Error *error) {
  return range_check_values(load, count, w->settings.precision, "the load on a node", "N", error);
}

bool simulation_apply_load(Simulation *w, Error *error) {
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
  return simulation_apply_load(w, error);
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
