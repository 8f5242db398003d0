// Sends data of a session from process 0 to the other processes of an MPI run: see session_ranks.h.
#include "scene/session_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/mesh_sets.h"
#include "scene/force_values.h"
#include "scene/scene_bodies.h"
#include "scene/scene_body.h"

static const Ranks *ranks_of(const Session *session) {
  return session->scene.simulation.ranks;
}

// Sends the nodes of a named set from process 0. The other processes need no faces and cells of sets. An empty name
// means no set.
static bool send_set(Session *session, const char *name, Error *error) {
  const Ranks *ranks = ranks_of(session);
  TetMesh *mesh = &session->mesh;
  if (!name[0]) return true;
  const MeshSet *found = mesh_sets_find(mesh->sets, name, (int)strlen(name));
  int64_t count = found ? found->node_count : 0;
  if (!ranks_follow(ranks, true, &count, sizeof count, error)) return false;
  MeshSet sent = found ? *found : (MeshSet){ .name = "" };
  bool ok = true;
  if (!session_has_all_cells(session)) {
    if (!mesh->sets) mesh->sets = mesh_sets_new(error);
    const int k = mesh->sets ? mesh_sets_add(mesh->sets, name, (int)strlen(name), error) : -1;
    MeshSet *set = k < 0 ? NULL : &mesh->sets->set[k];
    if (set && !set->node) set->node = array_new(count, sizeof *set->node, "sets of the mesh", error);
    ok = set && set->node;
    if (ok) {
      set->node_count = set->node_capacity = count;
      sent = *set;
    }
  }
  return ranks_agree(ranks, ok, error) &&
         ranks_follow(ranks, true, sent.node, sizeof *sent.node * (size_t)count, error);
}

bool session_distribute(Session *session, bool ok, Error *error) {
  const Ranks *ranks = ranks_of(session);
  if (!ranks) return ok;
  if (!ranks_follow(ranks, ok, NULL, 0, error)) return false;
  session->division = array_new(1, sizeof *session->division, "the division among processes", error);
  if (!ranks_agree(ranks, session->division, error)) return false;
  session->scene.simulation.division = session->division;
  ok = mesh_distribute(session->division, &session->mesh, ranks, error);
  if (!ok || ranks->count == 1) return ok;

  ListedPin listed;
  for (int k = 0; ok && scene_pin(&session->scene, k, &listed); k++)
    ok = send_set(session, listed.pin.region.set, error);
  for (int k = 0; ok && k < session->scene.drag_count; k++)
    ok = send_set(session, session->scene.drags[k].region.set, error);
  for (int k = 0; ok && k < session->scene.force_count; k++)
    ok = send_set(session, session->scene.forces[k].region.set, error);
  return ok;
}

bool session_send_nodal(const Session *session, bool ok, void *array, size_t size, Error *error) {
  return ranks_follow(ranks_of(session), ok, array, size * (size_t)session->mesh.node_count, error);
}

bool session_send_sum(Session *session, Error *error) {
  if (!session->division) return true;
  if (session_has_all_cells(session)) session->whole_sum = scene_body_sum(&session->mesh);
  return ranks_follow(ranks_of(session), true, &session->whole_sum, sizeof session->whole_sum, error);
}

// Allocates the arrays of the forces' nodes and faces, whose counts process 0 has sent, and reads the formulas.
static bool allocate_forces(const Session *session, ForceNodes *list, Error *error) {
  const int count = session->scene.force_count, nodes = list->start[count];
  list->node = array_new(nodes, sizeof *list->node, "nodal forces", error);
  list->share = array_new(nodes, sizeof *list->share, "nodal forces", error);
  bool ok = list->node && list->share;
  for (int k = 0; ok && k < count; k++) {
    BoundaryFaces *faces = &list->faces[k];
    faces->node = array_new((int64_t)faces->count * faces->nodes, sizeof *faces->node, "faces", error);
    faces->facet = array_new(faces->count, sizeof *faces->facet, "faces", error);
    ok = faces->node && faces->facet && force_values_read(&session->scene, k, list->formula[k], error);
  }
  return ok;
}

bool session_send_forces(Session *session, bool ok, Error *error) {
  const Ranks *ranks = ranks_of(session);
  ForceNodes *list = &session->force_nodes;
  const int count = session->scene.force_count;
  if (!ranks || ranks->count == 1 || count == 0) return ok;
  if (!ranks_follow(ranks, ok, list->start, sizeof list->start, error)) return false;
  ok = ranks->broadcast(ranks, list->whole, sizeof list->whole, error);
  for (int k = 0; ok && k < count; k++) {
    BoundaryFaces *faces = &list->faces[k];
    int numbers[3] = { (int)faces->shape, faces->count, faces->nodes };
    ok = ranks->broadcast(ranks, numbers, sizeof numbers, error);
    faces->shape = (CellShape)numbers[0];
    faces->count = numbers[1];
    faces->nodes = numbers[2];
  }

  if (!ok) return false;
  if (!session_has_all_cells(session)) ok = allocate_forces(session, list, error);
  if (!ranks_agree(ranks, ok, error)) return false;

  const size_t nodes = (size_t)list->start[count];
  ok = ranks->broadcast(ranks, list->node, sizeof *list->node * nodes, error) &&
       ranks->broadcast(ranks, list->share, sizeof *list->share * nodes, error);
  for (int k = 0; ok && k < count; k++) {
    const BoundaryFaces *faces = &list->faces[k];
    const size_t corners = (size_t)faces->count * (size_t)faces->nodes;
    if (faces->count > 0)
      ok = ranks->broadcast(ranks, faces->node, sizeof *faces->node * corners, error) &&
           ranks->broadcast(ranks, faces->facet, sizeof *faces->facet * (size_t)faces->count, error);
  }
  return ok;
}

int session_cell_count(const Session *session) {
  return session->division ? session->division->cell_count : session->scene_form->mesh.tet_count;
}

uint32_t session_body_sum(const Session *session, const TetMesh *mesh) {
  return session->division ? session->whole_sum : scene_body_sum(mesh);
}
