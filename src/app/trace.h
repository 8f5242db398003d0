// What the mouse did, as JSON lines, for tests and bug reports. One object a line, written out at once:
//
//   {"event":"start", "frame":1, "renderer":"...", "way":"upload", "size":[w,h], "nodes":n, "triangles":n,
//    "highest":{"node":a, "point":[x,y,z], "pixel":[x,y]}}           after the first frame is drawn
//   {"event":"pick", "frame":f, "step":k, "triangle":t, "nodes":[a,b,c], "point":[..], "pixel":[..], "cursor":[..],
//    "target":[..], "pixels":"hash"}                                 the left button went down on the body
//   {"event":"drag", ...the same...}                                 every tenth frame while it is held
//   {"event":"release", ...the same...}
//   {"event":"settings", "frame":f, "step":k, "paused":false, "speed":s, "young":E, "poisson":nu, "dt":h, "gravity":[..]}
//                                                                   the simulation goes on with these, from the panel or keys
//   {"event":"exit", "frame":f, "step":k, "picks":n}
//
// `point` is where the held point of the surface is now, m, and `pixel` where it is seen, from the picture's upper left
// corner; `target` is where it is pulled to; `pixels` is a hash of the whole picture.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "app/session.h"
#include "render/camera.h"
#include "render/picker.h"

enum { TRACE_PERIOD = 10 };  // frames between two drag lines

// A zeroed Trace is closed, and every call on it does nothing.
typedef struct Trace {
  FILE *file;
  int picks;
  // as last written
  SimulationSettings settings;
  double speed;
  bool paused;
} Trace;

// The hold of the mouse, as it is written down.
typedef struct TraceHold {
  const Pick *pick;
  const double *cursor;  // [2] pixels
  const double *target;  // [3] m
} TraceHold;

bool trace_open(Trace *trace, const char *path, Error *error);
void trace_close(Trace *trace);

bool trace_start(Trace *trace, const Session *session, const SurfaceRenderer *renderer, const Camera *camera, int width,
                 int height, Error *error);

/// `event` is "pick", "drag" or "release". Reads the picture that has just been drawn into the window, and the held
/// triangle's corners.
bool trace_hold(Trace *trace, const char *event, int64_t frame, int64_t step, const TraceHold *hold,
                const SurfaceRenderer *renderer, const Camera *camera, int width, int height, Error *error);

/// What the simulation has in force now, where that has changed.
void trace_settings(Trace *trace, int64_t frame, int64_t step, const SimulationSettings *settings, double speed,
                    bool paused);

void trace_exit(Trace *trace, int64_t frame, int64_t step);
