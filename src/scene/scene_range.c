// Range checks of scenes: see scene_range.h. The scene is converted to JSON, and the numbers of the JSON are checked.
// So every key is checked, also within lists and objects, and messages can name the keys that the user has written.
#include "scene/scene_range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/json.h"
#include "scene/json_file.h"
#include "sim/element/number_range.h"

// Units of two kinds of keys of a scene file: keys whose values are vectors, and keys inside lists and objects. Such a
// key has no unit if it is missing here. The table scene_options has the units of all other numbers.
static const struct {
  const char *key, *unit;
} units[] = {
  { "at", "m" },           { "size", "m" },          { "radius", "m" },        { "from", "m" },
  { "to", "m" },           { "about", "m" },         { "center", "m" },        { "place", "m" },
  { "path", "m" },         { "point", "m" },         { "reach", "m" },         { "move", "m" },
  { "eye", "m" },          { "target", "m" },        { "velocity", "m/s" },    { "spin", "rad/s" },
  { "gravity", "m/s^2" },  { "total", "N" },         { "traction", "N/m^2" },  { "turn", "degrees" },
  { "angles", "degrees" }, { "degrees", "degrees" }, { "speed", "degrees/s" }, { "time", "s" },
  { "young", "Pa" },       { "density", "kg/m^3" },  { "damping", "1/s" },
};

// Data for the check of one value: the precision, whose range the value must not exceed; the unit; and the value's name
// in messages.
typedef struct Checked {
  Precision precision;
  const char *unit;
  char name[1400];
} Checked;

static const char *unit_of(const char *key) {
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (strcmp(units[k].key, key) == 0) return units[k].unit;
  return NULL;
}

static bool is_bound(const char *key) {
  return strcmp(key, "x") == 0 || strcmp(key, "y") == 0 || strcmp(key, "z") == 0;
}

// Returns the value of a JSON number that json_exact or cJSON has made; 0 for JSON values of other kinds.
static double number_of(const cJSON *value) {
  return cJSON_IsRaw(value) ? strtod(value->valuestring, NULL) : cJSON_IsNumber(value) ? value->valuedouble : 0;
}

static bool check_object(const cJSON *object, const Checked *around, Error *error);

// Fails if a number in a JSON value is too large. The value is a number, a vector, an object or a list of points. `c`
// contains the unit and the name of the value. `points`: true if the value is a list of points, each of which begins
// with a time.
static bool check_value(const cJSON *value, const Checked *c, bool points, Error *error) {
  if (cJSON_IsObject(value)) return check_object(value, c, error);
  if (!cJSON_IsArray(value)) return range_check_number(number_of(value), c->unit, c->precision, c->name, error);
  int entry = 0;
  for (const cJSON *item = value->child; item; item = item->next, entry++) {
    Checked of = *c;
    // the first number of a point in a list such as "over_time" is a time
    if (points && !cJSON_IsArray(item) && entry == 0) of.unit = "s";
    if (!check_value(item, &of, points, error)) return false;
  }
  return true;
}

static bool check_object(const cJSON *object, const Checked *around, Error *error) {
  for (const cJSON *item = object->child; item; item = item->next) {
    Checked c = { .precision = around->precision, .unit = unit_of(item->string) };
    if (is_bound(item->string)) continue;
    snprintf(c.name, sizeof c.name, "%.1300s: \"%s\"", around->name, item->string);
    const bool points = strcmp(item->string, "path") == 0 || strcmp(item->string, "angles") == 0 ||
                        strcmp(item->string, "over_time") == 0;
    if (!check_value(item, &c, points, error)) return false;
  }
  return true;
}

// Checks the value of option `o`: a number, a vector, an object or a list of objects.
static bool check_option(const Scene *scene, const Option *o, const cJSON *value, Error *error) {
  const char *given = scene->given[o - scene_options];
  const bool has_unit = o->type == OPTION_NUMBER || o->type == OPTION_OPTIONAL;
  Checked c = { .precision = scene->simulation.precision, .unit = has_unit ? o->unit : unit_of(o->key) };
  char flag[64];
  option_flag(o, flag);
  if (given)
    snprintf(c.name, sizeof c.name, "%s", flag);
  else
    snprintf(c.name, sizeof c.name, "%.1200s: %s", scene->path, o->key);
  if (!cJSON_IsArray(value) || !cJSON_IsObject(value->child)) return check_value(value, &c, false, error);
  int entry = 0;
  const size_t length = strlen(c.name);
  for (const cJSON *item = value->child; item; item = item->next, entry++) {
    // bodies are counted from 0, as in all messages about them
    snprintf(c.name + length, sizeof c.name - length, strcmp(o->key, "bodies") == 0 ? "[%d]" : " entry %d",
             strcmp(o->key, "bodies") == 0 ? entry : entry + 1);
    if (!check_object(item, &c, error)) return false;
  }
  return true;
}

bool scene_check_range(const Scene *scene, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  bool ok = true;
  Error earlier = { 0 };

  // json_is_whole clears the record that memory was short while JSON was made. If this happened to JSON that the caller
  // made earlier, the record is set again at the end of this function.
  const bool incomplete = !json_is_whole(&earlier);
  for (const Option *o = scene_options; ok && o->key; o++) {
    // without a given Young's modulus, the checks of mu and lambda are enough
    if (o->applies == APPLIES_AS_OTHERS && !scene->by_young) continue;
    cJSON *value = option_json(o, scene);

    // if memory was short, parts of the JSON are missing and would not be checked
    ok = json_is_whole(error) && (!value || check_option(scene, o, value, error));
    cJSON_Delete(value);
  }
  if (incomplete) json_mark_incomplete();
  return ok;
}
