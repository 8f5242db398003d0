// Writes and reads the input log: see input_log.h.
#include "live/input_log.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/input_file.h"
#include "base/number.h"
#include "scene/json_file.h"
#include "scene/scene_body.h"
#include "scene/scene_parts.h"

enum { LOG_VERSION = 1, LINE_MAX_BYTES = 16 << 20 };

static const double STEP_MAX = 9007199254740992;  // 2^53: doubles represent all integers up to this number

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
  [COMMAND_UNDO] = "undo",
  [COMMAND_REDO] = "redo",
  [COMMAND_GO] = "go",
  [COMMAND_CUT] = "cut",
};
enum { NAME_COUNT = sizeof NAMES / sizeof *NAMES };

// ---- writing a log

// Writes a line of the log. On failure removes the incomplete line from the file and closes the log.
static bool put_line(InputLog *log, cJSON *line, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  char *text = line ? cJSON_PrintUnformatted(line) : NULL;
  const size_t length = text ? strlen(text) : 0;
  const bool is_whole = json_is_whole(&(Error){ 0 });
  errno = ENOMEM;
  const bool ok = is_whole && text && fwrite(text, 1, length, log->file) == length && fputc('\n', log->file) == '\n' &&
                  fflush(log->file) == 0;
  const int cause = errno;
  cJSON_free(text);
  cJSON_Delete(line);
  if (ok) {
    log->bytes += (int64_t)length + 1;
    return true;
  }
  fclose(log->file);
  log->file = NULL;
  if (truncate(log->path, log->bytes) != 0) errno = 0;  // the log is a pipe or a terminal: the line cannot be removed
  error_set(&log->fault, "%s: the input log stops after %lld bytes: %s", log->path, (long long)log->bytes,
            strerror(cause));
  return error_set(error, "%s", log->fault.message);
}

// Returns true if a command may change this option. If `adjusts` (COMMAND_ADJUST), the option must apply to a running
// simulation. Otherwise (COMMAND_SWITCH), the option must be one for which the simulation is created again.
static bool belongs(const Option *option, bool adjusts) {
  return adjusts ? option->applies == APPLIES_LIVE
                 : option->applies == APPLIES_ON_REBUILD || option->applies == APPLIES_TO_STAGE;
}

// Returns the settings `s` of a command as a JSON object. If `adjusts` (COMMAND_ADJUST), the object has the keys whose
// values differ from those in `now`. Otherwise (COMMAND_SWITCH), the object has all keys that this command may change.
static cJSON *settings_json(const SimulationSettings *now, const SimulationSettings *s, bool adjusts) {
  cJSON *set = cJSON_CreateObject();
  for (const Option *o = simulation_options; set && o->key; o++) {
    if (!belongs(o, adjusts)) continue;
    cJSON *value = option_json(o, s), *old = adjusts ? option_json(o, now) : NULL;

    // an empty name selects the default method, so it is not written
    const bool nameless = cJSON_IsString(value) && !value->valuestring[0];
    if (nameless || cJSON_Compare(value, old, true))
      cJSON_Delete(value);
    else
      json_put(set, o->key, value);
    cJSON_Delete(old);
  }
  return set;
}

// Returns the options of the scene that the user gave on the command line, as a JSON object of strings.
static cJSON *given_json(const Scene *scene) {
  cJSON *given = cJSON_CreateObject();
  for (int k = 0; scene_options[k].key; k++) {
    if (!scene->given[k]) continue;
    // an absolute path lets a replay run from any folder
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
  if (scene->mesh_only && !scene->mesh[0])
    return error_set(error,
                     "%s: an input log needs a scene file; write the key \"%s\" in a scene file, and open this file "
                     "instead of giving --%s",
                     path, scene->body_count ? "bodies" : "shapes", scene->body_count ? "bodies" : "shapes");
  char *whole = realpath(scene->path, NULL);
  if (!whole) return error_set(error, "%s: cannot be found: %s", scene->path, strerror(errno));
  log->file = fopen(path, "w");
  bool ok = log->file != NULL;
  if (!ok) error_set(error, "%s: cannot be written: %s", path, strerror(errno));
  if (ok) {
    cJSON *head = cJSON_CreateObject();
    cJSON_AddNumberToObject(head, "pliant_log", LOG_VERSION);
    cJSON_AddStringToObject(head, "scene", whole);
    cJSON_AddNumberToObject(head, "scene_sum", scene->text_sum);
    cJSON_AddNumberToObject(head, "mesh_sum", scene_body_sum(&session->scene_form->mesh));
    if (session->begin_sum) cJSON_AddNumberToObject(head, "begin_sum", session->begin_sum);
    json_put(head, "options", given_json(scene));
    json_put(head, "set", settings_json(NULL, simulation_settings(session->simulation), false));
    if (simulation_settings(session->simulation)->chosen) cJSON_AddTrueToObject(head, "stages_chosen");
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
  json_put(line, "right", json_exact_vector(camera->right, 3));
  json_put(line, "ahead", json_exact_vector(camera->ahead, 3));
  json_put(line, "up", json_exact_vector(camera->up, 3));
  json_put(line, "fov", json_exact(camera->fov));
  Option row;
  for (const Option *o = scene_options; o->key; o++)
    if (style_option(o, &row)) json_put(line, o->key, option_json(&row, style));
  const double range[2] = { style->low, style->high };
  json_put(line, "range", json_exact_vector(range, 2));
  if (!style->section) return;
  const double section[3] = { style->section_axis, style->section_at, style->section_flip };
  json_put(line, "section", json_exact_vector(section, 3));
}

bool input_log_add(InputLog *log, int64_t step, const Command *c, const Session *session, Error *error) {
  if (!log->file || c->kind == COMMAND_SAVE || c->kind == COMMAND_QUIT) return true;
  cJSON *line = cJSON_CreateObject();
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
    if (c->pushes) cJSON_AddTrueToObject(line, "push");
  }
  if (c->kind == COMMAND_DRAG) json_put(line, "offset", json_exact_vector(c->offset, 3));
  if (c->kind == COMMAND_ADJUST || c->kind == COMMAND_SWITCH) {
    json_put(line, "set",
             settings_json(simulation_settings(session->simulation), &c->settings, c->kind == COMMAND_ADJUST));
    if (c->kind == COMMAND_ADJUST) json_put(line, "speed", json_exact(c->speed));
  }
  if (c->kind == COMMAND_GO) cJSON_AddNumberToObject(line, "to", (double)c->to);
  if (c->kind == COMMAND_CUT) print_blade(line, &c->blade);
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

// ---- reading a log

bool input_reader_prefix(const InputReader *r, Error *error) {
  return error_prefix(error, "%s:%d", r->path, r->line_number);
}

static bool bad_line(const InputReader *r, const char *what, Error *error) {
  return error_set(error, "%s:%d: %s", r->path, r->line_number, what);
}

// Reads the next line into r->line, without its line end. Sets *length to the length of the line, or to -1 after the
// last line. Sets *whole to false if the line has no line end. Fails if the line is too long or cannot be read.
static bool read_line(InputReader *r, int64_t *length, bool *whole, Error *error) {
  void *line = r->line;
  int c = EOF;
  for (*length = 0; *length < LINE_MAX_BYTES && (c = getc(r->file)) != EOF && c != '\n'; ++*length) {
    if (*length + 1 >= r->line_capacity &&
        !array_reserve(&line, &r->line_capacity, *length + 2, 1, "a line of the input log", error)) {
      r->line = line;
      return input_reader_prefix(r, error);
    }
    r->line = line;
    r->line[*length] = (char)c;
  }
  r->line_number++;
  if (ferror(r->file)) return error_set(error, "%s: cannot be read: %s", r->path, strerror(errno));
  if (*length == LINE_MAX_BYTES) return bad_line(r, "the line is too long for an input log", error);
  *whole = c == '\n';
  if (*length == 0 && c == EOF) *length = -1;
  if (*length > 0) r->line[*length] = '\0';
  return true;
}

// Reads the next line as a JSON object. Returns NULL without an error at the end of the log, and NULL with an error if
// the line is not a JSON object.
static cJSON *take_line(InputReader *r, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  int64_t length;
  bool whole = false;
  if (!read_line(r, &length, &whole, error)) return NULL;
  cJSON *object = length > 0 && strlen(r->line) == (size_t)length ? cJSON_ParseWithOpts(r->line, NULL, true) : NULL;
  if (cJSON_IsObject(object)) return object;
  cJSON_Delete(object);
  if (!object && !json_is_whole(error)) {
    error_prefix(error, "%s", r->path);
    return NULL;
  }

  // An incomplete last line is ignored: the program may have been killed while it wrote the log.
  if (length < 0 || !whole)
    r->ended = true;
  else
    bad_line(r, "expected a JSON object, as in an input log", error);
  return NULL;
}

static bool apply_given(const cJSON *options, Scene *scene, const InputReader *r, Error *error) {
  char location[SCENE_PATH_LENGTH + 16];
  snprintf(location, sizeof location, "%s:%d", r->path, r->line_number);
  if (!cJSON_IsObject(options)) return bad_line(r, "\"options\" must be a JSON object", error);
  scene_material_begin(scene);
  for (const cJSON *item = options->child; item; item = item->next) {
    const Option *option = option_find(scene_options, item->string);
    if (!option || !cJSON_IsString(item))
      return bad_line(r, "each entry of \"options\" must be a scene key and its value as a text", error);
    if (!option_set_text(option, scene, item->valuestring, error)) return input_reader_prefix(r, error);
  }
  return scene_material_end(scene, location, error);
}

static double number_of(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static bool read_head(InputReader *r, Scene *scene, Error *error) {
  char location[SCENE_PATH_LENGTH + 16];
  cJSON *head = take_line(r, error);
  if (!head) return error->message[0] ? false : bad_line(r, "the input log is empty", error);
  const cJSON *path = cJSON_GetObjectItemCaseSensitive(head, "scene");
  const cJSON *set = cJSON_GetObjectItemCaseSensitive(head, "set");
  bool ok = true;
  snprintf(location, sizeof location, "%s:%d", r->path, r->line_number);
  if (number_of(head, "pliant_log") != LOG_VERSION || !cJSON_IsString(path) || !cJSON_IsObject(set))
    ok = bad_line(r, "the file is not an input log of this version of Pliant; write a new log with --log", error);
  r->mesh_sum = number_of(head, "mesh_sum");
  r->begin_sum = cJSON_HasObjectItem(head, "begin_sum") ? number_of(head, "begin_sum") : 0;
  ok = ok && (scene_read(scene, path->valuestring, error) || input_reader_prefix(r, error));
  if (ok && scene->text_sum != number_of(head, "scene_sum"))
    ok = error_set(error, "%s:%d: %s has changed since the log was written; restore this scene file or write a new log",
                   r->path, r->line_number, path->valuestring);
  ok = ok && apply_given(cJSON_GetObjectItemCaseSensitive(head, "options"), scene, r, error) &&
       options_set_object(scene_options, scene, set, location, error);
  if (ok) scene->simulation.chosen = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(head, "stages_chosen"));
  cJSON_Delete(head);
  return ok;
}

bool input_reader_open(InputReader *r, const char *path, Scene *scene, Error *error) {
  *r = (InputReader){ 0 };
  if (strlen(path) >= sizeof r->path) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(r->path, path, strlen(path) + 1);
  r->file = input_file_open(path, INPUT_FILE_OR_PIPE, error);
  if (!r->file) return false;
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
  if (r->begin_sum != session->begin_sum)
    return error_set(
        error, "%s:1: this log begins with another initial state, not with the present one of %s; write a new log",
        r->path, session->scene.path);
  if (r->mesh_sum == scene_body_sum(&session->scene_form->mesh)) return true;
  return error_set(error, "%s:1: this log belongs to another mesh, not to the present one of %s; write a new log",
                   r->path, session->scene.path);
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
  const cJSON *push = cJSON_GetObjectItemCaseSensitive(line, "push");
  c->pushes = cJSON_IsTrue(push);
  if (push && !cJSON_IsBool(push)) return false;
  return c->stiffness >= 0 && isfinite(c->stiffness);
}

static bool read_settings(const InputReader *r, const cJSON *line, const Session *session, Command *c, Error *error) {
  const cJSON *set = cJSON_GetObjectItemCaseSensitive(line, "set");
  SimulationSettings *s = &c->settings;
  const bool adjusts = c->kind == COMMAND_ADJUST;
  char location[SCENE_PATH_LENGTH + 16];
  snprintf(location, sizeof location, "%s:%d", r->path, r->line_number);
  *s = *simulation_settings(session->simulation);
  if (!adjusts) s->assembly[0] = s->matrix[0] = s->solver[0] = '\0';
  if (!options_set_object(simulation_options, s, set, location, error)) return false;
  for (const cJSON *item = set->child; item; item = item->next)
    if (!belongs(option_find(simulation_options, item->string), adjusts))
      return error_set(error, "%s: key \"%s\" cannot be changed by the action \"%s\"", location, item->string,
                       NAMES[c->kind]);
  if (!device_present(s->device))
    return error_set(error, "%s: device %s cannot be used: %s", location, device_name(s->device), device_absence());
  c->speed = number_of(line, "speed");
  return true;
}

static bool read_blade(const InputReader *r, const cJSON *line, Blade *blade, Error *error) {
  char location[SCENE_PATH_LENGTH + 16];
  snprintf(location, sizeof location, "%s:%d", r->path, r->line_number);
  return parse_blade(blade, line, location, error);
}

// Sets those members of `style` whose keys the line contains. The other members do not change.
static bool read_style(const InputReader *r, const cJSON *line, Style *style, Error *error) {
  char name[SCENE_PATH_LENGTH + 64];
  Option row;
  for (const Option *o = scene_options; o->key; o++) {
    if (!style_option(o, &row)) continue;
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(line, o->key);
    // older logs have the key "pins" for the style's member `pins`
    if (!value && o->offset == offsetof(Scene, style.pins)) value = cJSON_GetObjectItemCaseSensitive(line, "pins");
    snprintf(name, sizeof name, "%s:%d: key \"%s\"", r->path, r->line_number, o->key);
    if (value && !option_set_json(&row, style, value, name, error)) return false;
  }
  return true;
}

// Reads the camera's field of view, and the directions from which its angles are measured. If an older log does not
// have them, the camera keeps its values.
static bool read_axes(const cJSON *line, Camera *camera) {
  if (!cJSON_HasObjectItem(line, "fov")) return true;
  camera->fov = number_of(line, "fov");
  return camera->fov > 0 && camera->fov < M_PI && numbers(line, "right", camera->right, 3) &&
         numbers(line, "ahead", camera->ahead, 3) && numbers(line, "up", camera->up, 3);
}

static bool read_view(const cJSON *line, Command *c) {
  double angles[2], section[3], range[2];
  if (!numbers(line, "target", c->camera.target, 3)) return false;
  if (!numbers(line, "turn", angles, 2)) return false;
  if (!numbers(line, "range", range, 2)) return false;
  if (!read_axes(line, &c->camera)) return false;
  c->camera.distance = number_of(line, "distance");
  c->camera.azimuth = angles[0];
  c->camera.elevation = angles[1];
  c->style.low = range[0];
  c->style.high = range[1];
  c->style.section = cJSON_GetObjectItemCaseSensitive(line, "section") != NULL;
  if (c->style.section) {
    if (!numbers(line, "section", section, 3) || (section[0] != 0 && section[0] != 1 && section[0] != 2)) return false;
    c->style.section_axis = (int)section[0];
    c->style.section_at = section[1];
    c->style.section_flip = section[2] != 0;
  }
  c->camera.orthographic = c->style.orthographic;
  return c->camera.distance > 0 && isfinite(c->camera.distance);
}

static bool understand(InputReader *r, const cJSON *line, const Session *session, const Camera *camera,
                       const Style *style, Error *error) {
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(line, "do");
  Command *c = &r->command;
  const double step = number_of(line, "step");
  if (!(step >= (double)r->step && step <= STEP_MAX && step == floor(step)) || !cJSON_IsString(name))
    return bad_line(
        r,
        "expected an action \"do\" and a whole number \"step\", from 0 to 2^53 and not less than in the previous line",
        error);
  r->step = (int64_t)step;
  r->ended = strcmp(name->valuestring, "end") == 0;
  if (r->ended) return true;
  int kind = 0;
  while (kind < NAME_COUNT && strcmp(NAMES[kind], name->valuestring) != 0) kind++;
  if (kind == NAME_COUNT) return bad_line(r, "\"do\" names an unknown action", error);
  *c = (Command){ .kind = (CommandKind)kind, .camera = *camera, .style = *style };
  bool ok = true;
  if (kind == COMMAND_GRAB || kind == COMMAND_PIN) {
    c->radius = number_of(line, "radius");
    ok = numbers(line, "X", c->X, 3) && c->radius >= 0 && isfinite(c->radius);
  }
  if (kind == COMMAND_GRAB) ok = ok && read_grab(line, session, c);
  if (kind == COMMAND_DRAG) ok = numbers(line, "offset", c->offset, 3);
  if (kind == COMMAND_GO) {
    const double to = number_of(line, "to");
    ok = to >= 0 && to <= STEP_MAX && to == floor(to);
    if (ok) c->to = (int64_t)to;
  }
  if (kind == COMMAND_CUT && !read_blade(r, line, &c->blade, error)) return false;
  if (kind == COMMAND_VIEW && !read_style(r, line, &c->style, error)) return false;
  if (kind == COMMAND_VIEW) ok = read_view(line, c);
  if (!ok) return bad_line(r, "a value of this action is missing or invalid", error);
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
