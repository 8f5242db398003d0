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
  int64_t count;         // pictures that it was given
} Video;

/// Tests, before a run, whether a film can be written there. Fails unless the name ends in .mp4.
bool video_check(const char *path, Error *error);

/// Starts ffmpeg for pictures of width x height pixels. Fails where there is no ffmpeg, and says what to install.
bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error);

/// Adds a picture, [height][width][4] bytes RGBA, upper row first. Fails if ffmpeg has ended, or hangs after an
/// interrupt; it is then killed.
bool video_add(Video *video, const uint8_t *rgba, Error *error);

/// Finishes the film, which then has its name. Fails with ffmpeg's words where it failed, and where its file is no
/// whole film of all pictures though it reported success; an older film of that name then stays. Waits as long as
/// ffmpeg computes; after an interrupt a hung ffmpeg is killed.
bool video_commit(Video *video, Error *error);

/// Ends ffmpeg and drops what was not committed. Takes a closed one too.
void video_close(Video *video);
