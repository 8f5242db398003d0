// Finds frames of an earlier recording in a folder, since the next recording would mix its frames with them.
#pragma once
#include <stdbool.h>

#include "base/error.h"

/// Returns the number of frame files in a folder. With the ending ".png" these are frame_00000.png and so on. With the
/// ending "*.bin" these are frame_00000.NAME.bin and so on, with any NAME. With the ending ".vtu" these are also
/// frame_00000.pvtu and so on, but not their pieces frame_00000_0.vtu. Returns 0 if the folder does not exist.
int old_frames_count(const char *folder, const char *ending);

/// Fails if a folder contains frames of an earlier run. overwrites: the command has the option --overwrite, which the
/// message then names as a remedy.
bool old_frames_refuse(const char *folder, const char *ending, bool overwrites, Error *error);

/// Deletes the frames in a folder, with their pieces. Fails with the system's message if a frame cannot be deleted.
bool old_frames_remove(const char *folder, const char *ending, Error *error);
