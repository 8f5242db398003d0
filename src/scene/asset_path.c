// Finds the scenes and meshes that the program ships with: see asset_path.h.
#include "scene/asset_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/environment.h"

enum { FOLDER_LENGTH = 700 };

// Writes to `folder` the path of ../share/pliant, relative to the folder of the running program. Returns false if there
// is no such folder.
static bool beside_program(char folder[FOLDER_LENGTH]) {
  char program[FOLDER_LENGTH - 32];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  if (length <= 0 || (size_t)length >= sizeof program) return false;
  program[length] = '\0';
  *strrchr(program, '/') = '\0';
  snprintf(folder, FOLDER_LENGTH, "%s/../share/pliant", program);
  return access(folder, X_OK) == 0;
}

void asset_path(const char *name, char path[PATH_LENGTH]) {
  char beside[FOLDER_LENGTH];
  const char *folder = environment_value("PLIANT_ASSETS");
  if (!folder || !folder[0])
    folder = beside_program(beside) ? beside : access(PLIANT_ASSET_DIR, X_OK) == 0 ? PLIANT_ASSET_DIR : PLIANT_DATA_DIR;
  snprintf(path, PATH_LENGTH, "%.700s/%.300s", folder, name);
}
