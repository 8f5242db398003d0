// The commands of a user to a running session. The window makes them from mouse and keys, the input log stores them,
// and a replay applies them again. The comment of each kind has the members of Command that it uses, before the colon,
// and its effect.
#pragma once
#include "base/path.h"
#include "base/style.h"
#include "render/camera.h"
#include "scene/form.h"
#include "sim/simulation.h"

typedef enum CommandKind {
  COMMAND_GRAB,     // X, radius, stiffness, nodes, barycentric, point: releases the last patch and grabs one with the
                    // mouse; with `pushes`, begins to push with a ball instead
  COMMAND_DRAG,     // offset: the displacement that the grabbed patch is pulled to
  COMMAND_RELEASE,  // releases the patch
  COMMAND_KEEP,     // ends the grab of the mouse; its patch stays pulled to its present position
  COMMAND_RELEASE_ALL,  // releases all kept patches, and all pins of COMMAND_PIN
  COMMAND_PIN,          // X, radius: pins a patch at its position; releases it if the node nearest to X is pinned
  COMMAND_PAUSE,        // pauses, or continues
  COMMAND_STEP,         // takes one step, then pauses
  COMMAND_RESET,        // returns to the start of the scene, with the scene's pins only
  COMMAND_ADJUST,       // settings and speed, for session_adjust
  COMMAND_SWITCH,       // settings: other device, precision or methods, for session_switch
  COMMAND_VIEW,         // camera and style of the picture
  COMMAND_UNDO,         // restores pins and kept pulls from before the last keep, release_all, pin or reset
  COMMAND_REDO,         // reverts COMMAND_UNDO
  COMMAND_GO,           // to: moves back or forward to a position of the timeline
  COMMAND_CUT,          // blade: cuts the body in its present position
  COMMAND_SAVE,         // path, camera, style, stiffness: writes a scene, see live_save; logs do not contain it
  COMMAND_QUIT,
} CommandKind;

enum { COMMAND_FIELD = 32 };

typedef struct Command {
  CommandKind kind;
  double X[3];               // m, a point of the undeformed body
  double offset[3];          // m, displacement of the patch since it was grabbed
  double radius, stiffness;  // m and N/m; stiffness 0: simulation_mouse_stiffness
  bool pushes;               // for a grab: a ball of this radius pushes; its centre starts at `point`
  int nodes[3];              // nodes of the picked triangle
  double barycentric[3];     // the picked point in the triangle
  double point[3];           // position of the picked point, m
  SimulationSettings settings;
  uint64_t unchanged;  // bit k is set if `settings` does not change row k of simulation_options
  int64_t frame;       // for a drag: the window's frame at the time of sending
  double speed;        // maximum of simulated seconds per second; 0: no limit
  Camera camera;
  Style style;
  Blade blade;
  int64_t to;  // steps since the session began
  char path[PATH_LENGTH];
  char field[COMMAND_FIELD];  // the panel's label of the changed number, for messages; may be empty
} Command;
