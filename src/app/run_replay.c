// `pliant replay`: see run_replay.h.
#include "app/run_replay.h"

#include <stdint.h>
#include <string.h>

#define RECORD(field) offsetof(ReplayOptions, record.field), sizeof(((ReplayOptions *)0)->record.field)
#define WINDOW(field) offsetof(ReplayOptions, window.field), sizeof(((ReplayOptions *)0)->window.field)
const Option replay_options[] = {
  { "output", OPTION_TEXT, RECORD(output), 0, 0, "DIR", NULL, NULL, "folder for frame_00000.png and so on (also -o)" },
  { "video", OPTION_TEXT, RECORD(video), 0, 0, "FILE", NULL, NULL, "write a film (.mp4) through ffmpeg" },
  { "vtu", OPTION_TEXT, RECORD(vtu), 0, 0, "DIR", NULL, NULL,
    "folder for VTU files with velocities and stresses, and frames.pvd" },
  { "state", OPTION_TEXT, RECORD(state), 0, 0, "FILE", NULL, NULL,
    "write initial and final positions and momenta (.npz)" },
  { "fps", OPTION_NUMBER, RECORD(fps), 1e-3, 1e9, NULL, NULL, NULL, "pictures per simulated second" },
  { "size", OPTION_SIZE, RECORD(size), 16, 8192, "WxH", NULL, NULL, "of a picture, pixels" },
  { "window_size", OPTION_SIZE, WINDOW(size), 64, 16384, "WxH", NULL, NULL, "of the window" },
  { "trace", OPTION_TEXT, WINDOW(trace), 0, 0, "FILE", NULL, NULL, "write what the window shows as JSON lines" },
  { "screenshot", OPTION_TEXT, WINDOW(screenshot), 0, 0, "FILE", NULL, NULL, "write the window's last frame as PNG" },
  { NULL, OPTION_NUMBER, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

ReplayOptions replay_defaults(void) {
  ReplayOptions options = { .record = record_defaults(), .window = window_defaults() };
  options.record.frames = INT32_MAX;
  return options;
}

bool run_replay(const char *log, const ReplayOptions *options, Error *error) {
  const RecordOptions *record = &options->record;
  WindowOptions window = options->window;
  const bool files = record->output[0] || record->video[0] || record->vtu[0];
  const bool shown = window.trace[0] || window.screenshot[0];
  if (files && shown)
    return error_set(error, "pliant replay: %s is the window's, and %s asks for files; take one of them",
                     window.trace[0] ? "--trace" : "--screenshot",
                     record->output[0]  ? "--output"
                     : record->video[0] ? "--video"
                                        : "--vtu");
  if (files || (record->state[0] && !shown)) return record_replay(log, record, error);
  memcpy(window.state, record->state, sizeof window.state);
  return window_replay(log, &window, error);
}
