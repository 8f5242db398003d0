// Handles at the selected entry of the scene editor, by which the mouse moves, turns or scales it: their geometry, and
// the change that a motion of the mouse makes. view_handles.c draws them and handles the mouse.
#pragma once
#include "render/camera.h"
#include "scene/scene_transform.h"

enum { HANDLE_POINTS = 49 };

// The handles are three arrows along x, y and z to move, three rings about x, y and z to turn, or a circle that faces
// the camera to scale. If the entry can be scaled along its local axes, it also has a line along each of these axes.
typedef struct Handles {
  TransformKind kind;            // action of the handles, as chosen by the user
  bool usable[TRANSFORM_KINDS];  // true: the selected entry can be changed by handles of this kind
  double position[3];            // m, position of the entry in the scene
  double centre[3];              // m, centre of the entry and of the handles; turning and scaling keep it
  double corner[8][3];           // m, corners of a box around the entry (entry_box)
  bool stretches;                // the entry can be scaled along its local axes
  double local[3][3];            // unit vectors of the entry's local axes (scene_edit_axes)
  // Handle that the mouse holds: the axis 0, 1 or 2 of an arrow or ring; of the handles to scale, 0 is the circle, and
  // k + 1 the line along the entry's local axis k.
  int held;
  bool snaps;  // the change becomes a multiple of a round number
  // Values of handle_value at the press of the button and at the last motion of the mouse, and the sum of the changes
  // of an angle in between, radians. amount: Transform.amount of the change so far
  double grabbed, last, sum, amount;
} Handles;

// The picture in which handles are drawn. width, height: pixels
typedef struct HandleView {
  const Camera *camera;
  int width, height;
} HandleView;

// A handle as a line of [count] points, m. Only segments with both ends shown are visible: the half of a ring behind
// the entry is hidden. knob: index of the point that has the handle's name and, except on a ring, a mark.
typedef struct HandleLine {
  int count, knob;
  double point[HANDLE_POINTS][3];
  bool shown[HANDLE_POINTS];
} HandleLine;

/// Returns the number of handles of the present kind of change: three arrows, three rings, or a circle with or without
/// three lines.
int handles_count(const Handles *handles);

/// Computes the line of handle k. If `whole`, all of its points are shown.
void handle_line(const Handles *handles, const HandleView *view, int k, bool whole, HandleLine *line);

/// Begins a change by handle k at this pixel. Returns false if the handle has no position there, for example because
/// the camera looks along an arrow.
bool handle_grab(Handles *handles, const HandleView *view, int k, const double pixel[2]);

/// Sets handles->amount after a motion of the mouse to this pixel.
void handle_drag(Handles *handles, const HandleView *view, const double pixel[2]);

/// Returns true if the change of the entry since handle_grab has an effect.
bool handles_change(const Handles *handles);

/// Returns the change of the entry since handle_grab.
Transform handles_transform(const Handles *handles);
