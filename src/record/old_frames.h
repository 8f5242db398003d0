// Frames that an earlier recording has left in a folder: they would end up in one film with those of the next.
#pragma once
#include <stdbool.h>

#include "base/error.h"

/// The number of frames, frame_00000.png and so on (`ending` is ".png" or another one), in a folder; 0 where there is
/// no such folder.
int old_frames_count(const char *folder, const char *ending);

/// Deletes them. Fails with the system's words where one cannot be.
bool old_frames_remove(const char *folder, const char *ending, Error *error);
