// Pictures as an MP4 film (H.264), through an ffmpeg that runs beside this program and gets raw pictures by a pipe.
#pragma once
#include <stdint.h>
#include <sys/types.h>

#include "base/atomic_file.h"

// A zeroed Video is closed.
typedef struct Video {
  AtomicFile output;     // what ffmpeg writes
  pid_t child;           // ffmpeg; 0: none
  int pipe;              // to its standard input
  int messages;          // a file in memory, its standard error
  size_t picture_bytes;  // 4 * width * height
  int patience_ms;       // after so long without any work of ffmpeg it counts as hung
  int64_t count;         // pictures that it was given
} Video;

/// Tests, before a run, whether a film can be written there. Fails unless the name ends in .mp4.
bool video_check(const char *path, Error *error);

/// Starts ffmpeg for pictures of width x height pixels. Fails where there is no ffmpeg, and says what to install.
bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error);

/// Adds a picture, [height][width][4] bytes RGBA, upper row first. Fails if ffmpeg has ended, or hangs: for a minute,
/// or 3 s after an interrupt, it has read nothing, has written nothing and has hardly computed. It is then killed.
bool video_add(Video *video, const uint8_t *rgba, Error *error);

/// Finishes the film, which then has its name. Fails with ffmpeg's words where it failed, and where its file is no
/// whole film of all pictures though it reported success; an older film of that name then stays. Waits as long as
/// ffmpeg works, and kills a hung one, as video_add does.
bool video_commit(Video *video, Error *error);

/// Ends ffmpeg and drops what was not committed. Takes a closed one too.
void video_close(Video *video);
