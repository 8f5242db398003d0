// A window that shows the solution of a stationary problem, and solves it again when the user changes an option.
#pragma once
#include "lab/stationary/cell_view.h"
#include "window/run_window.h"

// A stationary problem in the window: the solution to show, the options, and the function that solves the problem
// again.
typedef struct CellProblem {
  const char *line;  // description of the result, one line of text
  const CellMesh *mesh;
  CellValues values;   // set by the last solve
  double factor;       // factor by which displacements are multiplied when the window opens
  Style style;         // colours, edges and section when the window opens
  const Option *rows;  // options that the window's panel shows; ends with a row whose key is NULL
  // target: struct that holds the values of the options `rows`; size: its size, bytes
  void *target;
  size_t size;
  // Solves the problem with the options in `target`, and computes `values`. The window calls this function in another
  // thread, one call at a time, and does not read `values` during a call. On failure it must leave `values` unchanged;
  // the window then shows the error.
  bool (*solve)(void *user, const void *target, Error *error);
  void *user;
} CellProblem;

/// Opens the window and runs until the user closes it. Only these members of `options` have an effect: size, frames,
/// antialias, theme, text_size, trace and screenshot. Only the main thread may call the function. Fails if no window
/// can be opened.
bool cell_window(const WindowOptions *options, const CellProblem *problem, Error *error);
