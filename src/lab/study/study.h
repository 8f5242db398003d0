// Studies of papers: what they state, done again on this machine. A study is a file and a row of `studies`; it fills
// tables, ours beside the paper's, and checks, of which one that fails means that something is wrong.
#pragma once
#include "sim/simulation.h"

enum { STUDY_COLUMNS = 14, STUDY_WORD = 40, STUDY_SENTENCE = 160, STUDY_CHECKS = 64 };

// What is asked for. Not every study has all.
typedef struct StudyRequest {
  int table, figure;  // numbers in the paper; 0: not asked for. Neither: all
  Device device;
  Precision precision;
  double tets;          // no more in a mesh; 0: what time leaves room for
  double dof;           // no more unknowns in a system, likewise, of studies that count those
  double until;         // s of the clock (base/timer.h): when it should have ended where no size is given; else 0
  double budget;        // bytes of the GPU's memory that may be taken; 0: as the paper's
  int degree;           // of elements, where a study has several; 0: all
  int repeat;           // how often what is timed is done, for the median; 0: as the device needs
  const TetMesh *mesh;  // this one in place of the study's own; NULL: those. Linear
  void (*told)(void *context, const char *sentence);  // what goes on meanwhile; NULL: nobody asks
  void *context;
} StudyRequest;

typedef struct StudyRow {
  char label[STUDY_WORD];
  double value[STUDY_COLUMNS];  // NaN: none
} StudyRow;

// A zeroed StudyTable is empty.
typedef struct StudyTable {
  char title[STUDY_SENTENCE];
  int column_count, row_count;
  char column[STUDY_COLUMNS][STUDY_WORD];
  StudyRow *rows;    // [row_count]; owned
  int64_t capacity;  // of rows
} StudyTable;

typedef struct StudyCheck {
  char what[STUDY_SENTENCE];
  double result, bound;  // passed: result <= bound
  bool passed;
} StudyCheck;

// A zeroed StudyReport is empty.
typedef struct StudyReport {
  int table_count, check_count;
  StudyTable tables[24];
  StudyCheck checks[STUDY_CHECKS];
} StudyReport;

typedef struct Study {
  const char *name, *summary;  // "mueller-roemer"; one line
  int tables, figures;         // which numbers it has: a bit each, from 1 on
  bool by_dof;                 // its sizes are unknowns (request.dof), else tets and a mesh of one's own
  Precision precision;         // where none is asked for
  bool (*run)(const StudyRequest *request, StudyReport *report, Error *error);
  bool has_degrees, has_budget;  // whether request.degree and request.budget mean anything
} Study;

/// All there are; ends with a row whose name is NULL. `run` fails only where it cannot be run.
extern const Study studies[];

/// The names of all, with commas in between. Returns the text.
const char *study_names(char text[200]);

/// The row of this name, or NULL with an error that names what there is.
const Study *study_find(const char *name, Error *error);

/// Fails where a number that is asked for is not one of the study's, or a size or mesh not what it is made of.
bool study_allows(const Study *study, const StudyRequest *request, Error *error);

/// Seconds until it should have ended; infinite where sizes are given. Checks are made whatever it says.
double study_left(const StudyRequest *request);

/// A table with columns of these names, NULL behind the last; NULL where there are too many.
StudyTable *study_table(StudyReport *report, const char *title, const char *const *columns);

/// A row of it; values [column_count]. Fails for lack of memory.
bool study_row(StudyTable *table, const char *label, const double *values, Error *error);

/// Whether result <= bound. The worst of those with the same words stays.
void study_check(StudyReport *report, const char *what, double result, double bound);

void study_report_destroy(StudyReport *report);

// The studies, by file.
bool study_iosifidis(const StudyRequest *request, StudyReport *report, Error *error);
bool study_mueller_roemer(const StudyRequest *request, StudyReport *report, Error *error);
bool study_ramirez(const StudyRequest *request, StudyReport *report, Error *error);
bool study_reguly(const StudyRequest *request, StudyReport *report, Error *error);
