// Finds the nodes of a scene's pins, forces and drags (springs that pull nodes along paths), and applies them in each
// step: see session_script.h.
#include "scene/session_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "scene/scene_geometry.h"
#include "scene/session_forces.h"
#include "scene/session_supports.h"

int scene_region(const Scene *scene, const TetMesh *mesh, const Region *region, uint8_t *inside) {
  const RegionPosition position = region_position(scene, region, mesh);
  int count = 0;
  for (int a = 0; a < mesh->node_count; a++) count += inside[a] = region_holds(region, &position, mesh, a, mesh->X[a]);
  return count;
}

int session_region(const Session *session, const Region *region, uint8_t *inside) {
  return scene_region(&session->scene, &session->mesh, region, inside);
}

bool session_none_selected(const Session *session, const char *list, int entry, Error *error) {
  double low[3], high[3];
  mesh_bounds(&session->mesh, low, high);
  return error_set(
      error,
      "%s: %s entry %d selects no node of the mesh; the mesh extends over x %.4g to %.4g, y %.4g to %.4g, z "
      "%.4g to %.4g m",
      session->scene.path, list, entry + 1, low[0], high[0], low[1], high[1], low[2], high[2]);
}

void scene_pins(const Scene *scene, const TetMesh *mesh, uint8_t *inside, uint8_t *pinned) {
  ListedPin listed;
  for (int k = 0; scene_pin(scene, k, &listed); k++) {
    scene_region(scene, mesh, &listed.pin.region, inside);
    for (int a = 0; a < mesh->node_count; a++) pinned[a] |= inside[a] ? pin_bits(&listed.pin) : 0;
  }
}

// Fails if two pins, or two drags, of the scene have the same name.
static bool check_names(const Scene *scene, Error *error) {
  ListedPin pin, other;
  for (int k = 0; scene_pin(scene, k, &pin); k++)
    for (int j = 0; j < k && scene_pin(scene, j, &other); j++)
      if (pin.pin.name[0] && strcmp(pin.pin.name, other.pin.name) == 0)
        return error_set(error, "%s: %s entry %d and %s entry %d both have the name \"%s\"", scene->path, other.list,
                         other.entry + 1, pin.list, pin.entry + 1, pin.pin.name);
  for (int k = 0; k < scene->drag_count; k++)
    for (int j = 0; j < k; j++)
      if (scene->drags[k].name[0] && strcmp(scene->drags[k].name, scene->drags[j].name) == 0)
        return error_set(error, "%s: drags entry %d and entry %d both have the name \"%s\"", scene->path, j + 1, k + 1,
                         scene->drags[k].name);
  return true;
}

bool session_script_pin(Session *session, Error *error) {
  ListedPin listed;
  if (!check_names(&session->scene, error)) return false;
  for (int k = 0; scene_pin(&session->scene, k, &listed); k++) {
    const ScenePin *pin = &listed.pin;
    if (pin->moves && !session->scene.quasi_static)
      return error_set(error, "%s: %s entry %d has \"move\", which only `pliant solve` supports; use \"path\" instead",
                       session->scene.path, listed.list, listed.entry + 1);
    if (session_region(session, &pin->region, session->inside) == 0)
      return session_none_selected(session, listed.list, listed.entry, error);
    for (int a = 0; a < session->mesh.node_count; a++) session->pinned[a] |= session->inside[a] ? pin_bits(pin) : 0;
  }
  return true;
}

// Checks the scene's drags, which pull the nodes of a region along a path. Fails if a drag has no node in its region.
// Regions with a ball are not checked, because their drags hold the patch around the ball's centre.
static bool check_drags(Session *session, Error *error) {
  for (int k = 0; k < session->scene.drag_count; k++) {
    const Region *region = &session->scene.drags[k].region;
    if (!region->has_ball && session_region(session, region, session->inside) == 0)
      return session_none_selected(session, "drags", k, error);
  }
  return true;
}

bool session_script_begin(Session *session, Error *error) {
  return session_forces_begin(session, error) && check_drags(session, error);
}

// Returns the time, s, at which the time integrator evaluates the loads of a step that ends at `time`.
static double load_time_of(const Session *session, double time) {
  const SimulationSettings *s = simulation_settings(session->simulation);
  return integrator_is_midpoint(simulation_integrator(s)) ? time - s->dt / 2 : time;
}

bool session_script_restore(Session *session, Error *error) {
  const Simulation *w = session->simulation;
  const int64_t step = simulation_step_count(w);
  if (session->scene.quasi_static) return true;  // the command sets the loads
  return step == 0 ? session_forces_apply(session, 1, load_time_of(session, simulation_next_time(w)), error)
                   : session_forces_apply(session, step, load_time_of(session, simulation_time(w)), error);
}

void session_drag_offset(const SceneDrag *drag, double time, double offset[3]) {
  waypoints_at(drag->path, drag->point_count, time, offset);
}

void session_script_end_torn(Session *session, int drag) {
  session->drag_ids[drag] = DRAG_TORN;
  log_notice("drags entry %d ends at %.4g s: all its nodes were torn out", drag + 1,
             simulation_time(session->simulation));
}

void session_script_leave(Session *session, const int ids[SCENE_PARTS_MAX]) {
  Error ignored = { 0 };
  for (int k = 0; k < session->scene.drag_count; k++) {
    if (ids[k] || !session->drag_ids[k]) continue;
    simulation_release(session->simulation, session->drag_ids[k], &ignored);
    session->drag_ids[k] = 0;
  }
}

// Starts drag k: attaches springs to nodes. The point to which these springs pull moves along the drag's path. If the
// region has a ball, the springs hold the patch around the ball's centre, as the springs of the mouse do. Otherwise
// they hold all nodes of the region; if cuts have left no node there, the drag ends.
static bool take_hold(Session *session, int k, Error *error) {
  const SceneDrag *drag = &session->scene.drags[k];
  int *id = &session->drag_ids[k];
  if (!drag->region.has_ball) {
    const int count = session_region(session, &drag->region, session->inside);
    if (count > 0) return simulation_grab_nodes(session->simulation, session->inside, drag->stiffness, id, error);
    session_script_end_torn(session, k);
    return true;
  }
  const RegionPosition position = region_position(&session->scene, &drag->region, &session->mesh);
  const int body = mesh_body(&session->mesh, mesh_nearest_node(&session->mesh, position.centre));
  const double usual = simulation_mouse_stiffness(session->simulation, body);
  return simulation_grab(session->simulation, position.centre, drag->region.radius,
                         drag->stiffness > 0 ? drag->stiffness : usual, id, error);
}

// Starts, moves and ends drags for a step that ends at `time`, s. A drag is an entry of the scene by which springs pull
// nodes along a path.
static bool apply_drags(Session *session, double time, Error *error) {
  for (int k = 0; k < session->scene.drag_count; k++) {
    const SceneDrag *drag = &session->scene.drags[k];
    const bool held = time > drag->path[0][0] && time <= drag->path[drag->point_count - 1][0];
    int *id = &session->drag_ids[k];
    double offset[3];
    if (!held && *id) {
      if (!simulation_release(session->simulation, *id, error)) return false;
      *id = 0;
    }
    if (!held) continue;
    if (!*id && !take_hold(session, k, error)) return false;
    if (*id == DRAG_TORN) continue;
    session_drag_offset(drag, time, offset);
    if (!simulation_drag(session->simulation, *id, offset, error)) return false;
  }
  return true;
}

bool session_script_apply(Session *session, int64_t step, double time, Error *error) {
  return session_forces_apply(session, step, load_time_of(session, time), error) && apply_drags(session, time, error);
}

bool session_script_apply_now(Session *session, Error *error) {
  const int64_t next = simulation_step_count(session->simulation) + 1;
  const double time = simulation_time(session->simulation);
  return session_forces_apply(session, next, time, error) && apply_drags(session, time, error);
}
