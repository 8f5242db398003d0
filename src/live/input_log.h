// The input log: everything a user does to a running session, as JSON lines, to be done again bit for bit.
//
//   {"pliant_log":1, "scene":"/abs/hand.json", "scene_sum":c, "mesh_sum":c, "begin_sum":c,
//    "options":{"dt":"0.01"}, "set":{"device":"cpu", ...}}
//   {"step":k, "do":"grab", "X":[..], "radius":r, "stiffness":s, "nodes":[a,b,c], "barycentric":[..], "point":[..]}
//   {"step":k, "do":"drag", "offset":[..]}
//   {"step":k, "do":"release" | "keep" | "release_all" | "pause" | "step" | "reset" | "undo" | "redo"}
//   {"step":k, "do":"go", "to":position}      of the timeline
//   {"step":k, "do":"pin", "X":[..], "radius":r}
//   {"step":k, "do":"adjust" | "switch", "set":{"mu":..., ...}, "speed":s}       keys of a scene that change
//   {"step":k, "do":"view", "target":[..], "distance":d, "turn":[azimuth, elevation], ...}   and the style
//   {"step":k, "do":"cut", "point":[..], "normal":[..], "reach":r, "edges":[[..],[..]]}   as far as bounded
//   {"step":k, "do":"end"}
//
// `step` counts the steps taken before it is done. Numbers have all their digits.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "live/command.h"
#include "scene/session.h"

// A zeroed InputLog is closed, and every call on it does nothing.
typedef struct InputLog {
  FILE *file;
  char path[SCENE_PATH_LENGTH];
  int64_t bytes;  // of whole lines
  Error fault;    // why it stopped before its end; empty: it did not
} InputLog;

/// Creates the file and writes the head, for a session that has just been created.
bool input_log_open(InputLog *log, const char *path, const Session *session, Error *error);

/// Adds a line. Where that fails (a full disk) the log stops: it holds the lines so far, and what follows is left out.
bool input_log_add(InputLog *log, int64_t step, const Command *command, const Session *session, Error *error);

/// Ends it. Fails where it had to stop before.
bool input_log_close(InputLog *log, int64_t step, Error *error);

// A log that is read. A zeroed one is closed.
typedef struct InputReader {
  FILE *file;
  char path[SCENE_PATH_LENGTH];
  char *line;  // the current one
  int64_t line_capacity;
  int line_number;  // from 1
  int64_t step;
  double mesh_sum;   // as scene_body_sum gave it
  double begin_sum;  // of the state that the scene began in; 0: at rest
  bool ended;        // there is no more
  bool has_command;  // `command` waits for `step`
  Command command;
} InputReader;

/// Puts "file:line: " of the current line before the error's sentence, and returns false.
bool input_reader_prefix(const InputReader *reader, Error *error);

/// Opens a log and reads its head: the scene as it was, with its options and stages. Fails where the scene or mesh has
/// changed since, or the file is no log.
bool input_reader_open(InputReader *reader, const char *path, Scene *scene, Error *error);
void input_reader_close(InputReader *reader);

/// Whether the session is the one that the log was written of: the same mesh, and the state that it begins in.
bool input_reader_fits(const InputReader *reader, const Session *session, Error *error);

/// Whether the log has no more commands once `taken` steps have been taken.
bool input_reader_over(const InputReader *reader, int64_t taken);

/// The next command to be done when `taken` steps have been taken; false when there is none, or an error. What a line
/// does not set, of settings and view, stays as it is now.
bool input_reader_next(InputReader *reader, int64_t taken, const Session *session, const Camera *camera,
                       const Style *style, Command *command, Error *error);
