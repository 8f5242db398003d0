// The commands of a user to a running session. The window makes them from mouse and keys, the input log stores them,
// and a replay applies them again. In the comment of each kind, the words before the colon are the members of Command
// that it uses. After the colon is its effect.
#pragma once
#include "base/path.h"
#include "base/style.h"
#include "render/camera.h"
#include "scene/form.h"
#include "sim/simulation.h"

typedef enum CommandKind {
  COMMAND_GRAB,         // X, radius, stiffness, nodes, barycentric, point: releases the patch that the mouse holds, and
                        // grabs a new patch; with `pushes`, begins to push with a ball instead
  COMMAND_DRAG,         // offset: pulls the grabbed patch to this displacement
  COMMAND_RELEASE,      // releases the patch
  COMMAND_KEEP,         // ends the grab of the mouse; a spring continues to pull the patch to its present position
  COMMAND_RELEASE_ALL,  // releases all patches of COMMAND_KEEP and all pins of COMMAND_PIN
  COMMAND_PIN,          // X, radius: pins a patch at its position; if the node nearest to X is pinned, releases the
                        // patch
  COMMAND_PAUSE,        // pauses the simulation, or continues it
  COMMAND_STEP,         // takes one step, then pauses
  COMMAND_RESET,        // returns to the start of the scene, with the scene's pins only
  COMMAND_ADJUST,       // settings, speed: changes settings by session_adjust
  COMMAND_SWITCH,       // settings: changes device, precision or methods by session_switch
  COMMAND_VIEW,         // camera, style: sets them for the picture
  COMMAND_UNDO,         // restores the pins and kept pulls that existed before the last keep, release_all, pin or reset
  COMMAND_REDO,         // reverts COMMAND_UNDO
  COMMAND_GO,           // to: moves to a position of the timeline
  COMMAND_CUT,          // blade: cuts the body in its present position
  COMMAND_SAVE,         // path, camera, style, stiffness: writes a scene, see live_save; not stored in logs
  COMMAND_QUIT,
} CommandKind;

enum { COMMAND_FIELD = 32 };

typedef struct Command {
  CommandKind kind;
  double X[3];               // m, a point of the undeformed body
  double offset[3];          // m, displacement of the patch since it was grabbed
  double radius, stiffness;  // m and N/m; stiffness 0: the value of simulation_mouse_stiffness
  bool pushes;               // for a grab: a ball of this radius pushes the body; the ball's first centre is `point`
  int nodes[3];              // nodes of the picked triangle
  double barycentric[3];     // barycentric coordinates of the picked point in the triangle
  double point[3];           // position of the picked point, m
  SimulationSettings settings;
  uint64_t unchanged;  // bit k is set if `settings` does not change row k of simulation_options
  int64_t frame;       // for a drag: number of the window's frame in which it was sent
  double speed;        // maximum ratio of simulated time to real time; 0: no limit
  Camera camera;
  Style style;
  Blade blade;
  int64_t to;  // position on the timeline: number of steps since the session began
  char path[PATH_LENGTH];
  char field[COMMAND_FIELD];  // label of the changed number in the panel, for messages; may be empty
} Command;
