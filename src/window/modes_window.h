// A window that shows the natural vibrations of a body, one mode at a time, with its frequency.
#pragma once
#include "scene/session.h"
#include "sim/modes.h"
#include "window/run_window.h"

/// Opens the window and runs until the user closes it. The window shows each mode with the same period of 2 s, whatever
/// its frequency. It opens with the first mode that is not a rigid motion. `amplitude` is the largest displacement, m.
/// `session` provides mesh, surface, pins and camera, and `modes` are those of its body; both are borrowed. Only these
/// members of `options` have an effect: size, frames, antialias, theme, text_size, trace and screenshot. With a limit
/// of frames, each frame advances the time by 1/60 s, so that all runs give the same pictures. Must be called on the
/// main thread. Fails if no window can be opened.
bool modes_window(const WindowOptions *options, const Session *session, const Modes *modes, double amplitude,
                  Error *error);
