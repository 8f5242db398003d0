// Finds the folder of the window's state: see state_path.h.
#include "window/state_path.h"

#include <stdio.h>
#include <stdlib.h>

bool state_path(const char *name, char folder[PATH_LENGTH], char path[STATE_PATH]) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int length = PATH_LENGTH;
  if (state && state[0] == '/')
    length = snprintf(folder, PATH_LENGTH, "%s/pliant", state);
  else if (home && home[0] == '/')
    length = snprintf(folder, PATH_LENGTH, "%s/.local/state/pliant", home);
  return length < PATH_LENGTH - 16 && snprintf(path, STATE_PATH, "%s/%s", folder, name) < STATE_PATH;
}
