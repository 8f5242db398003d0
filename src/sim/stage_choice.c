// The choice of parts: see stage_choice.h.
#include "sim/stage_choice.h"

#include <stdio.h>
#include <string.h>

const char *precision_name(Precision precision) {
  return precision == PRECISION_F64 ? "double" : "float";
}

static const MatrixFormat *find_matrix(int index) {
  for (int k = 0; matrix_formats[k]; k++)
    if (k == index) return matrix_formats[k];
  return NULL;
}

static const SolverMethod *find_solver(int index) {
  for (int k = 0; solver_methods[k]; k++)
    if (k == index) return solver_methods[k];
  return NULL;
}

bool simulation_stage(StageKind kind, int index, StageInfo *info) {
  const AssemblyMethod *a = kind == STAGE_ASSEMBLY ? assembly_method("neo_hookean_tet", index) : NULL;
  const MatrixFormat *m = kind == STAGE_MATRIX ? find_matrix(index) : NULL;
  const SolverMethod *v = kind == STAGE_SOLVER ? find_solver(index) : NULL;
  if (a) *info = (StageInfo){ a->name, a->summary, a->device, a->precision };
  if (m) *info = (StageInfo){ m->name, m->summary, m->device, m->precision };
  if (v) *info = (StageInfo){ v->name, v->summary, v->device, v->precision };
  return a || m || v;
}

// the index of the stage of this name (empty: the first) for a device and precision
static bool search_stage(StageKind kind, Device device, Precision precision, const char *name, int *index) {
  StageInfo info;
  for (int k = 0; simulation_stage(kind, k, &info); k++)
    if (info.device == device && info.precision == precision && (!name[0] || strcmp(name, info.name) == 0)) {
      *index = k;
      return true;
    }
  return false;
}

// the same, with the name filled in, and an answer that lists what there is
static bool choose_stage(StageKind kind, const char *what, Device device, Precision precision, char name[24],
                         int *index, Error *error) {
  StageInfo info;
  if (search_stage(kind, device, precision, name, index) && simulation_stage(kind, *index, &info)) {
    memcpy(name, info.name, strlen(info.name) + 1);
    return true;
  }
  char known[256] = "";
  for (int k = 0; simulation_stage(kind, k, &info); k++) {
    if (info.precision != precision || (info.device != device && kind != STAGE_ASSEMBLY)) continue;
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", info.name);
  }
  return error_set(error, "%s \"%s\" does not exist on device %s; there is: %s", what, name, device_name(device),
                   known);
}

Device simulation_solver_device(const SimulationSettings *s) {
  if (s->solver_device == SOLVER_DEVICE_SAME) return s->device;
  return s->solver_device == SOLVER_DEVICE_CPU ? DEVICE_CPU : DEVICE_CUDA;
}

bool stages_choose(const TetMesh *mesh, SimulationSettings *s, Choice *choice, Error *error) {
  const char *element = mesh->stiffness                      ? "neo_hookean_tet_graded"
                        : s->supplemental == SUPPLEMENTAL_QR ? "neo_hookean_tet_qr"
                                                             : "neo_hookean_tet";
  if (mesh->stiffness && s->supplemental == SUPPLEMENTAL_QR)
    return error_set(error,
                     "supplemental \"qr\" has no room for a stiffness that differs from tet to tet; take \"full\"");
  choice->by_default = !s->assembly[0];
  const Device other = s->device == DEVICE_CPU ? DEVICE_CUDA : DEVICE_CPU;
  int index;
  choice->solver_device = simulation_solver_device(s);
  const bool elsewhere = s->assembly[0] &&
                         !search_stage(STAGE_ASSEMBLY, s->device, s->precision, s->assembly, &index) &&
                         search_stage(STAGE_ASSEMBLY, other, s->precision, s->assembly, &index);
  choice->assembly_device = elsewhere ? other : s->device;
  const Device used[] = { s->device, choice->assembly_device, choice->solver_device };
  for (int k = 0; k < 3; k++)
    if (!device_present(used[k])) return error_set(error, "device %s: %s", device_name(used[k]), device_absence());
  if (!choose_stage(STAGE_ASSEMBLY, "assembly", choice->assembly_device, s->precision, s->assembly, &index, error))
    return false;
  choice->assembly = assembly_method(element, index);
  if (!choose_stage(STAGE_MATRIX, "matrix", choice->solver_device, s->precision, s->matrix, &index, error))
    return false;
  choice->matrix = find_matrix(index);
  if (!choose_stage(STAGE_SOLVER, "solver", choice->solver_device, s->precision, s->solver, &index, error))
    return false;
  choice->solver = find_solver(index);
  return true;
}
