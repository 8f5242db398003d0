// Reads and changes lists of names of observables: see curve_names.h.
#include "scene/curve_names.h"

#include <stdio.h>
#include <string.h>

const char *curve_names_next(const char *names, char name[SCENE_CURVES]) {
  const size_t length = strcspn(names, ",");
  if (!*names) return NULL;
  memcpy(name, names, length);
  name[length] = '\0';
  return names + length + (names[length] == ',');
}

bool curve_names_add(char names[SCENE_CURVES], const char *name) {
  const size_t length = strlen(names);
  if (length + strlen(name) + 2 > SCENE_CURVES) return false;
  snprintf(names + length, SCENE_CURVES - length, "%s%s", length ? "," : "", name);
  return true;
}

bool curve_names_have(const char *names, const char *name) {
  char each[SCENE_CURVES];
  for (const char *rest = names; (rest = curve_names_next(rest, each));)
    if (strcmp(each, name) == 0) return true;
  return false;
}

void curve_names_remove(char names[SCENE_CURVES], const char *name) {
  char kept[SCENE_CURVES] = "", each[SCENE_CURVES];
  for (const char *rest = names; (rest = curve_names_next(rest, each));)
    if (strcmp(each, name) != 0) curve_names_add(kept, each);
  memcpy(names, kept, sizeof kept);
}
