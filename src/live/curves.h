// Curves of observables that the user plots in the window: one value or vector per time step. A probe that the user has
// placed on a node is the curve of the observable position:NODE. The simulation's thread adds rows, one per time step.
// The window's thread adds and removes curves, plots them and saves them.
#pragma once
#include <pthread.h>

#include "scene/probes.h"

// Maximum numbers of curves and of rows. When there are CURVE_ROWS_MAX rows, the next row removes the older half of
// them.
enum { CURVES_MAX = 6, CURVE_ROWS_MAX = 100000 };

// One curve: the observable that it shows, and its subject (node, pin or body).
typedef struct Curve {
  Probe probe;    // observable, its name and its subject
  bool found;     // probe.subject is set; for a probe when it is placed, otherwise by the thread that takes the steps
  bool is_probe;  // a curve of a probe that the user has placed on a surface node; subject.tag is the node's number
  double X[3];    // m, only for a curve of a probe: position of the probe's node in the undeformed body
  int id;         // unique number of the curve
} Curve;

// Values of all curves in one step.
typedef struct CurveRow {
  int64_t step;                                   // number of steps taken before, as SimStatus.step
  double time;                                    // s, simulated time
  double value[CURVES_MAX][OBSERVABLE_SIZE_MAX];  // [count], SI units; NAN: the curve has no value in this step
} CurveRow;

typedef struct Curves {
  pthread_mutex_t lock;     // guards all other members
  int count;                // number of curves
  Curve curve[CURVES_MAX];  // [count], in the order in which they were added
  CurveRow *row;            // [row_count], in the order of steps
  int64_t row_count, row_capacity;
  int added;                            // number of curves that were added so far
  bool opened;                          // the user can change the curves, so that a saved scene must contain them
  char listed[SCENE_CURVES];            // names in the scene's key "curves" whose curves the user has not deleted
  int recorded_added, recorded_resets;  // values of `added` and of Live.resets at the last curves_follow
  // [refused_count], reasons why curves were removed, until curves_take_refusal
  char refused[CURVES_MAX][ERROR_LENGTH];
  int refused_count;
} Curves;

void curves_create(Curves *curves);
void curves_destroy(Curves *curves);

/// Places a probe on a node with the number `tag` and the undeformed position X, m. Returns false if the position of
/// this node has a curve already, or if there are CURVES_MAX curves.
bool curves_add_probe(Curves *curves, int64_t tag, const double X[3]);

/// Adds curves of observables. names: names separated by commas, as for --probe. Fails without effect if a name is
/// wrong, has a curve already, or names a sum over earlier steps. If a name has a node, pin or body that does not
/// exist, its curve is added, but the next curves_record removes it and stores the reason for curves_take_refusal.
bool curves_add(Curves *curves, const char *names, Error *error);

/// Stores the names of the scene's key "curves". A saved scene has these names too, also if they have no curves here.
void curves_list_names(Curves *curves, const char *names);

/// If curves were removed because they could not be evaluated, copies the oldest reason that was not taken yet to
/// `text`. Returns false if there is none.
bool curves_take_refusal(Curves *curves, char text[ERROR_LENGTH]);

/// Removes the curve of an observable with this name, if there is one. A saved scene does not have the name.
void curves_remove(Curves *curves, const char *name);

/// Writes the names that a saved scene has to `names`, separated by commas: those of curves_list_names, then those of
/// all other curves. Returns false, and does nothing, if curves->opened is false.
bool curves_names(Curves *curves, char names[SCENE_CURVES]);

/// Copies the curves without their rows. Returns their number.
int curves_list(Curves *curves, Curve curve[CURVES_MAX]);

/// Records the values of all curves in the session's present state as a row. Earlier rows of this step, and rows of
/// later steps, are dropped. report: report of the step that led to this state; NULL: values that come from a report
/// are taken from the dropped row of this step. Called by the thread that steps the session. Waits for the device if
/// there are curves. Removes curves whose observable has no value in this session, see curves_take_refusal.
bool curves_record(Curves *curves, Session *session, const StepReport *report, Error *error);

/// Calls curves_record, and sets *added to true, if a curve was added or the session was reset since this function was
/// called last. Otherwise does nothing. resets: value of Live.resets.
bool curves_follow(Curves *curves, Session *session, int resets, bool *added, Error *error);

// The data of plots of all curves. `time` and `value` have one element per recorded row. If the rows exceed `capacity`,
// only every second, fourth, eighth ... row is used, and the last row.
typedef struct CurvePlot {
  int count;                // number of curves
  Curve curve[CURVES_MAX];  // [count]
  float *time;              // [samples], times of the rows, s
  // [count][samples]. For a probe, value[k][0] is the length of the node's displacement, m. For other curves, value[k]
  // has one array for each component of the observable.
  float *value[CURVES_MAX][OBSERVABLE_SIZE_MAX];
  int capacity, samples;  // capacity of the arrays; number of rows in them
} CurvePlot;

/// Fills a plot from rows up to the step `last`. The caller has set plot->time, plot->value and plot->capacity.
void curves_plot(Curves *curves, int64_t last, CurvePlot *plot);

/// Writes all rows to a new CSV file, with the columns of --probe-file.
bool curves_save(Curves *curves, const char *path, Error *error);
