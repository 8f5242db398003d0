// A study repeats the measurements of a paper on this machine. It fills tables with our numbers next to the paper's. It
// also checks its results; a failed check shows a fault of the program or the machine. Each study has a source file,
// such as ramirez.c, and a row in the array `studies`.
#pragma once
#include "sim/simulation.h"

enum { STUDY_COLUMNS = 14, STUDY_WORD = 40, STUDY_SENTENCE = 160, STUDY_CHECKS = 64 };

// Measurements that the user requests. Not every study uses all members.
typedef struct StudyRequest {
  // table, figure, section: number of a table, of a figure, or of a section of the paper to reproduce; 0: not given. If
  // all are 0, the study reproduces all of them.
  int table, figure, section;
  Device device;
  Precision precision;
  double tets;  // number of tets of the largest mesh; 0: limited by time
  // number of unknowns of the largest system, for studies that measure sizes by unknowns; 0: limited by time
  double dof;
  // Time at which the study must end, in seconds of the program's clock (timer_seconds). 0: no limit, because `tets`,
  // `dof` or `mesh` is given.
  double until;
  double budget;  // max bytes of GPU memory for groups of cells; 0: as in the paper
  int degree;     // polynomial degree of elements, for studies that have several degrees; 0: all
  int repeat;     // number of timed runs, of which the median counts; 0: depends on the device
  // mesh of linear tets that replaces the meshes of the study; NULL: none
  const TetMesh *mesh;
  void (*progress)(void *context, const char *sentence);  // receives progress messages; may be NULL
  void *context;
} StudyRequest;

// A row of a table: its label and one value for each column.
typedef struct StudyRow {
  char label[STUDY_WORD];
  double value[STUDY_COLUMNS];  // one value per column; NaN: no value
} StudyRow;

// A table of results. A zeroed StudyTable is empty.
typedef struct StudyTable {
  char title[STUDY_SENTENCE];
  int column_count, row_count;
  char column[STUDY_COLUMNS][STUDY_WORD];
  StudyRow *rows;    // [row_count]; owned
  int64_t capacity;  // number of rows for which `rows` has memory
} StudyTable;

// A check of a result. `what` describes in words the number `result`, and `bound` is the largest value that passes.
typedef struct StudyCheck {
  char what[STUDY_SENTENCE];
  double result, bound;  // passed: result <= bound
  bool passed;
} StudyCheck;

// All results of a study. A zeroed StudyReport is empty.
typedef struct StudyReport {
  int table_count, check_count;
  StudyTable tables[24];
  StudyCheck checks[STUDY_CHECKS];
} StudyReport;

// One study: a row of the array `studies`.
typedef struct Study {
  const char *name, *summary;  // such as "mueller-roemer"; a description of one line
  // Numbers of the paper's tables, figures and sections that the study can repeat: bit k of `tables` is set for table
  // k, bit k of `figures` for figure k, and bit k of `sections` for section k, where k is at least 1
  int tables, figures;
  // true: the user limits the size by a number of unknowns (StudyRequest.dof); false: by a number of tets, or gives a
  // mesh
  bool by_dof;
  Precision precision;  // precision if the user gives none
  bool (*run)(const StudyRequest *request, StudyReport *report, Error *error);
  // has_degrees: the study uses StudyRequest.degree; has_budget: it uses StudyRequest.budget
  bool has_degrees, has_budget;
  int sections;
} Study;

/// All studies; the array ends with a row whose name is NULL. A check that fails is recorded in the report, and `run`
/// still returns true. `run` fails only if the study cannot be carried out.
extern const Study studies[];

/// Writes the names of all studies, separated by commas, to `text`, and returns `text`.
const char *study_names(char text[200]);

/// Returns the study of this name, or NULL with an error that lists the names.
const Study *study_find(const char *name, Error *error);

/// Tests if the study can fulfil the request. Fails if the paper has no such table or figure, or if the study does not
/// support the requested size or mesh.
bool study_allows(const Study *study, const StudyRequest *request, Error *error);

/// Returns the time that is left of the time limit, s; infinity if the user gave sizes, so that there is no limit.
double study_left(const StudyRequest *request);

/// Adds a table to the report. `columns` are the names of its columns, a list that ends with NULL. Returns NULL if the
/// report has no space for another table.
StudyTable *study_table(StudyReport *report, const char *title, const char *const *columns);

/// Adds a row to a table: `label` and values [column_count]. Fails if memory runs out.
bool study_row(StudyTable *table, const char *label, const double *values, Error *error);

/// Adds a check, which passes if result <= bound. If several checks have the same text `what`, only the worst of them
/// is kept.
void study_check(StudyReport *report, const char *what, double result, double bound);

void study_report_destroy(StudyReport *report);

// The functions that run the studies. Each is defined in the source file with its name, such as ramirez.c.
bool study_iosifidis(const StudyRequest *request, StudyReport *report, Error *error);
bool study_mueller_roemer(const StudyRequest *request, StudyReport *report, Error *error);
bool study_ramirez(const StudyRequest *request, StudyReport *report, Error *error);
bool study_reguly(const StudyRequest *request, StudyReport *report, Error *error);
