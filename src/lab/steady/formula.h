// A formula in x, y and z, as a user types it: 1 + sin(pi*x)*y^2. Read once, evaluated at any number of points. What it
// may hold is muParser's: + - * / ^, comparisons and && || (1 where they hold, else 0), a ? b : c, functions such as
// sin and max; pi besides. No assignments.
#pragma once
#include "base/error.h"

// Names beside x, y and z that a formula may hold, each a number that is set before it is evaluated. They stand in
// quotes, "top side", or as they are where they are letters, digits and _ and begin with no digit.
typedef struct FormulaWords {
  int count;
  const char *const *word;  // [count]
  const char *what;         // for messages: "the physical groups of part.msh"
} FormulaWords;

// A zeroed Formula is empty. One thread at a time may use it.
typedef struct Formula {
  void *parser;                // owned
  double *at;                  // [3 + words], its variables; owned
  struct FormulaFault *fault;  // the first value that formula_checked found too large; owned
  int *word;                   // [word_count], which of the words it holds; owned
  int word_count;
} Formula;

/// Fails with `name`, the character where it stops being a formula, and why. `words`: NULL where there are none; is not
/// kept.
bool formula_read(Formula *formula, const char *text, const char *name, const FormulaWords *words, Error *error);
void formula_destroy(Formula *formula);  // takes an empty one too

/// The number that one of the words stands for from now on; at first it is 0.
void formula_set(const Formula *formula, int word, double value);

/// Its value at a point; need not be a number.
double formula_value(const Formula *formula, const double x[3]);

/// Its value at a point. The first point at which its size is not `largest` at most is remembered.
double formula_checked(const Formula *formula, const double x[3], double largest);

/// Fails with `name`, the point and the value if formula_checked met such a point.
bool formula_check(const Formula *formula, const char *name, Error *error);
