// Probes: quantities of a run (observables, see observable.h) that the user has selected by --probe. Their values are
// written to a table, with a row after each step.
#pragma once
#include "base/atomic_file.h"
#include "scene/observable.h"

struct cJSON;

enum { PROBES_MAX = 64, PROBE_NAMES_LENGTH = SCENE_CURVES };

typedef struct ProbeOptions {
  // names of observables with commas in between: "kinetic,position:17"; empty: no probes
  char names[PROBE_NAMES_LENGTH];
  char file[SCENE_PATH_LENGTH];  // CSV file for the values; empty: none
} ProbeOptions;

// The rows for the options --probe and --probe-file in a command's table of options. type: the struct in which the
// command stores its options; field: the member of this struct that has the type ProbeOptions.
#define PROBE_OPTIONS(type, field)                                                                                    \
  {                                                                                                                   \
    "probe", OPTION_TEXT, OPTION_AT(type, field.names), .unit = "NAMES",                                              \
    .help =                                                                                                           \
        "quantities (observables) to write in each time step, such as kinetic,position:17; `pliant probes` lists all" \
  },                                                                                                                  \
  {                                                                                                                   \
    "probe_file", OPTION_TEXT, OPTION_AT(type, field.file),                                                           \
        .unit = "FILE", .help = "file for the values of --probe (.csv), with a row for each time step"                \
  }

typedef struct Probe {
  const Observable *row;        // the observable that the user has selected
  char text[OBSERVABLE_LABEL];  // name of the observable as the user typed it: "position:17"
  const char *subject_text;     // part of `text` after the colon: "17"
  ObservedSubject subject;      // node, region, body or entry to which the observable refers
} Probe;

// The probes of a run and the table of their values. Zeroed: no probes.
typedef struct Probes {
  Probe probe[PROBES_MAX];                         // [count], in the order of the table's columns
  bool of_scene;                                   // their names are the scene's key "curves", not those of --probe
  int count, value_count;                          // number of probes; number of their values, three per vector
  double value[PROBES_MAX * OBSERVABLE_SIZE_MAX];  // [value_count], values at the last probes_add
  AtomicFile file;                                 // CSV file, which appears under its name when it is complete
} Probes;

/// Reads the names of the quantities (observables) to write. If the user has named a file but no observables, these are
/// `curves`, the names in the scene's key "curves". Fails if a name is unknown, or if there are names but no file.
/// `elsewhere`: the command also writes the values in another way, such as JSON, so that no file is needed.
bool probes_read(Probes *probes, const ProbeOptions *options, const char *curves, bool elsewhere, Error *error);

/// Fails if probes_read would.
bool probes_check(const ProbeOptions *options, const char *curves, bool elsewhere, Error *error);

/// Finds in an open session the node, region, bodies, pin or drag to which each probe refers. Then starts the file as
/// probes_start does, if the user has named one.
bool probes_open(Probes *probes, const ProbeOptions *options, const Session *session, const char *time, Error *error);

/// Starts the CSV file of the table: writes the line with the titles of its columns. time: title of the second column,
/// such as "time_s".
bool probes_start(Probes *probes, const char *file, const char *time, Error *error);

/// Writes a row of the table with the values in probes->value. Values that are not finite are left empty.
bool probes_write(Probes *probes, int64_t step, double time, Error *error);

/// Evaluates all probes and writes a row of the table, if probes_open has started one.
bool probes_add(Probes *probes, Observed *observed, int64_t step, double time, Error *error);

/// Adds value [value_count], the values of all probes, to a JSON object.
void probes_add_json(const Probes *probes, const double *value, struct cJSON *object);

/// Completes the file, which until then has a temporary name.
bool probes_commit(Probes *probes, Error *error);

/// Deletes the file unless probes_commit has completed it. Accepts a zeroed Probes.
void probes_close(Probes *probes);
