// Writes pictures as a film: MP4 (H.264), animated WebP or animated GIF. The program ffmpeg encodes them; it runs as a
// child process and reads raw pictures from a pipe.
#pragma once
#include <stdint.h>
#include <sys/types.h>

#include "base/atomic_file.h"

// A film that is being written, and the process of ffmpeg. Zeroed: closed.
typedef struct Video {
  AtomicFile output;  // file of the film, into which ffmpeg writes
  const struct VideoFormat *format;
  pid_t child;           // process of ffmpeg; 0: it is not running
  int pipe;              // end of the pipe to which pictures are written; ffmpeg reads the other end
  int messages;          // descriptor of a file in memory, into which ffmpeg writes its standard error
  size_t picture_bytes;  // bytes of a picture, 4 * width * height
  int patience_ms;       // ms without progress after which ffmpeg counts as hung
  int64_t count;         // number of pictures that were added
} Video;

/// Fails unless a film can be written to this path, whose name must end in .mp4, .webp or .gif.
bool video_check(const char *path, Error *error);

/// Starts ffmpeg for pictures of width x height pixels. Fails if ffmpeg is not installed; the error names the package.
bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error);

/// Adds a picture, [height][width][4] bytes RGBA, upper row first. Fails if ffmpeg has ended or hangs. ffmpeg counts as
/// hung if it has read and written nothing, and hardly used the processor, for a minute; after an interrupt (Ctrl-C),
/// for 3 s. A hung ffmpeg is killed.
bool video_add(Video *video, const uint8_t *rgba, Error *error);

/// Completes the film, whose file has a temporary name until then. Waits as long as ffmpeg works. Fails with ffmpeg's
/// message, or if the file does not contain all pictures; an older file at the path of video_open is then kept. Kills
/// an ffmpeg that hangs (video_add).
bool video_commit(Video *video, Error *error);

/// Kills ffmpeg and deletes an incomplete film. Accepts a closed Video.
void video_close(Video *video);
