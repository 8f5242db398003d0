// Scripted pins, forces and drags: see session_script.h.
#include "scene/session_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "scene/scene_geometry.h"
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

// Sets the error for a region without nodes, with the bounds of the mesh.
static bool none_selected(const Session *session, const char *list, int entry, Error *error) {
  double low[3], high[3];
  mesh_bounds(&session->mesh, low, high);
  return error_set(error,
                   "%s: %s entry %d selects no node of the mesh, which extends over x %.4g to %.4g, y %.4g to %.4g, z "
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

// Fails if two entries of pins have the same name.
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
      return error_set(error, "%s: %s entry %d has \"move\", which only pliant solve supports; use \"path\" instead",
                       session->scene.path, listed.list, listed.entry + 1);
    if (session_region(session, &pin->region, session->inside) == 0)
      return none_selected(session, listed.list, listed.entry, error);
    for (int a = 0; a < session->mesh.node_count; a++) session->pinned[a] |= session->inside[a] ? pin_bits(pin) : 0;
  }
  return true;
}

bool session_list_forces(const Session *session, const TetMesh *mesh, uint8_t *inside, ForceNodes *list, Error *error) {
  const Scene *scene = &session->scene;
  int64_t count = 0, capacity = 0;
  *list = (ForceNodes){ 0 };
  for (int k = 0; k < scene->force_count; k++) {
    const int more = scene_region(scene, mesh, &scene->forces[k].region, inside);
    if (!array_reserve((void **)&list->node, &capacity, count + more, sizeof *list->node, "nodal forces", error))
      return false;
    for (int a = 0; a < mesh->node_count; a++)
      if (inside[a]) list->node[count++] = a;
    list->start[k + 1] = (int)count;
  }
  return true;
}

// Lists the surface triangles with all corners in the region of the k-th force. If `list` is NULL, only counts them.
// Returns their number.
static int list_faces(Session *session, int k, int (*list)[3]) {
  const Surface *surface = &session->surface;
  int count = 0;
  session_region(session, &session->scene.forces[k].region, session->inside);
  for (int t = 0; t < surface->triangle_count; t++) {
    const int *corner = surface->triangle[t];
    if (!session->inside[corner[0]] || !session->inside[corner[1]] || !session->inside[corner[2]]) continue;
    if (list) memcpy(list[count], corner, sizeof *list);
    count++;
  }
  return count;
}

static bool list_first_forces(Session *session, Error *error) {
  ForceNodes *list = &session->force_nodes;
  if (!session_list_forces(session, &session->mesh, session->inside, list, error)) return false;
  for (int k = 0; k < session->scene.force_count; k++)
    if (list->start[k + 1] == list->start[k]) return none_selected(session, "forces", k, error);
  for (int k = 0; k < session->scene.force_count; k++)
    if (session->scene.forces[k].is_pressure && list_faces(session, k, NULL) == 0)
      return error_set(error,
                       "%s: forces entry %d has a pressure, but no surface face has all its corners in the "
                       "region; use a larger region",
                       session->scene.path, k + 1);
  return true;
}

// Fails if the region of a drag without a ball contains no node.
static bool check_drags(Session *session, Error *error) {
  for (int k = 0; k < session->scene.drag_count; k++) {
    const Region *region = &session->scene.drags[k].region;
    if (!region->has_ball && session_region(session, region, session->inside) == 0)
      return none_selected(session, "drags", k, error);
  }
  return true;
}

bool session_script_begin(Session *session, Error *error) {
  return list_first_forces(session, error) && check_drags(session, error);
}

void session_add_up_forces(Session *session, int64_t which) {
  const Scene *scene = &session->scene;
  const int *node = session->force_nodes.node, *start = session->force_nodes.start;
  for (int j = 0; j < start[scene->force_count]; j++) memset(session->force[node[j]], 0, sizeof *session->force);
  for (int k = 0; k < scene->force_count; k++) {
    if (!(which >> k & 1)) continue;
    double total_mass = 0;
    for (int j = start[k]; j < start[k + 1]; j++) total_mass += session->mass[node[j]];
    for (int j = start[k]; j < start[k + 1]; j++)
      for (int i = 0; i < 3; i++)
        session->force[node[j]][i] += scene->forces[k].total[i] * session->mass[node[j]] / total_mass;
  }
}

static int64_t pressure_bits(const Scene *scene) {
  int64_t bits = 0;
  for (int k = 0; k < scene->force_count; k++) bits |= scene->forces[k].is_pressure ? INT64_C(1) << k : 0;
  return bits;
}

// Applies the pressures of the forces whose bits are set in `which`.
static bool set_pressures(Session *session, int64_t which, Error *error) {
  const Scene *scene = &session->scene;
  int count = 0;
  for (int k = 0; k < scene->force_count; k++) count += which >> k & 1 ? list_faces(session, k, NULL) : 0;
  int(*faces)[3] = array_new(count > 0 ? count : 1, sizeof *faces, "pressures", error);
  double *pressure = array_new(count > 0 ? count : 1, sizeof *pressure, "pressures", error);
  bool ok = faces && pressure;
  for (int k = 0, first = 0; ok && k < scene->force_count; k++) {
    if (!(which >> k & 1)) continue;
    const int more = list_faces(session, k, faces + first);
    for (int t = first; t < first + more; t++) pressure[t] = scene->forces[k].pressure;
    first += more;
  }
  ok = ok && simulation_set_pressure(session->simulation, (const int(*)[3])faces, pressure, count, error);
  free(faces), free(pressure);
  return ok;
}

// Sets the scripted forces of a step, if they differ from those of the last step.
static bool apply_forces(Session *session, int64_t step, Error *error) {
  const Scene *scene = &session->scene;
  int64_t key = 0;
  for (int k = 0; k < scene->force_count; k++)
    if (step >= scene->forces[k].first_step && step <= scene->forces[k].last_step) key |= INT64_C(1) << k;
  if (key == session->load_key || (key == 0 && session->load_key < 0)) return true;
  const bool known = session->load_key >= 0;
  const int64_t pressures = pressure_bits(scene), changed = known ? key ^ session->load_key : pressures;
  if ((changed & pressures) && !set_pressures(session, key & pressures, error)) return false;
  session_add_up_forces(session, key);
  session->load_key = key;
  const double(*force)[3] = (const double(*)[3])session->force;
  return known ? simulation_change_load(session->simulation, force, session->force_nodes.node,
                                        session->force_nodes.start[scene->force_count], error)
               : simulation_set_load(session->simulation, force, error);
}

bool session_script_restore(Session *session, Error *error) {
  const int64_t step = simulation_step_count(session->simulation);
  return step == 0 || apply_forces(session, step, error);
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

// Starts the k-th drag. With a ball it grabs a patch, as the mouse does; else it grabs all nodes of its region. If none
// of these is left, the drag ends.
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

// Starts, moves and releases the scripted drags. `time` is the end of the step, s.
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
  return apply_forces(session, step, error) && apply_drags(session, time, error);
}
