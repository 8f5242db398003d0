// pliant_reset_many: resets many sims. CPU threads reset the data of the sims on the host, and the states of sims on
// the CPU. One kernel zeroes the states of many sims on a GPU, because a kernel for each sim would take longer.
#include <string.h>

#include "api/sim.h"
#include "base/parallel.h"

enum { PIECES = 8 };  // number of parts of the list that each thread gets, since sims may take different times

// The state of a sim on a GPU, which is to be set to zero.
typedef struct GpuState {
  int count;                                 // number of arrays; 0: the sim is not reset on a GPU
  int gpu;                                   // number of the GPU
  Stream stream;                             // queue of the sim's work
  MemoryRange range[SIMULATION_RANGES_MAX];  // [count], the arrays
} GpuState;

// The sims of a call of pliant_reset_many.
typedef struct Resets {
  int count;
  pliant_sim *const *sims;      // [count]
  const unsigned char *chosen;  // [count], 1 for each sim that is reset; NULL: all are reset
  GpuState *state;              // [count]
} Resets;

// Resets a sim on the CPU. If it is on a GPU, resets only the data on the host, and describes its state in *state. A
// failure is stored in the sim.
static void begin_reset(pliant_sim *sim, GpuState *state) {
  API_SIM_PART(sim);
  Error *error = &sim->listed_error;
  bool ok = api_begin_reset(sim, error);
  const Simulation *simulation = sim->session.simulation;
  const Stream stream = simulation_stream(simulation);
  if (ok && stream.device == DEVICE_CUDA) {
    *state = (GpuState){ .gpu = simulation_settings(simulation)->gpu, .stream = stream };
    state->count = simulation_state_ranges(simulation, state->range);
  } else if (ok) {
    ok = simulation_end_reset(sim->session.simulation, error) && api_end_reset(sim, error);
  }
  if (!ok) sim->listed_status = PLIANT_NO_MEMORY;
}

// Completes the reset of a sim on a GPU after its state was set to zero: restores what the scene adds to a state at
// rest, such as velocities. A failure is stored in the sim.
static void end_reset(pliant_sim *sim) {
  API_SIM_PART(sim);
  if (!api_end_reset(sim, &sim->listed_error)) sim->listed_status = PLIANT_NO_MEMORY;
}

// These two functions call begin_reset or end_reset for sims first, ..., last - 1. They run in several threads at once,
// for different sims. A thread uses the GPU of a sim until it processes a sim on another GPU, since a change of the GPU
// takes about as long as the reset of a sim.
static void begin_some(const void *context, int first, int last) {
  const Resets *r = context;
  NUMBERS_WITH_POINT_HERE;
  DEVICE_RESTORE_HERE;
  for (int k = first; k < last; k++) {
    if (r->chosen && !r->chosen[k]) continue;
    api_use_gpu(r->sims[k]);
    begin_reset(r->sims[k], &r->state[k]);
  }
}

static void end_some(const void *context, int first, int last) {
  const Resets *r = context;
  NUMBERS_WITH_POINT_HERE;
  DEVICE_RESTORE_HERE;
  for (int k = first; k < last; k++) {
    if (r->state[k].count == 0) continue;
    api_use_gpu(r->sims[k]);
    end_reset(r->sims[k]);
  }
}

// Zeroes the states that are on GPU number `gpu`. ranges: work memory for the ranges of all states.
static bool zero_on_gpu(const Resets *r, int gpu, MemoryRange *ranges, Error *error) {
  Stream stream = { 0 };
  int used = 0;
  for (int k = 0; k < r->count; k++) {
    const GpuState *state = &r->state[k];
    if (state->count == 0 || state->gpu != gpu) continue;
    memcpy(ranges + used, state->range, sizeof *ranges * (size_t)state->count);
    used += state->count;
    stream = state->stream;
  }
  if (used == 0) return true;

  // Other streams may have work in their queues, so wait before one stream clears the arrays of all sims.
  DEVICE_RESTORE_HERE;
  return device_use(gpu, error) && device_sync(DEVICE_CUDA, error) && device_zero_ranges(stream, ranges, used, error);
}

// Completes the resets of the sims on GPUs, after begin_some.
static bool reset_on_gpus(const Resets *r, int grain, Error *error) {
  int found = 0;
  for (int k = 0; k < r->count; k++) found += r->state[k].count;
  if (found == 0) return true;
  MemoryRange *ranges = work_array(&r->sims[0]->work, found, sizeof *ranges, "sims", error);
  bool ok = ranges;
  for (int gpu = 0; ok && gpu < device_gpu_count(); gpu++) ok = zero_on_gpu(r, gpu, ranges, error);
  if (ok) parallel_for(r->count, grain, end_some, r);
  return ok;
}

int pliant_reset_many(pliant_sim *const *sims, int count, const unsigned char *chosen, int *statuses) {
  API_CALL;
  if (count < 0) return api_fail(PLIANT_BAD_ARGUMENT, "count is %d, expected 0 or more", count);
  if (count == 0) return PLIANT_OK;
  if (api_need(sims, "sims")) return PLIANT_BAD_ARGUMENT;
  const int fault = api_begin_listed(sims, count);
  if (fault) return fault;
  WORK_ARRAYS_HERE(&sims[0]->work);
  GpuState *state = work_array(&sims[0]->work, count, sizeof *state, "sims", &error);
  if (!state) return api_result(&error, PLIANT_NO_MEMORY);
  const Resets r = { count, sims, chosen, state };
  const int grain = 1 + count / (PIECES * parallel_threads());
  parallel_for(count, grain, begin_some, &r);
  const bool ok = reset_on_gpus(&r, grain, &error);
  const int status = api_end_listed(sims, count, statuses);
  return ok ? status : api_result(&error, PLIANT_STEP_FAILED);
}
