// `pliant bench --set`: times a scene with each combination of given values of its keys. See run_table.h.
#include "app/run_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/measure.h"
#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "scene/json_file.h"

enum { KEYS_MAX = 8, VALUES_MAX = 100, RUNS_MAX = 10000 };

// A key of the scene with the values that it takes in turn.
typedef struct Key {
  const Option *option;
  const char *value[VALUES_MAX];  // [count], texts within Table.text
  int count;
  int width;  // characters, width of the key's column in the printed table
} Key;

typedef struct Table {
  char text[SCENE_PATH_LENGTH];  // copy of the user's text, in which separators are replaced by ends of strings
  Key key[KEYS_MAX];
  int key_count, run_count;
  const Scene *scene;  // the scene without the values of the table
  Scene *chosen;       // the scene with the values of the present row; owned
  Session *session;    // session of the present row; owned
  cJSON *rows;
  int failed;                      // number of rows that failed
  char first_fault[ERROR_LENGTH];  // error message of the first row that failed
} Table;

// Reads the values of a key from `text`, a part of Table.text. Replaces the separators in it by ends of strings, so
// that each value is a string.
static bool read_values(Key *key, char *text, Error *error) {
  const char separator[2] = { strchr(text, ';') ? ';' : ',', '\0' };
  char *rest = NULL;
  key->width = (int)strlen(key->option->key);
  for (char *value = strtok_r(text, separator, &rest); value; value = strtok_r(NULL, separator, &rest)) {
    if (key->count == VALUES_MAX)
      return error_set(error, "--set: %s has more than %d values", key->option->key, VALUES_MAX);
    const int length = (int)strlen(value);
    key->width = length > key->width ? length : key->width;
    key->value[key->count++] = value;
  }
  return key->count > 0 ||
         error_set(error, "--set: %s has no values; give them as in %s=A,B", key->option->key, key->option->key);
}

// Reads one part of the user's text, "KEY=VALUES".
static bool read_key(Table *t, char *word, Error *error) {
  char *equals = strchr(word, '=');
  if (!equals) return error_set(error, "--set: \"%s\" has no values; the form is KEY=A,B", word);
  *equals = '\0';
  for (char *c = word; *c; c++) *c = *c == '-' ? '_' : *c;
  const Option *option = option_find(scene_options, word);
  char meant[96];
  if (!option)
    return error_set(error, "--set: there is no scene key \"%s\"%s; pliant bench --help lists all keys", word,
                     option_meant(scene_options, word, meant));
  if (!command_takes_option(&bench_command, option) || option->applies == APPLIES_TO_VIEW)
    return error_set(error, "--set: the key %s has no effect on a benchmark", word);
  if (t->scene->given[option - scene_options])
    return error_set(error, "--set: the key %s is also given as an option; give it once", word);
  for (int k = 0; k < t->key_count; k++)
    if (t->key[k].option == option) return error_set(error, "--set: the key %s is given twice", word);
  if (t->key_count == KEYS_MAX) return error_set(error, "--set: more than %d keys; give fewer", KEYS_MAX);
  Key *key = &t->key[t->key_count++];
  key->option = option;
  return read_values(key, equals + 1, error);
}

static bool read_table(Table *t, const char *text, Error *error) {
  char *rest = NULL;
  snprintf(t->text, sizeof t->text, "%s", text);
  for (char *word = strtok_r(t->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
    if (!read_key(t, word, error)) return false;
  if (t->key_count == 0) return error_set(error, "--set: give keys and values, as in \"dt=0.01,0.02\"");
  t->run_count = 1;
  for (int k = 0; k < t->key_count; k++) {
    if (t->run_count > RUNS_MAX / t->key[k].count)
      return error_set(error, "--set: more than %d combinations; give fewer values", RUNS_MAX);
    t->run_count *= t->key[k].count;
  }
  return true;
}

// Chooses the values of all keys for row `run`: index[k] receives the index of the value of key k. From one row to the
// next, the value of the last key changes first.
static void choose(const Table *t, int run, int index[KEYS_MAX]) {
  for (int k = t->key_count - 1; k >= 0; k--) {
    index[k] = run % t->key[k].count;
    run /= t->key[k].count;
  }
}

// Sets t->chosen to the scene, with the key values that `index` selects.
static bool set_values(Table *t, const int index[KEYS_MAX], Error *error) {
  *t->chosen = *t->scene;
  t->chosen->contact_given = true;  // rows whose methods do not support contact must not be computed without it
  scene_material_begin(t->chosen);
  for (int k = 0; k < t->key_count; k++) {
    const char *value = t->key[k].value[index[k]];
    if (!option_set_text(t->key[k].option, t->chosen, value, error)) return false;
    scene_note_option(t->chosen, t->key[k].option, value);
  }
  const Scene *s = t->chosen;
  if ((s->mesh[0] != 0) + (s->shape_count > 0) + (s->body_count > 0) > 1)
    return error_set(error, "--set: only one of mesh, shapes and bodies can be given; remove the others");
  return scene_material_end(t->chosen, "--set", error) && scene_check_mesh(s, error);
}

static void print_head(const Table *t) {
  for (int k = 0; k < t->key_count; k++) printf("%-*s  ", t->key[k].width, t->key[k].option->key);
  printf("%9s %10s %11s %8s\n", "steps/s", "ms/step", "Newton/step", "CG/step");
}

static void print_row(const Measurement *m) {
  const double steps = (double)m->profile.steps;
  printf("%9.1f %10.4f %11.2f %8.1f\n", 1e3 / m->median_ms, m->median_ms, (double)m->profile.newton_iterations / steps,
         (double)m->profile.cg_iterations / steps);
}

// Measures the scene with the key values of row number `run`, prints the row, and adds it to the JSON list.
static void run_row(Table *t, int run, int repeat) {
  int index[KEYS_MAX];
  Measurement measurement;
  Error error = { 0 };
  choose(t, run, index);
  cJSON *row = cJSON_CreateObject(), *values = cJSON_AddObjectToObject(row, "set");
  for (int k = 0; k < t->key_count; k++) {
    const char *value = t->key[k].value[index[k]];
    cJSON_AddStringToObject(values, t->key[k].option->key, value);
  }
  const bool ok = set_values(t, index, &error) && session_create(t->session, t->chosen, &error) &&
                  measure_session(t->session, t->chosen->steps, repeat, &measurement, &error);

  // No part of the row is printed before the run, because notices of the run would interrupt the row.
  for (int k = 0; k < t->key_count; k++) printf("%-*s  ", t->key[k].width, t->key[k].value[index[k]]);
  if (ok) {
    print_row(&measurement);
    measurement_add_json(&measurement, row);
  } else {
    printf("failed: %s\n", error.message);
    cJSON_AddStringToObject(row, "error", error.message);
    if (t->failed++ == 0) snprintf(t->first_fault, sizeof t->first_fault, "%s", error.message);
  }

  fflush(stdout);
  json_append(t->rows, row);
  session_destroy(t->session);
}

static bool run_rows(Table *t, int repeat, Error *error) {
  print_head(t);
  for (int run = 0; run < t->run_count && !interrupt_requested(); run++) run_row(t, run, repeat);
  if (!interrupt_check(error)) return false;
  return t->failed == 0 || error_set(error, "combinations that failed: %d of %d; the first error: %s", t->failed,
                                     t->run_count, t->first_fault);
}

bool run_table_check(const Scene *scene, const char *text, Error *error) {
  Table *t = array_new(1, sizeof *t, "the table", error);
  if (t) t->scene = scene;
  const bool ok = t && read_table(t, text, error);
  free(t);
  return ok;
}

bool run_table(const Scene *scene, const BenchOptions *options, Error *error) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "scene", scene->path);
  Table *t = array_new(1, sizeof *t, "the table", error);
  bool ok = false;
  if (t) {
    t->scene = scene;
    t->rows = cJSON_AddArrayToObject(root, "runs");
    t->chosen = array_new(1, sizeof *t->chosen, "the scene", error);
    t->session = array_new(1, sizeof *t->session, "the session", error);
  }
  if (t && t->chosen && t->session && read_table(t, options->set, error)) {
    ok = run_rows(t, options->repeat, error);
    Error second = { 0 };  // the JSON file is also written if some rows failed; this is an error of the writing
    if (options->json[0] && !write_json_file(options->json, root, ok ? error : &second)) {
      if (!ok) log_notice("%s", second.message);
      ok = false;
    }
  }

  cJSON_Delete(root);
  if (t) {
    free(t->chosen);
    free(t->session);
  }
  free(t);
  return ok;
}
