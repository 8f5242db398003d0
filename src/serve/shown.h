// The picture of a running simulation, drawn without a window: takes positions from the simulation's thread, and draws
// them. Needs no mouse; mouse.h adds that.
#pragma once
#include "live/sim_thread.h"
#include "record/frame_writer.h"
#include "render/offscreen.h"
#include "render/picker.h"

// A zeroed Shown is closed.
typedef struct Shown {
  SimThread *sim;  // borrowed
  int size[2];     // size of the picture, pixels
  Offscreen offscreen;
  bool has_hud, software;  // software: OpenGL draws on the CPU
  Programs programs;
  SurfaceRenderer renderer;
  Picker picker;
  FrameWriter writer;  // writes no files; draws and reads back the picture
  Stream stream;
  bool has_stream;
  SimStatus status;  // status that belongs to the positions
  bool has_positions;
  Form *form;  // mesh and surface to which the positions belong; held
  uint8_t *pinned;
  int pin_version, resets;
  Camera camera, first_camera, sent_camera;
  Style style, sent_style;
  Hover hover;   // patch that the mouse would grab now; radius 0: none
  bool changed;  // the picture would differ from the last one
} Shown;

/// Opens OpenGL and the picture of a simulation that is ready.
bool shown_open(Shown *shown, SimThread *sim, const int size[2], Error *error);

/// Must be called before the thread of the simulation is stopped.
void shown_close(Shown *shown);

/// Reads the newest positions and status, if they are newer than the positions that were read last.
bool shown_update(Shown *shown, Error *error);

/// Sends camera and style to the simulation if they have changed.
void shown_send_view(Shown *shown);

/// Finds the point of the surface at a pixel; pick->triangle is -1 for the background.
bool shown_pick(Shown *shown, const double pixel[2], Pick *pick, Error *error);

/// Computes the present position of a picked point, m. Waits for the GPU.
bool shown_point(const Shown *shown, const Pick *pick, double point[3], Error *error);

/// Moves the camera so that the whole body is visible.
bool shown_show_all(Shown *shown, Error *error);

/// Draws the picture into shown->writer.rgba. `target` is the position to which the mouse pulls, or NULL. If `smooth`,
/// edges are antialiased, which takes longer.
bool shown_draw(Shown *shown, const Pick *pick, const double *target, bool smooth, Error *error);
