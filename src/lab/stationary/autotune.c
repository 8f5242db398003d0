// Chooses tuning numbers of methods, such as the number of threads per matrix row: times each permitted value and takes
// the fastest. Stores the choices in a file: see autotune.h.
#include "lab/stationary/autotune.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/log.h"
#include "base/path.h"
#include "lab/quad/localreuse.h"

enum { LINE = 512, LINES_MAX = 1000, REPEAT = 5, BATCH = 5 };

// ---- the file of stored choices

// Sets `folder` to Pliant's cache folder, $XDG_CACHE_HOME/pliant or ~/.cache/pliant. Creates the folder if `makes` is
// true. Returns false if neither XDG_CACHE_HOME nor HOME is an absolute path.
static bool cache_folder(char folder[PATH_LENGTH], bool makes) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char above[PATH_LENGTH];
  if (cache && cache[0] == '/')
    snprintf(above, sizeof above, "%s", cache);
  else if (home && home[0] == '/')
    snprintf(above, sizeof above, "%.1000s/.cache", home);
  else
    return false;
  if (makes) mkdir(above, 0700);
  if (snprintf(folder, PATH_LENGTH, "%.1000s/pliant", above) >= PATH_LENGTH - 16) return false;
  if (makes) mkdir(folder, 0700);  // if this fails, opening the file reports it
  return true;
}

static FILE *open_tunings(void) {
  char folder[PATH_LENGTH], path[PATH_LENGTH + 16];
  Error none = { 0 };  // ignored: a file that cannot be opened holds no choices
  if (!cache_folder(folder, false)) return NULL;
  snprintf(path, sizeof path, "%s/tunings", folder);
  return input_file_open(path, INPUT_FILE, &none);
}

// Returns the number in `line`, which has the form "key<tab>number", or 0 if the line has another key.
static int value_of(const char *line, const char *key) {
  const size_t length = strlen(key);
  char *end;
  if (strncmp(line, key, length) != 0 || line[length] != '\t') return 0;
  const long value = strtol(line + length + 1, &end, 10);
  return *end == '\n' && value > 0 && value <= 1024 ? (int)value : 0;
}

static int known_tuning(const char *key) {
  char line[LINE];
  int value = 0;
  FILE *file = open_tunings();
  while (file && fgets(line, sizeof line, file))
    if (value_of(line, key)) value = value_of(line, key);
  if (file) fclose(file);
  return value;
}

// Replaces the line of this key in the file by "key<tab>value", or adds the line. If two programs write the file at the
// same time, the line of one of them may be lost; the next run then measures and adds it again.
static bool write_tunings(const char *key, int value, Error *error) {
  char folder[PATH_LENGTH], path[PATH_LENGTH + 16], line[LINE];
  AtomicFile file = { 0 };
  if (!cache_folder(folder, true)) return true;  // without a cache folder, store nothing
  snprintf(path, sizeof path, "%s/tunings", folder);
  bool ok = atomic_file_check(path, error) && atomic_file_open(&file, path, error);
  FILE *old = ok ? open_tunings() : NULL;
  for (int k = 0; old && k < LINES_MAX && fgets(line, sizeof line, old); k++)
    if (strchr(line, '\n') && !value_of(line, key)) fputs(line, file.stream);
  if (old) fclose(old);
  if (ok) fprintf(file.stream, "%s\t%d\n", key, value);
  ok = ok && atomic_file_commit_unsynced(&file, error);
  atomic_file_close(&file);
  return ok;
}

static void store(const char *key, int value) {
  Error error = { 0 };
  if (!write_tunings(key, value, &error))
    log_notice("cannot store the tuning numbers that --autotune found: %s", error.message);
}

// Writes the key under which a tuning number is stored. Its fields, separated by tabs, are: model of the device; name
// of the method; for an assembly, the matrix format that it fills, and for a matrix format the word "products";
// precision; unknowns per node; number of unknowns, rounded down to a power of two; nodes per cell.
static void make_key(char key[LINE], const Stage *stage, const Operator *A) {
  snprintf(key, LINE, "%s\t%s\t%s\t%s\t%d unknowns a node\t2^%d", device_model(stage->device), stage->name,
           stage->kind == STAGE_ASSEMBLY ? A->method->stage.name : "products", precision_name(stage->precision),
           A->space->node_dof, (int)log2(A->n > 1 ? A->n : 1));
  const size_t length = strlen(key);
  snprintf(key + length, LINE - length, "\t%d nodes a cell", A->space->cell_nodes);
}

// ---- times of products and assemblies

// Work to be timed, with its arguments: a product y = A x, or an assembly with nodal data x and load vector y. `run`
// performs this work once.
typedef struct Work {
  bool (*run)(const struct Work *work, Error *error);
  Stream stream;
  const Operator *A;
  const void *x;
  void *y;
  Assembly *assembly;
  const AssemblyParameters *parameters;
} Work;

// Measures *seconds, the time of a batch, which is BATCH runs of `w`. The result is the least time of REPEAT batches;
// one batch before them is not counted.
static bool time_work(const Work *w, double *seconds, Error *error) {
  Event begin = { 0 }, end = { 0 };
  bool ok = event_create(w->stream.device, &begin, error) && event_create(w->stream.device, &end, error);
  *seconds = HUGE_VAL;
  for (int k = 0; ok && k <= REPEAT; k++) {  // batch 0 is not counted: a GPU loads the kernels in it
    double ms = 0;
    ok = event_record(&begin, w->stream, error);
    for (int i = 0; ok && i < BATCH; i++) ok = w->run(w, error);
    ok = ok && event_record(&end, w->stream, error) && stream_sync(w->stream, error) &&
         event_elapsed(&begin, &end, &ms, error);
    if (k > 0 && 1e-3 * ms < *seconds) *seconds = 1e-3 * ms;
  }
  event_destroy(&begin);
  event_destroy(&end);
  return ok;
}

static bool multiply(const Work *w, Error *error) {
  return operator_apply(w->A, w->x, w->y, NULL, w->stream, error);
}

static bool assemble(const Work *w, Error *error) {
  return assembly_run(w->assembly, w->parameters, w->x, w->y, w->A->values, w->stream, error);
}

static bool is_one(const int *tunings, int tuning) {
  for (; *tunings; tunings++)
    if (*tunings == tuning) return true;
  return false;
}

bool autotune_operator(Operator *A, const void *x, void *y, Stream stream, Error *error) {
  const int *tunings = A->method->tunings;
  char key[LINE];
  if (!tunings) return true;
  make_key(key, &A->method->stage, A);
  const int known = known_tuning(key);
  if (is_one(tunings, known)) return operator_tune(A, known, error);
  const Work work = { .run = multiply, .stream = stream, .A = A, .x = x, .y = y };
  double least = HUGE_VAL;
  int best = A->tuning;
  for (const int *t = tunings; *t; t++) {
    double seconds;
    if (!operator_tune(A, *t, error) || !time_work(&work, &seconds, error)) return false;
    if (seconds < least) {
      least = seconds;
      best = *t;
    }
  }
  store(key, best);
  return operator_tune(A, best, error);
}

bool autotune_assembly(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                       const Operator *A, Stream stream, Error *error) {
  static const int blocks[] = { 64, 128, 256, 0 };
  char key[LINE];
  if (!assembly_has_block(assembly)) return true;
  make_key(key, &assembly->method->stage, A);
  const int known = known_tuning(key);
  if (is_one(blocks, known)) return assembly_set_block(assembly, known, error);
  const Work work = {
    .run = assemble, .stream = stream, .A = A, .x = nodal, .y = F, .assembly = assembly, .parameters = parameters
  };
  double least = HUGE_VAL;
  int best = 0;
  for (const int *b = blocks; *b; b++) {
    double seconds;
    if (!assembly_set_block(assembly, *b, error) || !time_work(&work, &seconds, error)) return false;
    if (seconds < least) {
      least = seconds;
      best = *b;
    }
  }
  store(key, best);
  return assembly_set_block(assembly, best, error);
}
