// Observables: quantities of a scene that runs, each one row of a table: counts of a step, energies, momenta, forces,
// positions. Probes, benchmarks, VTU files and plots loop over the rows.
#pragma once
#include "scene/session.h"
#include "sim/contact_report.h"

struct cJSON;

enum { OBSERVABLE_SIZE_MAX = 3, OBSERVABLE_LABEL = 160, OBSERVABLES_MAX = 40 };

// When a value is known.
typedef enum ObservedWhen {
  OBSERVED_AFTER_STEP,  // it is part of the report of a step
  OBSERVED_ON_DEMAND,   // it is computed from the state, which waits for the device
} ObservedWhen;

// The thing that an observable is of, if its row has a subject: node 17 of "position:17".
typedef struct ObservedSubject {
  int64_t tag;    // the number of a node in the mesh's file
  int entry;      // index in a list of the scene
  int body[2];    // as BodyContact has them
  Region region;  // a patch
  // the state of an integral over time at its last evaluation
  double sum, force[3], offset[3];  // J, N, m
} ObservedSubject;

// One state, with the data that several rows need: computed when a row first asks for it.
typedef struct Observed {
  Session *session;
  const StepReport *report;  // the step that ended in this state; NULL: no step was taken
  const double (*load)[3];   // [node_count] N, weight included; NULL: gravity and forces as the scene has them now
  double load_factor;        // of `load`
  bool has_energy, has_contacts;
  Energy energy;
  double (*x)[3];         // [node_count] m, or NULL
  double (*internal)[3];  // [node_count] N, or NULL
  BodyContact *contacts;  // [contact_count]
  int contact_count;
} Observed;

typedef struct Observable Observable;
struct Observable {
  const char *name;     // "kinetic"
  const char *unit;     // "J"; empty: a number, or one whose unit depends on the command
  const char *summary;  // one line for lists
  const char *subject;  // the words behind "name:", "NODE"; NULL: it has no subject
  const char *plot;     // title of the window's plot of it, for one number; NULL: there is none
  int size;             // numbers, 1 or 3
  ObservedWhen when;
  bool of_grabs;  // it depends on the grabs' targets in the last step, which a restored state does not have
  bool is_flag;   // 0 or 1, false or true in JSON
  size_t offset;  // bytes before a member of StepReport or Energy, for `evaluate`
  bool (*find)(const Session *session, const char *text, ObservedSubject *subject, Error *error);
  bool (*evaluate)(const Observable *row, Observed *observed, ObservedSubject *subject, double *value, Error *error);
};

/// Ends with a row whose name is NULL.
extern const Observable observables[];

/// The row of "position:17", and the text of its subject, which is empty if there is none. Fails if there is no such
/// row, or if a subject is missing or too much.
const Observable *observable_find(const char *text, const char **subject, Error *error);

/// Reads the text of a subject in a scene that is open. Fails if there is no such thing.
bool observable_find_subject(const Observable *row, const Session *session, const char *text, ObservedSubject *subject,
                             Error *error);

/// Writes the key of a value in JSON, or of one of its components in CSV: "kinetic_J", "position:17_x_m". `text`: as
/// the user asked for it. `component` -1: all.
void observable_label(const Observable *row, const char *text, int component, char label[OBSERVABLE_LABEL]);

/// Adds a value [row->size] to a JSON object: a number, true or false, or a list; null if it is not known.
void observable_add_json(const Observable *row, const char *key, const double *value, struct cJSON *object);

/// Begins to observe the present state. `report` may be NULL.
void observed_begin(Observed *observed, Session *session, const StepReport *report);
void observed_end(Observed *observed);

/// Computes a value, [row->size]; NAN after no step, for a row that is known after one. An integral over time adds the
/// span since the last evaluation of its subject.
bool observe(Observed *observed, const Observable *row, ObservedSubject *subject, double *value, Error *error);
