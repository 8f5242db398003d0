// Searches for torn tets, whose stress exceeds a limit (simulation_tear.h). The first search allocates the memory that
// searches need; simulation_split adapts this memory to the changed mesh.
#include "sim/simulation_tear.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"
#include "sim/stage_choice.h"

enum { CHUNK = 1 << 14 };

// Returns the functions of the search for torn tets, for the body's element and device, in double.
static const StressSearchMethod *method_of(const Simulation *w) {
  const SimulationSettings *s = &w->settings;
  const ElementRow *row = element_row(stages_shape(&w->space), s->material, DEVICE_CPU, PRECISION_F64);
  return (const StressSearchMethod *)stage_find(STAGE_FIELD, "stress_search", s->device, PRECISION_F64, row->element);
}

// Returns a new array S [cell_count][supplemental] on the GPU: the constants of each cell at rest, such as the inverse
// matrix of edges. Returns NULL on failure.
static double *make_supplementals(const Simulation *w, Error *error) {
  const ElementRow *row = element_row(stages_shape(&w->space), w->settings.material, DEVICE_CPU, PRECISION_F64);
  const int64_t count = (int64_t)row->supplemental * w->space.cell_count;
  double *host = array_new(count, sizeof *host, "cells", error), *made = NULL;
  if (host) row->supplementals(&w->space, host);
  if (host) made = device_clone(DEVICE_CUDA, host, sizeof *host * (size_t)count, error);
  free(host);
  return made;
}

void stress_search_destroy(StressSearch *s, Device device) {
  void *arrays[] = { s->u, s->S, s->spare, s->list, s->beyond, s->found };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(device, arrays[k]);
  device_free_pinned(device, s->found_host);
  *s = (StressSearch){ 0 };
}

// Allocates the arrays of the search for torn tets, for the present cells and for `nodes` nodes. Arrays with an entry
// for each cell stay large enough, since the number of cells can only decrease.
static bool prepare(Simulation *w, int nodes, Error *error) {
  StressSearch *s = &w->search;
  const Device device = w->settings.device;
  if (s->node_capacity < nodes) {
    device_free(device, s->u);
    s->node_capacity = 0;
    if (!(s->u = device_alloc(device, sizeof *s->u * (size_t)nodes, error))) return false;
    s->node_capacity = nodes;
  }

  if (s->cell_capacity > 0) return true;
  s->beyond = device_alloc(device, (size_t)w->space.cell_count, error);
  s->found = device_alloc(device, sizeof *s->found, error);
  s->found_host = device_alloc_pinned(device, sizeof *s->found_host, error);
  if (device == DEVICE_CUDA) s->S = make_supplementals(w, error);
  if (s->beyond && s->found && s->found_host && (s->S || device == DEVICE_CPU)) {
    s->cell_capacity = w->space.cell_count;
    return true;
  }
  stress_search_destroy(s, device);
  return false;
}

bool simulation_reserve_search(Simulation *w, const SpaceSplit *split, Error *error) {
  StressSearch *s = &w->search;
  const Device device = w->settings.device;
  if (!s->cell_capacity) return true;  // no memory, because there was no search yet
  if (!prepare(w, split->node_capacity, error)) return false;
  if (split->removed_count == 0 || !s->S || s->spare) return true;
  if (!s->list && !(s->list = device_alloc(device, sizeof *s->list * (size_t)s->cell_capacity, error))) return false;
  const size_t bytes = sizeof *s->S * (size_t)method_of(w)->supplemental * (size_t)s->cell_capacity;
  return (s->spare = device_alloc(device, bytes, error));
}

bool simulation_split_search(Simulation *w, const SpaceSplit *split, Error *error) {
  StressSearch *s = &w->search;
  const Stream stream = simulation_stream(w);
  if (!s->S || split->removed_count == 0) return true;
  const size_t item = sizeof *s->S * (size_t)method_of(w)->supplemental;
  double *left = s->spare;
  if (!device_upload(stream, s->list, split->cell_left, sizeof *s->list * (size_t)split->cells_left, error) ||
      !w->loops->gather(left, s->S, item, s->list, split->cells_left, stream, error))
    return false;
  s->spare = s->S;
  s->S = left;
  return true;
}

bool simulation_expect_searches(Simulation *w, Error *error) {
  return prepare(w, w->node_capacity > w->space.node_count ? w->node_capacity : w->space.node_count, error);
}

// Arguments of order_marks, which converts marks of torn tets from the internal order (`beyond`) to the user's order
// (`torn`). cell_index [tets] is the internal index of each of the user's tets.
typedef struct Ordering {
  const int *cell_index;
  const uint8_t *beyond;
  uint8_t *torn;
} Ordering;

static void order_marks(const void *ordering, int first, int last) {
  const Ordering *o = ordering;
  for (int e = first; e < last; e++) o->torn[e] = o->beyond[o->cell_index[e]];
}

// Returns the marks of torn tets, copied from the device, in the user's order; NULL on failure. The caller frees them.
static uint8_t *take_marks(const Simulation *w, Error *error) {
  const StressSearch *s = &w->search;
  const int cells = w->space.cell_count;
  const Stream stream = simulation_stream(w);
  uint8_t *torn = array_new(cells, 1, "torn tets", error), *here = NULL;
  bool ok = torn;
  if (ok && stream.device == DEVICE_CUDA)
    ok = (here = array_new(cells, 1, "torn tets", error)) &&
         device_download(stream, here, s->beyond, (size_t)cells, error) && stream_sync(stream, error);
  if (ok) parallel_for(cells, CHUNK, order_marks, &(Ordering){ w->cell_index, here ? here : s->beyond, torn });
  free(here);
  if (ok) return torn;
  free(torn);
  return NULL;
}

bool simulation_find_torn(Simulation *w, FieldKind measure, double stress, uint8_t **torn, int *count, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const SimulationSettings *settings = &w->settings;
  const Stream stream = simulation_stream(w);
  const FieldOperations *field =
      (const FieldOperations *)stage_find(STAGE_FIELD, NULL, settings->device, settings->precision, NULL);
  const StressSearch *s = &w->search;
  const int *cell;
  double material[MATERIAL_PARAMETERS];
  settings_material(settings, material);
  *torn = NULL;
  *count = 0;
  if (!simulation_expect_searches(w, error)) return false;
  if (!field->state(w->motion, s->u, &cell, stream, error)) return false;
  if (!method_of(w)->find(s, &w->space, cell, measure, stress, material, stream, error)) return false;
  if (!device_download(stream, s->found_host, s->found, sizeof *s->found, error)) return false;
  if (!stream_sync(stream, error)) return false;
  *count = *s->found_host;
  return *count == 0 || (*torn = take_marks(w, error));
}
