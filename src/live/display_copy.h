// Copies node positions, and the field that is shown as colours, from a session to the device that draws pictures. The
// simulation may run on another device, for example after the user switched devices. In this case the data are copied
// through host memory.
#pragma once
#include "live/live.h"

// Memory and a stream for copying positions and field to the device that draws. A zeroed DisplayCopy is empty.
typedef struct DisplayCopy {
  Device display;        // device that draws the pictures
  Stream stream;         // stream of `display`, for data from another device
  Device source_device;  // device of the simulation, if it differs from `display`
  float *source;         // memory of `bytes` bytes on source_device
  float *host;           // memory of `bytes` bytes on the host
  size_t bytes;          // size of `source` and of `host`: the value of surface_renderer_bytes
} DisplayCopy;

bool display_copy_create(DisplayCopy *copy, const Live *live, Device display, Error *error);
void display_copy_destroy(DisplayCopy *copy);

/// Returns the stream on which the next call of display_copy_write queues its copies: the simulation's stream if the
/// simulation runs on the device that draws, otherwise copy->stream.
Stream display_copy_stream(const DisplayCopy *copy, const Live *live);

/// Queues copies of the data from which the surface is drawn: positions and, if the style shows them, a field and
/// vectors. The destination is `memory`, on the device that draws, with the arrangement of surface_renderer_update. The
/// work is queued on the stream of display_copy_stream.
bool display_copy_write(DisplayCopy *copy, Live *live, float *memory, Error *error);
