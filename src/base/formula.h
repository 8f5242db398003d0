// A formula in x, y and z, as a user types it: 1 + sin(pi*x)*y^2. Read once, evaluated at any number of points. What it
// may hold is muParser's: + - * / ^, comparisons and && || (1 where they hold, else 0), a ? b : c, functions such as
// sin and max; pi besides. No assignments.
#pragma once
#include "base/error.h"

// A zeroed Formula is empty. One thread at a time may use it.
typedef struct Formula {
  void *parser;  // owned
  double *at;    // [3], its variables; owned
} Formula;

/// Fails with `name`, the character where it stops being a formula, and why.
bool formula_read(Formula *formula, const char *text, const char *name, Error *error);
void formula_destroy(Formula *formula);  // takes an empty one too

/// Its value at a point; need not be a number.
double formula_value(const Formula *formula, const double x[3]);
