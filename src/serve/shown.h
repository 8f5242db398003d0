// The picture of a simulation that runs without a window: takes positions from the simulation's thread and draws them.
// mouse.h adds control by the mouse.
#pragma once
#include "live/sim_thread.h"
#include "record/frame_writer.h"
#include "render/offscreen.h"
#include "render/picker.h"

// A simulation's picture, and the OpenGL objects that draw it. Zeroed: closed.
typedef struct Shown {
  SimThread *sim;  // simulation, not owned
  int size[2];     // pixels, size of the picture
  Offscreen offscreen;
  bool has_hud, software;  // has_hud: the HUD (text over the picture) was created; software: OpenGL draws on the CPU
  Programs programs;
  SurfaceRenderer renderer;
  Picker picker;
  FrameWriter writer;  // draws the picture and reads it back; writes no files
  Stream stream;
  bool has_stream;
  SimStatus status;  // status of the simulation at the drawn positions
  bool has_positions;
  Form *form;               // mesh and surface of the positions; the Shown holds a reference
  uint8_t *pinned;          // [nodes of `form`], marks of nodes, such as pinned axes, see sim_thread_pins; owned
  int pin_version, resets;  // values of these members of SimStatus when they were last applied to the picture
  // camera, style: of the next picture. first_camera: at the start. sent_camera, sent_style: last ones that were sent
  Camera camera, first_camera, sent_camera;
  Style style, sent_style;
  Hover hover;   // patch of the surface that the mouse would pull, which is highlighted; radius 0: none
  bool changed;  // true: something in the picture has changed since it was drawn
} Shown;

/// Opens OpenGL for pictures of size[0] x size[1] pixels. The simulation's thread must be ready.
bool shown_open(Shown *shown, SimThread *sim, const int size[2], Error *error);

/// Changes the size of the following pictures, pixels. Does nothing if they have this size.
bool shown_resize(Shown *shown, const int size[2], Error *error);

/// Shows another simulation, whose thread must be ready, in place of the present one. The camera and the style stay.
/// shown_detach must be called before the thread of the present simulation is stopped, then shown_attach.
bool shown_detach(Shown *shown, Error *error);
bool shown_attach(Shown *shown, SimThread *sim, Error *error);

/// Frees everything. Must be called before the simulation's thread is stopped.
void shown_close(Shown *shown);

/// Reads positions and status from the simulation's thread, if there are newer ones.
bool shown_update(Shown *shown, Error *error);

/// Sends camera and style to the simulation's thread if they have changed.
void shown_send_view(Shown *shown);

/// Finds the point of the surface that is visible at a pixel. pick->triangle is -1 if no surface is visible there.
bool shown_pick(Shown *shown, const double pixel[2], Pick *pick, Error *error);

/// Computes the present position of a picked point, m. Waits for the GPU.
bool shown_point(const Shown *shown, const Pick *pick, double point[3], Error *error);

/// Moves the camera so that the whole body is visible.
bool shown_show_all(Shown *shown, Error *error);

/// Draws the picture into shown->writer.rgba. target: position to which the mouse pulls the picked point `pick`, m;
/// NULL: no pull. smooth: the picture gets smooth edges, so drawing takes longer.
bool shown_draw(Shown *shown, const Pick *pick, const double *target, bool smooth, Error *error);
