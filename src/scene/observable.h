// Observables are quantities of a running scene: counts of a step, energies, momenta, forces, positions. A table has a
// row for each observable. Probes, benchmarks, VTU files and plots loop over the rows.
#pragma once
#include "scene/session.h"
#include "sim/contact_report.h"

struct cJSON;

enum { OBSERVABLE_SIZE_MAX = 3, OBSERVABLE_LABEL = 160, OBSERVABLES_MAX = 40 };

// The time at which a value is available.
typedef enum ObservedWhen {
  OBSERVED_AFTER_STEP,  // only after a step: the value is in the report of the step (StepReport)
  OBSERVED_ON_DEMAND,   // always, computed from the state; waits for the device
} ObservedWhen;

// The object to which an observable refers, if its row has a subject. For example, "position:17" refers to node 17.
typedef struct ObservedSubject {
  int64_t tag;    // number of a node in the mesh file
  int entry;      // index of an entry in a list of the scene, such as the list of pins
  int body[2];    // numbers of two bodies or obstacles that touch, as in BodyContact
  Region region;  // the region whose nodes are averaged
  // For an observable that is a work, which is an integral over time: its state at the last evaluation, from which the
  // next evaluation continues. sum: the work. force, moment: force and moment. offset, degrees: offset and angle of the
  // motion. kinetic: kinetic energy of the moved nodes.
  double sum, force[3], moment[3], offset[3], degrees, kinetic;  // units in this order: J, N, N m, m, degrees, J
} ObservedSubject;

// One state of the session, with data that several rows of the table use. The data are computed when a row first needs
// them.
typedef struct Observed {
  Session *session;          // the session that is observed; borrowed
  const StepReport *report;  // report of the step that ended in this state; NULL: no step was taken
  double time;               // s, time at which prescribed motions are evaluated. observed_begin sets it to the time of
                             // the simulation; the caller may change it
  bool has_energy, has_contacts;
  bool has_spin;          // session->budget has the change of angular momentum: it is not measured again
  Energy energy;          // energies of the state; valid if has_energy
  double (*x)[3];         // [node_count] m, positions; NULL: not computed
  Reactions reactions;    // forces of pins and grabs on nodes; arrays are NULL: not computed
  BodyContact *contacts;  // [contact_count], contacts between bodies and with obstacles; valid if has_contacts
  int contact_count;      // number of contacts in `contacts`
} Observed;

typedef struct Observable Observable;
struct Observable {
  const char *name;     // name by which the user selects the observable, such as "kinetic"
  const char *unit;     // "J"; empty: no unit, or one that depends on the command
  const char *summary;  // description in one line, for lists of observables
  const char *subject;  // placeholder for the text after the colon in help texts, such as "NODE" in "position:NODE";
                        // NULL: no subject
  const char *plot;     // title of its plot in the window, only for size 1; NULL: not plotted
  int size;             // number of components, 1 or 3
  ObservedWhen when;    // time at which the value is available
  bool of_past;         // true if it depends on data that are unknown after a state is restored from a checkpoint: the
                        // targets of grabs in the last step, or a sum over earlier steps
  bool is_flag;         // true if the value is 0 or 1, which is false or true in JSON
  size_t offset;        // offset of the member of StepReport or Energy that `evaluate` reads, bytes
  bool (*find)(const Session *session, const char *text, ObservedSubject *subject, Error *error);
  bool (*evaluate)(const Observable *row, Observed *observed, ObservedSubject *subject, double *value, Error *error);
};

/// The table of observables. It ends with a row whose name is NULL.
extern const Observable observables[];

/// Finds the row of a text such as "position:17". *subject gets the part after the colon, "17"; it is empty without a
/// colon. Returns NULL with an error if there is no such row, or if a subject is missing or not allowed.
const Observable *observable_find(const char *text, const char **subject, Error *error);

/// Finds the object that a subject's text names, such as node "17", in an open session. Fails if it does not exist.
bool observable_find_subject(const Observable *row, const Session *session, const char *text, ObservedSubject *subject,
                             Error *error);

/// Writes the name of a value in JSON or CSV, with its unit: "kinetic_J". For a component of a vector it also has the
/// axis: "position:17_x_m". `text` is the user's text of the observable. `component` -1 means the whole value.
void observable_label(const Observable *row, const char *text, int component, char label[OBSERVABLE_LABEL]);

/// Adds a value [row->size] to a JSON object: as a number, as true or false, or as a list. A value that is not finite
/// becomes null.
void observable_add_json(const Observable *row, const char *key, const double *value, struct cJSON *object);

/// observed_begin prepares *observed for the present state, and observed_end frees its data. `report` may be NULL.
void observed_begin(Observed *observed, Session *session, const StepReport *report);
void observed_end(Observed *observed);

/// Computes a value [row->size]. The value is NAN if the row needs the report of a step and no step was taken. If the
/// value is an integral over time, the integral from the last evaluation to the present state is added.
bool observe(Observed *observed, const Observable *row, ObservedSubject *subject, double *value, Error *error);
