// The input log: all commands of a user to a running session, one JSON object per line. A replay gives bit-identical
// results. Below, c is a checksum.
//
//   {"pliant_log":1, "scene":"/abs/hand.json", "scene_sum":c, "mesh_sum":c, "begin_sum":c,
//    "options":{"dt":"0.01"}, "set":{"device":"cpu", ...}}
//   {"step":k, "do":"grab", "X":[..], "radius":r, "stiffness":s, "nodes":[a,b,c], "barycentric":[..], "point":[..]}
//                            also "push":true if the grab pushes the body with a ball (Command.pushes)
//   {"step":k, "do":"drag", "offset":[..]}
//   {"step":k, "do":"release" | "keep" | "release_all" | "pause" | "step" | "reset" | "undo" | "redo"}
//   {"step":k, "do":"go", "to":position}      a position on the timeline (timeline.h)
//   {"step":k, "do":"pin", "X":[..], "radius":r}
//   {"step":k, "do":"adjust", "set":{"mu":..., ...}, "speed":s}   "set" has only the settings that change
//   {"step":k, "do":"switch", "set":{"device":"cpu", ...}}        "set" has all settings that "switch" may change
//   {"step":k, "do":"view", "target":[..], "distance":d, "turn":[azimuth, elevation], "right":[..],
//    "ahead":[..], "up":[..], "fov":radians, ...}   then the keys of the style; "right" to "fov" not in older logs
//   {"step":k, "do":"cut", "point":[..], "normal":[..], "reach":r, "edges":[[..],[..]]}   reach, edges: optional
//   {"step":k, "do":"end"}
//
// `step` is the number of steps that were taken before the command. Numbers are written with all digits of a double.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "live/command.h"
#include "scene/session.h"

// A log that is being written. A zeroed InputLog is closed, and calls with it have no effect.
typedef struct InputLog {
  FILE *file;
  char path[SCENE_PATH_LENGTH];
  int64_t bytes;  // length of all lines that are completely written
  Error fault;    // reason why the log stopped early; empty: no error
} InputLog;

/// Creates the file of a log of the user's commands and writes the first line, for a session that was just created.
bool input_log_open(InputLog *log, const char *path, const Session *session, Error *error);

/// Appends a line with the command. If this fails, for example because the disk is full, the log keeps its earlier
/// lines and ignores later commands. `step`: number of steps taken before the command.
bool input_log_add(InputLog *log, int64_t step, const Command *command, const Session *session, Error *error);

/// Writes the last line and closes the log. `step` is the number of steps taken. Fails if any write to the log has
/// failed.
bool input_log_close(InputLog *log, int64_t step, Error *error);

// A log that is being read. A zeroed InputReader is closed.
typedef struct InputReader {
  FILE *file;
  char path[SCENE_PATH_LENGTH];
  char *line;  // [line_capacity], text of the line that was read last
  int64_t line_capacity;
  int line_number;   // number of the current line, from 1
  int64_t step;      // steps that were taken before the command in the current line
  double mesh_sum;   // checksum (scene_body_sum) of the mesh for which the log was written
  double begin_sum;  // checksum of the state in which the logged session began; 0: at rest
  bool ended;        // the last line of the log has been read
  bool has_command;  // `command` was read ahead; it must be applied when `step` steps have been taken
  Command command;
} InputReader;

/// Inserts "file:line: ", for the line that was read last, before the error's message. Returns false.
bool input_reader_prefix(const InputReader *reader, Error *error);

/// Opens a log and sets `scene` from its first line: the scene file, command-line options and settings. Fails if the
/// file is not a log, or if the scene or mesh has changed since the log was written.
bool input_reader_open(InputReader *reader, const char *path, Scene *scene, Error *error);
void input_reader_close(InputReader *reader);

/// Fails unless `session` has the same mesh and the same initial state as the session whose commands the log contains.
/// Both are compared by checksums.
bool input_reader_fits(const InputReader *reader, const Session *session, Error *error);

/// Returns true if a replay is complete: all commands of the log were read, and at least as many steps were taken as in
/// the logged session. `taken`: number of steps taken.
bool input_reader_over(const InputReader *reader, int64_t taken);

/// Reads the next command if it is due: the logged session had taken at most `taken` steps when it applied the command.
/// Returns false if no command is due, or on an error. Settings and properties of the view that the line of the log
/// does not contain keep their present values.
bool input_reader_next(InputReader *reader, int64_t taken, const Session *session, const Camera *camera,
                       const Style *style, Command *command, Error *error);
