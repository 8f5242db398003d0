// Probes: the observables that a user has asked for by --probe, written as a row of numbers after every step.
#pragma once
#include "base/atomic_file.h"
#include "scene/observable.h"

struct cJSON;

enum { PROBES_MAX = 64, PROBE_NAMES_LENGTH = 2048 };

typedef struct ProbeOptions {
  char names[PROBE_NAMES_LENGTH];  // "kinetic,position:17"; empty: none
  char file[SCENE_PATH_LENGTH];    // CSV file; empty: none
} ProbeOptions;

// The two rows of a command's table of options that set ProbeOptions; `field` is that member of the struct `type`.
#define PROBE_OPTIONS(type, field)                                                                                    \
  { "probe", OPTION_TEXT, OPTION_AT(type, field.names), .unit = "NAMES",                                              \
    .help = "observables to write in each step, separated by commas: kinetic,position:17; pliant probes lists all" }, \
  {                                                                                                                   \
    "probe_file", OPTION_TEXT, OPTION_AT(type, field.file),                                                           \
        .unit = "FILE", .help = "file for the values of --probe (.csv), with a row for each step"                     \
  }

typedef struct Probe {
  const Observable *row;
  char text[OBSERVABLE_LABEL];  // as the user asked for it
  const char *subject_text;     // within `text`
  ObservedSubject subject;
} Probe;

// A zeroed Probes has no probes.
typedef struct Probes {
  Probe probe[PROBES_MAX];
  int count, value_count;                          // number of probes, and of their values: a vector has 3
  double value[PROBES_MAX * OBSERVABLE_SIZE_MAX];  // [value_count] as of the last probes_add
  AtomicFile file;
} Probes;

/// Reads the names. Fails at an unknown name, and if there are names but no file. `elsewhere` is true if the command
/// also writes the values into its own output, such as JSON, so that no file is needed.
bool probes_read(Probes *probes, const ProbeOptions *options, bool elsewhere, Error *error);

/// Finds the node, region, body or entry of each probe in an open session, and begins the file. `time`: title of the
/// second column, such as "time_s".
bool probes_open(Probes *probes, const ProbeOptions *options, const Session *session, const char *time, Error *error);

/// Evaluates all probes, and writes a row: a number that is not known leaves its field empty.
bool probes_add(Probes *probes, Observed *observed, int64_t step, double time, Error *error);

/// Adds values [value_count] to a JSON object.
void probes_add_json(const Probes *probes, const double *value, struct cJSON *object);

/// Ends the file: it appears under its name.
bool probes_commit(Probes *probes, Error *error);

/// Drops a file that was not committed. Accepts a zeroed Probes.
void probes_close(Probes *probes);
