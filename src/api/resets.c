// pliant_reset_many: resets many sims. CPU threads reset the data of the sims on the host. One kernel zeroes the states
// of all reset sims that are on a GPU, because a kernel for each sim would take longer.
#include <stdlib.h>
#include <string.h>

#include "api/sim.h"
#include "base/array.h"
#include "base/parallel.h"

// The sims of a call of pliant_reset_many, and the results for each of them. All arrays but on_gpu are [count].
typedef struct Resets {
  pliant_sim *const *sims;
  const unsigned char *chosen;  // 1 for each sim that is reset; NULL: all are reset
  int *statuses;
  Error *errors;
  Simulation **on_gpu;  // [gpu_count], the simulations on the GPU that are reset
  int gpu_count;
} Resets;

static bool is_chosen(const Resets *r, int k) {
  return !r->chosen || r->chosen[k];
}

static bool is_on_gpu(const pliant_sim *sim) {
  return simulation_stream(sim->session.simulation).device == DEVICE_CUDA;
}

static void begin_some(const void *context, int first, int last) {
  const Resets *r = context;
  NUMBERS_WITH_POINT_HERE;
  for (int k = first; k < last; k++) {
    if (!is_chosen(r, k)) continue;
    API_HEAR(&r->sims[k]->listener);
    if (!api_begin_reset(r->sims[k], &r->errors[k])) r->statuses[k] = PLIANT_NO_MEMORY;
  }
}

static void end_some(const void *context, int first, int last) {
  const Resets *r = context;
  NUMBERS_WITH_POINT_HERE;
  for (int k = first; k < last; k++) {
    pliant_sim *sim = r->sims[k];
    if (!is_chosen(r, k) || r->statuses[k]) continue;
    API_HEAR(&sim->listener);
    bool ok = is_on_gpu(sim) || simulations_end_reset(&sim->session.simulation, 1, &r->errors[k]);
    ok = ok && api_end_reset(sim, &r->errors[k]);
    if (!ok) r->statuses[k] = PLIANT_NO_MEMORY;
  }
}

static bool reset_all(Resets *r, int count, Error *error) {
  parallel_for(count, 1, begin_some, r);
  for (int k = 0; k < count; k++)
    if (is_chosen(r, k) && !r->statuses[k] && is_on_gpu(r->sims[k]))
      r->on_gpu[r->gpu_count++] = r->sims[k]->session.simulation;
  if (!simulations_end_reset(r->on_gpu, r->gpu_count, error)) return false;
  parallel_for(count, 1, end_some, r);
  return true;
}

int pliant_reset_many(pliant_sim *const *sims, int count, const unsigned char *chosen, int *statuses) {
  API_CALL;
  if (count < 0) return api_fail(PLIANT_BAD_ARGUMENT, "count is %d, expected 0 or more", count);
  if (count == 0) return PLIANT_OK;
  if (api_need(sims, "sims") || api_check_sims(sims, count)) return PLIANT_BAD_ARGUMENT;
  Resets r = { .sims = sims, .chosen = chosen };
  r.statuses = array_new(count, sizeof *r.statuses, "sims", &error);
  r.errors = array_new(count, sizeof *r.errors, "sims", &error);
  r.on_gpu = array_new(count, sizeof(Simulation *), "sims", &error);
  int status = api_result(&error, PLIANT_NO_MEMORY);
  if (!status) {
    const bool ok = reset_all(&r, count, &error);
    if (statuses) memcpy(statuses, r.statuses, sizeof *statuses * (size_t)count);
    status = ok ? api_first_failure(r.statuses, r.errors, count) : api_result(&error, PLIANT_STEP_FAILED);
  }
  free(r.statuses);
  free(r.errors);
  free(r.on_gpu);
  return status;
}
