// Copies node positions, and the field that is shown as colours, to the device that draws pictures: see display_copy.h.
#include "live/display_copy.h"

#include <stdlib.h>

#include "base/array.h"

bool display_copy_create(DisplayCopy *c, const Live *live, Device display, Error *error) {
  *c = (DisplayCopy){ .display = display, .bytes = surface_renderer_bytes(live->session.mesh.node_count) };
  return stream_create(display, &c->stream, error);
}

void display_copy_destroy(DisplayCopy *c) {
  if (c->source) device_free(c->source_device, c->source);
  free(c->host);
  stream_destroy(&c->stream);
  *c = (DisplayCopy){ 0 };
}

Stream display_copy_stream(const DisplayCopy *c, const Live *live) {
  const Stream own = simulation_stream(live->session.simulation);
  return own.device == c->display ? own : c->stream;
}

bool display_copy_write(DisplayCopy *c, Live *live, float *memory, Error *error) {
  const Stream own = simulation_stream(live->session.simulation);
  if (own.device == c->display) return live_write_picture(live, memory, error);
  const size_t bytes = surface_renderer_bytes(live->session.mesh.node_count);
  if (bytes != c->bytes) {  // a cut or a tear has changed the number of nodes
    if (c->source) device_free(c->source_device, c->source);
    free(c->host);
    c->source = c->host = NULL;
    c->bytes = bytes;
  }
  c->source_device = own.device;
  if (!c->source && !(c->source = device_alloc(own.device, c->bytes, error))) return false;
  if (!c->host && !(c->host = array_new((int64_t)c->bytes, 1, "positions", error))) return false;
  if (!live_write_picture(live, c->source, error)) return false;
  if (!device_download(own, c->host, c->source, c->bytes, error)) return false;
  if (!stream_sync(own, error)) return false;
  if (!device_upload(c->stream, memory, c->host, c->bytes, error)) return false;
  return stream_sync(c->stream, error);
}
