// Settings of the page of `pliant serve`: the rows of scene_options that change the picture or, while the simulation
// runs, the motion. The desktop window shows the same rows in its panel.
#pragma once
#include "scene/json.h"
#include "scene/scene.h"
#include "serve/shown.h"

/// Returns the settings as a JSON list of objects with key, label, tab, type, unit, help and choices. The caller
/// deletes it.
cJSON *settings_list(void);

/// Returns the page: page.html with the lists of settings, of quantities that it can plot and of kinds of entries. The
/// caller frees it. NULL: out of memory.
char *settings_page(void);

/// Returns the present values of the settings as a JSON object, which the caller deletes. `scene` is temporary memory.
cJSON *settings_values(const Shown *shown, Scene *scene);

/// Fails if there is no setting with this key.
bool setting_check(const char *key, Error *error);

/// Sets the setting `key` to the value that `text` contains as JSON. Settings of the picture change at once, and
/// settings of the motion before a later time step. Fails if the value is invalid. `scene` is overwritten: it is
/// temporary memory.
bool setting_put(const char *key, const char *text, Shown *shown, Scene *scene, Error *error);
