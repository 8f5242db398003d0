// Functions of pliant.h that act on a sim between time steps: find nodes, hold and grab them, move obstacles, cut.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/sim.h"
#include "base/array.h"
#include "scene/scene_geometry.h"
#include "scene/scene_parts.h"
#include "scene/session_form.h"
#include "scene/session_script.h"

int pliant_find(pliant_sim *sim, const char *region_json, int32_t *nodes, int64_t capacity, int64_t *count) {
  API_SIM_CALL(sim);
  if (api_need(sim, "sim") || api_need(region_json, "region_json")) return PLIANT_BAD_ARGUMENT;
  Session *session = &sim->session;
  Region region = { 0 };
  cJSON *value = json_parse(region_json, strlen(region_json), "region", &error);
  const bool ok = value && parse_region(&region, value, "region", &error);
  cJSON_Delete(value);
  if (!ok) return api_result(&error, PLIANT_BAD_ARGUMENT);
  if (region_body(&session->scene, &region) >= session->scene.body_count)
    return api_fail(PLIANT_BAD_ARGUMENT,
                    "region: key \"body\" gives a body that the scene does not have; bodies are counted from 0");
  if (!region_check_set(&region, &session->mesh, "region", &error)) return api_result(&error, PLIANT_BAD_ARGUMENT);
  const int found = session_region(session, &region, session->inside);
  if (count) *count = found;
  if (!nodes) return PLIANT_OK;
  if (found > capacity)
    return api_fail(PLIANT_BAD_ARGUMENT,
                    "the number of nodes in the region is %d, but the array can hold only %lld; give a larger array",
                    found, (long long)capacity);
  for (int a = 0; a < session->mesh.node_count; a++)
    if (session->inside[a]) *nodes++ = a;
  return PLIANT_OK;
}

// Fails unless each entry of nodes [count] is a valid node number.
static int check_nodes(const pliant_sim *sim, const int32_t *nodes, int64_t count) {
  if (count < 0) return api_fail(PLIANT_BAD_ARGUMENT, "count is %lld, expected 0 or more", (long long)count);
  if (count > 0 && api_need(nodes, "nodes")) return PLIANT_BAD_ARGUMENT;
  for (int64_t k = 0; k < count; k++)
    if (nodes[k] < 0 || nodes[k] >= sim->session.mesh.node_count)
      return api_fail(PLIANT_BAD_ARGUMENT, "nodes[%lld] is %d, expected 0 to %d", (long long)k, nodes[k],
                      sim->session.mesh.node_count - 1);
  return PLIANT_OK;
}

int pliant_hold(pliant_sim *sim, const int32_t *nodes, int64_t count, unsigned axes) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || check_nodes(sim, nodes, count)) return PLIANT_BAD_ARGUMENT;
  if (axes > 7)
    return api_fail(PLIANT_BAD_ARGUMENT, "axes is %u, expected 0 to 7: the sum of 1 for x, 2 for y and 4 for z", axes);
  Session *session = &sim->session;
  const size_t bytes = (size_t)session->mesh.node_count;
  uint8_t *before = array_copy(session->pinned, session->mesh.node_count, 1, "pins", &error);
  if (!before) return api_result(&error, PLIANT_NO_MEMORY);
  const uint8_t pin = axes == 7 ? PIN_ALL : (uint8_t)(axes * PIN_X);
  for (int64_t k = 0; k < count; k++) session->pinned[nodes[k]] = pin;
  if (simulation_set_pins(session->simulation, session->pinned, &error))
    api_sim_changed(sim);
  else
    memcpy(session->pinned, before, bytes);
  free(before);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

// Adds `id`, the number of a grab that the caller has made, to the list sim->grab. The engine also has a grab for each
// drag of the scene. These grabs are not in the list, so that the caller cannot release them. If memory runs out,
// releases the grab and returns false.
static bool note_grab(pliant_sim *sim, int id, Error *error) {
  if (array_reserve((void **)&sim->grab, &sim->grab_capacity, sim->grab_count + 1, sizeof *sim->grab, "grabs", error)) {
    sim->grab[sim->grab_count++] = id;
    return true;
  }
  Error second = { 0 };
  simulation_release(sim->session.simulation, id, &second);
  return false;
}

// Returns the node of the surface that is nearest to `point`, m. x: positions of all nodes, m.
static int nearest_surface_node(const Session *session, const double (*x)[3], const double point[3]) {
  const Surface *s = &session->surface;
  int nearest = s->triangle[0][0];
  double best = HUGE_VAL;
  for (int t = 0; t < s->triangle_count; t++)
    for (int c = 0; c < 3; c++) {
      const int a = s->triangle[t][c];
      double d2 = 0;
      for (int i = 0; i < 3; i++) d2 += (x[a][i] - point[i]) * (x[a][i] - point[i]);
      if (d2 < best) {
        best = d2;
        nearest = a;
      }
    }
  return nearest;
}

static int check_grab(const pliant_sim *sim, double stiffness, const int *grab) {
  if (api_need(sim, "sim") || api_need(grab, "grab")) return PLIANT_BAD_ARGUMENT;
  return stiffness >= 0 && isfinite(stiffness)
             ? PLIANT_OK
             : api_fail(PLIANT_BAD_ARGUMENT, "stiffness is %g N/m, expected a finite number of at least 0", stiffness);
}

int pliant_grab(pliant_sim *sim, const double x[3], double radius, double stiffness, int *grab) {
  API_SIM_CHANGE(sim);
  if (check_grab(sim, stiffness, grab) || api_need(x, "x")) return PLIANT_BAD_ARGUMENT;
  if (!(radius >= 0 && isfinite(radius)))
    return api_fail(PLIANT_BAD_ARGUMENT, "radius is %g m, expected a finite number of at least 0", radius);
  for (int i = 0; i < 3; i++)
    if (!isfinite(x[i])) return api_fail(PLIANT_BAD_ARGUMENT, "x[%d] is %g m, expected a finite number", i, x[i]);
  Session *session = &sim->session;
  Simulation *simulation = session->simulation;
  double(*now)[3] = array_new(session->mesh.node_count, sizeof *now, "positions", &error);
  bool ok = now && simulation_state(simulation, now, NULL, &error);
  if (ok) {
    const int node = nearest_surface_node(session, (const double(*)[3])now, x);
    const double suits = simulation_mouse_stiffness(simulation, mesh_body(&session->mesh, node));  // N/m, for 0
    ok = simulation_grab_part(simulation, node, session->mesh.X[node], radius, stiffness > 0 ? stiffness : suits, grab,
                              &error) &&
         note_grab(sim, *grab, &error);
  }
  free(now);
  if (ok) api_sim_changed(sim);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

int pliant_grab_nodes(pliant_sim *sim, const int32_t *nodes, int64_t count, double stiffness, int *grab) {
  API_SIM_CHANGE(sim);
  if (check_grab(sim, stiffness, grab) || check_nodes(sim, nodes, count)) return PLIANT_BAD_ARGUMENT;
  Session *session = &sim->session;
  memset(session->inside, 0, (size_t)session->mesh.node_count);
  for (int64_t k = 0; k < count; k++) session->inside[nodes[k]] = 1;
  if (simulation_grab_nodes(session->simulation, session->inside, stiffness, grab, &error) &&
      note_grab(sim, *grab, &error))
    api_sim_changed(sim);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

// Returns the index in sim->grab of the grab with number `grab`, or -1 if the caller has no grab with this number.
static int64_t find_grab(const pliant_sim *sim, int grab) {
  for (int64_t k = 0; k < sim->grab_count; k++)
    if (sim->grab[k] == grab && simulation_grabs(sim->session.simulation, grab)) return k;
  return -1;
}

int pliant_grab_to(pliant_sim *sim, int grab, const double offset[3]) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || api_need(offset, "offset")) return PLIANT_BAD_ARGUMENT;
  if (find_grab(sim, grab) < 0)
    return api_fail(PLIANT_BAD_ARGUMENT,
                    "no grab has the number %d; pliant_grab and pliant_grab_nodes return these numbers", grab);
  if (simulation_drag(sim->session.simulation, grab, offset, &error)) api_sim_changed(sim);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

int pliant_grab_put(pliant_sim *sim, int grab, const int32_t *nodes, int64_t count, const double *x) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || api_need(x, "x") || check_nodes(sim, nodes, count)) return PLIANT_BAD_ARGUMENT;
  if (find_grab(sim, grab) < 0)
    return api_fail(PLIANT_BAD_ARGUMENT,
                    "no grab has the number %d; pliant_grab and pliant_grab_nodes return these numbers", grab);
  if (count > INT_MAX)
    return api_fail(PLIANT_BAD_ARGUMENT, "count, the number of nodes, is %lld, expected at most %d", (long long)count,
                    INT_MAX);
  if (simulation_drag_nodes(sim->session.simulation, grab, nodes, (int)count, (const double(*)[3])x, &error))
    api_sim_changed(sim);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

int pliant_release(pliant_sim *sim, int grab) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  if (grab != -1) {
    const int64_t k = find_grab(sim, grab);
    if (k < 0)
      return api_fail(PLIANT_BAD_ARGUMENT,
                      "no grab has the number %d; pliant_grab and pliant_grab_nodes return these numbers", grab);
    if (simulation_release(sim->session.simulation, grab, &error)) sim->grab[k] = sim->grab[--sim->grab_count];
  }
  while (grab == -1 && sim->grab_count > 0 && !error.message[0])
    if (simulation_release(sim->session.simulation, sim->grab[sim->grab_count - 1], &error)) sim->grab_count--;
  api_sim_changed(sim);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

// Rotates a vector by a unit quaternion (w, x, y, z).
static void rotate(const double q[4], const double v[3], double to[3]) {
  double t[3];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    t[i] = 2 * (q[1 + j] * v[k] - q[1 + k] * v[j]);
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    to[i] = v[i] + q[0] * t[i] + q[1 + j] * t[k] - q[1 + k] * t[j];
  }
}

int pliant_obstacle_to(pliant_sim *sim, int obstacle, const double x[3], const double *q) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || api_need(x, "x")) return PLIANT_BAD_ARGUMENT;
  Simulation *simulation = sim->session.simulation;
  const SimulationSettings *s = simulation_settings(simulation);
  if (obstacle < 0 || obstacle >= s->obstacle_count)
    return api_fail(PLIANT_BAD_ARGUMENT, "obstacle is %d, counted from 0, but the scene's number of obstacles is %d",
                    obstacle, s->obstacle_count);
  Obstacle now = s->obstacles[obstacle];
  double axis[3][3];
  obstacle_place(&now, simulation_time(simulation));
  memcpy(axis, now.axis, sizeof axis);
  if (q) {
    const double norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(fabs(norm2 - 1) < 1e-6))
      return api_fail(PLIANT_BAD_ARGUMENT,
                      "the rotation q has the length %g, expected a quaternion (w, x, y, z) of length 1", sqrt(norm2));
    const double unit[4] = { q[0] / sqrt(norm2), q[1] / sqrt(norm2), q[2] / sqrt(norm2), q[3] / sqrt(norm2) };
    for (int k = 0; k < 3; k++) rotate(unit, sim->session.scene.simulation.obstacles[obstacle].axis[k], axis[k]);
  }
  if (simulation_move_obstacle(simulation, obstacle, x, (const double(*)[3])axis, &error)) api_sim_changed(sim);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

int pliant_cut(pliant_sim *sim, const double x[3], const double normal[3], double reach, int *opened) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || api_need(x, "x") || api_need(normal, "normal")) return PLIANT_BAD_ARGUMENT;
  Blade blade = { .reach = reach };
  CutReport report = { 0 };
  memcpy(blade.point, x, sizeof blade.point);
  memcpy(blade.normal, normal, sizeof blade.normal);
  if (!blade_check(&blade, "the cut", &error) || !session_may_be_cut(&sim->session, &error))
    return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
  api_delete_recorded_force(sim);  // it has an array for the present number of nodes
  if (session_give_forces(&sim->session, NULL, &error) && session_cut(&sim->session, &blade, &report, &error)) {
    api_sim_changed(sim);
    progress_set("ready", 1);
    if (opened) *opened = report.opened;
  }
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}
