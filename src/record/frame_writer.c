// Writes drawn pictures to files: see frame_writer.h.
#include "record/frame_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "hud/overlay.h"
#include "record/png_file.h"

enum { FRAME_PATH_LENGTH = PATH_LENGTH + 32 };

bool make_folders(const char *path, Error *error) {
  char part[PATH_LENGTH];
  if (atomic_file_discards()) return true;  // in an MPI run, the process of rank 0 creates the folders
  for (size_t k = 1; k <= strlen(path); k++) {
    if (path[k] != '/' && path[k] != '\0') continue;
    snprintf(part, sizeof part, "%.*s", (int)k, path);
    if (mkdir(part, 0777) != 0) {
      if (errno != EEXIST) return error_set(error, "%s: the folder cannot be created: %s", part, strerror(errno));
    } else if (!atomic_file_sync_name(part, error)) {
      return false;
    }
  }
  struct stat status;
  if (stat(path, &status) != 0) return error_set(error, "%s: the folder cannot be opened: %s", path, strerror(errno));
  if (!S_ISDIR(status.st_mode)) return error_set(error, "%s: is a file; expected a folder", path);
  return access(path, W_OK | X_OK) == 0 ||
         error_set(error, "%s: the folder cannot be written into: %s", path, strerror(errno));
}

bool frame_writer_open(FrameWriter *w, const char *folder, const char *video, const int size[2], double fps,
                       Error *error) {
  *w = (FrameWriter){ .has_video = video[0] != '\0' };
  snprintf(w->folder, sizeof w->folder, "%s", folder);
  w->rgba = array_new((int64_t)size[0] * size[1], 4, "the picture", error);
  if (w->rgba && (!folder[0] || make_folders(folder, error)) &&
      render_target_resize(&w->target, size[0], size[1], true, error) &&
      (!w->has_video || video_open(&w->video, video, size[0], size[1], fps, error)))
    return true;
  frame_writer_close(w);
  return false;
}

bool frame_writer_resize(FrameWriter *w, const int size[2], Error *error) {
  uint8_t *rgba = array_new((int64_t)size[0] * size[1], 4, "the picture", error);
  if (!rgba) return false;
  free(w->rgba);
  w->rgba = rgba;
  return render_target_resize(&w->target, size[0], size[1], w->target.smooth, error);
}

bool frame_writer_draw(FrameWriter *w, SurfaceRenderer *renderer, const Picture *picture, Error *error) {
  const RenderTarget *t = &w->target;
  HudOverlay overlay = { 0 };
  if (!surface_renderer_draw(renderer, t->framebuffer, t->width, t->height, picture, error)) return false;
  overlay_legend(&overlay, renderer, picture->style);
  overlay_floor(&overlay, picture);
  overlay_scale(&overlay, picture, t->height);
  if (picture->style) overlay_vectors(&overlay, renderer, picture->style);
  if (overlay.title || overlay.grid > 0 || overlay.scale > 0 || overlay.arrow > 0)
    hud_draw_overlay(&overlay, t->width, t->height);
  return true;
}

static void frame_path(const FrameWriter *w, int frame, char path[FRAME_PATH_LENGTH]) {
  snprintf(path, FRAME_PATH_LENGTH, "%s/frame_%05d.png", w->folder, frame);
}

bool frame_writer_add(FrameWriter *w, int frame, Error *error) {
  char path[FRAME_PATH_LENGTH];
  if (!render_target_read(&w->target, w->rgba, error)) return false;
  frame_path(w, frame, path);
  if (w->folder[0] && !png_write(path, w->rgba, w->target.width, w->target.height, error)) return false;
  w->count++;
  if (!w->has_video || video_add(&w->video, w->rgba, error)) return true;
  video_close(&w->video);
  w->has_video = false;
  return false;
}

bool frame_writer_sync(const FrameWriter *w, int first, int end, Error *error) {
  char path[FRAME_PATH_LENGTH];
  if (!w->folder[0] || first >= end) return true;
  for (int frame = first; frame < end; frame++) {
    frame_path(w, frame, path);
    if (!atomic_file_sync(path, error)) return false;
  }
  return atomic_file_sync(w->folder, error);
}

bool frame_writer_commit(FrameWriter *w, Error *error) {
  return !w->has_video || w->count == 0 || video_commit(&w->video, error);
}

void frame_writer_close(FrameWriter *w) {
  video_close(&w->video);
  render_target_destroy(&w->target);
  free(w->rgba);
  *w = (FrameWriter){ 0 };
}
