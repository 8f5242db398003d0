// Prints the contact forces between bodies and obstacles: see contact_list.h.
#include "app/contact_list.h"

#include <stdio.h>

#include "scene/json_file.h"

enum { NAME_LENGTH = SCENE_BODY_NAME + 16 };

// Writes the name of body number `body` to `text`. A negative number means an obstacle, the floor, or the ball with
// which the mouse pushes bodies.
static void name(const Session *session, int body, char text[NAME_LENGTH]) {
  snprintf(text, NAME_LENGTH, "the body");
  if (body < 0)
    contact_name_obstacle(body, text);
  else if (session->scene.body_count > 0)
    scene_body_name(&session->scene, body, text);
}

void contact_list_print(const Session *session, const BodyContact *list, int count) {
  for (const BodyContact *c = list; c < list + count; c++) {
    char first[NAME_LENGTH], second[NAME_LENGTH];
    name(session, c->body[0], first);
    name(session, c->body[1], second);
    printf(
        "  contact force of %s on %s: (%.4g, %.4g, %.4g) N; sum of the normal forces: %.4g N; contact points: %lld\n",
        second, c->body[0] == c->body[1] ? "itself" : first, c->force[0], c->force[1], c->force[2], c->push,
        (long long)c->touching);
  }
}

void contact_list_add_json(cJSON *root, const Session *session, const BodyContact *list, int count) {
  const SimulationSettings *s = &session->scene.simulation;
  if (!s->self_contact && !s->has_floor && s->obstacle_count == 0) return;
  cJSON *rows = cJSON_AddArrayToObject(root, "contacts");
  for (const BodyContact *c = list; c < list + count; c++) {
    cJSON *row = cJSON_CreateObject(), *names = cJSON_AddArrayToObject(row, "bodies");
    for (int i = 0; i < 2; i++) {
      char text[NAME_LENGTH];
      name(session, c->body[i], text);
      json_append(names, cJSON_CreateString(text));
    }
    json_put(row, "force_N", cJSON_CreateDoubleArray(c->force, 3));
    json_put(row, "moment_N_m", cJSON_CreateDoubleArray(c->moment, 3));
    cJSON_AddNumberToObject(row, "pressed_N", c->push);
    cJSON_AddNumberToObject(row, "places", (double)c->touching);
    json_append(rows, row);
  }
}
