// Makes commands: see command.h.
#include "live/command.h"

#include <stdio.h>

Command command_adjust(const SimulationSettings *wanted, const SimulationSettings *now, double speed,
                       const char *field) {
  Command command = { .kind = COMMAND_ADJUST, .settings = *wanted, .speed = speed };
  command.unchanged = options_alike(simulation_options, wanted, now);
  snprintf(command.field, sizeof command.field, "%s", field);
  return command;
}
