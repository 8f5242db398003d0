// Solves the steps of many simulations together on the GPU (sim/worlds).
#include <stdlib.h>

#include "base/array.h"
#include "sim/simulation_parts.h"

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
  const bool ok = newton && functions_of(list[0])->take(&list[0]->worlds, newton, count, error);
  free(newton);
  return ok;
}
