// Saves the scene when the user of the page asks for it.
#pragma once
#include "serve/shown.h"

// The file to which the page saves the scene.
typedef struct Saving {
  char path[PATH_LENGTH];  // file of the last save that the user requested; empty: none was requested
  bool overwrites;         // the opened file is one that the program has saved, so that saves overwrite it
  int saved;               // SimStatus.saved, the number of saved scenes, at the last call of saving_ended
} Saving;

/// Asks the simulation's thread to write the present state as a scene file. The first call chooses the file, later
/// calls overwrite it. named: the file of the option --save; empty: a new file, or the scene file that was opened if
/// saving->overwrites. Fails if no file name is free or the simulation is busy.
bool saving_begin(Saving *saving, Shown *shown, const char *named, Error *error);

/// Returns true once after each save: the file saving->path has been written.
bool saving_ended(Saving *saving, const SimStatus *status);
