// Lists, reads and changes settings for the page: see settings.h.
#include "serve/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hud/panel.h"
#include "scene/observable.h"
#include "scene/options.h"
#include "serve/editing.h"
#include "serve/page.h"

// Returns true if users can change the option while the simulation runs.
static bool is_setting(const Option *option) {
  Option row;
  if (!option->tab || option->type == OPTION_CUSTOM || option->type == OPTION_TEXT) return false;
  return option->applies != APPLIES_TO_VIEW || style_option(option, &row);
}

static cJSON *choices_of(const Option *option) {
  cJSON *list = cJSON_CreateArray();
  char word[64];
  for (int k = 0; choice_text(option->choices, k, word, sizeof word), word[0]; k++)
    cJSON_AddItemToArray(list, cJSON_CreateString(word));
  return list;
}

cJSON *settings_list(void) {
  static const char *const types[] = {
    [OPTION_NUMBER] = "number", [OPTION_INTEGER] = "number",    [OPTION_CHOICE] = "choice",
    [OPTION_VECTOR] = "vector", [OPTION_OPTIONAL] = "optional", [OPTION_SIZE] = "vector",
    [OPTION_FLAG] = "flag",     [OPTION_TEXT] = "text",         [OPTION_CUSTOM] = "text"
  };
  cJSON *list = cJSON_CreateArray();
  for (const Option *o = scene_options; o->key; o++) {
    if (!is_setting(o)) continue;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "key", o->key);
    cJSON_AddStringToObject(object, "label", hud_label(o));
    cJSON_AddStringToObject(object, "tab", o->tab);
    cJSON_AddBoolToObject(object, "advanced", o->advanced);
    cJSON_AddStringToObject(object, "type", types[o->type]);
    cJSON_AddStringToObject(object, "unit", o->unit ? o->unit : "");
    cJSON_AddStringToObject(object, "help", o->help ? o->help : "");
    if (o->type == OPTION_OPTIONAL) cJSON_AddStringToObject(object, "absent", o->absent ? o->absent : "");
    if (o->choices) cJSON_AddItemToObject(object, "choices", choices_of(o));
    cJSON_AddItemToArray(list, object);
  }
  return list;
}

// Returns the list of quantities that the page can plot: for each its key in messages, its name, unit and meaning.
static cJSON *quantities_list(void) {
  cJSON *list = cJSON_CreateArray();
  for (const Observable *row = observables; row->name; row++) {
    char label[OBSERVABLE_LABEL];
    if (!row->plot) continue;
    observable_label(row, row->name, -1, label);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "key", label);
    cJSON_AddStringToObject(object, "name", row->name);
    cJSON_AddStringToObject(object, "unit", row->unit ? row->unit : "");
    cJSON_AddStringToObject(object, "help", row->summary);
    cJSON_AddItemToArray(list, object);
  }
  return list;
}

// Returns a copy of the page in which a list replaces the text `mark`, or NULL if memory is short. The caller frees the
// copy.
static char *insert(const char *page, const char *mark, cJSON *list) {
  const char *at = strstr(page, mark);
  char *text = cJSON_PrintUnformatted(list);
  const size_t size = text && at ? strlen(page) + strlen(text) + 1 : 0;
  char *made = size ? malloc(size) : NULL;
  if (made) snprintf(made, size, "%.*s%s%s", (int)(at - page), page, text, at + strlen(mark));
  free(text);
  cJSON_Delete(list);
  return made;
}

char *settings_page(void) {
  // page.html has these marks in place of the lists
  char *page = insert(serve_page, "/*settings*/[]", settings_list());
  char *plots = page ? insert(page, "/*curves*/[]", quantities_list()) : NULL;
  char *complete = plots ? insert(plots, "/*kinds*/[]", editing_kinds()) : NULL;
  free(page);
  free(plots);
  return complete;
}

cJSON *settings_values(const Shown *shown, Scene *scene) {
  cJSON *object = cJSON_CreateObject();
  scene_take_settings(scene, &shown->status.settings, &shown->style);
  for (const Option *o = scene_options; o->key; o++) {
    if (!is_setting(o)) continue;
    cJSON *value = option_json(o, scene);
    cJSON_AddItemToObject(object, o->key, value ? value : cJSON_CreateNull());
  }
  return object;
}

bool setting_check(const char *key, Error *error) {
  const Option *option = option_find(scene_options, key);
  return (option && is_setting(option)) || error_set(error, "message: there is no setting \"%s\"", key);
}

// Sends changed settings that affect the motion to the simulation.
static bool adjust(const Option *option, const Shown *shown, Scene *scene, Error *error) {
  if (!scene_material_end(scene, "the page", error)) return false;
  const SimStatus *now = &shown->status;
  const Command command = command_adjust(&scene->simulation, &now->settings, now->speed, hud_label(option));
  return mailbox_send(&shown->sim->commands, &command) ||
         error_set(error, "the simulation is busy; %s was not changed", hud_label(option));
}

bool setting_put(const char *key, const char *text, Shown *shown, Scene *scene, Error *error) {
  const Option *option = option_find(scene_options, key);
  Option row;
  cJSON *value = json_parse(text, strlen(text), hud_label(option), error);
  if (!value) return false;
  scene_take_settings(scene, &shown->status.settings, &shown->style);
  const bool ok = option_set_json(option, scene, value, hud_label(option), error);
  cJSON_Delete(value);
  if (!ok) return false;
  if (!style_option(option, &row)) return adjust(option, shown, scene, error);

  // If the user has chosen another field or another rule for the range of colours, a range of values that the user has
  // fixed no longer applies.
  Style *style = &scene->style;
  if (style->field != shown->style.field || style->range != shown->style.range) style->low = style->high = 0;
  shown->style = *style;
  shown->camera.orthographic = style->orthographic;
  shown->changed = true;
  return true;
}
