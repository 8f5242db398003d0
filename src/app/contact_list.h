// Contact forces between bodies and obstacles, as text and as JSON.
#pragma once
#include <cjson/cJSON.h>

#include "scene/session.h"
#include "sim/contact_report.h"

/// Prints one line for each contact in list [count]. A line has the names of the two bodies, the force of the second
/// body on the first, the sum of the magnitudes of the normal forces, and the number of contact points.
void contact_list_print(const Session *session, const BodyContact *list, int count);

/// If the scene has self-contact, obstacles or a floor, adds the contacts to `root` as "contacts".
void contact_list_add_json(cJSON *root, const Session *session, const BodyContact *list, int count);
