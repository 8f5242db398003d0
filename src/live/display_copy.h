// Copies positions and the coloured field of a live session to the device that draws them. If the simulation runs on
// another device, for example because the user has switched it, the copies go through the host.
#pragma once
#include "live/live.h"

// A zeroed DisplayCopy is empty.
typedef struct DisplayCopy {
  Device display;        // the device that draws
  Stream stream;         // stream of the display, for data from another device
  Device source_device;  // the simulation's device if it differs from the display's
  float *source;         // [bytes] on source_device
  float *host;           // [bytes]
  size_t bytes;          // surface_renderer_bytes
} DisplayCopy;

bool display_copy_create(DisplayCopy *copy, const Live *live, Device display, Error *error);
void display_copy_destroy(DisplayCopy *copy);

/// Returns the stream on which display_copy_write queues its work now.
Stream display_copy_stream(const DisplayCopy *copy, const Live *live);

/// Writes the output of live_write_picture into memory on the display's device, queued on display_copy_stream.
bool display_copy_write(DisplayCopy *copy, Live *live, float *memory, Error *error);
