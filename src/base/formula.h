// A formula in x, y and z that a user types, such as 1 + sin(pi*x)*y^2. It is parsed once and evaluated at any number
// of points. The syntax is that of the library muParser, without assignments: + - * / ^, comparisons and && || (1 if
// true, else 0), a ? b : c, functions such as sin and max, and pi.
#pragma once
#include "base/error.h"

// Words: names of variables that a formula may contain in addition to x, y and z. The caller sets the value of each
// word by formula_set before an evaluation. Users write a name in quotes, "top side", or without quotes if it has only
// letters, digits and _ and does not begin with a digit.
typedef struct FormulaWords {
  int count;
  const char *const *word;  // [count], the names
  const char *what;         // text for messages that says what the words are: "the physical groups of part.msh"
} FormulaWords;

// A parsed formula; a zeroed one is empty. Only one thread at a time may use it.
typedef struct Formula {
  void *parser;                // handle of the library muParser; owned
  double *at;                  // [3 + number of words], values of x, y, z and of the words; owned
  struct FormulaFault *fault;  // first value that formula_checked found too large or NaN; owned
  // [word_count], indices in FormulaWords.word of the words that the formula contains; owned
  int *word;
  int word_count;
  bool of_place;  // true: the formula contains x, y or z
} Formula;

/// Parses a formula. The message of a failure has `name`, the position of the fault and the reason. `words` may be
/// NULL, and is not kept.
bool formula_read(Formula *formula, const char *text, const char *name, const FormulaWords *words, Error *error);
void formula_destroy(Formula *formula);  // accepts an empty formula

/// Sets the value of word number `word` for later evaluations. Until the first call the value is 0.
void formula_set(const Formula *formula, int word, double value);

/// Returns the formula's value at a point x; it may be NaN.
double formula_value(const Formula *formula, const double x[3]);

/// Returns the formula's value at a point x. Records the first point at which its magnitude exceeds `largest` or is
/// NaN.
double formula_checked(const Formula *formula, const double x[3], double largest);

/// Fails if formula_checked has recorded a point. The message has `name`, the point and the value.
bool formula_check(const Formula *formula, const char *name, Error *error);
