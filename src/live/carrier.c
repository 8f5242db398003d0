// Across devices: see carrier.h.
#include "live/carrier.h"

#include <stdlib.h>

#include "base/array.h"

bool carrier_create(Carrier *c, const Live *live, Device display, Error *error) {
  *c = (Carrier){ .display = display, .bytes = surface_renderer_bytes(live->session.mesh.node_count) };
  return stream_create(display, &c->stream, error);
}

void carrier_destroy(Carrier *c) {
  if (c->there) device_free(c->from, c->there);
  free(c->here);
  stream_destroy(&c->stream);
  *c = (Carrier){ 0 };
}

Stream carrier_stream(const Carrier *c, const Live *live) {
  const Stream own = simulation_stream(live->session.simulation);
  return own.device == c->display ? own : c->stream;
}

bool carrier_write(Carrier *c, Live *live, float *memory, Error *error) {
  const Stream own = simulation_stream(live->session.simulation);
  if (own.device == c->display) return live_write_picture(live, memory, error);
  c->from = own.device;
  if (!c->there && !(c->there = device_alloc(own.device, c->bytes, error))) return false;
  if (!c->here && !(c->here = array_new((int64_t)c->bytes, 1, "positions", error))) return false;
  return live_write_picture(live, c->there, error) && device_download(own, c->here, c->there, c->bytes, error) &&
         stream_sync(own, error) && device_upload(c->stream, memory, c->here, c->bytes, error) &&
         stream_sync(c->stream, error);
}
