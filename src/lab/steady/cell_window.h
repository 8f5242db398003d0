// A window on what a problem without time has for an answer, which is solved again where the user changes it.
#pragma once
#include "lab/steady/cell_view.h"
#include "window/run_window.h"

typedef struct CellProblem {
  const char *line;  // what is shown, in words
  const CellMesh *mesh;
  CellValues values;   // as the last solve leaves them
  double factor;       // of displacements at first
  Style style;         // how it is drawn at first
  const Option *rows;  // what can be changed, for the panel; ends with a row whose key is NULL
  void *target;        // [size] bytes, whose members these rows are
  size_t size;
  // Makes `values` anew for such a target. It runs in a thread of its own, one call at a time, and nobody reads the
  // values meanwhile. Where it fails it leaves them as they were, and the window says why.
  bool (*solve)(void *user, const void *target, Error *error);
  void *user;
} CellProblem;

/// Runs until the user closes the window; of the options size, frames, antialias, trace and screenshot count. Main
/// thread only. Fails where no window can be opened.
bool cell_window(const WindowOptions *options, const CellProblem *problem, Error *error);
