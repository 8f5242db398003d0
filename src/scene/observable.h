// Observables: quantities of a running scene, one row of a table each: counts of a step, energies, momenta, forces,
// positions. Probes, benchmarks, VTU files and plots loop over the rows.
#pragma once
#include "scene/session.h"
#include "sim/contact_report.h"

struct cJSON;

enum { OBSERVABLE_SIZE_MAX = 3, OBSERVABLE_LABEL = 160, OBSERVABLES_MAX = 40 };

// The time at which a value is available.
typedef enum ObservedWhen {
  OBSERVED_AFTER_STEP,  // after a step, from its report
  OBSERVED_ON_DEMAND,   // always, computed from the state; waits for the device
} ObservedWhen;

// The object to which an observable refers, if its row has a subject: node 17 for "position:17".
typedef struct ObservedSubject {
  int64_t tag;    // number of a node in the mesh file
  int entry;      // index in a list of the scene
  int body[2];    // as in BodyContact
  Region region;  // the region whose nodes are averaged
  // For an observable that is a work, an integral over time. `sum` is its value at the last evaluation. The others are
  // the values at that time, from which the next evaluation continues: force and moment, offset and angle of the
  // motion, and the kinetic energy of the moved nodes.
  double sum, force[3], moment[3], offset[3], degrees, kinetic;  // J, N, N m, m, degrees, J
} ObservedSubject;

// One state of the session, with data that several rows share. They are computed when a row first needs them.
typedef struct Observed {
  Session *session;
  const StepReport *report;  // report of the step that ended in this state; NULL: there was no step
  double time;               // s, time at which prescribed motions are evaluated: the simulation's, unless the caller
                             // sets another one
  bool has_energy, has_contacts;
  Energy energy;
  double (*x)[3];         // [node_count] m, positions; NULL: not computed
  Reactions reactions;    // arrays are NULL: not computed
  BodyContact *contacts;  // [contact_count]
  int contact_count;
} Observed;

typedef struct Observable Observable;
struct Observable {
  const char *name;     // "kinetic"
  const char *unit;     // "J"; empty: no unit, or one that depends on the command
  const char *summary;  // one line for lists
  const char *subject;  // placeholder of the subject after "name:", such as "NODE"; NULL: no subject
  const char *plot;     // title of its plot in the window, only for size 1; NULL: not plotted
  int size;             // number of components, 1 or 3
  ObservedWhen when;
  bool of_grabs;  // depends on the grabs' targets in the last step, which a state restored from a checkpoint does not
                  // have
  bool is_flag;   // 0 or 1; in JSON false or true
  size_t offset;  // offset of the member of StepReport or Energy that `evaluate` reads, bytes
  bool (*find)(const Session *session, const char *text, ObservedSubject *subject, Error *error);
  bool (*evaluate)(const Observable *row, Observed *observed, ObservedSubject *subject, double *value, Error *error);
};

/// Ends with a row whose name is NULL.
extern const Observable observables[];

/// Finds the row of a text such as "position:17". *subject is the part after the colon, "17", or empty. Returns NULL
/// with an error if there is no such row, or if a subject is missing or not allowed.
const Observable *observable_find(const char *text, const char **subject, Error *error);

/// Finds the subject with this text in an open session. Fails if it does not exist.
bool observable_find_subject(const Observable *row, const Session *session, const char *text, ObservedSubject *subject,
                             Error *error);

/// Writes the key of a value in JSON, or of one of its components in CSV: "kinetic_J", "position:17_x_m". `text` is the
/// user's text of the observable. `component` -1: the whole value.
void observable_label(const Observable *row, const char *text, int component, char label[OBSERVABLE_LABEL]);

/// Adds a value [row->size] to a JSON object: a number, true or false, or a list; null if it is not finite.
void observable_add_json(const Observable *row, const char *key, const double *value, struct cJSON *object);

/// Start and end the observation of the present state. `report` may be NULL.
void observed_begin(Observed *observed, Session *session, const StepReport *report);
void observed_end(Observed *observed);

/// Computes a value [row->size]. It is NAN if the row needs the report of a step and there is none. An integral over
/// time adds the time since the last evaluation of its subject.
bool observe(Observed *observed, const Observable *row, ObservedSubject *subject, double *value, Error *error);
