// `pliant probes`: lists the observables that the option --probe accepts.
#include <stdio.h>

#include "app/command_line.h"
#include "scene/observable.h"

static bool list_probes(const CommandInput *input, Error *error) {
  (void)input, (void)error;
  for (const Observable *row = observables; row->name; row++) {
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", row->name, row->subject ? ":" : "", row->subject ? row->subject : "");
    printf("%-22s %-9s %s%s\n", name, row->unit, row->size == 3 ? "x, y, z: " : "", row->summary);
  }
  return true;
}

extern const CommandRow probes_command;
const CommandRow probes_command = {
  .name = "probes",
  .usage = "",
  .summary = "Lists the quantities (observables) that the option --probe of record, replay, solve and bench accepts.",
  .takes = TAKES_PATHS,
  .run = list_probes,
};
