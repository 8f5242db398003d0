// Reads and writes the list of recently opened files: see recent_files.h.
#include "window/recent_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "record/frame_writer.h"
#include "window/state_path.h"

void recent_read(RecentFiles *recent) {
  char path[STATE_PATH], folder[PATH_LENGTH], line[PATH_LENGTH];
  *recent = (RecentFiles){ 0 };
  if (!state_path("recent", folder, path)) return;
  Error none = { 0 };  // ignored: a list that cannot be read is empty
  FILE *file = input_file_open(path, INPUT_FILE, &none);
  while (file && recent->count < RECENT_MAX && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '/') memcpy(recent->path[recent->count++], line, sizeof line);
  }
  if (file) fclose(file);
}

static bool write_list(const RecentFiles *recent, Error *error) {
  char path[STATE_PATH], folder[PATH_LENGTH];
  AtomicFile file = { 0 };
  if (!state_path("recent", folder, path)) return true;  // without a home folder there is no list
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
