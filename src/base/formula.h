// A formula in x, y and z, as a user types it: 1 + sin(pi*x)*y^2. Read once, evaluated at any number of points.
//   + - * / ^ (from the right), signs, parentheses, comparisons < > (1 where they hold, else 0)
//   sin cos tan exp log sqrt abs of one argument, min max of two, pi
#pragma once
#include "base/error.h"

enum { FORMULA_STEPS = 256 };

// In postfix order. A zeroed Formula is empty.
typedef struct Formula {
  int count;
  struct {
    int operation;
    double number;
  } step[FORMULA_STEPS];
} Formula;

/// Fails with `name`, the character where it stops being a formula, and what was expected there.
bool formula_read(Formula *formula, const char *text, const char *name, Error *error);

/// Its value at a point; need not be a number.
double formula_value(const Formula *formula, const double x[3]);
