// Functions of pliant.h that need no scene and no sim: version, names, devices, threads, and tables of scene keys and
// observables.
#include <limits.h>
#include <stddef.h>

#include "api/call.h"
#include "base/parallel.h"
#include "scene/observable.h"
#include "scene/scene.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *pliant_version(void) {
  return VERSION_TEXT(PLIANT_VERSION_MAJOR, PLIANT_VERSION_MINOR, PLIANT_VERSION_PATCH);
}

const char *pliant_status_name(int status) {
  static const char *const names[] = {
    [PLIANT_OK] = "ok",
    [PLIANT_BAD_ARGUMENT] = "bad_argument",
    [PLIANT_BAD_FILE] = "bad_file",
    [PLIANT_NO_MEMORY] = "no_memory",
    [PLIANT_NO_DEVICE] = "no_device",
    [PLIANT_STEP_FAILED] = "step_failed",
    [PLIANT_STOPPED] = "stopped",
    [PLIANT_NOT_NOW] = "not_now",
  };
  return status >= 0 && status < (int)(sizeof names / sizeof *names) ? names[status] : "unknown";
}

int pliant_device_count(void) {
  API_CALL;
  const int count = device_gpu_count();
  if (count > 0) return count;
  error_set(&error, "%s", device_gpu_absence(0));
  api_result(&error, PLIANT_NO_DEVICE);
  return 0;
}

int pliant_set_threads(int threads) {
  API_ENTER;
  if (threads < 0) return api_fail(PLIANT_BAD_ARGUMENT, "threads is %d, expected 0 or more", threads);
  parallel_set_threads(threads);
  return PLIANT_OK;
}

static const char *type_name(const Option *row) {
  switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_OPTIONAL:
      return "number";
    case OPTION_INTEGER:
      return "integer";
    case OPTION_CHOICE:
      return "choice";
    case OPTION_TEXT:
    case OPTION_SIZE:
      return "text";
    case OPTION_VECTOR:
      return "vector";
    case OPTION_FLAG:
      return "flag";
    case OPTION_CUSTOM:
      break;
  }
  return "json";
}

static const char *applies_name(OptionApplies applies) {
  switch (applies) {
    case APPLIES_LIVE:
    case APPLIES_AS_OTHERS:
      return "live";
    case APPLIES_ON_REBUILD:
    case APPLIES_TO_STAGE:
      return "rebuild";
    default:
      return "scene";
  }
}

// Both tables end with a row without a key or name, which is not counted.
static int option_count(void) {
  int count = 0;
  while (scene_options[count].key) count++;
  return count;
}

static int observable_count(void) {
  int count = 0;
  while (observables[count].name) count++;
  return count;
}

// Fails if a table with `count` rows has no row `index`. `table` names its rows in the message: "keys".
static int check_row(int index, int count, const char *table) {
  if (index >= 0 && index < count) return PLIANT_OK;
  return api_fail(PLIANT_BAD_ARGUMENT,
                  "row %d of the table of %s does not exist; the table has %d rows, counted from 0", index, table,
                  count);
}

static const char *text_or_empty(const char *text) {
  return text ? text : "";
}

int pliant_option(int index, pliant_option_info *info) {
  const int status = check_row(index, option_count(), "keys");
  if (status) return status;
  const Option *row = &scene_options[index];
  const pliant_option_info made = {
    .key = row->key,
    .type = type_name(row),
    .unit = text_or_empty(row->unit),
    .choices = text_or_empty(row->choices),
    .help = text_or_empty(row->help),
    .applies = applies_name(row->applies),
    .low = row->low,
    .high = row->high,
  };
  return api_give_struct(info, &made, sizeof made);
}

int pliant_observable(int index, pliant_observable_info *info) {
  const int status = check_row(index, observable_count(), "observables");
  if (status) return status;
  const Observable *row = &observables[index];
  const pliant_observable_info made = {
    .name = row->name,
    .unit = row->unit,
    .help = row->summary,
    .subject = text_or_empty(row->subject),
    .components = row->size,
  };
  return api_give_struct(info, &made, sizeof made);
}
