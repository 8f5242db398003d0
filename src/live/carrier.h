// Brings positions and field of a live session to the device that shows them. That is the simulation's own, at first; when
// the user has moved the simulation to another one, they go through the host.
#pragma once
#include "live/live.h"

// A zeroed Carrier is empty.
typedef struct Carrier {
  Device display;
  Stream stream;  // of the display, for what comes from elsewhere
  Device from;    // where `there` lies
  float *there;   // surface_renderer_bytes on the other device
  float *here;    // likewise on the host
  size_t bytes;
} Carrier;

bool carrier_create(Carrier *carrier, const Live *live, Device display, Error *error);
void carrier_destroy(Carrier *carrier);

/// The stream in whose order carrier_write writes now.
Stream carrier_stream(const Carrier *carrier, const Live *live);

/// Writes what live_write_picture gives into memory on the display's device, in the order of carrier_stream.
bool carrier_write(Carrier *carrier, Live *live, float *memory, Error *error);
