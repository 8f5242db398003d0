// A window that shows the solution of a stationary problem, and solves it again when the user changes an option.
#pragma once
#include "lab/stationary/cell_view.h"
#include "window/run_window.h"

// The solution to show, and how to solve the problem again.
typedef struct CellProblem {
  const char *line;  // description of the result
  const CellMesh *mesh;
  CellValues values;   // set by the last solve
  double factor;       // initial factor on displacements
  Style style;         // initial style
  const Option *rows;  // options that the panel shows; ends with a row whose key is NULL
  // the struct of `size` bytes whose members these options set
  void *target;
  size_t size;
  // Computes `values` for these options. Runs in a separate thread, one call at a time, while no other thread reads the
  // values. On failure it must leave them unchanged; the window shows the error.
  bool (*solve)(void *user, const void *target, Error *error);
  void *user;
} CellProblem;

/// Opens the window and runs until the user closes it. Of `options`, the members size, frames, antialias, trace and
/// screenshot apply. Only the main thread may call it. Fails if no window can be opened.
bool cell_window(const WindowOptions *options, const CellProblem *problem, Error *error);
