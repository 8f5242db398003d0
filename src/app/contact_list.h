// What bodies and obstacles that touch do to each other now, as commands print it and write it into JSON.
#pragma once
#include <cjson/cJSON.h>

#include "scene/session.h"
#include "sim/contact_report.h"

/// A line for each of the list [count]: what the second does to the first.
void contact_list_print(const Session *session, const BodyContact *list, int count);

/// Adds "contacts" to `root` where the scene has anything that may touch: self-contact, obstacles, a floor.
void contact_list_add_json(cJSON *root, const Session *session, const BodyContact *list, int count);
