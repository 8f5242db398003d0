// Tests whether pins and drags prescribe different positions of the same nodes: see session_overlaps.h.
#include "scene/session_overlaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "scene/session_script.h"

static bool pin_moves(const ScenePin *pin) {
  return pin->moves || motion_moves(&pin->motion);
}

static bool any_pin_moves(const Scene *scene) {
  ListedPin listed;
  for (int k = 0; scene_pin(scene, k, &listed); k++)
    if (pin_moves(&listed.pin)) return true;
  return false;
}

// Returns true if two pins may hold the same node, because both prescribe the same positions. `pliant solve` adds a
// displacement by "move" to a motion by "path" or "spin".
static bool agree(const ScenePin *a, const ScenePin *b) {
  if (pin_moves(a) && pin_moves(b) && a->moves != b->moves) return true;
  return a->moves == b->moves && memcmp(a->move, b->move, sizeof a->move) == 0 &&
         memcmp(&a->motion, &b->motion, sizeof a->motion) == 0;
}

// Finds the pin that determines the position of each node along each axis: holder [node_count][3], index of the pin
// plus 1; 0: none. It is the last moving pin, or the last pin if none moves.
static void find_holders(Session *session, uint16_t (*holder)[3]) {
  ListedPin listed, other;
  for (int k = 0; scene_pin(&session->scene, k, &listed); k++) {
    session_region(session, &listed.pin.region, session->inside);
    int known = 0;  // index of the pin in `other`, plus 1
    for (int a = 0; a < session->mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        if (!session->inside[a] || !pin_holds(listed.pin.held, i)) continue;
        if (holder[a][i] && holder[a][i] != known) scene_pin(&session->scene, (known = holder[a][i]) - 1, &other);
        if (!holder[a][i] || pin_moves(&listed.pin) || !pin_moves(&other.pin)) holder[a][i] = (uint16_t)(k + 1);
      }
  }
}

// Reports the nodes of pin k that follow another pin. `first` has been set to the first such pin. all: number of nodes
// of pin k, times the axes along which it holds them; lost: part of them that follow other pins; nodes: nodes among
// them.
static bool report_pin(const Session *session, const ListedPin *listed, const ListedPin *first, int64_t all,
                       int64_t lost, int nodes, Error *error) {
  const Scene *scene = &session->scene;
  if (lost == 0) return true;
  if (lost == all && !scene->begin[0])
    return error_set(error,
                     "%s: %s entry %d has no effect, because %s entry %d holds the same nodes with another motion; "
                     "remove one of them",
                     scene->path, listed->list, listed->entry + 1, first->list, first->entry + 1);
  log_notice(
      "%s: %s entry %d and %s entry %d hold nodes along the same axes with different motions; nodes that follow "
      "%s entry %d: %d",
      scene->path, listed->list, listed->entry + 1, first->list, first->entry + 1, first->list, first->entry + 1,
      nodes);
  return true;
}

// Tests the unknowns of pin k, which `listed` describes, against the pins in `holder`.
static bool check_pin(Session *session, int k, const ListedPin *listed, const uint16_t (*holder)[3], Error *error) {
  ListedPin first, other;
  int known = 0, nodes = 0;
  int64_t all = 0, lost = 0;
  session_region(session, &listed->pin.region, session->inside);
  for (int a = 0; a < session->mesh.node_count; a++) {
    const int64_t before = lost;
    for (int i = 0; i < 3; i++) {
      if (!session->inside[a] || !pin_holds(listed->pin.held, i)) continue;
      all++;
      if (holder[a][i] == k + 1) continue;
      if (holder[a][i] != known) scene_pin(&session->scene, (known = holder[a][i]) - 1, &other);
      if (agree(&listed->pin, &other.pin)) continue;
      if (lost++ == 0) first = other;
    }
    nodes += lost > before;
  }
  return report_pin(session, listed, &first, all, lost, nodes, error);
}

static bool check_pins(Session *session, Error *error) {
  ListedPin listed;
  if (!any_pin_moves(&session->scene)) return true;
  uint16_t(*holder)[3] = array_new(session->mesh.node_count, sizeof *holder, "pins", error);
  bool ok = holder;
  if (ok) find_holders(session, holder);
  for (int k = 0; ok && scene_pin(&session->scene, k, &listed); k++)
    ok = check_pin(session, k, &listed, (const uint16_t(*)[3])holder, error);
  free(holder);
  return ok;
}

// Sets moves[i] to true for each axis i along which the path of a drag moves.
static void find_axes(const SceneDrag *drag, bool moves[3]) {
  for (int i = 0; i < 3; i++) {
    moves[i] = false;
    for (int p = 0; p < drag->point_count; p++) moves[i] = moves[i] || drag->path[p][1 + i] != 0;
  }
}

static bool check_drag(Session *session, int k, Error *error) {
  const Scene *scene = &session->scene;
  const SceneDrag *drag = &scene->drags[k];
  bool moves[3];
  int count = 0, held = 0;
  int64_t unheld = 0;
  find_axes(drag, moves);
  session_region(session, &drag->region, session->inside);
  for (int a = 0; a < session->mesh.node_count; a++) {
    bool stays = false;
    for (int i = 0; session->inside[a] && i < 3; i++) {
      const bool pinned = pin_holds(session->pinned[a], i);
      unheld += !pinned;
      stays = stays || (pinned && moves[i]);
    }
    count += session->inside[a];
    held += stays;
  }

  if (held == 0) return true;
  if (unheld == 0 && !scene->begin[0])
    return error_set(error,
                     "%s: drags entry %d has no effect, because pins hold all its nodes; remove the drag, or choose "
                     "other nodes",
                     scene->path, k + 1);
  log_notice(
      "%s: drags entry %d does not move all its nodes along its path, because pins hold them; nodes of the entry: "
      "%d, held: %d",
      scene->path, k + 1, count, held);
  return true;
}

bool session_check_overlaps(Session *session, Error *error) {
  const Scene *scene = &session->scene;
  if (!check_pins(session, error)) return false;
  for (int k = 0; k < scene->drag_count; k++)
    if (!scene->drags[k].region.has_ball && scene->drags[k].stiffness == 0 && !check_drag(session, k, error))
      return false;
  return true;
}
