// Frames that an earlier recording has left in a folder. They would get into one film with the next recording's frames.
#pragma once
#include <stdbool.h>

#include "base/error.h"

/// Returns the number of frames in a folder, frame_00000.png and so on (`ending` is ".png" or another one). An ending
/// "*.bin" means frame_00000.NAME.bin with any name. Returns 0 if the folder does not exist.
int old_frames_count(const char *folder, const char *ending);

/// Fails if a folder contains frames of an earlier run, so that they are neither lost nor mixed with new ones.
/// `overwrites`: the message also names the option --overwrite.
bool old_frames_refuse(const char *folder, const char *ending, bool overwrites, Error *error);

/// Deletes these frames. Fails with the system's message if one cannot be deleted.
bool old_frames_remove(const char *folder, const char *ending, Error *error);
