// Writes advice for a failed step if the material may be the cause (material_advice.h).
#include "sim/material_advice.h"

#include <stdio.h>
#include <string.h>

#include "sim/element/element_row.h"

void material_advice(const SimulationSettings *settings, char text[MATERIAL_ADVICE]) {
  const char *shape = simulation_shape(settings);
  const ElementRow *row = element_row(shape, settings->material, DEVICE_CPU, PRECISION_F64);
  const ElementRow *first = element_row(shape, NULL, DEVICE_CPU, PRECISION_F64);
  text[0] = '\0';
  if (!row || !first || !row->softens || first->softens) return;

  // the summary begins with the material's full name
  const int name = (int)strcspn(row->stage.summary, ":");
  snprintf(text, MATERIAL_ADVICE,
           "; material \"%s\" (%.*s) loses its stiffness under compression and collapses: use material \"%s\"",
           row->stage.name, name, row->stage.summary, first->stage.name);
}
