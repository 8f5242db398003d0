// Fills a surface that the user opens or adds with tets: see view.h. The present scene goes on meanwhile. The mesh file
// is written beside the scene. If this is not possible, it is written in the user's folder of data.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/timer.h"
#include "record/frame_writer.h"
#include "window/view.h"

// Returns true if a folder belongs to the program, such as that of its example scenes.
static bool is_own(const char *folder) {
  char assets[PATH_LENGTH];
  asset_path("scenes", assets);
  char *own = realpath(assets, NULL);
  const bool result = own && strcmp(own, folder) == 0;
  free(own);
  return result;
}

// Writes the absolute path of the folder for the mesh, which exists.
static bool find_folder(const View *view, char folder[PATH_LENGTH], Error *error) {
  const char *scene = view->sim ? view->sim->live.session.scene.path : "", *slash = strrchr(scene, '/');
  const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  char beside[PATH_LENGTH];
  snprintf(beside, sizeof beside, "%.*s", slash == scene ? 1 : slash ? (int)(slash - scene) : 1, slash ? scene : ".");
  char *whole = realpath(beside, NULL);
  const bool usable = whole && strlen(whole) < PATH_LENGTH && access(whole, W_OK) == 0 && !is_own(whole);
  if (usable) snprintf(folder, PATH_LENGTH, "%s", whole);
  free(whole);
  if (usable) return true;
  if (data && data[0] == '/')
    snprintf(folder, PATH_LENGTH, "%.900s/pliant/meshes", data);
  else if (home && home[0] == '/')
    snprintf(folder, PATH_LENGTH, "%.900s/.local/share/pliant/meshes", home);
  else
    return error_set(error, "no folder for the mesh: the scene's folder is not writable, and HOME is not set");
  return make_folders(folder, error);
}

// Writes the path of a new mesh file with the name of the surface.
static bool find_path(const View *view, const char *surface, char path[PATH_LENGTH], Error *error) {
  enum { NUMBERS_MAX = 1000 };
  char folder[PATH_LENGTH], stem[FILE_STEM];
  if (!find_folder(view, folder, error)) return false;
  file_stem(surface, stem);
  for (int number = 1; number < NUMBERS_MAX; number++) {
    const int length = number == 1 ? snprintf(path, PATH_LENGTH, "%s/%s.msh", folder, stem)
                                   : snprintf(path, PATH_LENGTH, "%s/%s-%d.msh", folder, stem, number);
    if (length >= PATH_LENGTH) return error_set(error, "%.300s...: the path is too long", path);
    if (access(path, F_OK) != 0) return true;
  }
  return error_set(error, "%.300s: all names of new mesh files exist", path);
}

void view_fill_surface(View *view, const char *surface, void (*then)(View *view, const char *mesh)) {
  char out[PATH_LENGTH];
  Error error = { 0 };
  if (view->fill.started) {
    view_warn(view, "another surface is being filled with tets; try again");
    return;
  }
  view->filled = then;
  if (!find_path(view, surface, out, &error) || !fill_thread_start(&view->fill, surface, out, &error))
    view_fail(view, "%.390s", error.message);
}

void view_describe_fill(const View *view, char *text, size_t size) {
  char stem[FILE_STEM];
  file_stem(view->fill.surface, stem);
  snprintf(text, size, "filling %s with tets, %.0f s", stem, timer_seconds() - view->fill.since);
}

void view_update_fill(View *view) {
  const FillThread *f = &view->fill;
  // the mesh is added once no other scene is being built
  if (view->next || !fill_thread_take(&view->fill)) return;
  if (!f->ok) {
    view_fail(view, "%.390s", f->error.message);
    return;
  }
  char cavities[40] = "";
  if (f->cavity_count > 0) snprintf(cavities, sizeof cavities, " around cavities (%d)", f->cavity_count);
  view_say(view, "filled with %d tets%s: %.300s", f->tet_count, cavities, f->out);
  view->filled(view, f->out);
}
