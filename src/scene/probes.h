// Probes: the observables that --probe requests. They are written as a row of numbers after every step.
#pragma once
#include "base/atomic_file.h"
#include "scene/observable.h"

struct cJSON;

enum { PROBES_MAX = 64, PROBE_NAMES_LENGTH = 2048 };

typedef struct ProbeOptions {
  char names[PROBE_NAMES_LENGTH];  // "kinetic,position:17"; empty: none
  char file[SCENE_PATH_LENGTH];    // CSV file; empty: none
} ProbeOptions;

// Rows of these options, for a struct `type` with ProbeOptions in its member `field`.
#define PROBE_OPTIONS(type, field)                                                                                    \
  { "probe", OPTION_TEXT, OPTION_AT(type, field.names), .unit = "NAMES",                                              \
    .help = "observables to follow, with commas in between, such as kinetic,position:17; pliant probes lists them" }, \
  {                                                                                                                   \
    "probe_file", OPTION_TEXT, OPTION_AT(type, field.file), .unit = "FILE",                                           \
                                                            .help = "write them after every step, as a table (.csv)"  \
  }

typedef struct Probe {
  const Observable *row;
  char text[OBSERVABLE_LABEL];  // the user's text
  const char *subject_text;     // points into `text`
  ObservedSubject subject;
} Probe;

// A zeroed Probes has no probes.
typedef struct Probes {
  Probe probe[PROBES_MAX];
  int count, value_count;                          // numbers of probes, and of all their components
  double value[PROBES_MAX * OBSERVABLE_SIZE_MAX];  // [value_count], as of the last probes_add
  AtomicFile file;
} Probes;

/// Reads the names of the probes. Fails if a name is unknown, or if there are names but no file. `elsewhere`: the
/// command writes the values into another file, so none is needed.
bool probes_read(Probes *probes, const ProbeOptions *options, bool elsewhere, Error *error);

/// Finds the subjects of the probes in an open session and writes the header of the file. `time` is the title of the
/// second column, such as "time_s".
bool probes_open(Probes *probes, const ProbeOptions *options, const Session *session, const char *time, Error *error);

/// Evaluates all probes and writes a row. The field of an unknown number is empty.
bool probes_add(Probes *probes, Observed *observed, int64_t step, double time, Error *error);

/// Adds values [value_count] to a JSON object.
void probes_add_json(const Probes *probes, const double *value, struct cJSON *object);

/// Completes the file, which then appears under its name.
bool probes_commit(Probes *probes, Error *error);

/// Closes the file and deletes it unless it was committed. A zeroed Probes is allowed.
void probes_close(Probes *probes);
