// Functions of pliant.h that take time steps.
#include <stdlib.h>
#include <string.h>

#include "api/sim.h"
#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// Ends a time step: stores its report or, if `ok` is false, the cause of its failure. Returns the status.
static int note_step(pliant_sim *sim, bool ok, const StepReport *report, const Error *error) {
  api_sim_changed(sim);
  sim->cause[0] = '\0';
  if (!ok || !report->converged) newton_trouble_text(report, sim->cause, sizeof sim->cause);
  if (!ok) {
    const bool stopped = report->cause == NEWTON_STOPPED || interrupt_requested();
    return api_result(error, stopped ? PLIANT_STOPPED : PLIANT_STEP_FAILED);
  }
  sim->report = *report;
  sim->stepped = true;
  progress_set("taking time steps", 1);
  return PLIANT_OK;
}

// Maps the progress of step k, 0 to 1, to the range k / steps to (k + 1) / steps of the progress that the caller gets.
static void note_progress(Heard *heard, int k, int steps) {
  heard->share = 1.0 / steps;
  heard->from = (double)k / steps;
}

// Takes `steps` steps, or fewer if one fails, and stores the report of the last step. Returns the status.
static int take_steps(pliant_sim *sim, int steps, Heard *heard, Error *error) {
  for (int k = 0; k < steps; k++) {
    StepReport report = { 0 };
    note_progress(heard, k, steps);
    const bool ok =
        interrupt_check(error) && api_prepare_recorded_force(sim, error) && session_step(&sim->session, &report, error);
    const int status = note_step(sim, ok, &report, error);
    if (status) return status;
  }
  return PLIANT_OK;
}

int pliant_step(pliant_sim *sim, int steps) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  if (steps < 0) return api_fail(PLIANT_BAD_ARGUMENT, "steps is %d, expected 0 or more", steps);
  return take_steps(sim, steps, &heard, &error);
}

// The sims of a call of pliant_step_many.
typedef struct ManySteps {
  pliant_sim *const *sims;
  int steps;
  // Indices of sims. alone [alone_count]: sims that take all their steps independently, in different threads. together
  // [count]: sims on the GPU that take each step together
  int *alone, alone_count, *together, count;
  int step;             // for the sims in `together`: number of the present step
  StepReport *reports;  // reports of the present step
} ManySteps;

static void step_some(const void *context, int first, int last) {
  const ManySteps *many = context;
  NUMBERS_WITH_POINT_HERE;
  for (int j = first; j < last; j++) {
    const int k = many->alone[j];
    pliant_sim *sim = many->sims[k];
    API_SIM_PART(sim);
    sim->listed_status = take_steps(sim, many->steps, &heard, &sim->listed_error);
  }
}

static void begin_some(const void *context, int first, int last) {
  const ManySteps *many = context;
  NUMBERS_WITH_POINT_HERE;
  for (int j = first; j < last; j++) {
    const int k = many->together[j];
    pliant_sim *sim = many->sims[k];
    StepReport *report = &many->reports[k];
    API_SIM_PART(sim);
    *report = (StepReport){ 0 };
    if (!interrupt_check(&sim->listed_error) || !api_prepare_recorded_force(sim, &sim->listed_error) ||
        !api_queue_recorded_force(sim, &sim->listed_error) ||
        !session_begin_step(&sim->session, report, &sim->listed_error))
      sim->listed_status = note_step(sim, false, report, &sim->listed_error);
  }
}

static void end_some(const void *context, int first, int last) {
  const ManySteps *many = context;
  NUMBERS_WITH_POINT_HERE;
  for (int j = first; j < last; j++) {
    const int k = many->together[j];
    pliant_sim *sim = many->sims[k];
    StepReport *report = &many->reports[k];
    API_SIM_PART(sim);
    note_progress(&heard, many->step, many->steps);
    const bool ok = session_end_step(&sim->session, report, &sim->listed_error);
    sim->listed_status = note_step(sim, ok, report, &sim->listed_error);
  }
}

// Removes the sims with a failed step from the list many->together.
static void drop_failed(ManySteps *many) {
  int kept = 0;
  for (int j = 0; j < many->count; j++)
    if (!many->sims[many->together[j]]->listed_status) many->together[kept++] = many->together[j];
  many->count = kept;
}

// Returns true if a GPU can solve the steps of two simulations together.
static bool fit(const Simulation *first, const Simulation *other) {
  return simulation_settings(first)->gpu == simulation_settings(other)->gpu && simulations_fit(first, other);
}

// Solves the steps of simulations first [count] together, on their GPU.
static bool take_group(Simulation *const *first, int count, Error *error) {
  DEVICE_RESTORE_HERE;
  return scene_use_gpu(simulation_settings(*first), error) && simulations_take(first, count, error);
}

// Solves the present step of the sims in many->together on their GPUs. Sims whose steps can be solved together (`fit`)
// form a group, which the GPU solves at once; the groups follow one after the other. list
// [many->count]: buffer.
static bool take_together(const ManySteps *many, Simulation **list, Error *error) {
  int left = many->count, taken = 0;
  for (int j = 0; j < left; j++) list[j] = many->sims[many->together[j]]->session.simulation;
  while (taken < left) {
    int count = 1;
    Simulation *const *first = &list[taken];
    if (!fit(*first, *first)) {
      taken++;  // this sim cannot be solved together with others, for example after a cut: session_end_step solves it
      continue;
    }
    for (int j = taken + 1; j < left; j++) {
      if (!fit(*first, list[j])) continue;
      Simulation *const other = list[j];
      list[j] = list[taken + count];
      list[taken + count++] = other;
    }
    if (!take_group(first, count, error)) return false;
    taken += count;
  }
  return true;
}

// Takes the steps of the sims in many->together. All sims complete a step before the next step begins.
static int step_together(ManySteps *many, Error *error) {
  Simulation **list = array_new(many->count, sizeof(Simulation *), "sims", error);
  bool ok = list != NULL;
  for (many->step = 0; ok && many->step < many->steps && many->count > 0; many->step++) {
    parallel_for_parts(many->count, begin_some, many);
    drop_failed(many);
    ok = take_together(many, list, error);
    if (!ok) break;
    parallel_for_parts(many->count, end_some, many);
    drop_failed(many);
  }
  free(list);
  if (ok) return PLIANT_OK;
  const int status = api_result(error, PLIANT_STEP_FAILED);
  for (int j = 0; j < many->count; j++) many->sims[many->together[j]]->listed_status = status;
  return status;
}

int api_begin_listed(pliant_sim *const *sims, int count) {
  for (int k = 0; k < count; k++)
    if (!sims[k]) return api_fail(PLIANT_BAD_ARGUMENT, "sims[%d] is NULL", k);
  for (int k = 0; k < count; k++)
    if (api_refuse_within(sims[k], 0)) return PLIANT_NOT_NOW;
  for (int k = 0; k < count; k++) sims[k]->listed = -1;
  for (int k = 0; k < count; k++) {
    if (sims[k]->listed >= 0)
      return api_fail(PLIANT_BAD_ARGUMENT, "sims[%d] and sims[%d] are the same sim", sims[k]->listed, k);
    sims[k]->listed = k;
    sims[k]->listed_status = PLIANT_OK;
    sims[k]->listed_error.message[0] = '\0';
  }
  return PLIANT_OK;
}

int api_end_listed(pliant_sim *const *sims, int count, int *statuses) {
  for (int k = 0; statuses && k < count; k++) statuses[k] = sims[k]->listed_status;
  for (int k = 0; k < count; k++) {
    if (!sims[k]->listed_status) continue;
    error_prefix(&sims[k]->listed_error, "sim %d", k);
    api_result(&sims[k]->listed_error, (pliant_status)sims[k]->listed_status);
    return sims[k]->listed_status;
  }
  return PLIANT_OK;
}

// Lists in many->together the sims whose steps the GPU can take together, and in many->alone all other sims.
static void divide(ManySteps *many, int count) {
  for (int k = 0; k < count; k++) {
    const Simulation *simulation = many->sims[k]->session.simulation;
    if (fit(simulation, simulation))
      many->together[many->count++] = k;
    else
      many->alone[many->alone_count++] = k;
  }
}

static int step_all(ManySteps *many, int count, Error *error) {
  divide(many, count);
  if (many->alone_count > 0) parallel_for_parts(many->alone_count, step_some, many);
  return many->count > 0 ? step_together(many, error) : PLIANT_OK;
}

int pliant_step_many(pliant_sim *const *sims, int count, int steps, int *statuses) {
  if (count < 0 || steps < 0)
    return api_fail(PLIANT_BAD_ARGUMENT, "count is %d and steps is %d; both must be 0 or more", count, steps);
  if (count == 0) return PLIANT_OK;
  if (api_need(sims, "sims")) return PLIANT_BAD_ARGUMENT;
  const int fault = api_begin_listed(sims, count);
  if (fault) return fault;
  API_SIM_CALL(sims[0]);
  ManySteps many = { .sims = sims, .steps = steps };
  many.alone = array_new(count, sizeof *many.alone, "sims", &error);
  many.together = array_new(count, sizeof *many.together, "sims", &error);
  many.reports = array_new(count, sizeof *many.reports, "sims", &error);
  int status = api_result(&error, PLIANT_NO_MEMORY);
  if (!status) {
    step_all(&many, count, &error);
    status = api_end_listed(sims, count, statuses);
    if (error.message[0]) status = api_result(&error, PLIANT_STEP_FAILED);
  }
  free(many.alone);
  free(many.together);
  free(many.reports);
  return status;
}
