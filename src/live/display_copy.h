// Copies positions and field of a live session to the device that displays them. That is the simulation's own at first;
// once the user has moved the simulation to another one, they go through the host.
#pragma once
#include "live/live.h"

// A zeroed DisplayCopy is empty.
typedef struct DisplayCopy {
  Device display;        // where they are drawn
  Stream stream;         // of the display, for what comes from another device
  Device source_device;  // the simulation's, where it is not the display's
  float *source;         // [bytes] on it
  float *host;           // [bytes]
  size_t bytes;          // surface_renderer_bytes
} DisplayCopy;

bool display_copy_create(DisplayCopy *copy, const Live *live, Device display, Error *error);
void display_copy_destroy(DisplayCopy *copy);

/// The stream in whose order display_copy_write writes now.
Stream display_copy_stream(const DisplayCopy *copy, const Live *live);

/// Writes what live_write_picture gives into memory on the display's device, in the order of display_copy_stream.
bool display_copy_write(DisplayCopy *copy, Live *live, float *memory, Error *error);
