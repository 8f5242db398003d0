// Pictures as an MP4 film (H.264), through an ffmpeg that runs beside this program and gets raw pictures by a pipe.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

enum { VIDEO_PATH = 4096 };

// A zeroed Video is closed.
typedef struct Video {
  FILE *pipe;            // to ffmpeg's standard input
  pid_t child;           // ffmpeg
  size_t picture_bytes;  // 4 * width * height
  char path[VIDEO_PATH], part[VIDEO_PATH];
} Video;

/// Starts ffmpeg for pictures of width x height pixels. Fails where there is no ffmpeg, and says what to install.
bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error);

/// Adds a picture, [height][width][4] bytes RGBA, upper row first.
bool video_add(Video *video, const uint8_t *rgba, Error *error);

/// Finishes the film, which then has its name. Fails where ffmpeg did; its own words are on standard error.
bool video_commit(Video *video, Error *error);

/// Ends ffmpeg and drops what was not committed. Takes a closed one too.
void video_close(Video *video);
