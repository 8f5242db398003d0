// Contact forces between bodies and obstacles, as text and as JSON.
#pragma once
#include <cjson/cJSON.h>

#include "scene/session.h"
#include "sim/contact_report.h"

/// Prints a line for each contact of the list [count]: the force of the second body on the first.
void contact_list_print(const Session *session, const BodyContact *list, int count);

/// Adds "contacts" to `root` if the scene has self-contact, obstacles or a floor.
void contact_list_add_json(cJSON *root, const Session *session, const BodyContact *list, int count);
