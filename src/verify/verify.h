// Verification: cases with a known answer, which run with the methods that scenes use. docs/reference/verification.md
// derives the answers.
#pragma once
#include "sim/simulation.h"

enum { CHECKS_MAX = 40, CURVES_MAX = 8, CURVE_POINTS_MAX = 512 };

// One result of a case, compared with its reference value.
typedef struct Check {
  char what[80];
  const char *unit;
  double reference, result, error, bound;
  bool passed;
  bool beyond;  // the precision is too low to decide the check, which then neither passes nor fails
} Check;

// A curve with points (x[k], y[k]), k < count, for the plots of docs/reference/verification.md.
typedef struct Curve {
  char name[40];
  int count;
  double x[CURVE_POINTS_MAX], y[CURVE_POINTS_MAX];
} Curve;

typedef struct CaseReport {
  int check_count, curve_count;
  Check checks[CHECKS_MAX];
  Curve curves[CURVES_MAX];
} CaseReport;

// A verification case: a row of the table verify_cases.
typedef struct VerifyCase {
  const char *name, *summary;  // "patch"; one line about the case
  const char *x, *y;           // titles of the axes of the case's curves
  // Computes the case with the methods of `stages`. Fails only if it cannot run; `report` has the results.
  bool (*run)(const SimulationSettings *stages, CaseReport *report, Error *error);
  bool lumped;  // the case gets lumped masses in `stages`, also with the option --mass consistent
} VerifyCase;

/// All cases, numbered from 1; the last row has the name NULL. `run` reads assembly, matrix format, solver, precision,
/// degree and mass from `stages`, and sets everything else itself.
extern const VerifyCase verify_cases[];

/// Adds a check to the report. The error of the check is |result - reference| / scale, which must not exceed `bound`.
void report_check(CaseReport *report, const char *what, const char *unit, double reference, double result, double scale,
                  double bound);

/// As report_check, with |reference| as scale.
void report_relative(CaseReport *report, const char *what, const char *unit, double reference, double result,
                     double bound);

/// Marks the last `count` checks as undecidable in the present precision.
void report_beyond(CaseReport *report, int count);

/// Returns "pass", "FAIL", or "beyond" for a check that the precision is too low to decide.
const char *check_word(const Check *check);

/// Adds a point to the curve with this name. The first point of a name creates the curve.
void report_point(CaseReport *report, const char *curve, double x, double y);

// The functions `run` of the rows of verify_cases.
bool verify_patch(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_rotation(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_uniaxial(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_equibiaxial(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_shear(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_hanging_bar(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_cantilever(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_lame_mode(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_midpoint_frequency(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_free_flight(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_twisting_column(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_manufactured(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_bouncing_bar(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_fall(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_slope(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_hertz(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_touching_bars(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_incline(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_stack(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_pressure(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_spinning_bar(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_rolling_ring(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_colliding_balls(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_moving_support(const SimulationSettings *stages, CaseReport *report, Error *error);
bool verify_modes(const SimulationSettings *stages, CaseReport *report, Error *error);
