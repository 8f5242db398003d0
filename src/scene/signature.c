// Writes and compares signatures of sessions, before a state is restored: see signature.h.
#include "scene/signature.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/number.h"
#include "scene/json_file.h"
#include "scene/scene_bodies.h"
#include "scene/session_ranks.h"

enum { SHOWN_MAX = 60 };  // maximum number of characters of a value in a message

static void put_number(FILE *file, const char *name, double value) {
  fprintf(file, "%s\t%.17g\n", name, value);
}

static uLong sum_numbers(uLong sum, const double *numbers, int count) {
  for (int k = 0; k < count; k++) {
    const double number = numbers[k] + 0.0;  // turns -0 into 0, since both have the same effect but different bits
    sum = crc32_z(sum, (const Bytef *)&number, sizeof number);
  }
  return sum;
}

static uLong sum_motion(uLong sum, const RigidMotion *motion) {
  const Spin *spin = &motion->spin;
  sum = sum_numbers(sum, motion->path[0], 4 * motion->point_count);
  if (!motion_spins(motion)) return sum;
  sum = sum_numbers(sum_numbers(sum_numbers(sum, spin->axis, 3), spin->about, 3), &spin->speed, 1);
  for (int k = 0; k < spin->angle_count; k++)
    sum = sum_numbers(sum, (double[4]){ spin->angles[k][0], spin->angles[k][1], 0, 0 }, 4);
  return sum;
}

static uLong sum_region(const Region *region) {
  const double kind[3] = { region->has_ball, region->centre_extreme, region->radius };
  uLong sum = sum_numbers(0, region->low, 3);
  sum = sum_numbers(sum, region->high, 3);
  sum = sum_numbers(sum, region->centre, 3);
  sum = sum_numbers(sum, kind, 3);
  if (region->set[0]) sum = crc32_z(sum, (const Bytef *)region->set, sizeof region->set);
  if (region->of_body) sum = crc32_z(sum, (const Bytef *)region->body_name, sizeof region->body_name);
  return region->of_body ? sum_numbers(sum, (double[1]){ region->body }, 1) : sum;
}

// Writes a line with a checksum for each cut. Without cuts the function writes nothing, so that checkpoints from
// versions of Pliant without the key "cuts" stay valid.
static void put_cuts(FILE *file, const Scene *scene) {
  if (scene->cut_count > 0) put_number(file, "number of cuts", scene->cut_count);
  for (int k = 0; k < scene->cut_count; k++) {
    const Blade *blade = &scene->cuts[k].blade;
    uLong sum = sum_numbers(sum_numbers(0, (double[2]){ scene->cuts[k].time, blade->reach }, 2), blade->point, 3);
    sum = sum_numbers(sum_numbers(sum, blade->normal, 3), blade->edge[0], 6);
    fprintf(file, "cuts entry %d\t#%08lx\n", k + 1, sum);
  }
}

// Writes the number of bodies and a checksum of their initial velocities and spins. Other properties of bodies are part
// of the checksum of the mesh.
static void put_bodies(FILE *file, const Scene *scene) {
  uLong sum = 0;
  for (int k = 0; k < scene->body_count; k++) sum = sum_numbers(sum, scene->bodies[k].velocity, 3);
  bool spins = false;
  for (int k = 0; k < 3 * scene->body_count; k++) spins = spins || scene->bodies[k / 3].spin[k % 3] != 0;
  for (int k = 0; spins && k < scene->body_count; k++) sum = sum_numbers(sum, scene->bodies[k].spin, 3);
  if (scene->body_count > 0) put_number(file, "number of bodies", scene->body_count);
  if (scene->body_count > 0) fprintf(file, "velocities of bodies\t#%08lx\n", sum);
}

// Writes a line with a checksum for each moving pin. Pins that do not move are part of the list of pinned nodes.
static void put_pins(FILE *file, const Scene *scene) {
  ListedPin listed;
  for (int k = 0; scene_pin(scene, k, &listed); k++) {
    const ScenePin *pin = &listed.pin;
    if (!motion_moves(&pin->motion)) continue;
    const uLong sum = sum_numbers(sum_region(&pin->region), (double[1]){ pin->held }, 1);
    fprintf(file, "motion of %s entry %d\t#%08lx\n", listed.list, listed.entry + 1, sum_motion(sum, &pin->motion));
  }
}

static void put_script(FILE *file, const Scene *scene) {
  put_number(file, "number of forces", scene->force_count);
  for (int k = 0; k < scene->force_count; k++) {
    const SceneForce *force = &scene->forces[k];
    const double steps[2] = { force->first_step, force->last_step }, none[3] = { 0 };
    uLong sum = sum_numbers(
        sum_numbers(sum_region(&force->region), (force->kind == FORCE_PRESSURE ? none : force->value), 3), steps, 2);
    if (force->kind == FORCE_PRESSURE) sum = sum_numbers(sum, force->value, 1);
    if (force->kind == FORCE_TRACTION || force->share != SHARE_FITTING)
      sum = sum_numbers(sum, (double[2]){ force->kind, force->share }, 2);
    sum = sum_numbers(sum, force->over_time[0], 2 * force->point_count);
    for (int i = 0; i < 3; i++) sum = crc32_z(sum, (const Bytef *)force->formula[i], strlen(force->formula[i]));
    fprintf(file, "forces entry %d\t#%08lx\n", k + 1, sum);
  }
  put_number(file, "number of drags", scene->drag_count);
  for (int k = 0; k < scene->drag_count; k++) {
    const SceneDrag *drag = &scene->drags[k];
    const uLong sum = sum_numbers(sum_region(&drag->region), &drag->stiffness, 1);
    fprintf(file, "drags entry %d\t#%08lx\n", k + 1, sum_numbers(sum, drag->path[0], 4 * drag->point_count));
  }
}

// Returns true if the signature has a line for this option, that is, if the motion depends on it. Returns false for
// lists and objects (OPTION_CUSTOM), because other functions write their lines. Returns false for options of the mesh,
// because the checksum of the mesh contains them.
static bool counts(const Option *o) {
  return o->type != OPTION_CUSTOM &&
         (o->applies == APPLIES_LIVE || o->applies == APPLIES_ON_REBUILD || o->applies == APPLIES_TO_SCRIPT);
}

// Returns the value of an option as text. The caller releases the text with cJSON_free. Returns NULL if memory is
// short.
static char *value_text(const Option *option, const Scene *scene) {
  NUMBERS_WITH_POINT_HERE;
  cJSON *value = option_json(option, scene);
  char *text = value ? cJSON_PrintUnformatted(value) : NULL;
  cJSON_Delete(value);
  return text;
}

static bool put_settings(FILE *file, const Scene *scene, Error *error) {
  for (const Option *o = scene_options; o->key; o++) {
    if (!counts(o)) continue;
    char *text = value_text(o, scene);
    if (!text)
      return error_set(error, "out of memory: cannot store the settings of a checkpoint; close other programs");
    fprintf(file, "%s\t%s\n", o->key, text);
    cJSON_free(text);
  }
  return json_is_whole(error);
}

// Writes a line with a checksum for each obstacle. Without obstacles the function writes nothing, so that checkpoints
// from versions of Pliant without the key "obstacles" stay valid.
static void put_obstacles(FILE *file, const SimulationSettings *s) {
  if (s->obstacle_count > 0) put_number(file, "number of obstacles", s->obstacle_count);
  for (int k = 0; k < s->obstacle_count; k++) {
    const Obstacle *o = &s->obstacles[k];
    const double others[2] = { o->kind, o->friction };
    uLong sum = sum_numbers(sum_numbers(0, others, 2), o->centre, 3);
    sum = sum_numbers(sum_numbers(sum, o->axis[0], 9), o->size, 3);
    sum = sum_motion(sum, &o->motion);
    if (o->surface) sum = sum_numbers(sum, o->surface->X[0], 3 * o->surface->vertex_count);
    fprintf(file, "obstacles entry %d\t#%08lx\n", k + 1, sum);
  }
}

// Beginning of the lines that state how the mesh was made. signature_compare accepts differences in these lines, since
// equal meshes can be made in several ways. A message about different meshes quotes them.
#define MADE_FROM "mesh from "

static void put_made_from(FILE *file, const char *body, const char *key, cJSON *value) {
  NUMBERS_WITH_POINT_HERE;
  char *text = value ? cJSON_PrintUnformatted(value) : NULL;
  fprintf(file, MADE_FROM "%s%s\t", body, key);
  if (text && strlen(text) > SHOWN_MAX)
    fprintf(file, "#%08lx\n", crc32_z(0, (const Bytef *)text, strlen(text)));
  else
    fprintf(file, "%s\n", text ? text : "none");
  cJSON_free(text);
}

// Returns true if a key of a body describes its mesh. Texts do not count, because they are names and paths.
static bool describes_mesh(const cJSON *key) {
  const OptionApplies applies = option_find(body_options, key->string)->applies;
  return !cJSON_IsString(key) && applies != APPLIES_TO_VIEW && applies != APPLIES_TO_SCRIPT;
}

static bool put_mesh(FILE *file, const Session *session, Error *error) {
  const Scene *scene = &session->scene;
  fprintf(file, "mesh\t#%08lx\n", (unsigned long)session_body_sum(session, &session->scene_form->mesh));
  for (const Option *o = scene_options; o->key; o++) {
    if (o->applies != APPLIES_TO_BODY || o->type == OPTION_TEXT) continue;
    cJSON *value = option_json(o, scene), *body;
    if (strcmp(o->key, "bodies") != 0) {
      put_made_from(file, "", o->key, value);
      cJSON_Delete(value);
      continue;
    }
    int k = 0;
    cJSON_ArrayForEach(body, value) {
      char name[24];
      snprintf(name, sizeof name, "bodies[%d].", k++);
      for (cJSON *item = body->child; item; item = item->next)
        if (describes_mesh(item)) put_made_from(file, name, item->string, item);
    }
    cJSON_Delete(value);
  }
  return json_is_whole(error);
}

bool signature_write(const Session *session, double fps, FILE *file, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  const Scene *scene = &session->scene;

  // The signature identifies the body. For a cut body, it describes the body before all cuts, since a checkpoint stores
  // the mesh and the pins of a cut body separately.
  const bool cut = session->form != session->scene_form;
  const TetMesh *mesh = &session->scene_form->mesh;
  const uint8_t *held = cut ? session->scene_pinned : session->pinned;

  const int nodes = mesh->node_count;
  int pinned = 0;
  for (int a = 0; a < nodes; a++) pinned += held[a] != 0;

  put_number(file, "number of nodes", nodes);
  put_number(file, "number of tets", session_cell_count(session));

  // Settings precede the mesh, because a comparison reports the first difference. A changed modulus of the material
  // also changes the mesh's checksum, which contains the stiffness factors of bodies relative to this modulus. The
  // message must then name the modulus, not the mesh.
  if (!put_settings(file, scene, error) || !put_mesh(file, session, error)) return false;
  put_number(file, "number of pinned nodes", pinned);
  fprintf(file, "list of pinned nodes\t#%08lx\n", crc32_z(0, held, (size_t)nodes));

  put_pins(file, scene);
  put_script(file, scene);
  put_cuts(file, scene);
  put_obstacles(file, &scene->simulation);
  put_bodies(file, scene);
  if (session->begin_sum) fprintf(file, "begin\t#%08lx\n", (unsigned long)session->begin_sum);
  put_number(file, "twist", scene->twist);
  if (scene->twist != 0) put_number(file, "axis of twist", scene->twist_axis);
  put_number(file, "fps", fps);
  return true;
}

// A line of a signature: the name before the tab, and the value after it. Both are given by pointer and length and may
// contain zero bytes.
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

// Finds the line of the signature `text` that has the same name as *row. Lines may have any order.
static bool find_row(const char *text, const Row *row, Row *found) {
  while (*text) {
    *found = take_row(&text);
    if (same(found->name, found->name_length, row->name, row->name_length)) return true;
  }
  return false;
}

// Returns true if the value in the line *row is the default value of its setting. The signature of an older version may
// then lack this line, because the setting did not exist.
static bool is_default(const Row *row) {
  bool is = false;
  Scene *scene = malloc(sizeof *scene);
  if (scene) scene_defaults(scene);
  for (const Option *o = scene_options; scene && o->key; o++) {
    if (!counts(o) || !same(o->key, (int)strlen(o->key), row->name, row->name_length)) continue;
    char *text = value_text(o, scene);
    is = text && same(text, (int)strlen(text), row->value, row->value_length);
    cJSON_free(text);
  }
  free(scene);
  return is;
}

static bool made_from(const Row *row) {
  const int length = (int)strlen(MADE_FROM);
  return row->name_length > length && memcmp(row->name, MADE_FROM, (size_t)length) == 0;
}

// Copies the value of *row to `text` for a message. Each number gets the fewest digits from which it can be read back
// exactly.
static void show(const Row *row, char text[SHOWN_MAX + 1]) {
  NUMBERS_WITH_POINT_HERE;
  const char *at = row->value, *end = at + row->value_length;
  const bool numbers = *at == '[' || *at == '-' || (*at >= '0' && *at <= '9');
  int length = 0;
  while (at < end && length < SHOWN_MAX) {
    char number[32] = { *at }, *after = NULL;
    const double value = numbers ? strtod(at, &after) : 0;
    if (after > at) number_print(value, 6, number);
    at = after > at ? after : at + 1;
    length += snprintf(text + length, (size_t)(SHOWN_MAX + 1 - length), "%s", number);
  }
  text[length < SHOWN_MAX ? length : SHOWN_MAX] = '\0';
}

// Sets the message about a difference in the line *row. theirs: the line in the signature of the file. ours: the line
// in the signature of the session. Either is NULL if the signature has no such line. Returns false.
static bool differs(const Row *row, const Row *theirs, const Row *ours, Error *error) {
  static const Row none = { .value = "none", .value_length = 4 };
  const int skipped = made_from(row) ? (int)strlen(MADE_FROM) : 0, length = row->name_length - skipped;
  const char *name = row->name + skipped;
  if (ours && ours->value[0] == '#')
    return error_set(error, "the checkpoint does not fit this scene: its %.*s differs from the present one", length,
                     name);
  char a[SHOWN_MAX + 1], b[SHOWN_MAX + 1];
  show(theirs ? theirs : &none, a);
  show(ours ? ours : &none, b);
  return error_set(error, "the checkpoint does not fit this scene: its %.*s is %s, but here %s", length, name, a, b);
}

// Sets a message which says that two meshes differ. Lines of a signature that begin with MADE_FROM contain the keys
// from which the mesh was made. The message names the first such line that differs. Signatures of older versions have
// no such lines.
static bool mesh_differs(const char *theirs, const char *ours, const Row *mesh, Error *error) {
  Row a, b;
  bool matched = false;
  for (const char *text = theirs; *text && !matched;) {
    a = take_row(&text);
    matched = made_from(&a);
  }
  for (const char *text = ours; matched && *text;) {
    b = take_row(&text);
    if (!made_from(&b)) continue;
    const bool found = find_row(theirs, &b, &a);
    if (!found || !same(a.value, a.value_length, b.value, b.value_length))
      return differs(&b, found ? &a : NULL, &b, error);
  }
  for (const char *text = theirs; matched && *text;) {
    a = take_row(&text);
    if (made_from(&a) && !find_row(ours, &a, &b)) return differs(&a, &a, NULL, error);
  }
  return differs(mesh, NULL, mesh, error);
}

bool signature_compare(const char *theirs, const char *ours, Error *error) {
  Row a, b;
  int rows = 0;  // number of rows of `theirs` that `ours` also has
  for (const char *text = ours; *text;) {
    b = take_row(&text);
    if (made_from(&b)) continue;
    const bool found = find_row(theirs, &b, &a);
    rows += found;
    if (!found && is_default(&b)) continue;
    if (!found)
      return error_set(error, "the checkpoint does not fit this scene: it lacks \"%.*s\"", b.name_length, b.name);
    if (same(a.value, a.value_length, b.value, b.value_length)) continue;
    if (same(b.name, b.name_length, "mesh", 4)) return mesh_differs(theirs, ours, &b, error);
    return differs(&b, &a, &b, error);
  }
  for (const char *text = theirs; *text;) {
    a = take_row(&text);
    if (made_from(&a)) continue;
    if (--rows < 0 || !find_row(ours, &a, &b))
      return error_set(error, "the checkpoint does not fit this scene: it has \"%.*s\", which this scene does not have",
                       a.name_length < SHOWN_MAX ? a.name_length : SHOWN_MAX, a.name);
  }
  return true;
}
