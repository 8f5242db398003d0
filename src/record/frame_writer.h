// Writing drawn frames as numbered PNG files and as a film.
#pragma once
#include <stdint.h>

#include "base/path.h"
#include "record/video.h"
#include "render/render_target.h"
#include "render/surface_renderer.h"

// A zeroed FrameWriter is closed.
typedef struct FrameWriter {
  char folder[PATH_LENGTH];  // folder of frame_00000.png and so on; empty: no PNG files
  RenderTarget target;       // frames are drawn here, then added
  Video video;
  bool has_video;
  uint8_t *rgba;  // [height][width][4]
  int count;      // number of frames written, apart from the film
} FrameWriter;

/// Opens a writer for frames of size[0] x size[1] pixels. Needs a current OpenGL context. Creates `folder` if it is
/// missing. `folder`, or `video`, the file of the film, may be empty.
bool frame_writer_open(FrameWriter *writer, const char *folder, const char *video, const int size[2], double fps,
                       Error *error);

/// Draws a picture into the target, with its legend, floor, scale bar and arrows if it has some.
bool frame_writer_draw(FrameWriter *writer, SurfaceRenderer *renderer, const Picture *picture, Error *error);

/// Writes the picture in the target as the frame with this number. If the film fails, the PNG file is complete anyway,
/// and has_video becomes false.
bool frame_writer_add(FrameWriter *writer, int frame, Error *error);

/// Waits until the PNG files from `first` to end - 1 are on the disk.
bool frame_writer_sync(const FrameWriter *writer, int first, int end, Error *error);

/// Completes the film, which then appears under its name, with the frames so far.
bool frame_writer_commit(FrameWriter *writer, Error *error);
void frame_writer_close(FrameWriter *writer);  // a closed one is allowed

/// Creates a folder and its missing parents. Fails unless files can be written into it.
bool make_folders(const char *path, Error *error);
