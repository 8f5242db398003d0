// The table of all stages, the interchangeable methods of a simulation, and searches in this table (element/stage.h). A
// row is one implementation, such as the matrix format "csr" on the GPU in float: a struct that begins with a Stage.
// The table consists of lists of rows.
#include "sim/element/stage.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "sim/assembly/assembly.h"
#include "sim/dynamics/motion.h"
#include "sim/element/element_row.h"
#include "sim/element_module.h"
#include "sim/field/nodal_field.h"
#include "sim/field/stress_search.h"
#include "sim/operator/operator.h"
#include "sim/solver/solver.h"

// These macros declare each row of stages.def twice: NAME_f32 in float and NAME_f64 in double.
#define DECLARE(type, row) extern const type row##_f32, row##_f64;
#define FORMAT(row) DECLARE(OperatorMethod, row)
#define SOLVER(row) DECLARE(SolverMethod, row)
#define BODY(row) DECLARE(MotionMethod, row)
#define FIELD(row) DECLARE(FieldOperations, row)
#include "sim/stages.def"
#undef FORMAT
#undef SOLVER
#undef BODY
#undef FIELD

#define LIST(row) &row##_f32.stage, &row##_f64.stage,
#define FORMAT LIST
#define SOLVER LIST
#define BODY LIST
#define FIELD LIST
static const Stage *const rows_of_all[] = {
#include "sim/stages.def"
  NULL
};

// Declares the lists of rows of each element as weak symbols. The address of a weak symbol is NULL if no file defines
// it. So the list is NULL if its element is not linked, or was excluded from the build by -Delements.
#define ELEMENT(shape, material, features)                                                   \
  extern const Stage *const element_rows_##shape##_##material##_f32[] __attribute__((weak)); \
  extern const Stage *const element_rows_##shape##_##material##_f64[] __attribute__((weak));
#include "sim/element/elements.def"
#undef ELEMENT

// clang-format off
#define ELEMENT(shape, material, features) \
  { #shape, #material, { element_rows_##shape##_##material##_f32, element_rows_##shape##_##material##_f64 } },
// clang-format on
static const struct {
  const char *shape, *material;
  const Stage *const *linked[2];
} elements[] = {
#include "sim/element/elements.def"
};
enum { ELEMENTS = sizeof elements / sizeof *elements, LISTS_MAX = 2 * ELEMENTS + 256 };

// All lists of rows, in the order in which users see them:
//   lists[0]                    rows_of_all, the rows that work with every element
//   lists[1 + 2 k], [2 + 2 k]   rows of the element on line k of elements.def, in float and in double; NULL while the
//                               element is neither linked nor its module open
//   after them                  lists of modules that elements.def does not name, and lists that stage_add appended
// A module is a shared library with the rows of one element. Lists are never removed, so a thread may read them while
// another opens a module.
static const Stage *const *_Atomic lists[LISTS_MAX];
static atomic_int list_count;
static pthread_once_t begun = PTHREAD_ONCE_INIT;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

// Appends a list of rows, unless `lists` has it already. The caller must hold the mutex `opening` or be called by
// pthread_once.
static void append(const Stage *const *rows) {
  const int at = atomic_load(&list_count);
  for (int k = 0; k < at; k++)
    if (rows && atomic_load(&lists[k]) == rows) return;
  assert(at < LISTS_MAX);
  atomic_store(&lists[at], rows);
  atomic_store(&list_count, at + 1);
}

// Fills `lists` with the rows that work with every element. Then appends two lists for each line of elements.def, in
// float and in double. Both lists are NULL if the element is not linked.
static void begin(void) {
  append(rows_of_all);
  for (int k = 0; k < ELEMENTS; k++)
    for (int precision = 0; precision < 2; precision++) append(elements[k].linked[precision]);
}

void stage_add(const Stage *const *rows) {
  pthread_once(&begun, begin);
  pthread_mutex_lock(&opening);
  append(rows);
  pthread_mutex_unlock(&opening);
}

// Returns the index of the first line in elements.def with this shape and material (NULL: any material), or -1.
static int element_line(const char *shape, const char *material) {
  for (int k = 0; k < ELEMENTS; k++)
    if (strcmp(elements[k].shape, shape) == 0 && (!material || strcmp(elements[k].material, material) == 0)) return k;
  return -1;
}

bool material_is_listed(const char *material) {
  for (int k = 0; k < ELEMENTS; k++)
    if (strcmp(elements[k].material, material) == 0) return true;
  return false;
}

// Opens the modules of an element, the shared libraries with the element's methods (table rows) in float and in double.
// `line` is the element's index in elements.def; -1: it is not listed there. `remedy` is advice for the error message.
static bool open_modules(const char *element, int line, const char *remedy, Error *error) {
  static const ElementSeal seal = ELEMENT_SEAL;
  const Stage *const *rows[2];
  for (int p = PRECISION_F32; p <= PRECISION_F64; p++) {
    rows[p] = element_module_open(element, (Precision)p, &seal, remedy, error);
    if (!rows[p]) return false;
  }
  for (int p = PRECISION_F32; p <= PRECISION_F64; p++)
    if (line < 0)
      append(rows[p]);
    else
      atomic_store(&lists[1 + 2 * line + p], rows[p]);
  return true;
}

// Returns true if the element on line `line` of elements.def, from 0, is linked or its modules are open, in float and
// in double.
static bool is_open(int line) {
  return atomic_load(&lists[1 + 2 * line]) && atomic_load(&lists[2 + 2 * line]);
}

bool element_open(const char *shape, const char *material, Error *error) {
  char name[2 * ELEMENT_NAME];
  const int line = element_line(shape, material);
  if (line < 0 && !material) return error_set(error, "there is no element of shape %s", shape);
  snprintf(name, sizeof name, "%s_%s", shape, material ? material : elements[line].material);
  char remedy[200] = "`ninja -C build all-elements` builds it";
  if (line < 0) snprintf(remedy, sizeof remedy, "`pliant-material %s.h --shape %s` builds it", material, shape);
  pthread_once(&begun, begin);
  pthread_mutex_lock(&opening);
  const bool ok = (line >= 0 && is_open(line)) || open_modules(name, line, remedy, error);
  pthread_mutex_unlock(&opening);
  return ok;
}

// Opens the modules (shared libraries) of elements that elements.def does not list. If `shape` is not NULL, opens only
// modules whose names begin with it.
static void open_others(const char *shape) {
  static char names[ELEMENT_MODULES_MAX][ELEMENT_NAME];
  static bool tried[ELEMENT_MODULES_MAX];
  static int count = -1;
  if (count < 0) count = element_module_list(names);
  for (int k = 0; k < count; k++) {
    Error error = { 0 };
    bool other = !tried[k] && (!shape || strncmp(names[k], shape, strlen(shape)) == 0);
    for (int line = 0; other && line < ELEMENTS; line++) {
      char name[2 * ELEMENT_NAME];
      snprintf(name, sizeof name, "%s_%s", elements[line].shape, elements[line].material);
      other = strcmp(name, names[k]) != 0;
    }
    if (!other) continue;
    tried[k] = true;
    open_modules(names[k], -1, "", &error);
  }
}

void elements_open_all(const char *shape) {
  static bool tried[ELEMENTS];
  pthread_once(&begun, begin);
  pthread_mutex_lock(&opening);
  for (int line = 0; line < ELEMENTS; line++) {
    char name[2 * ELEMENT_NAME];
    Error error = { 0 };
    if (tried[line] || is_open(line) || (shape && strcmp(elements[line].shape, shape) != 0)) continue;
    snprintf(name, sizeof name, "%s_%s", elements[line].shape, elements[line].material);
    tried[line] = true;
    open_modules(name, line, "", &error);
  }
  open_others(shape);
  pthread_mutex_unlock(&opening);
}

// Criteria of a search for rows (implementations) in the table of stages.
typedef struct Wanted {
  bool any;  // true: every row is accepted
  StageKind kind;
  Device device;
  Precision precision;
  const char *element;  // name of the element for which the row is compiled; NULL: any
} Wanted;

static bool is_wanted(const Stage *s, const Wanted *w) {
  if (w->any) return true;
  if (s->kind != w->kind || s->device != w->device || s->precision != w->precision) return false;
  return !s->element || !w->element || strcmp(s->element, w->element) == 0;
}

static const char *absence_of(const Stage *s) {
  return s->absence ? s->absence() : NULL;
}

// Returns the reason why the method of this kind and name cannot be used on this machine; NULL if there is no reason.
static const char *find_absence(StageKind kind, const char *name) {
  const int count = atomic_load(&list_count);
  for (int k = 0; k < count; k++)
    for (const Stage *const *row = atomic_load(&lists[k]); row && *row; row++)
      if ((*row)->kind == kind && stage_is_named(*row, name) && absence_of(*row)) return absence_of(*row);
  return NULL;
}

static const Stage *next_wanted(const Stage *after, const Wanted *wanted) {
  bool passed = !after;
  pthread_once(&begun, begin);
  const int count = atomic_load(&list_count);
  for (int k = 0; k < count; k++)
    for (const Stage *const *row = atomic_load(&lists[k]); row && *row; row++) {
      if (passed && is_wanted(*row, wanted) && !absence_of(*row)) return *row;
      passed = passed || *row == after;
    }
  return NULL;
}

const Stage *stage_after(const Stage *after) {
  return next_wanted(after, &(Wanted){ .any = true });
}

const char *precision_name(Precision precision) {
  return precision == PRECISION_F64 ? "double" : "float";
}

size_t precision_size(Precision precision) {
  return precision == PRECISION_F32 ? sizeof(float) : sizeof(double);
}

const char *stage_kind_name(StageKind kind) {
  static const char *const names[STAGE_KINDS] = {
    "material", "assembly", "matrix", "solver", "body", "field", "solver"
  };
  return names[kind];
}

StageBytes stage_takes(const Stage *stage, double bytes) {
  StageBytes taken = { 0 };
  taken.on[stage->device] = bytes;
  return taken;
}

static void add_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written, int loops) {
  StageTraffic *traffic = &bytes->work[work];
  traffic->read += read;
  traffic->written += written;
  if (stage->device == DEVICE_CPU)
    traffic->launches += loops;
  else if (work == WORK_PRODUCT || work == WORK_ITERATION)
    traffic->nodes++;  // products and iterations run in a recorded CUDA graph
  else
    traffic->launches++;
}

void stage_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written) {
  add_pass(stage, bytes, work, read, written, 1);
}

void stage_light_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written) {
  add_pass(stage, bytes, work, read, written, 0);
}

bool stage_is_named(const Stage *stage, const char *name) {
  return strcmp(stage->name, name) == 0;
}

void stage_matrices(const Stage *stage, const char *names[2]) {
  if (stage->kind == STAGE_SOLVER || stage->kind == STAGE_STATIONARY_SOLVER) {
    names[0] = ((const SolverMethod *)stage)->matrix;
    names[1] = ((const SolverMethod *)stage)->other_matrix;
  } else {
    names[0] = ((const AssemblyMethod *)stage)->matrix;
    names[1] = ((const AssemblyMethod *)stage)->other_matrix;
  }
}

bool stage_fits(const Stage *stage, const Stage *matrix) {
  const char *names[2];
  const bool solves = stage->kind == STAGE_SOLVER || stage->kind == STAGE_STATIONARY_SOLVER;
  const Precondition by = solves ? ((const SolverMethod *)stage)->precondition : PRECONDITION_NONE;
  const bool reads_values =
      by == PRECONDITION_COARSE || by == PRECONDITION_LEVELS || by == PRECONDITION_SSOR || by == PRECONDITION_DIRECT;
  const OperatorMethod *format = (const OperatorMethod *)matrix;
  const bool instead =
      (by == PRECONDITION_SSOR && format->cell_entry) || (by == PRECONDITION_LEVELS && format->project);
  const bool adds_values = !solves && ((const AssemblyMethod *)stage)->needs_values;
  if (((reads_values && !instead) || adds_values) && format->linearise) return false;
  stage_matrices(stage, names);
  return !names[0] || stage_is_named(matrix, names[0]) || (names[1] && stage_is_named(matrix, names[1]));
}

const Stage *stage_next(const Stage *after, StageKind kind, Device device, Precision precision, const char *element) {
  return next_wanted(after, &(Wanted){ false, kind, device, precision, element });
}

// Returns the table row of the method with this kind, name, device, precision and element; NULL if there is none. Does
// not open modules.
static const Stage *find_present(StageKind kind, const char *name, Device device, Precision precision,
                                 const char *element) {
  const bool named = name && name[0];
  const Stage *first = stage_next(NULL, kind, device, precision, element);
  for (const Stage *s = first; s; s = stage_next(s, kind, device, precision, element))
    if (named ? stage_is_named(s, name) : s->preferred) return s;
  return named ? NULL : first;
}

const Stage *stage_find(StageKind kind, const char *name, Device device, Precision precision, const char *element) {
  const Stage *found = find_present(kind, name, device, precision, element);
  Error error = { 0 };
  if (found || kind != STAGE_ELEMENT || !element) return found;
  if (!element_open(element, name && name[0] ? name : NULL, &error)) return NULL;
  return find_present(kind, name, device, precision, element);
}

const Stage *stage_matrix_of(const Stage *stage) {
  const char *names[2];
  stage_matrices(stage, names);
  return stage_find(STAGE_OPERATOR, names[0], stage->device, stage->precision, stage->element);
}

const Stage *stage_choose(StageKind kind, const char *name, Device device, Precision precision, const char *element,
                          Error *error) {
  const Stage *found = stage_find(kind, name, device, precision, element);
  if (found) return found;
  if (kind == STAGE_ELEMENT && element) {
    if (element_line(element, name) >= 0 && !element_open(element, name, error)) return NULL;
    elements_open_all(element);
  }
  const char *absence = name ? find_absence(kind, name) : NULL;
  if (absence) {
    error_set(error, "%s \"%s\" is not available: %s", stage_kind_name(kind), name, absence);
    return NULL;
  }
  char known[400] = "";
  for (const Stage *s = NULL; (s = stage_next(s, kind, device, precision, element));) {
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", s->name);
  }
  char remedy[ELEMENT_FOLDERS_LENGTH + 100] = "", folders[ELEMENT_FOLDERS_LENGTH];
  if (kind == STAGE_ELEMENT && !environment_ignored()) {
    element_module_folders(folders);
    snprintf(remedy, sizeof remedy, "; other materials were searched in %s; PLIANT_ELEMENTS names further folders",
             folders);
  }

  error_set(error, "%s \"%s\" does not exist on device %s; available: %s%s", stage_kind_name(kind), name,
            device_name(device), known, remedy);
  return NULL;
}
