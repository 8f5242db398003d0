// The command `pliant-lab info`. Lists the elements of stationary problems, with the assemblies and matrix formats that
// exist only for one element. Then lists the solvers that exist only for stationary problems.
#include <stdio.h>

#include "app/command_line.h"
#include "lab/stationary/stationary.h"

// Prints the assemblies or matrix formats (`kind`) that exist only for the element `e`.
static void print_element(const StationaryElement *e, StageKind kind, Device device) {
  const char *before = stage_kind_name(kind), *between = " ";
  for (const Stage *s = NULL; (s = stage_next(s, kind, device, PRECISION_F64, e->name));) {
    if (!s->element) continue;
    printf("%s%s%s", before, between, s->name);
    before = "";
    between = ", ";
  }
  if (!before[0]) printf("; ");
}

static bool print_stationary_stages(const CommandInput *input, Error *error) {
  (void)input, (void)error;
  for (const StationaryElement *e = stationary_elements; e->name; e++)
    for (int device = DEVICE_CPU; device <= DEVICE_CUDA; device++) {
      if (!stage_next(NULL, STAGE_ASSEMBLY, (Device)device, PRECISION_F64, e->name)) continue;
      printf("%-21s %-5s %-21s ", e == stationary_elements && device == DEVICE_CPU ? "elements" : "",
             device_name((Device)device), e->name);
      print_element(e, STAGE_ASSEMBLY, (Device)device);
      print_element(e, STAGE_OPERATOR, (Device)device);
      printf("%s\n", e->summary);
    }
  static const Device devices[] = { DEVICE_CPU, DEVICE_CUDA };
  for (int d = 0; d < 2; d++)
    for (const Stage *s = NULL; (s = stage_next(s, STAGE_STATIONARY_SOLVER, devices[d], PRECISION_F64, NULL));)
      printf("%-21s %-13s %-16s %s\n", "", stage_kind_name(s->kind), s->name, s->summary);
  return true;
}

extern const CommandRow stationary_info_command;
const CommandRow stationary_info_command = {
  .name = "info",
  .usage = "",
  .summary = "Prints the elements, matrices and solvers of stationary problems.",
  .takes = TAKES_PATHS,
  .run = print_stationary_stages,
};
