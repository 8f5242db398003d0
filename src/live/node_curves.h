// Curves of nodes on which the user has placed probes in the window. A curve consists of the positions of a node in
// each time step. The simulation's thread adds rows, one per time step. The window's thread adds and removes probes,
// plots the curves and saves them.
#pragma once
#include <pthread.h>

#include "scene/session.h"

enum { CURVES_MAX = 6, CURVE_ROWS_MAX = 100000 };  // limits; beyond, the older half of the rows is dropped

// Positions of all probes in one step.
typedef struct CurveRow {
  int64_t step;             // number of steps before, as SimStatus.step
  double time;              // s, simulated time
  double x[CURVES_MAX][3];  // [count], positions, m; NAN: the probe was not placed yet, or a tear removed its node
} CurveRow;

typedef struct NodeCurves {
  pthread_mutex_t lock;     // guards all other members
  int count;                // number of probes
  int64_t tag[CURVES_MAX];  // [count], numbers of the nodes, as in the mesh file
  double X[CURVES_MAX][3];  // [count] m, positions of the nodes in the undeformed body
  CurveRow *row;            // [row_count], in the order of steps
  int64_t row_count, row_capacity;
  int placed;                            // number of probes that were placed so far
  int recorded_placed, recorded_resets;  // values of `placed` and of Live.resets that node_curves_follow has processed
} NodeCurves;

void node_curves_create(NodeCurves *curves);
void node_curves_destroy(NodeCurves *curves);

/// Places a probe on a node with the number `tag` and the undeformed position X, m. Returns false if the node has a
/// probe already, or if there are CURVES_MAX probes.
bool node_curves_add(NodeCurves *curves, int64_t tag, const double X[3]);

/// Removes the probe of a node with the number `tag`, if there is one.
void node_curves_remove(NodeCurves *curves, int64_t tag);

/// Copies the numbers of the probed nodes to `tag`, and their undeformed positions to X, m. Returns the number of
/// probes.
int node_curves_list(NodeCurves *curves, int64_t tag[CURVES_MAX], double X[CURVES_MAX][3]);

/// Drops the rows of the present step and of later steps, and adds a row with the positions of the session's present
/// state. Called by the thread that steps the session. Waits for the device if there are probes.
bool node_curves_record(NodeCurves *curves, Session *session, Error *error);

/// Calls node_curves_record if a probe was placed or the session was reset since the last call of this function, and
/// then sets *added to true. resets: value of Live.resets.
bool node_curves_follow(NodeCurves *curves, Session *session, int resets, bool *added, Error *error);

// The curves for a plot. They contain every row, or every second, fourth, eighth ... row if `capacity` does not suffice
// for all rows, and always the last row.
typedef struct CurvePlot {
  int count;                  // number of probes
  int64_t tag[CURVES_MAX];    // [count], numbers of the probes' nodes
  float *time;                // [samples], times of the rows, s
  float *length[CURVES_MAX];  // [count][samples], lengths of the nodes' displacements, m
  int capacity, samples;      // capacity of the arrays; number of rows in them
} CurvePlot;

/// Fills a plot from rows up to the step `last`. The caller has set plot->time, plot->length and plot->capacity.
void node_curves_plot(NodeCurves *curves, int64_t last, CurvePlot *plot);

/// Writes all rows to a new CSV file, with the columns of --probe-file for the observables position:NODE.
bool node_curves_save(NodeCurves *curves, const char *path, Error *error);
