// `pliant replay LOG`: replays an input log, in a window or into files.
#include <string.h>

#include "app/run_record.h"
#include "window/run_window.h"

typedef struct ReplayOptions {
  RecordOptions record;
  WindowOptions window;
} ReplayOptions;

enum { RECORD_ROWS = 11, WINDOW_ROWS = 3, REPLAY_ROWS = RECORD_ROWS + WINDOW_ROWS };

// Returns the options of a replay: the options of `pliant record` and of the window that affect a replay.
static const Option *replay_options(void) {
  static const char *const keys[REPLAY_ROWS] = { "output",  "overwrite",   "video", "vtu",       "xdmf",
                                                 "state",   "fps",         "size",  "probe",     "probe_file",
                                                 "verbose", "window_size", "trace", "screenshot" };
  static Option rows[REPLAY_ROWS + 1];  // the last row ends the table
  for (int k = 0; k < REPLAY_ROWS; k++) {
    const bool of_record = k < RECORD_ROWS;
    rows[k] = *option_find(of_record ? record_options : window_options, keys[k]);
    rows[k].offset += of_record ? offsetof(ReplayOptions, record) : offsetof(ReplayOptions, window);
  }
  return rows;
}

static const OptionTerm replay_terms[] = {
  { "overwrite", .needs = "output|vtu|xdmf" },
  { "xdmf", .not_with = "vtu" },
  { "fps", .needs = "output|video|vtu|xdmf" },
  { "size", .needs = "output|video" },
  { "window_size", .not_with = "output|video|vtu|xdmf|probe|probe_file" },
  { "window_size", .where = "state", .needs = "trace|screenshot" },
  { 0 },
};

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)scene;
  ReplayOptions *replay = options;
  row->options = replay_options();
  *replay = (ReplayOptions){ .record = record_defaults(), .window = window_defaults() };
  replay->record.frames = RECORD_FRAMES_OPEN;
}

// Replays an input log. The replay has no window if an option names an output of `pliant record`, such as --video. The
// option --state is possible with and without a window: it alone makes the replay run without one, unless --trace or
// --screenshot needs a window.
static bool run_replay(const CommandInput *input, Error *error) {
  const ReplayOptions *options = input->options;
  const char *log = input->paths[0];
  const RecordOptions *record = &options->record;
  WindowOptions window = options->window;
  const bool files = record->output[0] || record->video[0] || record->vtu[0] || record->xdmf[0] ||
                     record->probe.names[0] || record->probe.file[0];
  const bool shown = window.trace[0] || window.screenshot[0];
  if (files && shown)
    return error_set(error,
                     "pliant replay: %s needs the window, but %s replays without one; give one of the two options",
                     window.trace[0] ? "--trace" : "--screenshot",
                     record->output[0]  ? "--output"
                     : record->video[0] ? "--video"
                     : record->vtu[0]   ? "--vtu"
                     : record->xdmf[0]  ? "--xdmf"
                                        : "--probe");
  if (files || (record->state[0] && !shown)) return record_replay(log, record, error);
  memcpy(window.state, record->state, sizeof window.state);
  window.verbose = record->verbose;
  return window_replay(log, &window, error);
}

extern const CommandRow replay_command;
const CommandRow replay_command = {
  .name = "replay",
  .usage = "LOG [OPTION]...",
  .summary =
      "Repeats a session of the window that `pliant --log LOG` recorded, with the same bits. The session is shown in a "
      "window, or written to files with -o, --video, --vtu, --xdmf or --probe-file.",
  .options_size = sizeof(ReplayOptions),
  .terms = replay_terms,
  .takes = TAKES_PATHS,
  .path_count = 1,
  .prepare = prepare,
  .run = run_replay,
};
