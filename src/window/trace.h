// What happens in the window, as JSON lines, for tests and bug reports. One object a line, written out at once:
//
//   {"event":"progress", "after_s":t, "what":"reading the mesh"}     before a scene can be shown
//   {"event":"start", "after_s":t, "renderer":"...", "way":"upload", "size":[w,h], "scale":s, "nodes":n,
//    "triangles":n, "highest":{"node":a, "point":[x,y,z], "pixel":[x,y]}}      after the first frame of a scene
//                                                                    (scale: the content scale, see render/pixels.h)
//   {"event":"pick", "frame":f, "step":k, "triangle":t, "nodes":[a,b,c], "point":[..], "pixel":[..], "cursor":[..],
//    "target":[..], "pixels":"0123abcd"}                             the left button went down on the body
//   {"event":"drag", ...the same...}                                 every tenth frame while it is held
//   {"event":"release", ...the same...}                              it went up
//   {"event":"pin", ...the same...}                                  the patch there was pinned, or let go
//   {"event":"settings", "frame":f, "step":k, "paused":false, "speed":s, "young":E, "poisson":nu, "dt":h,
//    "density":d, "gravity":[..], "floor":false, "device":"cpu", "precision":"float", "assembly":"..",
//    "matrix":"..", "solver":"..", "material":"..", "field":"none", "kept":n, "behind":steps, "pin_version":n,
//    "replay_ended":false}
//                                                                    what is in force, when that changes
//   {"event":"panel", "frame":f, "items":{"Pause":[x,y], ...}}       the pixel of each widget of the panel, or of
//                                                                    "all keys" (F1), when that changes
//   {"event":"view", "frame":f, "target":[..], "turn":[azimuth, elevation], "distance":d}     how it is looked at, when
//    that changes
//   {"event":"message", "frame":f, "text":"..."}                     what the window says in words
//   {"event":"exit", "frame":f, "step":k, "after_s":t, "picks":n, "answers":n, "frames_to_answer":m, "most":n}
//                                                                    how many frames drags waited for the picture
//                                                                    that answers them
//
// `point` is where the held point of the surface is now, m, and `pixel` where it is seen, from the picture's upper left
// corner; `target` is where it is pulled to; `pixels` is a CRC-32 of the whole picture.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "live/sim_thread.h"
#include "render/camera.h"
#include "render/picker.h"

enum { TRACE_PERIOD = 10 };  // frames between two drag lines

// A zeroed Trace is closed, and every call on it does nothing.
typedef struct Trace {
  FILE *file;
  int picks;
  int opened;           // View.opened at the last start event
  char settings[1024];  // the last settings, as they were written
  uint32_t items_sum;   // a CRC-32 of the last panel's widgets
  double view[6];       // target, distance, azimuth and elevation, last written
} Trace;

// What the mouse holds, for trace_hold.
typedef struct TraceHold {
  const Pick *pick;
  const double *cursor;  // [2] pixels
  const double *target;  // [3] m
} TraceHold;

bool trace_open(Trace *trace, const char *path, Error *error);
void trace_close(Trace *trace);

bool trace_start(Trace *trace, const Surface *surface, const SurfaceRenderer *renderer, const Camera *camera, int width,
                 int height, double scale, double after_s, Error *error);

/// `event` is "pick", "drag", "release" or "pin". Reads the picture that has just been drawn into the window, and the
/// held triangle's corners.
bool trace_hold(Trace *trace, const char *event, int64_t frame, int64_t step, const TraceHold *hold,
                const SurfaceRenderer *renderer, const Camera *camera, int width, int height, Error *error);

/// What the simulation has in force now, where that has changed.
void trace_settings(Trace *trace, int64_t frame, const SimStatus *status);

/// What is being done before a scene can be shown.
void trace_progress(Trace *trace, const char *what, double after_s);

/// A message that the window shows.
void trace_message(Trace *trace, int64_t frame, const char *text);

/// Where the camera looks and from how far, where that has changed.
void trace_view(Trace *trace, int64_t frame, const Camera *camera);

/// Where the panel's widgets are, where that has changed.
void trace_items(Trace *trace, int64_t frame);

void trace_exit(Trace *trace, int64_t frame, int64_t step, double after_s, int64_t answers, int64_t waited,
                int64_t most);
