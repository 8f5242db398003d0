// Copies positions and the coloured field of a live session to the device that draws them. If the simulation runs on a
// device other than this one, for example because the user has switched devices, the data are copied through the host.
#pragma once
#include "live/live.h"

// A zeroed DisplayCopy is empty.
typedef struct DisplayCopy {
  Device display;        // the device that draws the pictures
  Stream stream;         // stream of `display`, for data that come from the other device
  Device source_device;  // device of the simulation, if it is not `display`
  float *source;         // [bytes], buffer on source_device
  float *host;           // [bytes], buffer on the host
  size_t bytes;          // size of both buffers: the value of surface_renderer_bytes
} DisplayCopy;

bool display_copy_create(DisplayCopy *copy, const Live *live, Device display, Error *error);
void display_copy_destroy(DisplayCopy *copy);

/// Returns the stream on which display_copy_write queues its work now.
Stream display_copy_stream(const DisplayCopy *copy, const Live *live);

/// Writes the output of live_write_picture to `memory` on the display's device. The work is queued on
/// display_copy_stream.
bool display_copy_write(DisplayCopy *copy, Live *live, float *memory, Error *error);
