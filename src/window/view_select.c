// Selects entries of the tab Scene by clicks in the picture, and shows which entry is selected: see view.h. A click
// selects the entry that is nearest to the eye. The distance of a body or an obstacle is that of its surface. Pins,
// forces and other entries with a region have no surface that is drawn. Their distance is that of the far side of a box
// around their nodes, so that a body is nearer than an entry that acts on it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scene/entry_nodes.h"
#include "scene/scene_bodies.h"
#include "window/view.h"

// sRGB, colour of the selected body; if the scene gives the body a colour, the picture shows the mean of the two
// colours
static const double LIT[3] = { 1, 0.62, 0.24 };

// The ray under the mouse, and the nodes of the scene. node, x [node_count]: the nodes of an entry, and the present
// positions of all nodes, m.
typedef struct Search {
  double origin[3], direction[3];
  int *node;
  float (*x)[3];
} Search;

// ---- entries under the mouse

// Adds an entry to the list of hits, which is sorted by distance.
static void add_hit(Editor *e, const char *list, int index, double distance) {
  if (!isfinite(distance) || e->hit_count == SCENE_ENTRIES_MAX) return;
  int k = e->hit_count++;
  for (; k > 0 && e->hit[k - 1].distance > distance; k--) e->hit[k] = e->hit[k - 1];
  e->hit[k] = (EntryHit){ list, index, distance };
}

// Adds the body, the mesh or the shape to which a node of the picked point belongs.
static void hit_body(View *view, const Search *search, int node, double distance) {
  Editor *e = &view->editor;
  const TetMesh *mesh = &view->form->mesh;
  if (e->edits.base.shape_count == 0) {
    add_hit(e, e->edits.base.body_count > 0 ? "bodies" : "mesh", mesh_body(mesh, node), distance);
    return;
  }
  for (int k = 0; k < e->edits.base.shape_count; k++) {
    const int count = entry_nodes(&e->edits.base, &(SceneEntry){ .list = "shapes", .index = k }, mesh, search->node);
    for (int a = 0; a < count; a++)
      if (search->node[a] == node) {
        add_hit(e, "shapes", k, distance);
        return;
      }
  }
}

// Returns the distance along the ray to the far side of a box; infinity: the ray does not hit the box.
static double distance_through(const Search *search, const double low[3], const double high[3]) {
  double enter = 0, leave = HUGE_VAL;
  for (int i = 0; i < 3; i++) {
    const double a = (low[i] - search->origin[i]) / search->direction[i];
    const double b = (high[i] - search->origin[i]) / search->direction[i];
    enter = fmax(enter, fmin(a, b));
    leave = fmin(leave, fmax(a, b));
  }
  return enter <= leave ? leave : HUGE_VAL;
}

// Adds an entry with a region, if the ray hits a box around its nodes. Nodes of hidden bodies do not count.
static void hit_region(View *view, const Search *search, const SceneEntry *entry) {
  Editor *e = &view->editor;
  const TetMesh *mesh = &view->form->mesh;
  const int count = entry_nodes(&e->edits.base, entry, mesh, search->node);
  double low[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, high[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
  const double margin = 0.01 * view->camera.radius;  // so that a single node can be hit
  for (int k = 0; k < count; k++) {
    const int a = search->node[k];
    if (e->hidden >> mesh_body(mesh, a) & 1) continue;
    for (int i = 0; i < 3; i++) {
      low[i] = fmin(low[i], (double)search->x[a][i] - margin);
      high[i] = fmax(high[i], (double)search->x[a][i] + margin);
    }
  }
  if (low[0] <= high[0]) add_hit(e, entry->list, entry->index, distance_through(search, low, high));
}

static bool hit_obstacles(View *view, const Search *search, Error *error) {
  Editor *e = &view->editor;
  const SimulationSettings *s = &view->status.settings;
  double distance[OBSTACLES_MAX];
  if (!surface_renderer_hit_obstacles(&view->renderer, s->obstacles, s->obstacle_count, view->status.time,
                                      search->origin, search->direction, distance, error))
    return false;
  for (int k = 0; k < s->obstacle_count; k++)
    if (!(e->hidden_obstacles >> k & 1)) add_hit(e, "obstacles", k, distance[k]);
  return true;
}

static bool search_entries(View *view, const Pick *pick, Search *search, Error *error) {
  const Editor *e = &view->editor;
  const TetMesh *mesh = &view->form->mesh;
  double distance = 0;
  search->node = array_new(mesh->node_count, sizeof *search->node, "nodes", error);
  search->x = array_new(mesh->node_count, sizeof *search->x, "positions", error);
  if (!search->node || !search->x || !surface_renderer_positions(&view->renderer, search->x, error) ||
      !hit_obstacles(view, search, error))
    return false;
  for (int i = 0; i < 3; i++) distance += (pick->point[i] - search->origin[i]) * search->direction[i];
  if (pick->triangle >= 0 || pick->tet >= 0)
    hit_body(view, search, pick->triangle >= 0 ? pick->nodes[0] : mesh_cell_node(mesh, pick->tet, 0), distance);
  for (int k = 0; k < e->edits.entry_count; k++)
    if (strcmp(e->edits.entry[k].list, "shapes") != 0) hit_region(view, search, &e->edits.entry[k]);
  return true;
}

bool view_list_hits(View *view, const Pick *pick, const double pixel[2], Error *error) {
  Editor *e = &view->editor;
  Search search = { 0 };
  e->hit_count = 0;
  // while an edited scene is being built, the list of the tab has its entries, but the picture shows the scene before
  if (!view->shows_panel || !view->panel.edits || e->edits.wanted >= 0) return true;
  e->again = view_is_same_point(view, pixel, e->clicked_at);
  memcpy(e->hit_at, pixel, sizeof e->hit_at);
  camera_ray(&view->camera, pixel, view->width, view->height, search.origin, search.direction);
  const bool ok = search_entries(view, pick, &search, error);
  free(search.node);
  free(search.x);
  return ok;
}

void view_select_hit(View *view, const double pixel[2]) {
  Editor *e = &view->editor;
  const SceneEntry *now = &e->edits.entry[e->edits.selected];
  const int count = e->hit_count;
  int next = 0;
  e->hit_count = 0;
  if (count == 0 || !view_is_same_point(view, pixel, e->hit_at)) return;
  for (int k = 0; k < count && e->again; k++)
    if (strcmp(e->hit[k].list, now->list) == 0 && e->hit[k].index == now->index) next = (k + 1) % count;
  memcpy(e->clicked_at, pixel, sizeof e->clicked_at);
  view_select_entry(view, e->hit[next].list, e->hit[next].index);
}

// ---- the selected entry in the picture

// Shows a body in the colour LIT, and no other one. body: -1: none
static bool light_body(View *view, int body, Error *error) {
  Editor *e = &view->editor;
  BodyLook look[LOOKS_MAX];
  if (body == e->lit || (body > 0 && body >= e->edits.base.body_count)) return true;
  e->lit = body;
  view->changed = true;
  scene_body_looks(&e->edits.base, look);
  BodyLook *lit = body >= 0 ? &look[body] : NULL;
  for (int i = 0; lit && i < 3; i++) lit->color[i] = lit->has_color ? (lit->color[i] + LIT[i]) / 2 : LIT[i];
  if (lit) lit->has_color = true;
  return surface_renderer_set_looks(&view->renderer, look, error);
}

// Marks the nodes of an entry by dots, and no other nodes. NULL: marks none.
static bool mark_nodes(View *view, const SceneEntry *entry, Error *error) {
  Editor *e = &view->editor;
  const TetMesh *mesh = &view->form->mesh;
  const SceneEntry none = { 0 }, *now = entry ? entry : &none;
  if (now->list == e->marked.list && now->index == e->marked.index) return true;
  int *node = array_new(mesh->node_count, sizeof *node, "nodes", error);
  const int count = node && entry ? entry_nodes(&e->edits.base, entry, mesh, node) : 0;
  const bool ok = node && surface_renderer_set_chosen(&view->renderer, node, count, error);
  free(node);
  e->marked = *now;
  view->changed = true;
  return ok;
}

bool view_light_selection(View *view, Error *error) {
  Editor *e = &view->editor;
  // while an edited scene is being built, the picture shows the scene before, in which entries may have other numbers
  const bool shown =
      view->shows_panel && view->panel.edits && !view->recording && e->edits.entry_count > 0 && e->edits.wanted < 0;
  const SceneEntry *entry = shown ? &e->edits.entry[e->edits.selected] : NULL;
  const bool body = entry && (strcmp(entry->list, "bodies") == 0 || strcmp(entry->list, "mesh") == 0);
  const bool obstacle = entry && strcmp(entry->list, "obstacles") == 0;
  const uint32_t lit_obstacles = obstacle ? (uint32_t)1 << entry->index : 0;
  if (lit_obstacles != e->lit_obstacles) view->changed = true;
  e->lit_obstacles = lit_obstacles;
  return light_body(view, body ? entry->index : -1, error) && mark_nodes(view, entry, error);
}
