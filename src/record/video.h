// Writes pictures as an MP4 film (H.264). The program ffmpeg runs as a child process and reads raw pictures from a
// pipe.
#pragma once
#include <stdint.h>
#include <sys/types.h>

#include "base/atomic_file.h"

// A zeroed Video is closed.
typedef struct Video {
  AtomicFile output;     // file into which ffmpeg writes the film
  pid_t child;           // process number of ffmpeg; 0: ffmpeg is not running
  int pipe;              // end of the pipe to which pictures are written; the other end is ffmpeg's standard input
  int messages;          // file in memory that stores ffmpeg's standard error
  size_t picture_bytes;  // bytes of a picture: 4 * width * height
  int patience_ms;       // time without progress after which ffmpeg counts as hung
  int64_t count;         // number of pictures that were added
} Video;

/// Tests before a run that a film can be written to this path. The name must end in .mp4.
bool video_check(const char *path, Error *error);

/// Starts ffmpeg for pictures of width x height pixels. Fails if ffmpeg is not installed; the message then names the
/// package.
bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error);

/// Adds a picture, [height][width][4] bytes RGBA, upper row first. Fails if ffmpeg has ended. Also fails if ffmpeg
/// hangs, and then kills it. ffmpeg hangs if for a minute it has read nothing, written nothing and hardly used the
/// processor. After an interrupt, 3 s replace the minute.
bool video_add(Video *video, const uint8_t *rgba, Error *error);

/// Completes the film, which then appears under its name. Fails with ffmpeg's message if ffmpeg has failed. Also fails
/// if the file is not a complete film of all pictures; an older film of this name is then kept. Waits as long as ffmpeg
/// works; if ffmpeg hangs (see video_add), kills it.
bool video_commit(Video *video, Error *error);

/// Kills ffmpeg, and deletes a film that was not committed. Accepts a closed Video.
void video_close(Video *video);
