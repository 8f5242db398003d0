// Copies positions and the coloured field of a session to the device that draws them. If the simulation runs on another
// device, for example after the user switched devices, the data are copied through host memory.
#pragma once
#include "live/live.h"

// A zeroed DisplayCopy is empty.
typedef struct DisplayCopy {
  Device display;        // device that draws the pictures
  Stream stream;         // stream of `display`, for data from another device
  Device source_device;  // device of the simulation, if it differs from `display`
  float *source;         // [bytes], memory on source_device
  float *host;           // [bytes], memory on the host
  size_t bytes;          // size of `source` and of `host`: the value of surface_renderer_bytes
} DisplayCopy;

bool display_copy_create(DisplayCopy *copy, const Live *live, Device display, Error *error);
void display_copy_destroy(DisplayCopy *copy);

/// Returns the stream on which display_copy_write would queue its work now.
Stream display_copy_stream(const DisplayCopy *copy, const Live *live);

/// Queues the output of live_write_picture to `memory` on the display's device, on the stream of display_copy_stream.
bool display_copy_write(DisplayCopy *copy, Live *live, float *memory, Error *error);
