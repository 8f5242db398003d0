// Finds the motions of moving pins, and the nodes that follow them: see session_supports.h.
#include "scene/session_supports.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "scene/scene_fields.h"
#include "scene/session_script.h"

uint8_t pin_bits(const ScenePin *pin) {
  return (uint8_t)(pin->held | (motion_moves(&pin->motion) ? PIN_FOLLOWS : 0));
}

static int count_motions(const Scene *scene) {
  ListedPin listed;
  int count = 0;
  for (int k = 0; scene_pin(scene, k, &listed); k++) count += motion_moves(&listed.pin.motion);
  return count;
}

bool session_find_supports(Session *session, Error *error) {
  const int count = count_motions(&session->scene), nodes = session->mesh.node_count;
  ListedPin listed;
  if (count == 0) return true;
  if (session->scene.twist != 0)
    return error_set(error, "%s: \"twist\" cannot be combined with pins that have \"path\" or \"spin\"; remove one",
                     session->scene.path);
  if (scene_has_initial_fields(&session->scene))
    return error_set(error,
                     "%s: \"initial_fields\" cannot be combined with pins that have \"path\" or \"spin\"; remove one",
                     session->scene.path);
  session->motions = array_new(count, sizeof *session->motions, "motions of pins", error);
  session->support = array_new(nodes, sizeof *session->support, "motions of pins", error);
  if (!session->motions || !session->support) return false;

  for (int k = 0; scene_pin(&session->scene, k, &listed); k++) {
    const ScenePin *pin = &listed.pin;
    if (!motion_moves(&pin->motion)) continue;
    session->motions[session->motion_count++] = pin->motion;
    session_region(session, &pin->region, session->inside);
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++)
        if (session->inside[a] && pin_holds(pin->held, i)) session->support[a][i] = (uint16_t)session->motion_count;
  }
  return true;
}

bool session_give_supports(const Session *session, const Form *form, const uint8_t *pinned, Simulation *simulation,
                           Error *error) {
  if (session->motion_count == 0 || session->scene.quasi_static) return true;
  const int nodes = form ? form->mesh.node_count : session->mesh.node_count;
  uint16_t(*support)[3] = array_new(nodes, sizeof *support, "motions of pins", error);
  for (int a = 0; support && a < nodes; a++)
    for (int i = 0; i < 3; i++) support[a][i] = session->support[form ? form_first(form, a) : a][i];
  const bool ok = support && simulation_set_supports(simulation, session->motions, session->motion_count,
                                                     (const uint16_t(*)[3])support, pinned, error);
  free(support);
  return ok;
}

double session_supports_end(const Session *session) {
  double end = 0;
  for (int k = 0; k < session->motion_count; k++) end = fmax(end, motion_end(&session->motions[k]));
  return end;
}
