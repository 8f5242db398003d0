// A formula in x, y and z, typed by a user: 1 + sin(pi*x)*y^2. Parsed once, evaluated at any number of points. The
// syntax is muParser's: + - * / ^, comparisons and && || (1 if true, else 0), a ? b : c, functions such as sin and max;
// also pi. No assignments.
#pragma once
#include "base/error.h"

// Names of further numbers that a formula may contain besides x, y and z. The caller sets each number before
// evaluation. Users write a name in quotes, "top side". Without quotes a name consists of letters, digits and _, and
// does not begin with a digit.
typedef struct FormulaWords {
  int count;
  const char *const *word;  // [count], the names
  const char *what;         // for messages: "the physical groups of part.msh"
} FormulaWords;

// A zeroed Formula is empty. Only one thread at a time may use it.
typedef struct Formula {
  void *parser;                // handle of the library muParser; owned
  double *at;                  // [3 + number of words] values of x, y, z and of the words; owned
  struct FormulaFault *fault;  // first value that formula_checked rejected; owned
  int *word;                   // [word_count] indices in FormulaWords of the words that the formula contains; owned
  int word_count;
  bool of_place;  // the formula contains x, y or z
} Formula;

/// Parses a formula. Fails with `name`, the position of the fault, and the reason. `words` may be NULL and is not kept.
bool formula_read(Formula *formula, const char *text, const char *name, const FormulaWords *words, Error *error);
void formula_destroy(Formula *formula);  // accepts an empty formula

/// Sets the value of a word; it is 0 at first.
void formula_set(const Formula *formula, int word, double value);

/// Returns the value at a point; may be NaN.
double formula_value(const Formula *formula, const double x[3]);

/// Returns the value at a point, and records the first point at which its magnitude exceeds `largest` or is NaN.
double formula_checked(const Formula *formula, const double x[3], double largest);

/// Fails with `name`, the point and the value if formula_checked has recorded a point.
bool formula_check(const Formula *formula, const char *name, Error *error);
