// Probes are observables (observable.h) that a user has selected by the option --probe. After every step, their values
// are written as a row of a table.
#pragma once
#include "base/atomic_file.h"
#include "scene/observable.h"

struct cJSON;

enum { PROBES_MAX = 64, PROBE_NAMES_LENGTH = 2048 };

typedef struct ProbeOptions {
  // the user's text: observables separated by commas, such as "kinetic,position:17"; empty: no probes
  char names[PROBE_NAMES_LENGTH];
  char file[SCENE_PATH_LENGTH];  // path of the CSV file with the values; empty: no file
} ProbeOptions;

// Two rows for a command's table of options, which set a ProbeOptions. `type` is the struct of the command's options,
// and `field` its member of type ProbeOptions.
#define PROBE_OPTIONS(type, field)                                                                                  \
  { "probe", OPTION_TEXT, OPTION_AT(type, field.names), .unit = "NAMES",                                            \
    .help =                                                                                                         \
        "quantities (observables) to write in each step, such as kinetic,position:17; `pliant probes` lists all" }, \
  {                                                                                                                 \
    "probe_file", OPTION_TEXT, OPTION_AT(type, field.file),                                                         \
        .unit = "FILE", .help = "file for the values of --probe (.csv), with a row for each step"                   \
  }

typedef struct Probe {
  const Observable *row;        // the observable that the user has selected
  char text[OBSERVABLE_LABEL];  // the user's text, such as "position:17"
  const char *subject_text;     // the part of `text` after the colon, such as "17"
  ObservedSubject subject;      // the object to which the observable refers, such as a node
} Probe;

// A zeroed Probes has no probes.
typedef struct Probes {
  Probe probe[PROBES_MAX];                         // the selected observables, in the order of the table's columns
  int count, value_count;                          // count: number of probes. value_count: number of their values; a
                                                   // vector has three
  double value[PROBES_MAX * OBSERVABLE_SIZE_MAX];  // [value_count], values at the last call of probes_add
  AtomicFile file;                                 // the CSV file, which appears under its name when it is complete
} Probes;

/// Reads the names of the observables. Fails if a name is unknown, and if there are names but no file. `elsewhere` is
/// true if the command also writes the values into its own output, such as JSON; a file is then not needed.
bool probes_read(Probes *probes, const ProbeOptions *options, bool elsewhere, Error *error);

/// Finds the node, region, body or entry of each probe in an open session, and starts the file. `time` is the title of
/// the second column, such as "time_s".
bool probes_open(Probes *probes, const ProbeOptions *options, const Session *session, const char *time, Error *error);

/// Evaluates all probes and writes a row of the table. The field of an unknown number is empty.
bool probes_add(Probes *probes, Observed *observed, int64_t step, double time, Error *error);

/// Adds value [value_count], the values of all probes, to a JSON object.
void probes_add_json(const Probes *probes, const double *value, struct cJSON *object);

/// Completes the file, which only then appears under its name.
bool probes_commit(Probes *probes, Error *error);

/// Deletes a file that probes_commit has not completed. Accepts a zeroed Probes.
void probes_close(Probes *probes);
