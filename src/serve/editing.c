// The scene editor of the page: see editing.h.
#include "serve/editing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"

static EditedSim edited_sim(Editing *editing, const Shown *shown) {
  return (EditedSim){ .sim = shown->sim, .now = &shown->status, .next = &editing->next };
}

void editing_open(Editing *editing, const SimThread *sim) {
  scene_edits_clear(&editing->edits);
  scene_edits_begin(&editing->edits, sim);
}

void editing_close(Editing *editing) {
  Error ignored = { 0 };
  sim_thread_stop(editing->next, &ignored);
  editing->next = NULL;
  scene_edits_destroy(&editing->edits);
}

// ---- edits

cJSON *editing_kinds(void) {
  cJSON *list = cJSON_CreateArray();
  for (const char *const *kind = scene_edit_kinds(); *kind; kind++)
    cJSON_AddItemToArray(list, cJSON_CreateString(*kind));
  return list;
}

// Returns the index of a kind of entries; -1: there is no such kind.
static int kind_of(const char *name) {
  const char *const *kinds = scene_edit_kinds();
  for (int k = 0; kinds[k]; k++)
    if (strcmp(kinds[k], name) == 0) return k;
  return -1;
}

bool editing_check(const Message *message, Error *error) {
  return message->kind != MESSAGE_ADD || kind_of(message->name) >= 0 ||
         error_set(error, "message: there is no kind \"%s\" of entries", message->name);
}

// Returns true if a key names a file. The page must not choose files: messages about them would show their contents.
static bool names_file(const char *key) {
  const char *point = strchr(key, '.'), *last = point ? point + 1 : key;
  return strcmp(last, "mesh") == 0 || strcmp(last, "environment") == 0;
}

// Returns the field of the selected entry with this key; NULL: none.
static const SceneField *field_of(const SceneEdits *e, const char *key) {
  for (int k = 0; k < e->field_count; k++)
    if (strcmp(e->field[k].key, key) == 0) return &e->field[k];
  return NULL;
}

// Lists the entries of the present document, and the keys of the selected one.
static bool update_list(Editing *editing, const Shown *shown, Error *error) {
  SceneEdits *e = &editing->edits;
  cJSON *document = scene_edits_document(e, &shown->status, error);
  if (document) scene_edits_list(e, document);
  cJSON_Delete(document);
  return document;
}

// Applies a message that changes a key of the selected entry.
static bool write_key(Editing *editing, const Shown *shown, const Message *message, Error *error) {
  SceneEdits *e = &editing->edits;
  const EditedSim sims = edited_sim(editing, shown);
  if (!update_list(editing, shown, error)) return false;
  const SceneField *field = field_of(e, message->name);
  if (!field) return error_set(error, "the selected entry has no key \"%s\"", message->name);
  if (names_file(field->key)) {
    snprintf(e->changed, sizeof e->changed, "%s", field->key);
    scene_edits_refuse(e, "the page cannot choose files of the server; write the name into the scene file");
    return error_set(error, "%s", e->reason);
  }
  return scene_edits_make(e, &sims, &(SceneEdit){ .kind = EDIT_SET, .key = field->key, .text = message->text }, error);
}

bool editing_apply(Editing *editing, const Shown *shown, const Message *message, Error *error) {
  SceneEdits *e = &editing->edits;
  const EditedSim sims = edited_sim(editing, shown);
  e->stale = true;
  if (!scene_edits_select(e, message->list, message->index))
    return error_set(error, "this entry no longer exists; choose another one");
  switch (message->kind) {
    case MESSAGE_ADD:
      return scene_edits_make(e, &sims, &(SceneEdit){ .kind = EDIT_ADD, .added = kind_of(message->name) }, error);
    case MESSAGE_DUPLICATE:
      return scene_edits_make(e, &sims, &(SceneEdit){ .kind = EDIT_COPY }, error);
    case MESSAGE_DELETE:
      return scene_edits_make(e, &sims, &(SceneEdit){ .kind = EDIT_REMOVE }, error);
    case MESSAGE_WRITE:
      return write_key(editing, shown, message, error);
    default:
      return true;
  }
}

// ---- undo and redo

bool editing_revert(Editing *editing, const Shown *shown, int step, bool *done, Error *error) {
  SceneEdits *e = &editing->edits;
  const EditedSim sims = edited_sim(editing, shown);
  *done = true;
  if (e->wanted >= 0 && step < 0) {
    scene_edits_drop(e, &sims);
    e->wanted = -1;
    return e->stale = true;
  }
  const int change = step < 0 ? editing->now - 1 : editing->now;
  *done = change >= 0 && change < editing->count;
  if (!*done) return true;
  const int version = step < 0 ? editing->change[change].before : editing->change[change].after;
  if (!scene_edits_return(e, &sims, version, step, error)) return false;
  editing->asked = change;
  return true;
}

static void add_change(Editing *editing, int before, int after) {
  if (editing->now == HOLD_CHANGES_MAX)
    memmove(editing->change, editing->change + 1, sizeof *editing->change * (size_t)--editing->now);
  editing->change[editing->now++] = (EditChange){ before, after };
  editing->count = editing->now;
}

// ---- the exchange of simulations

bool editing_ready(Editing *editing, const Shown *shown, Error *error) {
  SceneEdits *e = &editing->edits;
  const EditedSim sims = edited_sim(editing, shown);
  if (shown->has_positions && !editing->has_settings) {
    e->settings = shown->status.settings;
    editing->has_settings = true;
  }
  if (!editing->next) return false;
  if (atomic_load_explicit(&editing->next->ended, memory_order_acquire)) {
    sim_thread_stop(editing->next, error);
    editing->next = NULL;
    scene_edits_drop(e, &sims);
  } else {
    if (!atomic_load_explicit(&editing->next->ready, memory_order_acquire)) return false;
    const HandOverStage stage = scene_edits_hand_over(e, &sims, error);
    if (stage != HAND_OVER_REFUSED) return stage == HAND_OVER_DONE;
  }
  e->wanted = -1;
  scene_edits_refuse(e, error->message);
  return false;
}

void editing_shown(Editing *editing, const SimThread *sim, char *words, size_t size) {
  SceneEdits *e = &editing->edits;
  if (e->step != 0) editing->now = e->step < 0 ? editing->asked : editing->asked + 1;
  for (int version = e->first; e->step == 0 && version <= e->wanted; version++)
    add_change(editing, version == e->first ? e->from : version - 1, version);
  editing->next = NULL;
  editing->has_settings = false;
  scene_edits_begin(e, sim);
  scene_edits_shown(e, words, size);
}

// ---- lists for the page

const char *editing_words(const Editing *editing, const char *message) {
  const char *path = editing->edits.base.path;
  const size_t length = strlen(path);
  const bool found = length > 0 && strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0;
  return found ? message + length + 2 : message;
}

// Returns the words of a list such as "|area|volume". The empty word means that the entry has no such key.
static cJSON *words_of(const char *choices) {
  cJSON *list = cJSON_CreateArray();
  for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(c, "|"), c);
    cJSON_AddItemToArray(list, cJSON_CreateString(word));
  }
  return list;
}

// Returns a key of the selected entry with its value, and the kind of widget that suits it.
static cJSON *describe_field(const SceneField *field) {
  const Option *o = field->row;
  cJSON *object = cJSON_CreateObject();
  char help[600], range[96];
  const bool numeric = o && (o->type == OPTION_NUMBER || o->type == OPTION_INTEGER || o->type == OPTION_OPTIONAL);
  const bool bounded = numeric && (isfinite(o->low) || isfinite(o->high));
  const char *type = !o                       ? "text"
                     : o->type == OPTION_FLAG ? "flag"
                     : o->choices             ? "choice"
                     : o->color               ? "color"
                     : numeric                ? "number"
                                              : "text";
  snprintf(help, sizeof help, "%s%s%s%s", o && o->help ? o->help : "", bounded ? " Range: " : "",
           bounded ? option_range(o, range) : "", bounded ? "." : "");
  cJSON_AddStringToObject(object, "key", field->key);
  cJSON_AddStringToObject(object, "text", field->text);
  cJSON_AddStringToObject(object, "type", type);
  cJSON_AddStringToObject(object, "help", help);
  cJSON_AddBoolToObject(object, "advanced", o && o->advanced);
  cJSON_AddBoolToObject(object, "locked", names_file(field->key));
  if (o && o->choices) cJSON_AddItemToObject(object, "choices", words_of(o->choices));
  return object;
}

cJSON *editing_list(Editing *editing, const Shown *shown, Error *error) {
  SceneEdits *e = &editing->edits;
  if (!e->stale || !shown->has_positions || !update_list(editing, shown, error)) return NULL;
  e->stale = false;
  cJSON *message = cJSON_CreateObject(), *scene = cJSON_AddObjectToObject(message, "scene");
  cJSON *entries = cJSON_AddArrayToObject(scene, "entries"), *fields = cJSON_AddArrayToObject(scene, "fields");
  for (int k = 0; k < e->entry_count; k++) {
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "list", e->entry[k].list);
    cJSON_AddNumberToObject(entry, "index", e->entry[k].index);
    cJSON_AddStringToObject(entry, "label", e->entry[k].label);
    cJSON_AddItemToArray(entries, entry);
  }
  for (int k = 0; k < e->field_count; k++) cJSON_AddItemToArray(fields, describe_field(&e->field[k]));
  cJSON_AddNumberToObject(scene, "selected", e->selected);
  cJSON_AddNumberToObject(scene, "version", e->shown);
  cJSON_AddBoolToObject(scene, "builds", e->wanted >= 0);
  cJSON_AddStringToObject(scene, "refused", e->refused);
  cJSON_AddStringToObject(scene, "reason", e->refused[0] ? editing_words(editing, e->reason) : "");
  return message;
}
