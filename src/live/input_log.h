// The input log: all commands of a user to a running session, as JSON lines. A replay gives bit-identical results.
// In the following lines, c is a checksum.
//
//   {"pliant_log":1, "scene":"/abs/hand.json", "scene_sum":c, "mesh_sum":c, "begin_sum":c,
//    "options":{"dt":"0.01"}, "set":{"device":"cpu", ...}}
//   {"step":k, "do":"grab", "X":[..], "radius":r, "stiffness":s, "nodes":[a,b,c], "barycentric":[..], "point":[..]}
//   {"step":k, "do":"drag", "offset":[..]}
//   {"step":k, "do":"release" | "keep" | "release_all" | "pause" | "step" | "reset" | "undo" | "redo"}
//   {"step":k, "do":"go", "to":position}      a timeline position
//   {"step":k, "do":"pin", "X":[..], "radius":r}
//   {"step":k, "do":"adjust" | "switch", "set":{"mu":..., ...}, "speed":s}       the keys of the scene that change
//   {"step":k, "do":"view", "target":[..], "distance":d, "turn":[azimuth, elevation], ...}   and the keys of the style
//   {"step":k, "do":"cut", "point":[..], "normal":[..], "reach":r, "edges":[[..],[..]]}   bounds if any
//   {"step":k, "do":"end"}
//
// `step` is the number of steps that were taken before the command. Numbers have all digits of a double.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "live/command.h"
#include "scene/session.h"

// A zeroed InputLog is closed, and every call on it does nothing.
typedef struct InputLog {
  FILE *file;
  char path[SCENE_PATH_LENGTH];
  int64_t bytes;  // length of the lines that were written completely
  Error fault;    // reason for an early stop; empty: no fault
} InputLog;

/// Creates the file and writes its first line, for a session that has just been created.
bool input_log_open(InputLog *log, const char *path, const Session *session, Error *error);

/// Adds a line. If this fails, for example because the disk is full, the log stops: it keeps the lines so far and
/// ignores later commands.
bool input_log_add(InputLog *log, int64_t step, const Command *command, const Session *session, Error *error);

/// Ends the log. Fails if the log stopped early.
bool input_log_close(InputLog *log, int64_t step, Error *error);

// Reads a log. A zeroed InputReader is closed.
typedef struct InputReader {
  FILE *file;
  char path[SCENE_PATH_LENGTH];
  char *line;  // text of the current line
  int64_t line_capacity;
  int line_number;  // number of the current line, from 1
  int64_t step;
  double mesh_sum;   // checksum of the mesh in the session that was logged (scene_body_sum)
  double begin_sum;  // checksum of the state in which this session began; 0: it began at rest
  bool ended;        // the last line of the log has been read
  bool has_command;  // `command` is to be applied at `step`
  Command command;
} InputReader;

/// Puts "file:line: " of the current line before the error's sentence, and returns false.
bool input_reader_prefix(const InputReader *reader, Error *error);

/// Opens a log and reads its first line: the scene with its options and methods. Fails if the scene or the mesh has
/// changed since the log was written, or if the file is no log.
bool input_reader_open(InputReader *reader, const char *path, Scene *scene, Error *error);
void input_reader_close(InputReader *reader);

/// Fails unless the session has the mesh and the start state of the session that was logged.
bool input_reader_fits(const InputReader *reader, const Session *session, Error *error);

/// Returns true if the log has no more commands after `taken` steps.
bool input_reader_over(const InputReader *reader, int64_t taken);

/// Reads the next command that is to be applied after `taken` steps. Returns false if there is none, or on an error.
/// Settings, and properties of the view, keep their present values if the line does not contain them.
bool input_reader_next(InputReader *reader, int64_t taken, const Session *session, const Camera *camera,
                       const Style *style, Command *command, Error *error);
