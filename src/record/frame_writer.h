// Writes drawn pictures as numbered PNG files and as a film.
#pragma once
#include <stdint.h>

#include "base/path.h"
#include "record/video.h"
#include "render/render_target.h"
#include "render/surface_renderer.h"

// Smallest and largest width and height of a frame, pixels, and number of frames per second of simulated time.
enum { FRAME_SIZE_MIN = 16, FRAME_SIZE_MAX = 8192 };
#define FRAME_RATE_MIN 1e-3
#define FRAME_RATE_MAX 1e9

// A framebuffer for frames, and the files to which they are written. A zeroed FrameWriter is closed.
typedef struct FrameWriter {
  char folder[PATH_LENGTH];  // folder for frame_00000.png ...; empty: no PNG files
  RenderTarget target;       // framebuffer into which frames are drawn
  Video video;
  bool has_video;  // true while a film is being written
  uint8_t *rgba;   // [height][width][4] bytes, picture that was read back from OpenGL
  int count;       // number of frames added so far, including those after the film has failed
} FrameWriter;

/// Opens a writer for frames of size[0] x size[1] pixels. folder: for PNG files, created if it is missing; empty: no
/// PNG files. video: file of the film; empty: no film. fps: frames per second of the film. Needs a current OpenGL
/// context.
bool frame_writer_open(FrameWriter *writer, const char *folder, const char *video, const int size[2], double fps,
                       Error *error);

/// Changes the size of the following frames, pixels. Not for a writer that writes a film.
bool frame_writer_resize(FrameWriter *writer, const int size[2], Error *error);

/// Draws a picture into the target, with the texts of its legend, floor, scale bar and arrows.
bool frame_writer_draw(FrameWriter *writer, SurfaceRenderer *renderer, const Picture *picture, Error *error);

/// Writes the picture in the target to the PNG file number `frame`, and adds it to the film. If only the film fails,
/// returns false and sets has_video to false. The PNG file is then complete, and the caller may add further frames.
bool frame_writer_add(FrameWriter *writer, int frame, Error *error);

/// Waits until the PNG files of frames `first` to `end` - 1 are on the disk.
bool frame_writer_sync(const FrameWriter *writer, int first, int end, Error *error);

/// Completes the film, whose file has a temporary name until then.
bool frame_writer_commit(FrameWriter *writer, Error *error);
void frame_writer_close(FrameWriter *writer);  // accepts a closed writer

/// Creates a folder and its missing parents. Fails if the program may not write files into the folder. Does nothing
/// after atomic_file_discard_all (base/atomic_file.h).
bool make_folders(const char *path, Error *error);
