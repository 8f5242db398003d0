// Observables: quantities of a running scene, such as energies, momenta, forces, positions and numbers of iterations.
// Each is a row of a table. Probes, benchmarks, VTU files and plots loop over the rows.
#pragma once
#include "scene/session.h"
#include "sim/contact_report.h"

struct cJSON;

enum {
  OBSERVABLES_MAX = 60,                        // rows of the table `observables`
  OBSERVABLE_SIZE_MAX = 3,                     // components of a value
  OBSERVABLE_TEXT_MAX = 128,                   // bytes of a name with its argument, such as "position:17"
  OBSERVABLE_LABEL = OBSERVABLE_TEXT_MAX + 32  // bytes of a label: such a name, an axis and a unit
};

// Times at which the value of an observable is available.
typedef enum ObservedWhen {
  OBSERVED_AFTER_STEP,  // only after a time step: StepReport contains the value
  OBSERVED_ON_DEMAND,   // at any time: computed from the session's present state; waits for the device
} ObservedWhen;

// The part of the scene to which an observable refers, such as node 17 for "position:17".
typedef struct ObservedSubject {
  int64_t tag;    // number of a node, as in the mesh file
  int entry;      // index of an entry in its list of the scene, such as the list of pins
  char list[8];   // name of this list: "pins", "forces" or "drags"; empty: the subject is no entry
  bool is_named;  // the entry was given by its name, not by its number
  bool is_gone;   // the node, or all nodes or faces of the region, were torn out
  // The two bodies, or the body and the obstacle, whose contact is observed; they need not touch. The numbers are those
  // of BodyContact.body, for example -1 for the first obstacle.
  int body[2];
  Region region;  // region over whose nodes, or faces of the surface, the observable takes the mean
  // The next members are used only by observables that integrate work over time. They store the last evaluation.
  // sum: work so far, J. force: N; moment: N m. offset, m, and degrees: displacement and rotation of the pin or drag.
  // kinetic: kinetic energy of the moved nodes, J. started: there was an evaluation. start: EnergyBudget.starts at the
  // last evaluation; if it has changed, the sum begins again at 0.
  bool started;
  int64_t start;
  double sum, force[3], moment[3], offset[3], degrees, kinetic;
} ObservedSubject;

// Data, such as positions, that several observables of one state of a session need. They are computed only once: when
// the first observable needs them.
typedef struct Observed {
  Session *session;          // the session that is observed; borrowed
  const StepReport *report;  // report of the step that ended in this state; NULL: no step was taken
  // s, time for which the positions of moving pins are computed. observed_begin sets it to the time of the simulation;
  // the caller may change it
  double time;
  bool has_energy, has_contacts;
  bool has_spin;          // session->budget contains the change of angular momentum, so it need not be measured
  Energy energy;          // energies of the state; valid if has_energy
  double (*x)[3];         // [node_count] m, positions; NULL: not computed
  Reactions reactions;    // forces of pins and of drags without springs on nodes; arrays are NULL: not computed
  BodyContact *contacts;  // [contact_count], contacts between bodies and with obstacles; valid if has_contacts
  int contact_count;      // number of contacts in `contacts`
  // [node_count] N, contact force on each node, and magnitude of its normal part; NULL: not computed
  double (*load)[3], *push;
} Observed;

typedef struct Observable Observable;
struct Observable {
  const char *name;     // name that the user types: "kinetic"
  const char *unit;     // such as "J"; empty: the value has no unit, or its unit depends on the command
  const char *summary;  // one line for lists of observables
  const char *subject;  // placeholder for what follows the colon: "NODE" for "position:17"; NULL: the name has no colon
  const char *plot;     // title of its plot in the window, for size 1; NULL: no plot
  int size;             // number of components, 1 or 3
  ObservedWhen when;    // time at which the value is available
  // true if the value would differ after the run is resumed from a checkpoint, because it depends on data that a
  // checkpoint does not contain: the positions to which springs pulled nodes in the last step, or a sum over earlier
  // steps
  bool of_past;
  bool is_sum;    // true if the value is a sum over all steps since the first evaluation
  bool is_flag;   // true: the value is 0 or 1, and becomes false or true in JSON
  size_t offset;  // bytes, offset in StepReport or Energy of the member that `evaluate` returns, if it returns one
  bool (*find)(const Session *session, const char *text, ObservedSubject *subject, Error *error);
  // Computes the components value [size] of the observable. The caller has set them to 0.
  bool (*evaluate)(const Observable *row, Observed *observed, ObservedSubject *subject, double *value, Error *error);
};

/// All observables. The last row has the name NULL.
extern const Observable observables[];

/// Finds the observable that a text such as "position:17" names, and returns its row of the table. *subject gets the
/// part after the colon, or "". Returns NULL with an error if there is no such row, or if this part is missing or not
/// allowed.
const Observable *observable_find(const char *text, const char **subject, Error *error);

/// Finds the node, pin, drag, region or pair of bodies that `text` names in an open session, such as node "17". Stores
/// it in *subject. Fails if it does not exist. Sets subject->is_gone if it existed until the body was torn; its values
/// are then NAN. If the body is divided among processes of MPI, all of them must call this function and `observe`; they
/// get the results of process 0.
bool observable_find_subject(const Observable *row, const Session *session, const char *text, ObservedSubject *subject,
                             Error *error);

/// Writes the label of a value in JSON or CSV: name and unit, such as "kinetic_J". text: the name as the user typed it.
/// component: index of a component, whose axis is added, as in "position:17_x_m"; -1: no axis is added.
void observable_label(const Observable *row, const char *text, int component, char label[OBSERVABLE_LABEL]);

/// Adds value [row->size] to a JSON object as a number, as true or false, or as a list. Values that are not finite
/// become null.
void observable_add_json(const Observable *row, const char *key, const double *value, struct cJSON *object);

/// observed_begin: clears *observed, so that observables are computed from the session's present state; it must be
/// called again after each step. `report`: report of the step that led to this state, or NULL. observed_end: frees the
/// data that observables have computed.
void observed_begin(Observed *observed, Session *session, const StepReport *report);
void observed_end(Observed *observed);

/// Computes the components value [row->size] of an observable. They become NAN if the observable is a value of a
/// StepReport and observed->report is NULL. If the observable is an integral over time, such as a work, adds to it the
/// part from its last evaluation to the present state.
bool observe(Observed *observed, const Observable *row, ObservedSubject *subject, double *value, Error *error);
