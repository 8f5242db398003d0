// JSON files: see json_file.h.
#include "scene/json_file.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/whole_file.h"

static atomic_bool lacks_part;

static void *allocate(size_t size) {
  void *memory = malloc(size);
  if (!memory) atomic_store(&lacks_part, true);
  return memory;
}

void json_begin(void) {
  cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = allocate, .free_fn = free });
}

bool json_is_whole(Error *error) {
  return !atomic_exchange(&lacks_part, false) || error_set(error, "out of memory: JSON");
}

void json_append(cJSON *list, cJSON *item) {
  if (!cJSON_AddItemToArray(list, item)) cJSON_Delete(item);
}

void json_put(cJSON *object, const char *key, cJSON *item) {
  if (!cJSON_AddItemToObject(object, key, item)) cJSON_Delete(item);
}

bool write_json_file(const char *path, const cJSON *root, Error *error) {
  char *text = cJSON_Print(root);
  WholeFile whole = { 0 };
  bool ok = (json_is_whole(error) && text) || error_prefix(error, "%s", path);
  ok = ok && whole_file_open(&whole, path, error);
  if (ok) fprintf(whole.file, "%s\n", text);  // whole_file_commit sees to errors
  ok = ok && whole_file_commit(&whole, error);
  whole_file_close(&whole);
  cJSON_free(text);
  return ok;
}
