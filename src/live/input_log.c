// The input log: see input_log.h.
#include "live/input_log.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "scene/json_file.h"
#include "scene/scene_body.h"

enum { LOG_VERSION = 1, LINE_MAX_BYTES = 16 << 20 };

static const double STEP_MAX = 9007199254740992;  // 2^53: up to here a double counts by ones

static const char *const NAMES[] = {
  [COMMAND_GRAB] = "grab",
  [COMMAND_DRAG] = "drag",
  [COMMAND_RELEASE] = "release",
  [COMMAND_KEEP] = "keep",
  [COMMAND_RELEASE_ALL] = "release_all",
  [COMMAND_PIN] = "pin",
  [COMMAND_PAUSE] = "pause",
  [COMMAND_STEP] = "step",
  [COMMAND_RESET] = "reset",
  [COMMAND_ADJUST] = "adjust",
  [COMMAND_SWITCH] = "switch",
  [COMMAND_VIEW] = "view",
};
enum { NAME_COUNT = sizeof NAMES / sizeof *NAMES };

// the keys of a scene that say how to compute, and those that may change while it runs
static const char *const STAGE_KEYS[] = { "precision",    "assembly",    "matrix", "solver",      "solver_device",
                                          "supplemental", "partitioner", "order",  "cg_relative", "cg_max" };
static const char *const ADJUSTED_KEYS[] = { "density",    "damping",      "gravity",         "friction",
                                             "dt",         "newton",       "newton_absolute", "newton_relative",
                                             "newton_max", "halvings_max", "integrator" };
enum { STAGE_KEY_COUNT = sizeof STAGE_KEYS / sizeof *STAGE_KEYS };
enum { ADJUSTED_KEY_COUNT = sizeof ADJUSTED_KEYS / sizeof *ADJUSTED_KEYS };

// ---- writing

// a whole line or none: where it cannot be written the log is cut to the lines before, and stops
static bool put_line(InputLog *log, cJSON *line, Error *error) {
  char *text = line && json_is_whole(error) ? cJSON_PrintUnformatted(line) : NULL;
  const size_t length = text ? strlen(text) : 0;
  errno = ENOMEM;
  const bool ok =
      text && fwrite(text, 1, length, log->file) == length && fputc('\n', log->file) == '\n' && fflush(log->file) == 0;
  const int cause = errno;
  cJSON_free(text);
  cJSON_Delete(line);
  if (ok) {
    log->bytes += (int64_t)length + 1;
    return true;
  }
  fclose(log->file);
  log->file = NULL;
  if (truncate(log->path, log->bytes) != 0) errno = 0;  // a pipe or a terminal; its reader has what came
  error_set(&log->fault, "%s: the input log stops after %lld bytes: %s", log->path, (long long)log->bytes,
            strerror(cause));
  return error_set(error, "%s", log->fault.message);
}

// the keys whose values in `now` are not those of `before`; NULL: all
static void put_keys(cJSON *set, const char *const *keys, int count, const Scene *now, const Scene *before) {
  for (int k = 0; k < count; k++) {
    const Option *option = option_find(scene_options, keys[k]);
    cJSON *value = option_json(option, now), *old = before ? option_json(option, before) : NULL;
    // a stage without a name is the device's best, and stays without
    const bool nameless = cJSON_IsString(value) && !value->valuestring[0];
    if (nameless || cJSON_Compare(value, old, true))
      cJSON_Delete(value);
    else
      json_put(set, keys[k], value);
    cJSON_Delete(old);
  }
}

static cJSON *settings_json(const Session *session, const SimulationSettings *s, bool stages) {
  cJSON *set = cJSON_CreateObject();
  Scene *now = malloc(sizeof *now);
  if (!set || !now) {
    cJSON_Delete(set);
    free(now);
    return NULL;
  }
  memcpy(now, &session->scene, sizeof *now);
  now->simulation = *s;
  if (stages) {
    cJSON_AddStringToObject(set, "device", device_name(s->device));
    put_keys(set, STAGE_KEYS, STAGE_KEY_COUNT, now, NULL);
  } else {
    const SimulationSettings *before = simulation_settings(session->simulation);
    put_keys(set, ADJUSTED_KEYS, ADJUSTED_KEY_COUNT, now, &session->scene);
    if (s->mu != before->mu || s->lambda != before->lambda) {
      json_put(set, "mu", json_exact(s->mu));
      json_put(set, "lambda", json_exact(s->lambda));
    }
    if (s->has_floor != before->has_floor || (s->has_floor && s->floor_height != before->floor_height))
      json_put(set, "floor", s->has_floor ? json_exact(s->floor_height) : cJSON_CreateNull());
  }
  free(now);
  return set;
}

// what the command line said, as texts
static cJSON *given_json(const Scene *scene) {
  cJSON *given = cJSON_CreateObject();
  for (int k = 0; scene_options[k].key; k++) {
    if (!scene->given[k]) continue;
    // from whatever folder it is replayed
    char *whole = strcmp(scene_options[k].key, "mesh") == 0 ? realpath(scene->given[k], NULL) : NULL;
    cJSON_AddStringToObject(given, scene_options[k].key, whole ? whole : scene->given[k]);
    free(whole);
  }
  return given;
}

bool input_log_open(InputLog *log, const char *path, const Session *session, Error *error) {
  const Scene *scene = &session->scene;
  *log = (InputLog){ 0 };
  if (strlen(path) >= sizeof log->path) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(log->path, path, strlen(path) + 1);
  char *whole = realpath(scene->path, NULL);
  if (!whole) return error_set(error, "%s: %s", scene->path, strerror(errno));
  log->file = fopen(path, "w");
  bool ok = log->file != NULL;
  if (!ok) error_set(error, "%s: cannot be written: %s", path, strerror(errno));
  if (ok) {
    cJSON *head = cJSON_CreateObject();
    cJSON_AddNumberToObject(head, "pliant_log", LOG_VERSION);
    cJSON_AddStringToObject(head, "scene", whole);
    cJSON_AddNumberToObject(head, "scene_sum", scene->text_sum);
    cJSON_AddNumberToObject(head, "mesh_sum", scene_body_sum(&session->mesh));
    json_put(head, "options", given_json(scene));
    json_put(head, "set", settings_json(session, simulation_settings(session->simulation), true));
    ok = put_line(log, head, error);
  }
  free(whole);
  return ok;
}

static void put_view(cJSON *line, const Camera *camera, const Style *style) {
  const double angles[2] = { camera->azimuth, camera->elevation };
  json_put(line, "target", json_exact_vector(camera->target, 3));
  json_put(line, "distance", json_exact(camera->distance));
  json_put(line, "turn", json_exact_vector(angles, 2));
  char field[16];
  choice_text(FIELD_NAMES, style->field, field, sizeof field);
  cJSON_AddStringToObject(line, "field", field);
  const double range[2] = { style->low, style->high };
  json_put(line, "range", json_exact_vector(range, 2));
  cJSON_AddBoolToObject(line, "wireframe", style->wireframe);
  cJSON_AddBoolToObject(line, "pins", style->pins);
  if (!style->section) return;
  const double section[3] = { style->section_axis, style->section_at, style->section_flip };
  json_put(line, "section", json_exact_vector(section, 3));
}

bool input_log_add(InputLog *log, int64_t step, const Command *c, const Session *session, Error *error) {
  if (!log->file || c->kind == COMMAND_QUIT) return true;
  cJSON *line = cJSON_CreateObject();
  if (!line) return error_set(error, "out of memory: the input log");
  cJSON_AddNumberToObject(line, "step", (double)step);
  cJSON_AddStringToObject(line, "do", NAMES[c->kind]);
  if (c->kind == COMMAND_GRAB || c->kind == COMMAND_PIN) {
    json_put(line, "X", json_exact_vector(c->X, 3));
    json_put(line, "radius", json_exact(c->radius));
  }
  if (c->kind == COMMAND_GRAB) {
    json_put(line, "stiffness", json_exact(c->stiffness));
    json_put(line, "nodes", cJSON_CreateIntArray(c->nodes, 3));
    json_put(line, "barycentric", json_exact_vector(c->barycentric, 3));
    json_put(line, "point", json_exact_vector(c->point, 3));
  }
  if (c->kind == COMMAND_DRAG) json_put(line, "offset", json_exact_vector(c->offset, 3));
  if (c->kind == COMMAND_ADJUST || c->kind == COMMAND_SWITCH) {
    json_put(line, "set", settings_json(session, &c->settings, c->kind == COMMAND_SWITCH));
    if (c->kind == COMMAND_ADJUST) json_put(line, "speed", json_exact(c->speed));
  }
  if (c->kind == COMMAND_VIEW) put_view(line, &c->camera, &c->style);
  return put_line(log, line, error);
}

bool input_log_close(InputLog *log, int64_t step, Error *error) {
  if (log->file) {
    cJSON *line = cJSON_CreateObject();
    cJSON_AddNumberToObject(line, "step", (double)step);
    cJSON_AddStringToObject(line, "do", "end");
    if (put_line(log, line, error) && fclose(log->file) != 0)
      error_set(&log->fault, "%s: cannot be written: %s", log->path, strerror(errno));
  }
  const Error fault = log->fault;
  *log = (InputLog){ 0 };
  return !fault.message[0] || error_set(error, "%s", fault.message);
}

// ---- reading

bool input_reader_prefix(const InputReader *r, Error *error) {
  return error_prefix(error, "%s:%d", r->path, r->number);
}

static bool bad_line(const InputReader *r, const char *what, Error *error) {
  return error_set(error, "%s:%d: %s", r->path, r->number, what);
}

// the next line, without its end; *length -1 where there is none. Fails where there is too much of it or reading does
static bool read_line(InputReader *r, int64_t *length, bool *whole, Error *error) {
  void *line = r->line;
  int c = EOF;
  for (*length = 0; *length < LINE_MAX_BYTES && (c = getc(r->file)) != EOF && c != '\n'; ++*length) {
    if (*length + 1 >= r->room && !array_reserve(&line, &r->room, *length + 2, 1, "a line of the input log", error)) {
      r->line = line;
      return input_reader_prefix(r, error);
    }
    r->line = line;
    r->line[*length] = (char)c;
  }
  r->number++;
  if (ferror(r->file)) return error_set(error, "%s: cannot be read: %s", r->path, strerror(errno));
  if (*length == LINE_MAX_BYTES) return bad_line(r, "longer than any line of an input log", error);
  *whole = c == '\n';
  if (*length == 0 && c == EOF) *length = -1;
  if (*length > 0) r->line[*length] = '\0';
  return true;
}

// the next line as an object; NULL at the end, and where it is none (which fails)
static cJSON *take_line(InputReader *r, Error *error) {
  int64_t length;
  bool whole = false;
  if (!read_line(r, &length, &whole, error)) return NULL;
  cJSON *object = length > 0 && strlen(r->line) == (size_t)length ? cJSON_ParseWithOpts(r->line, NULL, true) : NULL;
  if (cJSON_IsObject(object)) return object;
  cJSON_Delete(object);
  if (!object && !json_is_whole(error)) return error_prefix(error, "%s", r->path), NULL;
  // the last line of a program that was killed may be cut off
  if (length < 0 || !whole)
    r->ended = true;
  else
    bad_line(r, "not a line of an input log: expected a JSON object", error);
  return NULL;
}

static bool apply_given(const cJSON *options, Scene *scene, const InputReader *r, Error *error) {
  char place[SCENE_PATH_LENGTH + 16];
  snprintf(place, sizeof place, "%s:%d", r->path, r->number);
  if (!cJSON_IsObject(options)) return bad_line(r, "\"options\" is missing, or no object", error);
  scene_material_begin(scene);
  for (const cJSON *item = options->child; item; item = item->next) {
    const Option *option = option_find(scene_options, item->string);
    if (!option || !cJSON_IsString(item)) return bad_line(r, "\"options\" holds what is no option of a scene", error);
    if (!option_set_text(option, scene, item->valuestring, error)) return input_reader_prefix(r, error);
  }
  return scene_material_end(scene, place, error);
}

// the keys in "set"
static bool apply_set(const cJSON *set, Scene *scene, const InputReader *r, Error *error) {
  char place[SCENE_PATH_LENGTH + 16];
  snprintf(place, sizeof place, "%s:%d", r->path, r->number);
  return options_set_object(scene_options, scene, set, place, error);
}

static double number_of(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static bool read_head(InputReader *r, Scene *scene, Error *error) {
  cJSON *head = take_line(r, error);
  if (!head) return error->message[0] ? false : bad_line(r, "empty", error);
  const cJSON *path = cJSON_GetObjectItemCaseSensitive(head, "scene");
  const cJSON *set = cJSON_GetObjectItemCaseSensitive(head, "set");
  bool ok = true;
  if (number_of(head, "pliant_log") != LOG_VERSION || !cJSON_IsString(path) || !cJSON_IsObject(set))
    ok = bad_line(r, "not the head of an input log that `pliant --log` wrote", error);
  r->mesh_sum = number_of(head, "mesh_sum");
  ok = ok && (scene_read(scene, path->valuestring, error) || input_reader_prefix(r, error));
  if (ok && scene->text_sum != number_of(head, "scene_sum"))
    ok = error_set(error, "%s:%d: %s has changed since the log was written", r->path, r->number, path->valuestring);
  ok = ok && apply_given(cJSON_GetObjectItemCaseSensitive(head, "options"), scene, r, error) &&
       apply_set(set, scene, r, error);
  cJSON_Delete(head);
  return ok;
}

bool input_reader_open(InputReader *r, const char *path, Scene *scene, Error *error) {
  *r = (InputReader){ 0 };
  if (strlen(path) >= sizeof r->path) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(r->path, path, strlen(path) + 1);
  r->file = fopen(path, "r");
  if (!r->file) return error_set(error, "%s: %s", path, strerror(errno));
  if (read_head(r, scene, error)) return true;
  input_reader_close(r);
  return false;
}

void input_reader_close(InputReader *r) {
  if (r->file) fclose(r->file);
  free(r->line);
  *r = (InputReader){ 0 };
}

bool input_reader_fits(const InputReader *r, const Session *session, Error *error) {
  if (r->mesh_sum == scene_body_sum(&session->mesh)) return true;
  return error_set(error, "%s:1: was written of another mesh than %s holds now", r->path, session->scene.path);
}

static bool numbers(const cJSON *line, const char *key, double *values, int count) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(line, key);
  bool ok = cJSON_IsArray(list) && cJSON_GetArraySize(list) == count;
  for (int k = 0; ok && k < count; k++) {
    const cJSON *item = cJSON_GetArrayItem(list, k);
    ok = cJSON_IsNumber(item) && isfinite(item->valuedouble);
    if (ok) values[k] = item->valuedouble;
  }
  return ok;
}

static bool read_grab(const cJSON *line, const Session *session, Command *c) {
  double nodes[3];
  if (!numbers(line, "nodes", nodes, 3) || !numbers(line, "barycentric", c->barycentric, 3) ||
      !numbers(line, "point", c->point, 3))
    return false;
  for (int a = 0; a < 3; a++) {
    if (!(nodes[a] >= 0 && nodes[a] < session->mesh.node_count && nodes[a] == floor(nodes[a]))) return false;
    c->nodes[a] = (int)nodes[a];
  }
  c->stiffness = number_of(line, "stiffness");
  return c->stiffness >= 0 && isfinite(c->stiffness);
}

static bool read_settings(const InputReader *r, const cJSON *line, const Session *session, Command *c, Error *error) {
  const cJSON *set = cJSON_GetObjectItemCaseSensitive(line, "set");
  Scene *scene = malloc(sizeof *scene);
  if (!scene) return bad_line(r, "out of memory", error);
  memcpy(scene, &session->scene, sizeof *scene);
  scene->simulation = *simulation_settings(session->simulation);
  snprintf(scene->device, sizeof scene->device, "%s", device_name(scene->simulation.device));
  SimulationSettings *s = &scene->simulation;
  if (c->kind == COMMAND_SWITCH) s->assembly[0] = s->matrix[0] = s->solver[0] = '\0';
  const bool ok =
      apply_set(set, scene, r, error) && (scene_choose_device(scene, error) || input_reader_prefix(r, error));
  c->settings = scene->simulation;
  c->speed = number_of(line, "speed");
  free(scene);
  return ok;
}

static bool read_view(const cJSON *line, Command *c) {
  double angles[2], section[3], range[2];
  const cJSON *field = cJSON_GetObjectItemCaseSensitive(line, "field");
  if (!numbers(line, "target", c->camera.target, 3) || !numbers(line, "turn", angles, 2) ||
      !numbers(line, "range", range, 2) || !cJSON_IsString(field))
    return false;
  const int kind = choice_index(FIELD_NAMES, field->valuestring);
  c->camera.distance = number_of(line, "distance");
  c->camera.azimuth = angles[0], c->camera.elevation = angles[1];
  c->style.field = (FieldKind)kind;
  c->style.low = range[0], c->style.high = range[1];
  c->style.wireframe = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, "wireframe"));
  c->style.pins = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, "pins"));
  c->style.section = cJSON_GetObjectItemCaseSensitive(line, "section") != NULL;
  if (c->style.section) {
    if (!numbers(line, "section", section, 3) || (section[0] != 0 && section[0] != 1 && section[0] != 2)) return false;
    c->style.section_axis = (int)section[0], c->style.section_at = section[1], c->style.section_flip = section[2] != 0;
  }
  return kind >= 0 && c->camera.distance > 0 && isfinite(c->camera.distance);
}

static bool understand(InputReader *r, const cJSON *line, const Session *session, const Camera *camera,
                       const Style *style, Error *error) {
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(line, "do");
  Command *c = &r->command;
  const double step = number_of(line, "step");
  if (!(step >= (double)r->step && step <= STEP_MAX && step == floor(step)) || !cJSON_IsString(name))
    return bad_line(r, "expected \"do\", and \"step\", a whole number of 0 to 2^53 that is not before the last line's",
                    error);
  r->step = (int64_t)step;
  r->ended = strcmp(name->valuestring, "end") == 0;
  if (r->ended) return true;
  int kind = 0;
  while (kind < NAME_COUNT && strcmp(NAMES[kind], name->valuestring) != 0) kind++;
  if (kind == NAME_COUNT) return bad_line(r, "\"do\" names nothing that a user can do", error);
  *c = (Command){ .kind = (CommandKind)kind, .camera = *camera, .style = *style };
  bool ok = true;
  if (kind == COMMAND_GRAB || kind == COMMAND_PIN) {
    c->radius = number_of(line, "radius");
    ok = numbers(line, "X", c->X, 3) && c->radius >= 0 && isfinite(c->radius);
  }
  if (kind == COMMAND_GRAB) ok = ok && read_grab(line, session, c);
  if (kind == COMMAND_DRAG) ok = numbers(line, "offset", c->offset, 3);
  if (kind == COMMAND_VIEW) ok = read_view(line, c);
  if (!ok) return bad_line(r, "a value is missing, or not what it should be", error);
  if (kind == COMMAND_ADJUST || kind == COMMAND_SWITCH) {
    if (!read_settings(r, line, session, c, error)) return false;
    if (kind == COMMAND_ADJUST && !(c->speed >= 0 && isfinite(c->speed)))
      return bad_line(r, "\"speed\" must be 0 or more", error);
  }
  r->has_command = true;
  return true;
}

bool input_reader_over(const InputReader *r, int64_t taken) {
  return r->ended && !r->has_command && taken >= r->step;
}

bool input_reader_next(InputReader *r, int64_t taken, const Session *session, const Camera *camera, const Style *style,
                       Command *command, Error *error) {
  if (!r->has_command && !r->ended) {
    cJSON *line = take_line(r, error);
    const bool ok = line && understand(r, line, session, camera, style, error);
    cJSON_Delete(line);
    if (!ok) return false;
  }
  if (!r->has_command || r->step > taken) return false;
  *command = r->command;
  r->has_command = false;
  return true;
}
