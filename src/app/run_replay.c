// `pliant replay`: see run_replay.h.
#include "app/run_replay.h"

#include <string.h>

enum { RECORD_ROWS = 8, WINDOW_ROWS = 3, REPLAY_ROWS = RECORD_ROWS + WINDOW_ROWS };

const Option *replay_options(void) {
  static const char *const keys[REPLAY_ROWS] = { "output", "overwrite", "video",       "vtu",   "state",     "fps",
                                                 "size",   "verbose",   "window_size", "trace", "screenshot" };
  static Option rows[REPLAY_ROWS + 1];  // the last one ends the table
  for (int k = 0; k < REPLAY_ROWS; k++) {
    const bool of_record = k < RECORD_ROWS;
    rows[k] = *option_find(of_record ? record_options : window_options, keys[k]);
    rows[k].offset += of_record ? offsetof(ReplayOptions, record) : offsetof(ReplayOptions, window);
  }
  return rows;
}

const OptionTerm replay_terms[] = {
  { "overwrite", .needs = "output|vtu" },
  { "fps", .needs = "output|video|vtu" },
  { "size", .needs = "output|video" },
  { "window_size", .not_with = "output|video|vtu" },
  { "window_size", .where = "state", .needs = "trace|screenshot" },
  { 0 },
};

ReplayOptions replay_defaults(void) {
  ReplayOptions options = { .record = record_defaults(), .window = window_defaults() };
  options.record.frames = RECORD_FRAMES_OPEN;
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
  window.verbose = record->verbose;
  return window_replay(log, &window, error);
}
