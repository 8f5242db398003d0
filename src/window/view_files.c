// Saves scenes and pictures when the user presses a key: see view.h.
#include <stdio.h>
#include <string.h>

#include "base/file_name.h"
#include "live/live_save.h"
#include "record/png_file.h"
#include "window/view.h"

static const char *path_shown(const View *view) {
  return view->save_path[0] ? view->save_path : view->sim->live.session.scene.path;
}

void view_show_name(View *view) {
  char stem[FILE_STEM], title[FILE_STEM + 16];
  file_stem(path_shown(view), stem);
  snprintf(title, sizeof title, "%s - Pliant", stem);
  window_set_title(view->window, title);
}

bool view_free_name(View *view, const char *ending, char path[SCENE_PATH_LENGTH]) {
  Error error = { 0 };
  if (file_name_free(path_shown(view), ending, path, &error)) return true;
  view_fail(view, "%s", error.message);
  return false;
}

void view_save(View *view) {
  if (!view->has_positions) return;
  const char *scene = view->sim->live.session.scene.path;
  Error error = { 0 };
  Command command = { .kind = COMMAND_SAVE,
                      .camera = view->camera,
                      .views = view->views,
                      .style = view->style,
                      .stiffness = view->stiffness,
                      .radius = view->chosen_radius };
  const char *named = view->save_path[0] ? view->save_path : view->options->save;
  if (!live_save_path(named, scene, view->editor.of_saved, command.path, &error)) {
    view_fail(view, "%s", error.message);
    return;
  }
  surface_renderer_fix_range(&view->renderer, &command.style);
  memcpy(view->saving, command.path, sizeof view->saving);
  view_post(view, &command);
}

void view_remember(View *view, const char *path) {
  Error error = { 0 };
  if (recent_add(&view->recent, path, &error) || view->recent_fails) return;
  view->recent_fails = true;  // the message is shown only once
  view_fail(view, "cannot save the list of recent files: %.300s", error.message);
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
  if (written)
    view_say(view, "picture: %.300s", path);
  else if (drawn)
    view_fail(view, "%.300s", why.message);
  frame_writer_close(&writer);
  return drawn;
}
