// What a user does to a running session, as the window makes it of mouse and keys, the input log writes it down, and a
// replay does it again.
#pragma once
#include "base/path.h"
#include "base/style.h"
#include "render/camera.h"
#include "scene/form.h"
#include "sim/simulation.h"

typedef enum CommandKind {
  COMMAND_GRAB,  // X, radius, stiffness, nodes, barycentric, point: take hold with the mouse; lets go of what it held;
                 // or `pushes`, with a ball
  COMMAND_DRAG,  // offset: where the held patch is pulled to
  COMMAND_RELEASE,      // let go
  COMMAND_KEEP,         // the mouse lets go, but what it held stays pulled as it is
  COMMAND_RELEASE_ALL,  // let go of that too, and of what COMMAND_PIN has pinned
  COMMAND_PIN,          // X, radius: pins the patch where it is; lets it go where the node nearest to X is pinned
  COMMAND_PAUSE,        // pause, or go on
  COMMAND_STEP,         // one step, and pause
  COMMAND_RESET,        // back to where the scene begins, with nothing held but its own pins
  COMMAND_ADJUST,       // settings and speed, as session_adjust takes them
  COMMAND_SWITCH,       // settings: other stages, as session_switch takes them
  COMMAND_VIEW,         // camera and style: how it is looked at
  COMMAND_UNDO,         // what holds the body, pins and kept pulls, as before the last keep, release_all, pin or reset
  COMMAND_REDO,         // and again as behind it
  COMMAND_GO,           // to: back, or forward again, to a position of the timeline
  COMMAND_CUT,          // blade: cuts the body where it is
  COMMAND_SAVE,         // path, camera, style, stiffness: writes all as a scene, see live_save; no log has it
  COMMAND_QUIT,
} CommandKind;

enum { COMMAND_FIELD = 32 };

typedef struct Command {
  CommandKind kind;
  double X[3];               // m, a point of the undeformed body
  double offset[3];          // m, from where the patch was when grabbed
  double radius, stiffness;  // m and N/m; stiffness 0: simulation_mouse_stiffness
  bool pushes;               // of a grab: with a ball of this radius, whose middle is at `point` at first
  int nodes[3];              // the triangle that was picked,
  double barycentric[3];     // the picked point in it,
  double point[3];           // and where that was, m
  SimulationSettings settings;
  uint64_t unchanged;  // rows of simulation_options that stay as they are by then, whatever `settings` says
  int64_t frame;       // of a drag: the window's, when it was sent
  double speed;        // simulated seconds per second at most; 0: as fast as it goes
  Camera camera;
  Style style;
  Blade blade;
  int64_t to;  // steps since the session began
  char path[PATH_LENGTH];
  char field[COMMAND_FIELD];  // the panel's name of the number that was changed, for messages; may be empty
} Command;
