// pliant_reset_many: resets many sims. CPU threads reset the data of the sims on the host. One kernel zeroes the states
// of all reset sims that are on a GPU, because a kernel for each sim would take longer.
#include "api/sim.h"
#include "base/parallel.h"

// The sims of a call of pliant_reset_many.
typedef struct Resets {
  pliant_sim *const *sims;      // [count]
  const unsigned char *chosen;  // [count], 1 for each sim that is reset; NULL: all are reset
} Resets;

static bool is_chosen(const Resets *r, int k) {
  return !r->chosen || r->chosen[k];
}

static bool is_on_gpu(const pliant_sim *sim) {
  return simulation_stream(sim->session.simulation).device == DEVICE_CUDA;
}

// First part of the resets of sims first, ..., last - 1: resets the data on the host, except the states. A failure is
// stored in the sim. Runs in several threads at once, for different sims.
static void begin_some(const void *context, int first, int last) {
  const Resets *r = context;
  NUMBERS_WITH_POINT_HERE;
  for (int k = first; k < last; k++) {
    pliant_sim *sim = r->sims[k];
    if (!is_chosen(r, k)) continue;
    API_SIM_PART(sim);
    if (!api_begin_reset(sim, &sim->listed_error)) sim->listed_status = PLIANT_NO_MEMORY;
  }
}

// Last part of the resets of sims first, ..., last - 1. Zeroes the states of those on the CPU; reset_on_gpus has zeroed
// the others. Then restores what the scene adds to a state at rest, such as velocities.
static void end_some(const void *context, int first, int last) {
  const Resets *r = context;
  NUMBERS_WITH_POINT_HERE;
  for (int k = first; k < last; k++) {
    pliant_sim *sim = r->sims[k];
    if (!is_chosen(r, k) || sim->listed_status) continue;
    API_SIM_PART(sim);
    bool ok = is_on_gpu(sim) || simulations_end_reset(&sim->session.simulation, 1, &sim->listed_error);
    if (ok) ok = api_end_reset(sim, &sim->listed_error);
    if (!ok) sim->listed_status = PLIANT_NO_MEMORY;
  }
}

// Zeroes the states of the chosen sims that are on GPU number `gpu`. list [count]: buffer.
static bool reset_on_gpu(const Resets *r, int count, int gpu, Simulation **list, Error *error) {
  int found = 0;
  DEVICE_RESTORE_HERE;
  for (int k = 0; k < count; k++)
    if (is_chosen(r, k) && !r->sims[k]->listed_status && pliant_sim_device(r->sims[k]) == gpu)
      list[found++] = r->sims[k]->session.simulation;
  return found == 0 || (device_use(gpu, error) && simulations_end_reset(list, found, error));
}

// Zeroes the states of the chosen sims that are on GPUs.
static bool reset_on_gpus(const Resets *r, int count, Error *error) {
  int found = 0;
  for (int k = 0; k < count; k++) found += is_chosen(r, k) && is_on_gpu(r->sims[k]);
  if (found == 0) return true;
  WORK_ARRAYS_HERE(&r->sims[0]->work);
  Simulation **list = work_array(&r->sims[0]->work, count, sizeof(Simulation *), "sims", error);
  bool ok = list;
  for (int gpu = 0; ok && gpu < device_gpu_count(); gpu++) ok = reset_on_gpu(r, count, gpu, list, error);
  return ok;
}

int pliant_reset_many(pliant_sim *const *sims, int count, const unsigned char *chosen, int *statuses) {
  API_CALL;
  if (count < 0) return api_fail(PLIANT_BAD_ARGUMENT, "count is %d, expected 0 or more", count);
  if (count == 0) return PLIANT_OK;
  if (api_need(sims, "sims")) return PLIANT_BAD_ARGUMENT;
  const int fault = api_begin_listed(sims, count);
  if (fault) return fault;
  const Resets r = { sims, chosen };
  parallel_for(count, 1, begin_some, &r);
  const bool ok = reset_on_gpus(&r, count, &error);
  if (ok) parallel_for(count, 1, end_some, &r);
  const int status = api_end_listed(sims, count, statuses);
  return ok ? status : api_result(&error, PLIANT_STEP_FAILED);
}
