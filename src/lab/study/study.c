// The list of studies, and functions common to all studies: see study.h.
#include "lab/study/study.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/meant.h"
#include "base/timer.h"

const Study studies[] = {
  { "mueller-roemer",
    "matrices on meshes of tets: topology, pattern, and sums of element matrices (Mueller-Roemer and Stork, 2018)",
    1 << 1 | 1 << 2 | 1 << 3, 1 << 4 | 1 << 5 | 1 << 6, false, PRECISION_F32, study_mueller_roemer, false, false,
    1 << 6 },
  { "ramirez",
    "matrices of hexahedra: groups of cells are integrated on a GPU and summed on the CPU (Ramirez-Gil, 2015)",
    1 << 1 | 1 << 2, 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5, true, PRECISION_F64, study_ramirez, false, true, 0 },
  { "iosifidis",
    "Poisson's equation with matrices from cotangents of angles, solvers for it, and plates (Iosifidis and others, "
    "2015)",
    0, 1 << 2, true, PRECISION_F32, study_iosifidis, false, false, 1 << 4 | 1 << 5 | 1 << 6 },
  { "reguly", "assembly and storage of matrices on quads of degree 1 to 4, and their solvers (Reguly and Giles, 2015)",
    1 << 1,
    // bit k is set for figure k: figures 5 to 28, without 22, which is a sketch
    0x1fffffe0 & ~(1 << 22), true, PRECISION_F32, study_reguly, true, false, 1 << 3 | 1 << 5 },
  { 0 },
};

const char *study_names(char text[200]) {
  size_t length = 0;
  text[0] = '\0';
  for (const Study *s = studies; s->name && length < 200; s++)
    length += (size_t)snprintf(text + length, 200 - length, "%s%s", length ? ", " : "", s->name);
  return text;
}

const Study *study_find(const char *name, Error *error) {
  char known[200], text[96];
  Meant meant = meant_by(name);
  for (const Study *s = studies; s->name; s++) {
    if (strcmp(s->name, name) == 0) return s;
    meant_offer(&meant, s->name);
  }
  error_set(error, "there is no study \"%.200s\"%s; available: %s", name, meant_text(&meant, text), study_names(known));
  return NULL;
}

// Fails unless the study has the table, figure or section (`kind`) with this number: bit `number` of `bits` must be
// set. The error lists the numbers that exist. Number 0 always passes.
static bool allows(const char *kind, const char *study, int bits, int number, Error *error) {
  char known[100] = "";
  if (number == 0 || bits >> number & 1) return true;
  for (int k = 1; k < 31; k++) {
    const size_t length = strlen(known);
    if (bits >> k & 1) snprintf(known + length, sizeof known - length, "%s%d", length ? ", " : "", k);
  }
  return error_set(error, "study %s has no %s %d; available: %s", study, kind, number, known[0] ? known : "none");
}

bool study_allows(const Study *study, const StudyRequest *request, Error *error) {
  if ((request->table > 0) + (request->figure > 0) + (request->section > 0) > 1)
    return error_set(error, "only one of --table, --figure and --section is possible; leave out the others");
  if (study->by_dof && (request->tets > 0 || request->mesh))
    return error_set(
        error, "study %s makes its own meshes: to set their size in unknowns, give --dof in place of --tets or --mesh",
        study->name);
  if (!study->by_dof && request->dof > 0)
    return error_set(error, "in study %s the size of a mesh is its number of tets: give --tets in place of --dof",
                     study->name);
  if (request->degree && !study->has_degrees)
    return error_set(error, "study %s has no choice of the polynomial degree of elements: leave out --degree",
                     study->name);
  if (request->budget > 0 && !study->has_budget)
    return error_set(error,
                     "study %s does not divide its assembly into groups of cells, so it has no memory limit: leave out "
                     "--memory-budget",
                     study->name);
  return allows("table", study->name, study->tables, request->table, error) &&
         allows("figure", study->name, study->figures, request->figure, error) &&
         allows("section", study->name, study->sections, request->section, error);
}

double study_left(const StudyRequest *request) {
  return request->until > 0 ? request->until - timer_seconds() : HUGE_VAL;
}

StudyTable *study_table(StudyReport *report, const char *title, const char *const *columns) {
  if (report->table_count == sizeof report->tables / sizeof *report->tables) return NULL;
  StudyTable *table = &report->tables[report->table_count++];
  snprintf(table->title, sizeof table->title, "%s", title);
  for (; columns[table->column_count] && table->column_count < STUDY_COLUMNS; table->column_count++)
    snprintf(table->column[table->column_count], STUDY_WORD, "%s", columns[table->column_count]);
  return table;
}

bool study_row(StudyTable *table, const char *label, const double *values, Error *error) {
  if (!array_reserve((void **)&table->rows, &table->capacity, table->row_count + 1, sizeof *table->rows, "rows", error))
    return false;
  StudyRow *row = &table->rows[table->row_count++];
  *row = (StudyRow){ 0 };
  snprintf(row->label, sizeof row->label, "%s", label);
  memcpy(row->value, values, sizeof *values * (size_t)table->column_count);
  return true;
}

void study_check(StudyReport *report, const char *what, double result, double bound) {
  StudyCheck *check = NULL;
  for (int k = 0; k < report->check_count && !check; k++)
    if (strcmp(report->checks[k].what, what) == 0) check = &report->checks[k];
  const bool first = !check, passed = result <= bound;  // false if the result is NaN
  if (first) {
    assert(report->check_count < STUDY_CHECKS);
    check = &report->checks[report->check_count++];
    snprintf(check->what, sizeof check->what, "%s", what);
  }

  // A NaN replaces every number, and no number replaces a NaN.
  if (!first && (isnan(check->result) || check->result >= result)) return;
  check->result = result;
  check->bound = bound;
  check->passed = passed && (first || check->passed);
}

void study_report_destroy(StudyReport *report) {
  for (int k = 0; k < report->table_count; k++) free(report->tables[k].rows);
  *report = (StudyReport){ 0 };
}
