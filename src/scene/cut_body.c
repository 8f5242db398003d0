// Saves scenes with cut bodies: see cut_body.h. Meshes are written as .vtu, the only format here that stores quadratic
// tets and all bits of positions.
#include "scene/cut_body.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "mesh/mesh_write.h"
#include "mesh/quadratic.h"
#include "mesh/separate.h"
#include "scene/scene_bodies.h"
#include "scene/scene_body.h"
#include "scene/scene_geometry.h"
#include "scene/session_script.h"

static const char *const REMEDY =
    "keep the cuts in a checkpoint (`pliant record --checkpoint`) or an input log (--log) instead";

// Computes new indices for the nodes, sorted by body: first all nodes of body 0, then those of body 1, and so on. The
// nodes will have this order when the saved scene is read. body->node_from[a] becomes the old index of the node with
// the new index a, and body->node_now the inverse.
static bool sort_nodes(SavedBody *body, const TetMesh *mesh, int body_count, Error *error) {
  const int count = mesh->node_count;
  body->node_from = array_new(count, sizeof *body->node_from, "nodes", error);
  body->node_now = array_new(count, sizeof *body->node_now, "nodes", error);
  if (!body->node_from || !body->node_now) return false;
  int next = 0;
  for (int k = 0; k == 0 || k < body_count; k++)
    for (int a = 0; a < count; a++)
      if (mesh_body(mesh, a) == k) body->node_from[body->node_now[a] = next++] = a;
  return true;
}

static bool copy_cells(int **to, const int *from, int cell_nodes, int count, const int *now, Error *error) {
  const int64_t all = (int64_t)cell_nodes * count;
  if (!from) return true;
  if (!(*to = array_capacity(all, sizeof **to, "tets", error))) return false;
  for (int64_t k = 0; k < all; k++) (*to)[k] = now[from[k]];
  return true;
}

static bool copy_mesh(SavedBody *body, const TetMesh *mesh, Error *error) {
  Separation made = { .mesh = { .node_count = mesh->node_count, .tet_count = mesh->tet_count },
                      .node_from = body->node_from };
  TetMesh *m = &made.mesh;
  bool ok = copy_cells((int **)&m->tet, (const int *)mesh->tet, 4, mesh->tet_count, body->node_now, error) &&
            copy_cells((int **)&m->middle, (const int *)mesh->middle, 6, mesh->tet_count, body->node_now, error) &&
            separation_fill(&made, mesh, error);
  // a node and its copies that a cut has made share a tag (number in the mesh file), so all nodes get new tags
  for (int a = 0; ok && a < m->node_count; a++) m->node_tag[a] = a + 1;
  body->mesh = *m;
  return ok;
}

// Moves mid-edge nodes of quadratic tets exactly to the midpoints of their edges. Rounding may have moved them slightly
// away, if the scene rotates the body. Pliant's readers of meshes accept only straight edges.
static bool straighten(TetMesh *mesh, Error *error) {
  Error why = { 0 };
  return mesh_straighten(mesh, "mesh of the cut body", &why) ||
         error_set(error, "a scene with this cut body cannot be saved (%s); %s", why.message, REMEDY);
}

// Writes the name of a mesh file that belongs to the scene file `path`. With the checksum sum = 0x0badcafe, the name is
// "a-0badcafe.vtu" for "a.json" if the scene has no list of bodies (body -1), or "a-0badcafe-2.vtu" for bodies[2].
static bool name_file(char file[SCENE_PATH_LENGTH], const char *path, uint32_t sum, int body, Error *error) {
  char number[16] = "";
  if (body >= 0) snprintf(number, sizeof number, "-%d", body);
  const int length = snprintf(file, SCENE_PATH_LENGTH, "%.*s-%08lx%s.vtu", (int)(strlen(path) - strlen(".json")), path,
                              (unsigned long)sum, number);
  return length < SCENE_PATH_LENGTH ||
         error_set(error,
                   "the path of the cut body's mesh file is too long; save the scene in a folder with a shorter path");
}

// Writes body k of a mesh to a file. The nodes and tets of each body must be contiguous in the mesh.
static bool write_body(const char *file, const TetMesh *mesh, int k, int body_count, Error *error) {
  int nodes[2] = { 0, mesh->node_count }, tets[2] = { 0, mesh->tet_count };
  if (body_count > 0) {
    while (nodes[0] < nodes[1] && mesh_body(mesh, nodes[0]) < k) nodes[0]++;
    while (nodes[1] > nodes[0] && mesh_body(mesh, nodes[1] - 1) > k) nodes[1]--;
    while (tets[0] < tets[1] && mesh->tet[tets[0]][0] < nodes[0]) tets[0]++;
    while (tets[1] > tets[0] && mesh->tet[tets[1] - 1][0] >= nodes[1]) tets[1]--;
  }

  if (tets[0] == tets[1])
    return error_set(
        error, "the scene cannot be saved: bodies[%d] was torn out completely, but each body of a scene needs tets; %s",
        k, REMEDY);
  TetMesh part = { .node_count = nodes[1] - nodes[0],
                   .tet_count = tets[1] - tets[0],
                   .X = mesh->X + nodes[0],
                   .node_tag = mesh->node_tag };
  int *shifted = array_capacity(nodes[1], sizeof *shifted, "nodes", error);
  for (int a = 0; shifted && a < nodes[1]; a++) shifted[a] = a - nodes[0];
  const int *middle = mesh->middle ? mesh->middle[tets[0]] : NULL;
  const bool ok = shifted && copy_cells((int **)&part.tet, mesh->tet[tets[0]], 4, part.tet_count, shifted, error) &&
                  copy_cells((int **)&part.middle, middle, 6, part.tet_count, shifted, error) &&
                  mesh_write(file, &part, NULL, error);
  free(shifted);
  free(part.tet);
  free(part.middle);
  return ok;
}

// Writes a mesh file for each body, and replaces the mesh paths in the scene `now` by the paths of these files.
static bool write_files(CutBody *cut, Scene *now, const char *path, Error *error) {
  const TetMesh *mesh = &cut->body.mesh;
  const uint32_t sum = scene_body_sum(mesh);
  const int count = now->body_count ? now->body_count : 1;
  cut->file = array_new(count, sizeof *cut->file, "the names of meshes", error);
  cut->is_new = array_new(count, sizeof *cut->is_new, "the names of meshes", error);
  now->scale = 1;
  now->shape_count = 0;
  now->untangle = false;
  for (int k = 0; k < count; k++) {
    if (!cut->file || !cut->is_new || !name_file(cut->file[k], path, sum, now->body_count ? k : -1, error))
      return false;
    struct stat status;
    cut->is_new[k] = lstat(cut->file[k], &status) != 0;
    cut->file_count = k + 1;
    if (!write_body(cut->file[k], mesh, k, now->body_count, error)) return false;
    if (!now->body_count) {
      memcpy(now->mesh, cut->file[k], sizeof now->mesh);
      continue;
    }
    SceneBody *body = &now->bodies[k];
    memcpy(body->mesh, cut->file[k], sizeof body->mesh);
    body->has_shape = false;
    body->turn_degrees = 0;
    for (int i = 0; i < 3; i++) body->scale[i] = 1;
    memset(body->translation, 0, sizeof body->translation);
  }
  return true;
}

// Converts the centres of material regions to coordinates. A scene may give a centre as the node farthest along an axis
// ("+z"). A cut may have removed this node, so its position is taken from the uncut mesh `before`.
static void fix_materials(Scene *now, const TetMesh *before) {
  for (int k = 0; k < now->material_count; k++) {
    Region *region = &now->materials[k].region;
    const RegionPosition position = region_position(now, region, before);
    memcpy(region->centre, position.centre, sizeof region->centre);
    region->centre_extreme = 0;
  }
}

static bool has_node(const Scene *now, const SavedBody *body, const Region *region, uint8_t *inside) {
  return scene_region(now, &body->mesh, region, inside) > 0;
}

static bool has_tet(const Scene *now, const TetMesh *mesh, const Region *region) {
  const RegionPosition position = region_position(now, region, mesh);
  for (int e = 0; e < mesh->tet_count; e++)
    if (region_holds_tet(region, &position, mesh, e)) return true;
  return false;
}

// Removes pins of the scene and of its bodies that select no node after the cut.
static void drop_pins(Scene *now, const SavedBody *body, uint8_t *inside, int kept[LISTED_PINS_MAX]) {
  ListedPin listed;
  int count = 0, first = 0, pins = 0;
  for (int k = 0; scene_pin(now, k, &listed); k++)
    kept[k] = has_node(now, body, &listed.pin.region, inside) ? count++ : -1;
  for (int k = 0; k < now->pin_count; k++)
    if (kept[k] >= 0) now->pins[pins++] = now->pins[k];
  first = now->pin_count;
  now->pin_count = pins;
  for (int b = 0; b < now->body_count; b++) {
    SceneBody *of = &now->bodies[b];
    const int before = of->pin_count;
    of->pin_count = 0;
    for (int k = 0; k < before; k++)
      if (kept[first + k] >= 0) of->pins[of->pin_count++] = of->pins[k];
    first += before;
  }
}

// Removes pins, forces, drags and materials that select no node or tet after the cut, since scenes with such entries
// cannot be opened. Fills *kept.
static void drop_entries(Scene *now, SavedBody *body, uint8_t *inside, KeptEntries *kept) {
  int forces = 0, drags = 0, materials = 0;
  for (int k = 0; k < SCENE_PARTS_MAX; k++) body->drag_from[k] = -1;
  drop_pins(now, body, inside, kept->pin);
  for (int k = 0; k < now->force_count; k++) {
    kept->force[k] = has_node(now, body, &now->forces[k].region, inside) ? forces : -1;
    if (kept->force[k] >= 0) now->forces[forces++] = now->forces[k];
  }
  for (int k = 0; k < now->material_count; k++)
    if (has_tet(now, &body->mesh, &now->materials[k].region)) now->materials[materials++] = now->materials[k];
  for (int k = 0; k < now->drag_count; k++) {
    const Region *region = &now->drags[k].region;
    kept->drag[k] = region->has_ball || has_node(now, body, region, inside) ? drags : -1;
    if (kept->drag[k] < 0) continue;
    body->drag_from[drags] = k;
    now->drags[drags++] = now->drags[k];
  }
  now->force_count = forces;
  now->drag_count = drags;
  now->material_count = materials;
}

// Reads the mesh files of the saved scene again. The mesh that is read must equal the mesh that was written, because
// the state that is saved with the scene has a value for each node of the written mesh. Fails if they differ. `again`
// gets the mesh that was read.
static bool read_back(const CutBody *cut, const Scene *now, TetMesh *again, Error *error) {
  if (!scene_body(now, again, error)) return false;
  const bool same = again->node_count == cut->body.mesh.node_count && again->tet_count == cut->body.mesh.tet_count &&
                    scene_body_sum(again) == scene_body_sum(&cut->body.mesh);
  return same || error_set(error,
                           "the cut body cannot be saved: \"untangle\" has moved bodies, so the regions of "
                           "\"materials\" would select other cells; %s",
                           REMEDY);
}

// Fails if a region of the scene names a set of the mesh file, or if the scene has a field of values per cell. The new
// mesh file could contain neither.
static bool can_be_stored(const Scene *now, Error *error) {
  ListedPin listed;
  bool named = false;
  for (int k = 0; scene_pin(now, k, &listed); k++) named = named || listed.pin.region.set[0];
  for (int k = 0; k < now->force_count; k++) named = named || now->forces[k].region.set[0];
  for (int k = 0; k < now->drag_count; k++) named = named || now->drags[k].region.set[0];
  for (int k = 0; k < now->material_count; k++) named = named || now->materials[k].region.set[0];
  if (now->stiffness_field[0])
    return error_set(
        error, "the cut body cannot be saved: the values of \"stiffness_field\" belong to the cells before the cut; %s",
        REMEDY);
  return !named || error_set(error,
                             "the cut body cannot be saved: regions of the scene have the key \"set\", but its .vtu "
                             "file cannot store sets; %s",
                             REMEDY);
}

bool cut_body_write(CutBody *cut, const Session *session, Scene *now, const char *path, Error *error) {
  SavedBody *body = &cut->body;
  const TetMesh *mesh = &session->mesh;
  if (!can_be_stored(now, error)) return false;
  fix_materials(now, &session->scene_form->mesh);

  uint8_t *inside = array_new(mesh->node_count, 1, "nodes", error);
  body->script_pinned = array_new(mesh->node_count, 1, "pins", error);
  bool ok = inside && body->script_pinned && sort_nodes(body, mesh, now->body_count, error) &&
            copy_mesh(body, mesh, error) && straighten(&body->mesh, error);
  if (ok) {
    drop_entries(now, body, inside, &cut->kept);
    scene_pins(now, &body->mesh, inside, body->script_pinned);
  }
  free(inside);
  TetMesh again = { 0 };
  ok = ok && write_files(cut, now, path, error) && read_back(cut, now, &again, error);
  const SavedScene saved = { .mesh = &again, .node_now = body->node_now, .kept = &cut->kept };
  if (ok) saved_curves_translate(now->curves, session, &saved, cut->left_out);
  mesh_destroy(&again);
  return ok;
}

void cut_body_close(CutBody *cut, bool keep) {
  for (int k = 0; k < cut->file_count && !keep; k++)
    if (cut->is_new[k]) unlink(cut->file[k]);
  mesh_destroy(&cut->body.mesh);
  free(cut->body.node_from);
  free(cut->body.node_now);
  free(cut->body.script_pinned);
  free(cut->file);
  free(cut->is_new);
  *cut = (CutBody){ 0 };
}
