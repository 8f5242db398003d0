// Solves the steps of many simulations together on the GPU (sim/worlds), and resets many simulations together.
#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"
#include "sim/simulation_parts.h"

// The memory that a reset sets to 0, ranges [count][MOTION_RANGES_MAX]. Unused ranges at the end of a row are empty.
typedef struct Zeroing {
  Simulation *const *list;  // [count]
  MemoryRange *ranges;
} Zeroing;

static void list_ranges(const void *zeroing, int first, int last) {
  const Zeroing *z = zeroing;
  for (int k = first; k < last; k++)
    z->list[k]->arrays->zero_at_rest(z->list[k]->motion, z->ranges + (int64_t)k * MOTION_RANGES_MAX);
}

static bool end_reset(Simulation *w, Error *error) {
  MemoryRange ranges[MOTION_RANGES_MAX];
  const int used = w->arrays->zero_at_rest(w->motion, ranges);
  for (int k = 0; k < used; k++)
    if (!device_zero(simulation_stream(w), ranges[k].memory, ranges[k].bytes, error)) return false;
  return true;
}

bool simulations_end_reset(Simulation *const *list, int count, Error *error) {
  if (count < 2) return count == 0 || end_reset(list[0], error);
  WORK_ARRAYS_HERE(&list[0]->work);
  const int64_t most = (int64_t)count * MOTION_RANGES_MAX;
  MemoryRange *ranges = work_array(&list[0]->work, most, sizeof *ranges, "simulations", error);
  if (!ranges) return false;
  parallel_for(count, 1, list_ranges, &(Zeroing){ list, ranges });
  int used = 0;
  for (int64_t k = 0; k < most; k++)
    if (ranges[k].bytes > 0) ranges[used++] = ranges[k];
  // Other streams may have work in their queues, so wait before one stream clears the arrays of all simulations.
  const Stream stream = simulation_stream(list[0]);
  return device_sync(stream.device, error) && device_zero_ranges(stream, ranges, used, error);
}

// Returns the functions that solve many simulations together; NULL in a build without CUDA.
static const WorldsFunctions *functions_of(const Simulation *w) {
#ifdef PLIANT_CUDA
  return w->settings.precision == PRECISION_F32 ? &worlds_f32 : &worlds_f64;
#else
  return (void)w, NULL;
#endif
}

bool simulations_fit(const Simulation *first, const Simulation *other) {
  return first->settings.precision == other->settings.precision && simulation_stream(first).device == DEVICE_CUDA &&
         functions_of(first)->fit(&first->newton, &other->newton);
}

bool simulations_take(Simulation *const *list, int count, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  Newton **newton = array_new(count, sizeof(Newton *), "simulations", error);
  for (int k = 0; newton && k < count; k++) newton[k] = &list[k]->newton;
  // First complete the changes of grabs and obstacles, which are queued on the streams of the simulations.
  const bool ok =
      newton && device_sync(DEVICE_CUDA, error) && functions_of(list[0])->take(&list[0]->worlds, newton, count, error);
  free(newton);
  return ok;
}
