// Frames that an earlier recording has left in a folder. Together with frames of the next recording they would be mixed
// into one film.
#pragma once
#include <stdbool.h>

#include "base/error.h"

/// Counts the frames in a folder: frame_00000.png and so on, if `ending` is ".png". An ending "*.bin" counts files
/// frame_00000.NAME.bin with any NAME. Returns 0 if the folder does not exist.
int old_frames_count(const char *folder, const char *ending);

/// Fails if a folder contains frames of an earlier run, so that these are neither lost nor mixed with new frames. If
/// `overwrites`, the message also mentions the option --overwrite.
bool old_frames_refuse(const char *folder, const char *ending, bool overwrites, Error *error);

/// Deletes the frames in a folder. Fails with the system's message if a frame cannot be deleted.
bool old_frames_remove(const char *folder, const char *ending, Error *error);
