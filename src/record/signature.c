// Signatures: see signature.h.
#include "record/signature.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "scene/json_file.h"
#include "scene/scene_body.h"

// Keys of a scene that the table's walk leaves out: what the mesh's checksum or rows of their own hold, stages, and what
// only a window or a benchmark looks at. All others count, those too that are not there yet.
static const char *const ELSEWHERE[] = {
  "mesh",      "shapes", "scale",        "materials", "mu",     "lambda",        "young",       "poisson",
  "floor",     "pins",   "twist",        "forces",    "drags",  "device",        "assembly",    "matrix",
  "solver",    "order",  "supplemental", "steps",     "speed",  "solver_device", "partitioner", "mouse_stiffness",
  "wireframe", "field",  "color_range",  "show_pins", "camera", "section",       "mouse_radius"
};

static bool stands_elsewhere(const char *key) {
  for (size_t k = 0; k < sizeof ELSEWHERE / sizeof *ELSEWHERE; k++)
    if (strcmp(ELSEWHERE[k], key) == 0) return true;
  return false;
}

static void put_number(FILE *file, const char *name, double value) {
  fprintf(file, "%s\t%.17g\n", name, value);
}

static uLong sum_numbers(uLong sum, const double *numbers, int count) {
  for (int k = 0; k < count; k++) {
    const double number = numbers[k] + 0.0;  // no -0, which acts as 0 does
    sum = crc32_z(sum, (const Bytef *)&number, sizeof number);
  }
  return sum;
}

static uLong sum_region(const Region *region) {
  const double kind[3] = { region->has_ball, region->centre_extreme, region->radius };
  uLong sum = sum_numbers(0, region->low, 3);
  sum = sum_numbers(sum, region->high, 3);
  sum = sum_numbers(sum, region->centre, 3);
  return sum_numbers(sum, kind, 3);
}

static void put_script(FILE *file, const Scene *scene) {
  put_number(file, "number of forces", scene->force_count);
  for (int k = 0; k < scene->force_count; k++) {
    const SceneForce *force = &scene->forces[k];
    const double steps[2] = { force->first_step, force->last_step };
    const uLong sum = sum_numbers(sum_numbers(sum_region(&force->region), force->total, 3), steps, 2);
    fprintf(file, "forces entry %d\t#%08lx\n", k + 1, sum);
  }
  put_number(file, "number of drags", scene->drag_count);
  for (int k = 0; k < scene->drag_count; k++) {
    const SceneDrag *drag = &scene->drags[k];
    const uLong sum = sum_numbers(sum_region(&drag->region), &drag->stiffness, 1);
    fprintf(file, "drags entry %d\t#%08lx\n", k + 1, sum_numbers(sum, drag->path[0], 4 * drag->point_count));
  }
}

static bool put_settings(FILE *file, const Scene *scene, Error *error) {
  const SimulationSettings *s = &scene->simulation;
  for (const Option *o = scene_options; o->key; o++) {
    if (stands_elsewhere(o->key)) continue;
    cJSON *value = option_json(o, scene);
    char *text = value ? cJSON_PrintUnformatted(value) : NULL;
    assert(o->type != OPTION_CUSTOM);  // such a key needs a row of its own
    fprintf(file, "%s\t%s\n", o->key, text ? text : "");
    const bool ok = text != NULL;
    cJSON_free(text);
    cJSON_Delete(value);
    if (!ok) return error_set(error, "out of memory: the signature");
  }
  if (!json_is_whole(error)) return false;
  put_number(file, "mu", s->mu);
  put_number(file, "lambda", s->lambda);
  if (s->has_floor)
    put_number(file, "floor", s->floor_height);
  else
    fprintf(file, "floor\tnull\n");
  return true;
}

bool signature_write(const Session *session, double fps, FILE *file, Error *error) {
  const Scene *scene = &session->scene;
  const int nodes = session->mesh.node_count;
  int pinned = 0;
  for (int a = 0; a < nodes; a++) pinned += session->pinned[a] != 0;
  put_number(file, "number of nodes", nodes);
  put_number(file, "number of tets", session->mesh.tet_count);
  fprintf(file, "mesh\t#%08lx\n", (unsigned long)scene_body_sum(&session->mesh));
  if (!put_settings(file, scene, error)) return false;
  put_number(file, "number of pinned nodes", pinned);
  fprintf(file, "list of pinned nodes\t#%08lx\n", crc32_z(0, session->pinned, (size_t)nodes));
  put_script(file, scene);
  put_number(file, "twist", scene->twist);
  if (scene->twist != 0) put_number(file, "axis of twist", scene->twist_axis);
  put_number(file, "fps", fps);
  return true;
}

// a line's name, up to its tab, and value, up to its end; then moves on to the next
typedef struct Row {
  const char *name, *value;
  int name_length, value_length;
} Row;

static Row take_row(const char **text) {
  const char *end = *text + strcspn(*text, "\n"), *tab = *text + strcspn(*text, "\t\n");
  const char *value = *tab == '\t' ? tab + 1 : tab;
  const Row row = { *text, value, (int)(tab - *text), (int)(end - value) };
  *text = *end ? end + 1 : end;
  return row;
}

static bool same(const char *a, int a_length, const char *b, int b_length) {
  return a_length == b_length && memcmp(a, b, (size_t)a_length) == 0;
}

bool signature_compare(const char *theirs, const char *ours, Error *error) {
  while (*theirs || *ours) {
    const Row a = take_row(&theirs), b = take_row(&ours);
    if (!same(a.name, a.name_length, b.name, b.name_length))
      return error_set(error, "of another session: it has \"%.*s\" where \"%.*s\" is expected",
                       a.name_length < 40 ? a.name_length : 40, a.name, b.name_length, b.name);
    if (same(a.value, a.value_length, b.value, b.value_length)) continue;
    if (b.value[0] == '#')
      return error_set(error, "of another session: its %.*s is not the one here", b.name_length, b.name);
    return error_set(error, "of another session: its %.*s is %.*s, here it is %.*s", b.name_length, b.name,
                     a.value_length < 40 ? a.value_length : 40, a.value, b.value_length, b.value);
  }
  return true;
}
