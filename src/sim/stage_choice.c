// Chooses the stages of a simulation, its interchangeable methods: element, assembly, matrix, solver (stage_choice.h).
#include "sim/stage_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "sim/direct/slender.h"

const char *simulation_shape(const SimulationSettings *s) {
  return s->hexes ? "hex8" : cell_shape_info(cell_shape_find(3, true, s->degree))->name;
}

const char *simulation_element(const char *shape) {
  const ElementRow *row = element_row(shape, NULL, DEVICE_CPU, PRECISION_F64);
  return row ? row->element : NULL;
}

const Stage *simulation_stage(StageKind kind, const char *shape, int index) {
  // The list of materials depends on the shape of the cells. The lists of all other stages depend on the element.
  const char *element = kind == STAGE_ELEMENT ? shape : simulation_element(shape);
  if (!element) return NULL;
  if (kind == STAGE_ELEMENT) elements_open_all(shape);
  for (int device = DEVICE_CPU; device <= DEVICE_CUDA; device++)
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
      for (const Stage *s = NULL; (s = stage_next(s, kind, (Device)device, (Precision)precision, element));)
        if (index-- == 0) return s;
  return NULL;
}

bool simulation_stores(const Stage *matrix) {
  return !((const OperatorMethod *)matrix)->linearise;
}

// Returns the stage (method) of this kind and name. If `name` is "", returns the stage whose Stage.preferred is true,
// or else the first one, and writes its name to `name`.
static const Stage *choose(StageKind kind, Device device, Precision precision, const char *element,
                           char name[SIMULATION_NAME], Error *error) {
  const Stage *stage = stage_choose(kind, name, device, precision, element, error);
  if (stage) memcpy(name, stage->name, strlen(stage->name) + 1);
  return stage;
}

bool simulation_is_default(const Stage *stage) {
  return stage->kind == STAGE_SOLVER ? ((const SolverMethod *)stage)->is_default
                                     : stage->kind == STAGE_ASSEMBLY && ((const AssemblyMethod *)stage)->is_default;
}

bool simulation_solver_takes_contact(const char *name) {
  if (!name[0]) return true;
  for (int device = DEVICE_CPU; device <= DEVICE_CUDA; device++)
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
      const Stage *stage = stage_find(STAGE_SOLVER, name, (Device)device, (Precision)precision, NULL);
      // a solver that needs a special matrix ignores the terms that contact adds to the matrix
      if (stage) return !((const SolverMethod *)stage)->matrix;
    }
  return true;
}

bool simulation_fits(const SimulationSettings *s, StageKind kind) {
  const Device solver_device = simulation_solver_device(s);
  const Device device = kind == STAGE_SOLVER ? solver_device : s->device;
  const Stage *stage = stage_find(kind, kind == STAGE_SOLVER ? s->solver : s->assembly, device, s->precision, NULL);
  const Stage *matrix = stage_find(STAGE_OPERATOR, s->matrix, solver_device, s->precision, NULL);
  return !s->matrix[0] || !stage || !matrix || stage_fits(stage, matrix);
}

bool simulation_assembles(const SimulationSettings *s) {
  const ElementRow *row = element_row(simulation_shape(s), s->material, DEVICE_CPU, s->precision);
  for (int device = DEVICE_CPU; row && device <= DEVICE_CUDA; device++)
    if (stage_find(STAGE_ASSEMBLY, s->assembly, (Device)device, s->precision, row->element)) return true;
  return !row;
}

Device simulation_solver_device(const SimulationSettings *s) {
  if (s->solver_device == SOLVER_DEVICE_SAME) return s->device;
  return s->solver_device == SOLVER_DEVICE_CPU ? DEVICE_CPU : DEVICE_CUDA;
}

// Returns the operator (a matrix, or products without one) that is compiled for this element and whose Stage.preferred
// is true; NULL if there is none. If the user names no matrix, this operator is preferred to the solver's default
// matrix.
static const Stage *operator_of(const char *element, Device device, Precision precision) {
  const Stage *s = NULL;
  while ((s = stage_next(s, STAGE_OPERATOR, device, precision, element)) && !(s->element && s->preferred)) continue;
  return s;
}

// Returns the solver for bodies with contact: it works with every operator, and its preconditioner inverts the 3 x 3
// diagonal block of each node. Contact stiffens a node along one normal only, so blocks take a seventh fewer iterations
// than single diagonal entries. NULL: there is no such solver.
static const Stage *solver_of_nodes(Device device, Precision precision) {
  const Stage *s = NULL;
  while ((s = stage_next(s, STAGE_SOLVER, device, precision, NULL)) &&
         (((const SolverMethod *)s)->precondition != PRECONDITION_NODES || ((const SolverMethod *)s)->matrix))
    continue;
  return s;
}

// Chooses the solver and the matrix. The solver is the one that the settings name or, if they name none, the solver
// whose Stage.preferred is true. If the settings name no matrix, the matrix is the first of these that exists:
//   - the matrix of the assembly that the user named;
//   - the operator that is compiled for the element and whose Stage.preferred is true;
//   - the default matrix of the solver.
// Fails if solver, matrix and named assembly do not work together.
static bool choose_solver(const Space *space, SimulationSettings *s, Choice *choice, Error *error) {
  const Device device = choice->solver_device;
  const char *element = choice->assembled->element;
  choice->solver = (const SolverMethod *)choose(STAGE_SOLVER, device, s->precision, element, s->solver, error);
  if (!choice->solver) return false;

  // Find the matrix that is used if the settings name none.
  const Stage *const takers[] = { &choice->solver->stage, &choice->assembly->stage };
  const int named = choice->by_default ? 1 : 2;
  const bool assemblys = named == 2 && choice->assembly->matrix;
  const Stage *operator_stage = operator_of(element, device, s->precision);
  const bool has_operator = operator_stage && stage_fits(takers[0], operator_stage);
  const SolverMethod *solver = choice->alone ? choice->alone : choice->solver;  // the solver whose matrix is chosen
  const bool halves = s->precision == PRECISION_F32 && solver->other_matrix && solver->reads && solver->reads(space);
  const char *usual = assemblys      ? choice->assembly->matrix
                      : has_operator ? operator_stage->name
                      : halves       ? solver->other_matrix
                                     : stage_matrix_of(&solver->stage)->name;

  if (!s->matrix[0]) memcpy(s->matrix, usual, strlen(usual) + 1);
  choice->matrix = (const OperatorMethod *)choose(STAGE_OPERATOR, device, s->precision, element, s->matrix, error);

  // The solver must work with the matrix. If the user named an assembly, this assembly must work with the matrix too.
  for (int k = 0; choice->matrix && k < named; k++) {
    const char *names[2];
    if (stage_fits(takers[k], &choice->matrix->stage)) continue;
    stage_matrices(takers[k], names);
    if (!names[0])
      return error_set(error,
                       "%s \"%s\" needs the values of a matrix, but matrix format \"%s\" stores none; choose another "
                       "format (--matrix)",
                       stage_kind_name(takers[k]->kind), takers[k]->name, s->matrix);
    return error_set(error, "%s \"%s\" cannot use matrix \"%s\"; choose matrix \"%s\"%s%s%s, or another %s",
                     stage_kind_name(takers[k]->kind), takers[k]->name, s->matrix, names[0], names[1] ? " or \"" : "",
                     names[1] ? names[1] : "", names[1] ? "\"" : "", stage_kind_name(takers[k]->kind));
  }
  return choice->matrix;
}

// Chooses the assembly if the user named none. Takes a special assembly (simulation_is_default) if one works with the
// matrix: it is faster than the general one, but supports only some bodies. Otherwise takes the general assembly, whose
// Stage.preferred is true.
static void choose_assembly(SimulationSettings *s, Choice *choice) {
  const Device device = choice->assembly_device;
  const char *element = choice->assembled->element;
  if (!choice->by_default) return;
  const Stage *found = stage_find(STAGE_ASSEMBLY, NULL, device, s->precision, element), *next = NULL;
  while (device == choice->solver_device && (next = stage_next(next, STAGE_ASSEMBLY, device, s->precision, element)))
    if (simulation_is_default(next) && stage_fits(next, &choice->matrix->stage) &&
        !(choice->auxetic && ((const AssemblyMethod *)next)->compact))
      found = next;
  choice->assembly = (const AssemblyMethod *)found;
  memcpy(s->assembly, found->name, strlen(found->name) + 1);
}

// Returns true if the user named neither assembly, matrix nor solver.
static bool stages_nameless(const SimulationSettings *s) {
  return !s->assembly[0] && !s->matrix[0] && !s->solver[0];
}

// For a body that will be cut (settings.cuts): if the user named no stages and all are on the GPU, chooses a matrix
// that a cut can change in place (simulation_split). Solver and assembly are then chosen for this matrix. On the CPU
// the default stages support cuts in place.
static void choose_for_cuts(SimulationSettings *s, const char *element, Choice *choice) {
  const Stage *next = NULL;
  choice->for_cuts = false;
  if (!s->cuts || !stages_nameless(s) || s->device != DEVICE_CUDA || choice->assembly_device != s->device ||
      choice->solver_device != s->device || s->self_contact || s->mass != MASS_LUMPED)
    return;
  while ((next = stage_next(next, STAGE_OPERATOR, s->device, s->precision, element)))
    if (((const OperatorMethod *)next)->split) {
      snprintf(s->matrix, sizeof s->matrix, "%s", next->name);
      choice->for_cuts = true;
      return;
    }
}

// If only equilibria are computed and the user named neither solver nor matrix, chooses a direct solver for a slender
// body without contact. This solver is on the CPU, even if the body is on the GPU.
static void choose_for_statics(const Space *space, SimulationSettings *s) {
  // Length of a beam divided by its height. Above this value, the matrix is too ill-conditioned for float.
  const double FLOATS_END = 20;
  const Stage *next = NULL;
  double slenderness;
  if (!s->statics || s->solver[0] || s->matrix[0] || s->self_contact || s->solver_device == SOLVER_DEVICE_CUDA) return;
  while ((next = stage_next(next, STAGE_SOLVER, DEVICE_CPU, s->precision, NULL)))
    if (((const SolverMethod *)next)->precondition == PRECONDITION_DIRECT && body_is_slender(space, &slenderness)) {
      snprintf(s->solver, sizeof s->solver, "%s", next->name);
      if (s->device == DEVICE_CUDA) s->solver_device = SOLVER_DEVICE_CPU;
      if (s->precision == PRECISION_F32 && slenderness > FLOATS_END)
        log_notice("the body is long and thin: precision float may not resolve its bending; use precision double");
      return;
    }
}

bool stages_auxetic(const Space *space, const SimulationSettings *s) {
  for (int e = 0; space->ratio && e < space->cell_count; e++)
    if (isnan(space->ratio[e]) ? s->lambda < 0 : space->ratio[e] < 0) return true;
  return false;
}

const char *stages_shape(const Space *space) {
  if (space->shape != CELL_TET4) return cell_shape_info(space->shape)->name;
  return space->ratio ? "tet4_mixed" : space->stiffness ? "tet4_graded" : "tet4";
}

// Returns a name for the cells of a body that has no linear tets, for messages: "hexahedra", "degree 2" or "degree 3".
static const char *words_of(const Space *space) {
  return space->shape == CELL_HEX8 ? "hexahedra" : space->shape == CELL_TET10 ? "degree 2" : "degree 3";
}

// Returns, for messages, the key of the scene because of which the body needs its element.
static const char *cause_of(const Space *space, const SimulationSettings *s) {
  if (s->supplemental == SUPPLEMENTAL_QR) return "supplemental \"qr\"";
  if (space->shape == CELL_HEX8) return "a mesh of hexahedra";
  if (space->shape != CELL_TET4) return space->shape == CELL_TET10 ? "degree 2" : "degree 3";
  if (space->ratio) return "\"poisson\" of one of the \"bodies\"";
  return space->stiffness ? "\"materials\", or \"young\" or \"stiffness\" of one of the \"bodies\"" : "material";
}

bool stages_choose(const Space *space, SimulationSettings *s, Choice *choice, Error *error) {
  s->chosen = s->chosen || stages_nameless(s);
  const bool linear_tets = space->shape == CELL_TET4;
  const char *body = stages_shape(space);
  const char *assembled = s->supplemental == SUPPLEMENTAL_QR ? "tet4_qr" : body;

  // Find the element with the mesh's shape and the settings' material.
  if (!linear_tets && s->supplemental == SUPPLEMENTAL_QR)
    return error_set(error, "supplemental \"qr\" supports only linear tets; use supplemental \"full\" with %s",
                     words_of(space));
  if ((space->stiffness || space->ratio) && s->supplemental == SUPPLEMENTAL_QR)
    return error_set(
        error,
        "supplemental \"qr\" does not support a stiffness that differs from tet to tet; use supplemental \"full\"");
  if (!linear_tets && space->ratio)
    return error_set(error, "bodies of %s must have the same Poisson's ratio; use %s", words_of(space),
                     s->hexes ? "tetrahedra" : "degree 1");
  choice->assembled = element_row(assembled, s->material, DEVICE_CPU, s->precision);
  if (!linear_tets && !choice->assembled && simulation_element(body) && material_is_listed(s->material))
    return error_set(error, "material is \"%s\", but a body of %s needs \"%s\"", s->material, words_of(space),
                     element_row(body, NULL, DEVICE_CPU, s->precision)->stage.name);
  if (!element_open(assembled, s->material, error) || !element_open(body, s->material, error))
    return error_prefix(error, "%s", cause_of(space, s));
  const char *element = choice->assembled->element;

  choose_for_statics(space, s);
  choice->by_default = !s->assembly[0];
  choice->auxetic = stages_auxetic(space, s);
  choice->solver_device = simulation_solver_device(s);

  // Choose the devices. If the assembly that the user named exists only on the other device, it runs there.
  const Device other = s->device == DEVICE_CPU ? DEVICE_CUDA : DEVICE_CPU;
  const bool elsewhere = !choice->by_default &&
                         !stage_find(STAGE_ASSEMBLY, s->assembly, s->device, s->precision, element) &&
                         stage_find(STAGE_ASSEMBLY, s->assembly, other, s->precision, element);
  choice->assembly_device = elsewhere ? other : s->device;
  const Device used[] = { s->device, choice->assembly_device, choice->solver_device };
  for (int k = 0; k < 3; k++)
    if (!device_present(used[k]))
      return error_set(error, "device %s cannot be used: %s", device_name(used[k]), device_absence());

  // Choose the element with which the body computes energy, det F and fields. Then choose the assembly.
  const Device solver = choice->solver_device;
  choice->element = element_row(body, s->material, s->device, s->precision);
  choose_for_cuts(s, element, choice);
  choice->assembly = (const AssemblyMethod *)choose(STAGE_ASSEMBLY, choice->assembly_device, s->precision, element,
                                                    s->assembly, error);
  if (!choice->assembly) return false;

  // If the user named neither solver nor matrix, try a special solver. It is faster than the general one, but supports
  // only some bodies (simulation_is_default).
  choice->solver_by_default = !s->solver[0] && !s->matrix[0];
  const Stage *candidate = NULL;
  // If the user named an assembly that needs a certain matrix, take only a solver that works with this matrix.
  const Stage *its = !choice->by_default && choice->assembly->matrix
                         ? stage_find(STAGE_OPERATOR, choice->assembly->matrix, solver, s->precision, element)
                         : NULL;
  // Special solvers ignore terms that are added to the operator's matrix. Consistent masses and pressures are such
  // terms, so special solvers are not used with them.
  const bool terms = s->mass == MASS_CONSISTENT || (s->presses && !s->self_contact);
  const bool is_default = choice->solver_by_default && !terms && !operator_of(element, solver, s->precision);
  while (is_default && (candidate = stage_next(candidate, STAGE_SOLVER, solver, s->precision, NULL)))
    if (simulation_is_default(candidate) && (!its || stage_fits(candidate, its))) {
      const Stage *taken = candidate;
      if (s->self_contact) {
        choice->alone = (const SolverMethod *)candidate;
        taken = solver_of_nodes(solver, s->precision);
      }
      memcpy(s->solver, taken->name, strlen(taken->name) + 1);
    }

  if (!choose_solver(space, s, choice, error)) return false;
  choose_assembly(s, choice);
  return true;
}

bool stages_choose_preferred_solver(const Space *space, SimulationSettings *s, Choice *choice, Error *error) {
  s->solver[0] = s->matrix[0] = '\0';
  choice->alone = NULL;
  if (!choose_solver(space, s, choice, error)) return false;
  choose_assembly(s, choice);
  return true;
}
