// Reads and writes the list of recently opened files: see recent_files.h.
#include "window/recent_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "record/frame_writer.h"

// Writes the path of the folder that contains the list. Returns false if neither XDG_STATE_HOME nor HOME is an absolute
// path, or if the folder's path is too long.
static bool list_folder(char folder[PATH_LENGTH]) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  if (state && state[0] == '/') return snprintf(folder, PATH_LENGTH, "%s/pliant", state) < PATH_LENGTH - 16;
  return home && home[0] == '/' && snprintf(folder, PATH_LENGTH, "%s/.local/state/pliant", home) < PATH_LENGTH - 16;
}

void recent_read(RecentFiles *recent) {
  char path[PATH_LENGTH + 16], folder[PATH_LENGTH], line[PATH_LENGTH];
  *recent = (RecentFiles){ 0 };
  if (!list_folder(folder)) return;
  snprintf(path, sizeof path, "%s/recent", folder);
  Error none = { 0 };  // ignored: a list that cannot be read is empty
  FILE *file = input_file_open(path, INPUT_FILE, &none);
  while (file && recent->count < RECENT_MAX && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '/') memcpy(recent->path[recent->count++], line, sizeof line);
  }
  if (file) fclose(file);
}

static bool write_list(const RecentFiles *recent, Error *error) {
  char path[PATH_LENGTH + 16], folder[PATH_LENGTH];
  AtomicFile file = { 0 };
  if (!list_folder(folder)) return true;  // without a home folder there is no list
  snprintf(path, sizeof path, "%s/recent", folder);
  bool ok = make_folders(folder, error) && atomic_file_check(path, error) && atomic_file_open(&file, path, error);
  for (int k = 0; ok && k < recent->count; k++) fprintf(file.stream, "%s\n", recent->path[k]);
  ok = ok && atomic_file_commit_unsynced(&file, error);
  atomic_file_close(&file);
  return ok;
}

bool recent_add(RecentFiles *recent, const char *path, Error *error) {
  bool ok = true;
  char *whole = realpath(path, NULL);
  if (whole && strlen(whole) < PATH_LENGTH && !strchr(whole, '\n')) {
    // the list is read again, because another window may have changed it
    RecentFiles newest;
    recent_read(&newest);
    if (newest.count > 0) *recent = newest;
    int at = 0;
    while (at < recent->count && strcmp(recent->path[at], whole) != 0) at++;
    if (at == recent->count && recent->count < RECENT_MAX) recent->count++;
    if (at == RECENT_MAX) at--;
    memmove(recent->path[1], recent->path[0], sizeof *recent->path * (size_t)at);
    memcpy(recent->path[0], whole, strlen(whole) + 1);
    ok = write_list(recent, error);
  }
  free(whole);
  return ok;
}
