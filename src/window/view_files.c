// Saves scenes and pictures when the user presses a key: see view.h.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/png_file.h"
#include "window/view.h"

enum { STEM_LENGTH = 200, NUMBERS_MAX = 10000 };

// Writes a file's name without folder and ending: "hand" for "scenes/hand.json".
static void stem_of(const char *path, char stem[STEM_LENGTH]) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  snprintf(stem, STEM_LENGTH, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

static const char *path_shown(const View *view) {
  return view->save_path[0] ? view->save_path : view->sim->live.session.scene.path;
}

void view_show_name(View *view) {
  char stem[STEM_LENGTH], title[STEM_LENGTH + 16];
  stem_of(path_shown(view), stem);
  snprintf(title, sizeof title, "%s - Pliant", stem);
  window_set_title(view->window, title);
}

bool view_free_name(View *view, const char *ending, char path[SCENE_PATH_LENGTH]) {
  char stem[STEM_LENGTH];
  stem_of(path_shown(view), stem);
  for (int number = 1; number < NUMBERS_MAX; number++) {
    snprintf(path, SCENE_PATH_LENGTH, "%s-%d%s", stem, number, ending);
    if (access(path, F_OK) != 0) return true;
  }
  view_say(view, "cannot find a free file name: %.300s and all lower numbers exist", path);
  return false;
}

void view_save(View *view) {
  if (!view->has_positions) return;
  const Scene *scene = &view->sim->live.session.scene;
  Command command = { .kind = COMMAND_SAVE,
                      .camera = view->camera,
                      .views = view->views,
                      .style = view->style,
                      .stiffness = view->stiffness };
  if (!view->save_path[0]) {
    // a scene that the program has saved (it has an initial state) is overwritten, but not one that the user has
    // written
    if (view->options->save[0])
      memcpy(command.path, view->options->save, sizeof command.path);
    else if (view->editor.of_saved)
      memcpy(command.path, scene->path, sizeof command.path);
    else if (!view_free_name(view, ".json", command.path))
      return;
  } else {
    memcpy(command.path, view->save_path, sizeof command.path);
  }
  surface_renderer_fix_range(&view->renderer, &command.style);
  memcpy(view->saving, command.path, sizeof view->saving);
  view_post(view, &command);
}

void view_remember(View *view, const char *path) {
  Error error = { 0 };
  if (recent_add(&view->recent, path, &error) || view->recent_fails) return;
  view->recent_fails = true;  // the message is shown only once
  view_say(view, "cannot save the list of recent files: %.300s", error.message);
}

void view_saved(View *view) {
  view->saved = view->status.saved;
  memcpy(view->save_path, view->saving, sizeof view->save_path);
  view_remember(view, view->save_path);
  view_show_name(view);
  printf("saved: %s\n", view->save_path);
  view_say(view, "saved: %.300s", view->save_path);
}

bool view_take_picture(View *view, Error *error) {
  const int *asked = view->options->picture_size, shown[2] = { view->width, view->height };
  Picture picture = view_picture(view);
  FrameWriter writer;
  Error why = { 0 };
  char path[SCENE_PATH_LENGTH];
  picture.hover = NULL;  // without the highlighted patch
  if (!view_free_name(view, ".png", path)) return true;
  if (!frame_writer_open(&writer, "", "", asked[0] ? asked : shown, 1, error)) return false;
  const bool drawn = frame_writer_draw(&writer, &view->renderer, &picture, error) &&
                     render_target_read(&writer.target, writer.rgba, error);
  // a full disk causes a message and does not end the program
  const bool written = drawn && png_write(path, writer.rgba, writer.target.width, writer.target.height, &why);
  if (written) printf("picture: %s\n", path);
  if (drawn) view_say(view, written ? "picture: %.300s" : "%.300s", written ? path : why.message);
  frame_writer_close(&writer);
  return drawn;
}
