// Builds JSON objects and writes them to files: see json_file.h.
#include "scene/json_file.h"

#include <stdlib.h>

#include "base/atomic_file.h"
#include "base/number.h"

static _Thread_local bool lacks_part;  // an allocation for JSON in this thread has failed

static void *allocate(size_t size) {
  void *memory = malloc(size);
  if (!memory) lacks_part = true;
  return memory;
}

void json_begin(void) {
  cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = allocate, .free_fn = free });
}

bool json_is_whole(Error *error) {
  const bool is_whole = !lacks_part;
  lacks_part = false;
  return is_whole || error_set(error, "out of memory: cannot store the JSON text; close other programs");
}

void json_mark_incomplete(void) {
  lacks_part = true;
}

// If an item was not added, deletes it and makes the next json_is_whole fail.
static void added(bool is_added, cJSON *item) {
  if (is_added) return;
  json_mark_incomplete();
  cJSON_Delete(item);
}

void json_append(cJSON *list, cJSON *item) {
  added(cJSON_AddItemToArray(list, item), item);
}

void json_put(cJSON *object, const char *key, cJSON *item) {
  added(cJSON_AddItemToObject(object, key, item), item);
}

bool write_json_file(const char *path, const cJSON *root, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  char *text = cJSON_Print(root);
  AtomicFile output = { 0 };
  bool ok = (json_is_whole(error) && text) || error_prefix(error, "%s", path);
  ok = ok && atomic_file_open(&output, path, error);
  if (ok) fprintf(output.stream, "%s\n", text);  // atomic_file_commit reports a failed write
  ok = ok && atomic_file_commit(&output, error);
  atomic_file_close(&output);
  cJSON_free(text);
  return ok;
}
