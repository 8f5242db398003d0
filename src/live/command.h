// Commands of a user to a running session. The window makes commands from mouse and keys, the input log stores them,
// and a replay applies them again. In the list below, the comment on a kind of command first names the members of
// Command that it uses, if any, and then describes its effect.
#pragma once
#include "base/path.h"
#include "base/style.h"
#include "render/camera.h"
#include "scene/form.h"
#include "scene/scene.h"
#include "sim/simulation.h"

typedef enum CommandKind {
  // X, radius, stiffness, nodes, barycentric, point: grabs the patch (group of nodes) around X with the mouse, and
  // releases the patch that the mouse held before. If `pushes` is true, begins instead to push the body with a ball
  // (rigid sphere that follows the mouse).
  COMMAND_GRAB,
  COMMAND_DRAG,         // offset: pulls the patch that the mouse has grabbed to this displacement
  COMMAND_RELEASE,      // releases the patch or ball that the mouse has grabbed
  COMMAND_KEEP,         // ends the grab by the mouse; its spring stays and pulls the patch to the last target
  COMMAND_RELEASE_ALL,  // releases the patch of the mouse, the patches of COMMAND_KEEP, and the user's pins
  COMMAND_PIN,          // X, radius: pins the patch around X; if the node nearest to X is pinned, unpins it
  COMMAND_PAUSE,        // pauses the simulation, or continues it
  COMMAND_STEP,         // takes one step and leaves the simulation paused
  COMMAND_RESET,        // returns to the initial state, with only the scene's pins
  COMMAND_ADJUST,       // settings, speed: changes settings of the running simulation, see session_adjust
  COMMAND_SWITCH,       // settings: changes device, precision or methods, see session_switch
  COMMAND_VIEW,         // camera, style: sets camera and style of the pictures
  COMMAND_UNDO,         // restores pins and kept pulls as they were before the last keep, release_all, pin or reset
  COMMAND_REDO,         // reverts the last COMMAND_UNDO
  COMMAND_GO,           // to: moves to an earlier or later step of the timeline
  COMMAND_CUT,          // blade: cuts the body as it is now
  COMMAND_SAVE,         // path, camera, views, style, stiffness, radius: writes a scene (live_save); not stored in logs
  COMMAND_QUIT,
} CommandKind;

enum { COMMAND_FIELD = 32 };  // max bytes of a number's label in the panel, with the final NUL

typedef struct Command {
  CommandKind kind;
  double X[3];       // m, point in the undeformed body
  double offset[3];  // m, displacement from the start of the grab, to which the patch is pulled
  // radius: radius of the patch or ball, m. stiffness: stiffness of the spring, N/m; 0: the default, which is
  // simulation_mouse_stiffness
  double radius, stiffness;
  bool pushes;            // for a grab: a ball of this radius pushes the body; its first centre is `point`
  int nodes[3];           // nodes of the picked surface triangle
  double barycentric[3];  // barycentric coordinates of the picked point in its triangle
  double point[3];        // m, position of the picked point
  SimulationSettings settings;
  uint64_t unchanged;  // bit k is set if `settings` does not change row k of simulation_options
  int64_t frame;       // for a drag: number of the window's frame in which it was sent
  double speed;        // largest ratio of simulated to real time; 0: no limit
  Camera camera;
  Style style;
  SceneViews views;
  Blade blade;
  int64_t to;  // number of steps since the session began, a position of the timeline
  char path[PATH_LENGTH];
  char field[COMMAND_FIELD];  // label of the number that was changed in the panel, for messages; may be empty
} Command;

/// Returns a COMMAND_ADJUST that changes the settings from `now` to `wanted`. field: label of the number that the user
/// has changed in the panel, or "".
Command command_adjust(const SimulationSettings *wanted, const SimulationSettings *now, double speed,
                       const char *field);
