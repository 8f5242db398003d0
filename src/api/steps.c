// Functions of pliant.h that take time steps.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/sim.h"
#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "device/calls.h"

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
  // [together_count]: sims on the GPU that take each step together
  int *alone, alone_count, *together, together_count;
  StepReport *reports;  // report of each sim's present step
} ManySteps;

// Some of the sims in ManySteps.together. Each group has its own thread: while the GPU computes the step of one group,
// the CPU prepares the step of another.
typedef struct Group {
  const ManySteps *many;
  int *sims, count;          // indices of the sims [count] that have not failed
  Simulation **simulations;  // memory for `count` addresses
  int step;                  // number of the present step
  // 1: the streams of the sims may have queued work, for example changes of grabs, which must end before the GPU takes
  // the next step of these sims
  atomic_bool queued;
  Error error;
} Group;

// Maximum number of groups, and the minimum number of sims in each of several groups. With smaller groups, steps of 16
// to 256 sims take longer on an H200.
enum { GROUPS_MAX = 16, GROUP_SIMS_MIN = 20 };

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

// Notes in `group` if this thread has queued work on a GPU since it had made `before` calls of CUDA's runtime.
static void note_queued(Group *group, int64_t before) {
  if (device_calls() != before) atomic_store_explicit(&group->queued, true, memory_order_relaxed);
}

static void begin_some(const void *context, int first, int last) {
  Group *const group = *(Group *const *)context;
  NUMBERS_WITH_POINT_HERE;
  for (int j = first; j < last; j++) {
    const int k = group->sims[j];
    pliant_sim *sim = group->many->sims[k];
    StepReport *report = &group->many->reports[k];
    API_SIM_PART(sim);
    *report = (StepReport){ 0 };
    const int64_t before = device_calls();
    if (!interrupt_check(&sim->listed_error) || !api_prepare_recorded_force(sim, &sim->listed_error) ||
        !api_queue_recorded_force(sim, &sim->listed_error) ||
        !session_begin_step(&sim->session, report, &sim->listed_error))
      sim->listed_status = note_step(sim, false, report, &sim->listed_error);
    note_queued(group, before);
  }
}

static void end_some(const void *context, int first, int last) {
  Group *const group = *(Group *const *)context;
  NUMBERS_WITH_POINT_HERE;
  for (int j = first; j < last; j++) {
    const int k = group->sims[j];
    pliant_sim *sim = group->many->sims[k];
    StepReport *report = &group->many->reports[k];
    API_SIM_PART(sim);
    note_progress(&heard, group->step, group->many->steps);
    const int64_t before = device_calls();
    const bool ok = session_end_step(&sim->session, report, &sim->listed_error);
    sim->listed_status = note_step(sim, ok, report, &sim->listed_error);
    note_queued(group, before);
  }
}

// Removes the sims with a failed step from a group.
static void drop_failed(Group *group) {
  int kept = 0;
  for (int j = 0; j < group->count; j++)
    if (!group->many->sims[group->sims[j]]->listed_status) group->sims[kept++] = group->sims[j];
  group->count = kept;
}

// Returns true if a GPU can solve the steps of two simulations together.
static bool fit(const Simulation *first, const Simulation *other) {
  return simulation_settings(first)->gpu == simulation_settings(other)->gpu && simulations_fit(first, other);
}

// Solves the steps of simulations first [count] together, on their GPU. `queued`: see Group.queued.
static bool take_fitting(Simulation *const *first, int count, bool queued, Error *error) {
  DEVICE_RESTORE_HERE;
  return scene_use_gpu(simulation_settings(*first), error) && (!queued || device_sync(DEVICE_CUDA, error)) &&
         simulations_take(first, count, error);
}

// Solves the present step of the sims of a group on their GPUs. Sims whose steps can be solved together (`fit`) are
// solved at once; sims that do not fit them follow.
static bool take_together(Group *group) {
  Simulation **list = group->simulations;
  const bool queued = atomic_exchange(&group->queued, false);
  int left = group->count, taken = 0;
  for (int j = 0; j < left; j++) list[j] = group->many->sims[group->sims[j]]->session.simulation;
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
    if (!take_fitting(first, count, queued, &group->error)) return false;
    taken += count;
  }
  return true;
}

// Takes all steps of the sims of a group. All these sims complete a step before the next step begins.
static void step_group(Group *group) {
  bool ok = true;
  for (group->step = 0; ok && group->step < group->many->steps && group->count > 0; group->step++) {
    parallel_for_parts(group->count, begin_some, &group);
    drop_failed(group);
    ok = take_together(group);
    if (!ok) break;
    parallel_for_parts(group->count, end_some, &group);
    drop_failed(group);
  }
  if (ok) return;
  const int status = api_result(&group->error, PLIANT_STEP_FAILED);
  for (int j = 0; j < group->count; j++) group->many->sims[group->sims[j]]->listed_status = status;
}

static void step_groups(const void *context, int first, int last) {
  Group *const groups = *(Group *const *)context;
  for (int k = first; k < last; k++) step_group(&groups[k]);
}

// Returns the number of groups into which sims are divided.
static int group_count(int sims) {
  const int threads = parallel_threads_free(), most = threads < GROUPS_MAX ? threads : GROUPS_MAX;
  const int enough = sims / GROUP_SIMS_MIN;
  if (enough <= 1) return 1;
  return enough < most ? enough : most;
}

// Takes the steps of the sims in many->together, in groups.
static bool step_together(const ManySteps *many, Error *error) {
  const int count = group_count(many->together_count);
  Simulation **list = array_new(many->together_count, sizeof(Simulation *), "sims", error);
  Group group[GROUPS_MAX], *const first_group = group;
  if (!list) return false;
  for (int k = 0; k < count; k++) {
    const int first = many->together_count * k / count, last = many->together_count * (k + 1) / count;
    group[k] = (Group){
      .many = many, .sims = many->together + first, .count = last - first, .simulations = list + first, .queued = true
    };
  }

  // A single group runs outside a loop, so that the loops in step_group can use several threads.
  if (count == 1)
    step_group(&group[0]);
  else
    parallel_for_parts(count, step_groups, &first_group);
  for (int k = 0; k < count && !error->message[0]; k++) *error = group[k].error;
  free(list);
  return !error->message[0];
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
      many->together[many->together_count++] = k;
    else
      many->alone[many->alone_count++] = k;
  }
}

static bool step_all(ManySteps *many, int count, Error *error) {
  divide(many, count);
  if (many->alone_count > 0) parallel_for_parts(many->alone_count, step_some, many);
  return many->together_count == 0 || step_together(many, error);
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
    const bool ok = step_all(&many, count, &error);
    status = api_end_listed(sims, count, statuses);
    if (!ok) status = api_result(&error, PLIANT_STEP_FAILED);
  }
  free(many.alone);
  free(many.together);
  free(many.reports);
  return status;
}
