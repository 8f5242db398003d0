// Where drawn frames go: PNG files with numbers, and a film.
#pragma once
#include <stdint.h>

#include "base/path.h"
#include "record/video.h"
#include "render/render_target.h"
#include "render/surface_renderer.h"

// A zeroed FrameWriter is closed.
typedef struct FrameWriter {
  char folder[PATH_LENGTH];  // of frame_00000.png and so on; empty: none
  RenderTarget target;       // frames are drawn here, then added
  Video video;
  bool has_video;
  uint8_t *rgba;  // [height][width][4]
  int count;      // frames that are whole, but for the film
} FrameWriter;

/// Wants a current OpenGL context. `folder` is made where it is missing; it or `video`, the file of the film, may be
/// empty.
bool frame_writer_open(FrameWriter *writer, const char *folder, const char *video, const int size[2], double fps,
                       Error *error);

/// Draws a picture into the target, with the legend of its colours where it has some.
bool frame_writer_draw(FrameWriter *writer, SurfaceRenderer *renderer, const Picture *picture, Error *error);

/// Takes what is drawn in the target as the frame with this number. If the film fails, the frame's PNG file is whole
/// all the same, and has_video becomes false.
bool frame_writer_add(FrameWriter *writer, int frame, Error *error);

/// Waits until the PNG files with the numbers from `first` to before `end` are on the disk.
bool frame_writer_sync(const FrameWriter *writer, int first, int end, Error *error);

/// Ends the film, which then has its name, with the frames there are.
bool frame_writer_commit(FrameWriter *writer, Error *error);
void frame_writer_close(FrameWriter *writer);  // takes a closed one too

/// Makes a folder and those above it.
bool make_folders(const char *path, Error *error);
