// Writing pictures as an MP4 film (H.264). ffmpeg runs as a child process and receives raw pictures through a pipe.
#pragma once
#include <stdint.h>
#include <sys/types.h>

#include "base/atomic_file.h"

// A zeroed Video is closed.
typedef struct Video {
  AtomicFile output;     // the file that ffmpeg writes
  pid_t child;           // process of ffmpeg; 0: none
  int pipe;              // writing end of its standard input
  int messages;          // file in memory that receives its standard error
  size_t picture_bytes;  // 4 * width * height
  int patience_ms;       // time without progress after which ffmpeg counts as hung
  int64_t count;         // number of pictures written
} Video;

/// Tests before a run that a film can be written to this path. Fails unless the name ends in .mp4.
bool video_check(const char *path, Error *error);

/// Starts ffmpeg for pictures of width x height pixels. Fails if there is no ffmpeg, and names the package to install.
bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error);

/// Adds a picture, [height][width][4] bytes RGBA, upper row first. Fails if ffmpeg has ended, or if it hangs and is
/// therefore killed. It hangs if for a minute, or 3 s after an interrupt, it has read nothing, written nothing and
/// hardly computed.
bool video_add(Video *video, const uint8_t *rgba, Error *error);

/// Completes the film, which then appears under its name. Fails if ffmpeg failed, with its message. Also fails if the
/// file is not a complete film of all pictures; an older film of that name is then kept. Waits as long as ffmpeg works,
/// and kills a hung one, as video_add does.
bool video_commit(Video *video, Error *error);

/// Kills ffmpeg and deletes a film that was not committed. A closed Video is allowed.
void video_close(Video *video);
