// Writes the window's events as JSON lines, for tests and bug reports. Each line is one object and is flushed at once:
//
//   {"event":"progress", "after_s":t, "what":"reading the mesh"}     while a scene is being built
//   {"event":"start", "after_s":t, "renderer":"...", "way":"upload", "size":[w,h], "scale":s, "nodes":n,
//    "triangles":n, "highest":{"node":a, "point":[x,y,z], "pixel":[x,y]}}      after the first frame of a scene
//                                                                    (scale: content scale, see render/pixels.h)
//   {"event":"pick", "frame":f, "step":k, "triangle":t, "nodes":[a,b,c], "point":[..], "pixel":[..], "cursor":[..],
//    "target":[..], "pixels":"0123abcd"}                             the mouse begins to pull or push the body
//   {"event":"drag", ...members of "pick"...}                        every tenth frame while it pulls or pushes
//   {"event":"release", ...members of "pick"...}                     the pull or push by the mouse ends
//   {"event":"pin", ...members of "pick"...}                         a patch of surface was pinned or unpinned
//   {"event":"settings", "frame":f, "step":k, "paused":false, "speed":s, "young":E, "poisson":nu, "dt":h,
//    "density":d, "gravity":[..], "floor":false, "device":"cpu", "precision":"float", "assembly":"..",
//    "matrix":"..", "solver":"..", "cg_relative":"auto", "material":"..", "field":"none", "kept":n,
//    "behind":steps, "pin_version":n, "replay_ended":false}
//                                                                    the simulation's present settings, on changes
//   {"event":"panel", "frame":f, "items":{"Pause":[x,y], ...}}       the pixel of each widget of the panel, or of the
//                                                                    page of keys (F1), on changes
//   {"event":"view", "frame":f, "target":[..], "turn":[azimuth, elevation], "distance":d}     the camera, on
//                                                                    changes
//   {"event":"tool", "frame":f, "name":"grab", "cursor":"hand", "hint":"..."}      the chosen tool of the left button
//                                                                    and the cursor of the mouse, on changes
//   {"event":"measure", "frame":f, "length":l, "from":[..], "to":[..]}             every tenth frame, if there is a
//                                                                    measured line
//   {"event":"message", "frame":f, "text":"..."}                     a message that the window shows
//   {"event":"exit", "frame":f, "step":k, "after_s":t, "picks":n, "answered_drags":n,
//    "frames_to_answer":m, "most_frames_to_answer":n}
//                                                                    mean and largest number of frames from a drag to
//                                                                    the picture that contains it
//
// `point` is the present position of the surface point that the mouse holds, m; `pixel` is its projection, from the
// upper left corner; `target` is the position to which it is pulled, m. `pixels` is a CRC-32 of the picture. `way` is
// how positions reach OpenGL (shared_buffer_method). `kept` is the number of pulls that stay without the mouse,
// `behind` the number of steps that the user has gone back, and `pin_version` changes with the pinned nodes.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "live/sim_thread.h"
#include "render/camera.h"
#include "render/picker.h"
#include "window/measure.h"

enum { TRACE_PERIOD = 10 };  // frames from one "drag" line to the next

// The file of events, and the last written values, to which new values are compared. Zeroed: closed; functions that
// write events then have no effect.
typedef struct Trace {
  FILE *file;
  int picks;            // number of "pick" events
  int opened;           // value of View.opened at the last "start" event
  char settings[1024];  // last "settings" event, to detect changes
  uint32_t items_sum;   // CRC-32 of the last "panel" event, to detect changes
  uint32_t tool_sum;    // CRC-32 of the last "tool" event, to detect changes
  double view[6];       // target, distance, azimuth and elevation of the last "view" event
} Trace;

// The point of the body that the mouse pulls: an argument of trace_hold.
typedef struct TraceHold {
  const Pick *pick;
  const double *cursor;  // [2] pixels, position of the mouse
  const double *target;  // [3] m, position to which the point is pulled
} TraceHold;

bool trace_open(Trace *trace, const char *path, Error *error);
void trace_close(Trace *trace);

bool trace_start(Trace *trace, const Surface *surface, const SurfaceRenderer *renderer, const Camera *camera, int width,
                 int height, double scale, double after_s, Error *error);

/// Writes an event of the mouse: "pick", "drag", "release" or "pin". For the line's members, reads the picture that was
/// just drawn and the positions of the picked triangle's corners back from OpenGL.
bool trace_hold(Trace *trace, const char *event, int64_t frame, int64_t step, const TraceHold *hold,
                const SurfaceRenderer *renderer, const Camera *camera, int width, int height, Error *error);

/// Writes the simulation's present settings, if they have changed since the last call.
void trace_settings(Trace *trace, int64_t frame, const SimStatus *status);

/// Writes a "progress" event. what: activity of building a scene, such as "reading the mesh".
void trace_progress(Trace *trace, const char *what, double after_s);

/// Writes a message that the window shows.
void trace_message(Trace *trace, int64_t frame, const char *text);

/// Writes the camera's target, direction and distance, if they have changed since the last call.
void trace_view(Trace *trace, int64_t frame, const Camera *camera);

/// Writes the chosen tool, the cursor of the mouse and the hint, if they have changed since the last call.
void trace_tool(Trace *trace, int64_t frame, const char *name, int cursor, const char *hint);

/// Writes the length of the measured line, if there is one.
void trace_measure(Trace *trace, int64_t frame, const Measure *measure);

/// Writes the positions of the widgets, if they have changed since the last call.
void trace_items(Trace *trace, int64_t frame);

void trace_exit(Trace *trace, int64_t frame, int64_t step, double after_s, int64_t answers, int64_t waited,
                int64_t maximum);
