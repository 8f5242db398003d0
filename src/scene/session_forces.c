// Finds the nodes and faces of a scene's forces, and computes loads: see session_forces.h.
#include "scene/session_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scene/force_values.h"
#include "scene/session_ranks.h"
#include "scene/session_script.h"

void force_nodes_destroy(ForceNodes *list) {
  for (int k = 0; k < SCENE_PARTS_MAX; k++) {
    boundary_faces_destroy(&list->faces[k]);
    for (int i = 0; i < 3; i++) formula_destroy(&list->formula[k][i]);
  }
  free(list->node);
  free(list->share);
  *list = (ForceNodes){ 0 };
}

// ---- weights by which a total force is divided among nodes

// Chooses how a total force is divided among the nodes of a region. Returns true for a division by area, and false for
// a division by volume. The division is by area if more nodes belong to faces completely in the region than to cells
// completely in it, as in a thin region at one end of a body. faces: the faces completely in the region. marked: memory
// for [node_count] bytes.
static bool is_on_surface(const TetMesh *mesh, const uint8_t *inside, const BoundaryFaces *faces, uint8_t *marked) {
  const int in_cells = mesh_nodes_of_whole_cells(mesh, inside, marked);
  int on_faces = 0;
  memset(marked, 0, (size_t)mesh->node_count);
  for (int64_t k = 0; k < (int64_t)faces->count * faces->nodes; k++) {
    on_faces += !marked[faces->node[k]];
    marked[faces->node[k]] = 1;
  }
  return on_faces > in_cells;
}

// Computes share [node_count], kg, the weights for a division by volume: the integral of the scene's density times the
// node's shape function over cells, and 0 outside the region. Densities of bodies are ignored. Shape functions of
// degree 2 and 3 have some negative integrals. Therefore the node's lumped mass replaces the integral if the sum of all
// integrals in the region is at most half of the sum of the lumped masses there.
static void share_by_volume(const Session *session, const TetMesh *mesh, const uint8_t *inside, double *share) {
  TetMesh uniform = *mesh;
  double sum = 0, lumped = 0;
  uniform.density = NULL;
  mesh_lumped_mass(&uniform, session->scene.simulation.density, share);
  for (int a = 0; a < mesh->node_count; a++) lumped += inside[a] ? share[a] : 0;
  mesh_weight(&uniform, session->scene.simulation.density, share);
  for (int a = 0; a < mesh->node_count; a++) sum += inside[a] ? share[a] : 0;
  if (!(sum > lumped / 2)) mesh_lumped_mass(&uniform, session->scene.simulation.density, share);
  for (int a = 0; a < mesh->node_count; a++) share[a] = inside[a] ? share[a] : 0;
}

// Returns true if each node of the region belongs to a cell that is completely in the region, as in a region that fills
// a volume.
static bool are_in_cells(const TetMesh *mesh, const uint8_t *inside, uint8_t *marked) {
  int count = 0;
  for (int a = 0; a < mesh->node_count; a++) count += inside[a] != 0;
  return mesh_nodes_of_whole_cells(mesh, inside, marked) >= count;
}

// Returns the named set of the mesh file to which the region is restricted, if this set contains faces; otherwise NULL.
// Without such a set, a face is selected if all its corners are in the region.
static const MeshSet *set_of_faces(const TetMesh *mesh, const Region *region) {
  const MeshSet *set = region->set[0] ? mesh_sets_find(mesh->sets, region->set, (int)strlen(region->set)) : NULL;
  return set && set->facet_count > 0 ? set : NULL;
}

// Removes faces that are not in the set. A face can be outside the set even if all its corners are nodes of the set.
static void keep_faces_of_set(BoundaryFaces *faces, const TetMesh *mesh, const MeshSet *set) {
  int kept = 0;
  for (int f = 0; f < faces->count; f++) {
    const int *node = faces->node + (int64_t)f * faces->nodes;
    if (!mesh_set_has_facet(set, mesh, node, mesh->hex ? 4 : 3)) continue;
    memmove(faces->node + (int64_t)kept * faces->nodes, node, sizeof *node * (size_t)faces->nodes);
    faces->cell[kept] = faces->cell[f];
    faces->facet[kept++] = faces->facet[f];
  }
  faces->count = kept;
}

bool region_faces(BoundaryFaces *faces, const TetMesh *mesh, const Region *region, const uint8_t *inside,
                  Error *error) {
  const MeshSet *set = set_of_faces(mesh, region);
  if (!boundary_faces_find(faces, mesh, inside, error)) return false;
  if (set) keep_faces_of_set(faces, mesh, set);
  return true;
}

// Computes share [node_count], the weights by which force k is divided among nodes (ForceNodes.share), and lists its
// faces. marked: memory for [node_count] bytes.
static bool share_force(const Session *session, const TetMesh *mesh, int k, const uint8_t *inside, uint8_t *marked,
                        double *share, ForceNodes *list, Error *error) {
  const SceneForce *force = &session->scene.forces[k];
  BoundaryFaces *faces = &list->faces[k];
  const MeshSet *set = set_of_faces(mesh, &force->region);
  memset(share, 0, sizeof *share * (size_t)mesh->node_count);

  // a force on whole cells is divided by volume and needs no faces
  if (force->kind == FORCE_TOTAL &&
      (force->share == SHARE_VOLUME || (force->share == SHARE_FITTING && !set && are_in_cells(mesh, inside, marked)))) {
    share_by_volume(session, mesh, inside, share);
    return true;
  }
  if (!region_faces(faces, mesh, &force->region, inside, error)) return false;
  if (force->kind == FORCE_PRESSURE) return true;
  const bool by_area =
      force->kind == FORCE_TRACTION || force->share == SHARE_AREA ||
      (force->share == SHARE_FITTING && (set ? faces->count > 0 : is_on_surface(mesh, inside, faces, marked)));
  if (by_area && !boundary_faces_areas(faces, mesh, share, error)) return false;
  if (!by_area) share_by_volume(session, mesh, inside, share);
  if (force->kind == FORCE_TOTAL) boundary_faces_destroy(faces);
  return true;
}

bool force_nodes_list(const Session *session, const TetMesh *mesh, uint8_t *inside, ForceNodes *list, Error *error) {
  const Scene *scene = &session->scene;
  int64_t count = 0, capacity = 0, share_capacity = 0;
  *list = (ForceNodes){ 0 };
  if (scene->force_count == 0) return true;
  double *share = array_new(mesh->node_count, sizeof *share, "nodal forces", error);
  uint8_t *marked = array_new(mesh->node_count, 1, "nodes", error);
  bool ok = share && marked;
  for (int k = 0; ok && k < scene->force_count; k++) {
    const int64_t more = count + scene_region(scene, mesh, &scene->forces[k].region, inside);
    ok = force_values_read(scene, k, list->formula[k], error);
    ok = ok && share_force(session, mesh, k, inside, marked, share, list, error);
    ok = ok && array_reserve((void **)&list->node, &capacity, more, sizeof *list->node, "nodal forces", error);
    ok = ok && array_reserve((void **)&list->share, &share_capacity, more, sizeof *list->share, "nodal forces", error);
    for (int a = 0; ok && a < mesh->node_count; a++) {
      if (!inside[a]) continue;
      list->node[count] = a;
      list->share[count++] = share[a];
      list->whole[k] += share[a];
    }
    list->start[k + 1] = (int)count;
  }

  free(share);
  free(marked);
  return ok;
}

bool session_forces_begin(Session *session, Error *error) {
  ForceNodes *list = &session->force_nodes;
  const Scene *scene = &session->scene;
  const bool listed =
      !session_has_all_cells(session) || force_nodes_list(session, &session->mesh, session->inside, list, error);
  if (!session_send_forces(session, listed, error)) return false;
  for (int k = 0; k < scene->force_count; k++)
    if (list->start[k + 1] == list->start[k]) return session_none_selected(session, "forces", k, error);
  for (int k = 0; k < scene->force_count; k++) {
    const SceneForce *force = &scene->forces[k];
    const bool by_area = force->kind != FORCE_TOTAL || force->share == SHARE_AREA;
    if (by_area && (force->kind == FORCE_TOTAL ? !(list->whole[k] > 0) : list->faces[k].count == 0))
      return error_set(error,
                       "%s: forces entry %d has a %s, but no surface face has all its corners in the "
                       "region; use a larger region",
                       scene->path, k + 1,
                       force->kind == FORCE_PRESSURE   ? "pressure"
                       : force->kind == FORCE_TRACTION ? "traction"
                                                       : "total force divided by area");
  }
  return true;
}

// ---- functions that compute the loads at a given time

// Adds the loads of a traction with formulas to Session.force: integrals over faces of shape function times traction.
static bool add_uneven_traction(Session *session, int k, double time, Error *error) {
  const SceneForce *force = &session->scene.forces[k];
  const BoundaryFaces *faces = &session->force_nodes.faces[k];
  const Formula *formula = session->force_nodes.formula[k];
  const double(*X)[3] = (const double(*)[3])session->mesh.X, factor = force_factor(force, time);
  FaceRule rule;
  for (int f = 0, facet = -1; f < faces->count; f++) {
    if (faces->facet[f] != facet) face_rule(faces->shape, facet = faces->facet[f], &rule);
    const int *node = faces->node + (int64_t)f * faces->nodes;
    for (int q = 0; q < rule.points; q++) {
      double point[3];
      const double area = boundary_face_point(faces, f, &rule, q, X, point);
      for (int i = 0; i < 3; i++) {
        const double value = factor * area * force_value(force, formula, i, point, time);
        for (int c = 0; c < faces->nodes; c++) session->force[node[c]][i] += value * rule.N[q][c];
      }
    }
  }
  return force_values_check(&session->scene, k, formula, error);
}

bool session_add_up_forces(Session *session, int64_t which, double time, Error *error) {
  const Scene *scene = &session->scene;
  const ForceNodes *list = &session->force_nodes;
  const int *node = list->node, *start = list->start;
  static const double origin[3];
  for (int j = 0; j < start[scene->force_count]; j++) {
    const double *given = session->given_force ? session->given_force[node[j]] : origin;
    memcpy(session->force[node[j]], given, sizeof *session->force);
  }
  for (int k = 0; k < scene->force_count; k++) {
    const SceneForce *force = &scene->forces[k];
    if (!(which >> k & 1) || force->kind == FORCE_PRESSURE) continue;
    if (force->kind == FORCE_TRACTION && force_is_uneven(list->formula[k])) {
      if (!add_uneven_traction(session, k, time, error)) return false;
      continue;
    }
    const double factor = force_factor(force, time), whole = force->kind == FORCE_TOTAL ? list->whole[k] : 1;
    double value[3];
    for (int i = 0; i < 3; i++) value[i] = factor * force_value(force, list->formula[k], i, origin, time);
    if (!force_values_check(scene, k, list->formula[k], error)) return false;
    for (int j = start[k]; j < start[k + 1]; j++)
      for (int i = 0; i < 3; i++) session->force[node[j]][i] += value[i] * list->share[j] / whole;
  }
  return true;
}

int64_t session_pressures(const Scene *scene) {
  int64_t bits = 0;
  for (int k = 0; k < scene->force_count; k++) bits |= INT64_C(1) * (scene->forces[k].kind == FORCE_PRESSURE) << k;
  return bits;
}

// Returns true if bit k of `which` is set, force k is a pressure, and at least one of its faces is left after cuts.
static bool presses(const Session *session, int64_t which, int k) {
  return which >> k & 1 && session->scene.forces[k].kind == FORCE_PRESSURE && session->force_nodes.faces[k].count > 0;
}

void joined_pressures_destroy(JoinedPressures *all) {
  boundary_faces_destroy(&all->faces);
  free(all->value);
  free(all->points);
  *all = (JoinedPressures){ 0 };
}

// Fills `to` [face count][integration points per face], Pa, with the values of pressure k before they are multiplied by
// its factor over time.
static bool fill_points(const Session *session, int k, double time, double *to, Error *error) {
  const SceneForce *force = &session->scene.forces[k];
  const BoundaryFaces *faces = &session->force_nodes.faces[k];
  const Formula *formula = session->force_nodes.formula[k];
  FaceRule rule;
  for (int f = 0, facet = -1; f < faces->count; f++) {
    if (faces->facet[f] != facet) face_rule(faces->shape, facet = faces->facet[f], &rule);
    for (int q = 0; q < rule.points; q++) {
      double point[3];
      boundary_face_point(faces, f, &rule, q, (const double(*)[3])session->mesh.X, point);
      *to++ = force_value(force, formula, 0, point, time);
    }
  }
  return force_values_check(&session->scene, k, formula, error);
}

bool session_join_pressures(const Session *session, int64_t which, double time, JoinedPressures *all, Error *error) {
  const ForceNodes *list = &session->force_nodes;
  int64_t count = 0, first = 0;
  bool uneven = false;
  *all = (JoinedPressures){ .faces = { .nodes = 1 } };
  for (int k = 0; k < session->scene.force_count; k++) {
    if (!presses(session, which, k)) continue;
    count += list->faces[k].count;
    all->faces.nodes = list->faces[k].nodes;
    all->faces.shape = list->faces[k].shape;
    uneven = uneven || force_is_uneven(list->formula[k]);
  }

  FaceRule rule;
  face_rule(all->faces.shape, 0, &rule);
  if (!(all->value = array_new(count, sizeof *all->value, "pressures", error))) return false;
  if (!(all->faces.node = array_new(count * all->faces.nodes, sizeof *all->faces.node, "pressures", error)))
    return false;
  if (!(all->faces.facet = array_new(count, sizeof *all->faces.facet, "pressures", error))) return false;
  if (uneven && !(all->points = array_new(count * rule.points, sizeof *all->points, "pressures", error))) return false;
  for (int k = 0; k < session->scene.force_count; k++) {
    if (!presses(session, which, k)) continue;
    const BoundaryFaces *faces = &list->faces[k];
    const double factor = force_factor(&session->scene.forces[k], time);
    memcpy(all->faces.node + first * faces->nodes, faces->node,
           sizeof *faces->node * (size_t)faces->nodes * (size_t)faces->count);
    memcpy(all->faces.facet + first, faces->facet, sizeof *faces->facet * (size_t)faces->count);
    for (int f = 0; f < faces->count; f++)
      all->value[first + f] = factor * (uneven ? 1 : session->scene.forces[k].value[0]);
    if (uneven && !fill_points(session, k, time, all->points + first * rule.points, error)) return false;
    first += faces->count;
  }

  all->faces.count = (int)count;
  return true;
}

// Applies the pressures of the scene to the simulation: force k is applied if it is a pressure and bit k of `which` is
// set. same = true: exactly these pressures act already, so only their values are replaced, unless they have formulas.
static bool set_pressures(Session *session, int64_t which, bool same, double time, Error *error) {
  JoinedPressures all;
  bool ok = session_join_pressures(session, which, time, &all, error), closed = false;
  if (ok && same && !all.points) {
    ok = simulation_change_pressure(session->simulation, all.value, error);
  } else {
    const PressureLoad load = { &all.faces, all.value, all.points };
    ok = ok && simulation_set_pressure(session->simulation, &load, error) &&
         (all.points || boundary_faces_closed(&all.faces, all.value, session->mesh.node_count, &closed, error));
    if (ok) session->budget.open_pressure = !closed;
  }
  joined_pressures_destroy(&all);
  return ok;
}

// Returns as bits which forces have different values at the times `before` and `now`, s: bit k is set for force k.
static int64_t changing_bits(const Session *session, double before, double now) {
  const Scene *scene = &session->scene;
  int64_t bits = 0;
  for (int k = 0; k < scene->force_count; k++)
    bits |= INT64_C(1) * force_changes(&scene->forces[k], session->force_nodes.formula[k], before, now) << k;
  return bits;
}

bool session_forces_apply(Session *session, int64_t step, double time, Error *error) {
  const Scene *scene = &session->scene;
  int64_t key = 0;
  for (int k = 0; k < scene->force_count; k++)
    if (step >= scene->forces[k].first_step && step <= scene->forces[k].last_step) key |= INT64_C(1) << k;
  if (session->loads_stale) {
    const size_t bytes = sizeof *session->force * (size_t)session->mesh.node_count;
    if (session->given_force) memcpy(session->force, session->given_force, bytes);
    if (!session->given_force) memset(session->force, 0, bytes);
    session->load_key = -1;
  }

  const bool known = session->load_key >= 0;
  if (key == 0 && !known && !session->loads_stale && !session->given_force) return true;
  const int64_t pressures = session_pressures(scene);
  int64_t changed = ~INT64_C(0);
  if (known) changed = (key ^ session->load_key) | (key & changing_bits(session, session->load_time, time));
  session->load_time = time;
  if (changed == 0) return true;
  const bool same = known && ((key ^ session->load_key) & pressures) == 0;
  session->loads_stale = true;  // if a call below fails, the next step sets all forces again
  if ((changed & pressures) && !set_pressures(session, key & pressures, same, time, error)) return false;
  if (!session_add_up_forces(session, key, time, error)) return false;
  const double(*force)[3] = (const double(*)[3])session->force;
  if (known ? !simulation_change_load(session->simulation, force, session->force_nodes.node,
                                      session->force_nodes.start[scene->force_count], error)
            : !simulation_set_load(session->simulation, force, error))
    return false;
  session->load_key = key;
  session->loads_stale = false;
  return true;
}
