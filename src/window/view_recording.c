// Recording from the window: see view.h. The simulation waits until each frame was drawn and written, so no frame is
// lost if the disk or the encoder is slow.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "record/old_frames.h"
#include "window/view.h"

static const double TURN = 6;  // s, duration of a turn of the camera in a recording

// Finds a folder without frames of an earlier recording.
static void find_folder(View *view) {
  char stamp[64];
  const time_t now = time(NULL);
  strftime(stamp, sizeof stamp, "pliant-%Y%m%d-%H%M%S", localtime(&now));
  const char *name = view->options->record[0] ? view->options->record : stamp;
  do
    snprintf(view->record_folder, sizeof view->record_folder, view->recordings ? "%.900s-%d" : "%.900s", name,
             view->recordings + 1);
  while ((old_frames_count(view->record_folder, ".png") || old_frames_count(view->record_folder, ".vtu")) &&
         ++view->recordings);
}

static bool is_frame_size(const int size[2]) {
  for (int i = 0; i < 2; i++)
    if (size[i] < FRAME_SIZE_MIN || size[i] > FRAME_SIZE_MAX) return false;
  return true;
}

// Begins a recording, or ends the present one. turns: the camera turns once around the body.
static void toggle(View *view, bool turns) {
  const HudPanel *p = &view->panel;
  Error error = { 0 };
  if (view->recording) {
    view_end_recording(view);
    return;
  }
  if (!view->sim) return;
  const bool films = p->film || (turns && !p->png);
  SimRecording recording = { .fps = p->record_fps };
  char video[SCENE_PATH_LENGTH + 80] = "";
  const char *refused = NULL;  // field of the panel with an impossible value
  find_folder(view);
  if (films) snprintf(video, sizeof video, "%.900s/%s", view->record_folder, p->film_name);
  if (p->vtu) snprintf(recording.vtu, sizeof recording.vtu, "%.900s", view->record_folder);
  view->record_message[0] = '\0';
  if (!p->png && !films && !p->vtu)
    error_set(&error, "nothing to record: choose PNG files, a film or a VTU series");
  else if (!(p->record_fps >= FRAME_RATE_MIN && p->record_fps <= FRAME_RATE_MAX)) {
    error_set(&error, "frames/s of the recording must be %g to %g, not %g", FRAME_RATE_MIN, FRAME_RATE_MAX,
              p->record_fps);
    refused = "frames/s";
  } else if (!is_frame_size(p->record_size)) {
    error_set(&error, "size of the recording: width and height must be %d to %d pixels", FRAME_SIZE_MIN,
              FRAME_SIZE_MAX);
    refused = "size";
  } else if (films && strchr(p->film_name, '/')) {
    error_set(&error, "film name: %s contains a slash; the film is written to the recording's folder", p->film_name);
    refused = "film name";
  } else if (make_folders(view->record_folder, &error) && films && !video_check(video, &error))
    refused = "film name";
  else if (!error.message[0] && path_lock_folder(&view->record_lock, view->record_folder, &error))
    frame_writer_open(&view->writer, p->png ? view->record_folder : "", video, p->record_size, p->record_fps, &error);
  if (error.message[0]) {
    snprintf(view->record_message, sizeof view->record_message, "%.900s", error.message);
    if (refused)
      view_refuse(view, refused, error.message);
    else
      view_fail(view, "%.300s", error.message);
    path_lock_release(&view->record_lock);
    return;
  }

  view->recording = true;
  view->recordings++;
  view->frames_recorded = 0;
  view->turn_frames = turns ? (int)fmax(1, round(TURN * p->record_fps)) : 0;
  view->still = turns && view->status.paused;
  if (!view->still) view->recording_number = sim_thread_record(view->sim, &recording);
}

void view_toggle_recording(View *view) {
  toggle(view, false);
}

void view_record_turntable(View *view) {
  toggle(view, true);
}

static void say_stopped(View *view, const char *cause) {
  const int count = view->frames_recorded;
  snprintf(view->record_message, sizeof view->record_message, "Stopped: %.400s. %d complete frame%s %s in %.500s",
           cause, count, count == 1 ? "" : "s", count == 1 ? "is" : "are", view->record_folder);
}

void view_finish_recording(View *view) {
  Error error = { 0 };
  if (!view->recording) return;
  view->recording = false;
  if (view->sim) sim_thread_record(view->sim, NULL);
  const bool film = view->writer.has_video;
  const bool whole = frame_writer_commit(&view->writer, &error);
  if (whole)
    snprintf(view->record_message, sizeof view->record_message, "Frames recorded: %d, in %s%s%s", view->frames_recorded,
             view->record_folder, film ? ", and " : "", film ? view->panel.film_name : "");
  else
    say_stopped(view, error.message);
  path_lock_release(&view->record_lock);
  printf("%s\n", view->record_message);
  (whole ? view_say : view_fail)(view, "%.300s", view->record_message);
}

void view_end_recording(View *view) {
  if (!view->recording) return;
  view_finish_recording(view);
  frame_writer_close(&view->writer);
}

// Ends the recording with a message, for example because the disk is full. The program continues.
static void give_up(View *view, const char *why) {
  view_end_recording(view);
  say_stopped(view, why);
  view_fail(view, "%.300s", view->record_message);
}

// Returns true if the present positions are those of the next frame of the recording.
static bool is_next(const View *view) {
  if (view->still) return true;
  // ignores late frames of an earlier recording
  return view->status.recording == view->recording_number && view->status.frame == view->frames_recorded;
}

bool view_record(View *view, Error *error) {
  const int frame = view->frames_recorded;
  if (!view->recording) return true;
  if (!view->still && view->status.recording == view->recording_number && view->status.recording_trouble[0])
    give_up(view, view->status.recording_trouble);
  if (!view->recording || !is_next(view)) return true;
  Picture picture = view_picture(view);
  Camera camera = view->camera;
  if (view->turn_frames > 0) camera_orbit(&camera, 2 * M_PI * frame / view->turn_frames, 0);
  picture.camera = &camera;
  Error why = { 0 };
  if (!frame_writer_draw(&view->writer, &view->renderer, &picture, error)) return false;
  if (!frame_writer_add(&view->writer, frame, &why)) {
    // the PNG file of this frame may be complete although the film has failed
    view->frames_recorded = view->writer.count;
    give_up(view, why.message);
    return true;
  }
  view->frames_recorded++;
  if (!view->still) sim_thread_frame_taken(view->sim, frame);
  if (view->turn_frames > 0 && view->frames_recorded == view->turn_frames) view_end_recording(view);
  return true;
}
