// Writes drawn frames as numbered PNG files and as a film.
#pragma once
#include <stdint.h>

#include "base/path.h"
#include "record/video.h"
#include "render/render_target.h"
#include "render/surface_renderer.h"

// A zeroed FrameWriter is closed.
typedef struct FrameWriter {
  char folder[PATH_LENGTH];  // folder of frame_00000.png and so on; empty: no PNG files
  RenderTarget target;       // frames are drawn into this target and then added
  Video video;
  bool has_video;
  uint8_t *rgba;  // [height][width][4], picture that was read back
  int count;      // number of frames that were written, not counting the film
} FrameWriter;

/// Opens a writer for frames of size[0] x size[1] pixels. `video` is the file of the film. `folder` and `video` may be
/// empty. Creates `folder` if it does not exist. Needs a current OpenGL context.
bool frame_writer_open(FrameWriter *writer, const char *folder, const char *video, const int size[2], double fps,
                       Error *error);

/// Draws a picture into the target. If the picture has a legend, a floor, a scale bar or arrows, their texts are drawn
/// too.
bool frame_writer_draw(FrameWriter *writer, SurfaceRenderer *renderer, const Picture *picture, Error *error);

/// Writes the picture in the target as the frame with this number. If the film fails, the PNG file of the frame is
/// complete, and has_video becomes false.
bool frame_writer_add(FrameWriter *writer, int frame, Error *error);

/// Waits until the PNG files of frames `first` to end - 1 are on the disk.
bool frame_writer_sync(const FrameWriter *writer, int first, int end, Error *error);

/// Completes the film with the frames so far. The film then appears under its name.
bool frame_writer_commit(FrameWriter *writer, Error *error);
void frame_writer_close(FrameWriter *writer);  // accepts a closed FrameWriter

/// Creates a folder and its missing parents. Fails unless files can be written into it.
bool make_folders(const char *path, Error *error);
