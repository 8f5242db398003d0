// A window that shows the solution of a stationary problem, and solves it again when the user changes an option.
#pragma once
#include "lab/stationary/cell_view.h"
#include "window/run_window.h"

typedef struct CellProblem {
  const char *line;  // description of the result
  const CellMesh *mesh;
  CellValues values;   // set by the last solve
  double factor;       // initial factor on displacements
  Style style;         // initial style
  const Option *rows;  // options of the panel; ends with a row whose key is NULL
  void *target;        // [size] bytes, the struct that these options are members of
  size_t size;
  // Computes `values` for these options. Runs in a separate thread, one call at a time, while no other thread reads the
  // values. On failure it must leave them unchanged; the window shows the error.
  bool (*solve)(void *user, const void *target, Error *error);
  void *user;
} CellProblem;

/// Runs until the user closes the window; the options size, frames, antialias, trace and screenshot apply. Main thread
/// only. Fails if no window can be opened.
bool cell_window(const WindowOptions *options, const CellProblem *problem, Error *error);
