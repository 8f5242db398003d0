// `pliant replay LOG`: does again what a user did, in a window or into files.
#pragma once
#include "app/run_record.h"
#include "window/run_window.h"

typedef struct ReplayOptions {
  RecordOptions record;
  WindowOptions window;
} ReplayOptions;

/// Those rows of the recorder's and of the window's options that a replay has.
const Option *replay_options(void);
extern const OptionTerm replay_terms[];

ReplayOptions replay_defaults(void);

/// Into files where any is asked for, else in a window; where only the state is, in a window if that has an option of
/// its own.
bool run_replay(const char *log, const ReplayOptions *options, Error *error);
