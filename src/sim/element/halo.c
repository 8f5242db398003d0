// Communication of a body's nodal values and sums between processes (halo.h).
#include "sim/element/halo.h"

#include <stdlib.h>

void halo_destroy(Halo *halo) {
  if (!halo) return;
  halo->ranks->destroy_halo(halo->exchange);
  free(halo->number);
  free(halo->piece);
  free(halo->own_cell);
  free(halo);
}

bool halo_refresh(const Halo *halo, double *values, int width, Error *error) {
  return !halo || halo->ranks->refresh(halo->exchange, values, width, error);
}

bool halo_sum(const Halo *halo, double *values, int n, Error *error) {
  return !halo || halo->ranks->sum(halo->ranks, values, n, error);
}

bool halo_smallest(const Halo *halo, double *value, Error *error) {
  return !halo || halo->ranks->smallest(halo->ranks, value, error);
}

bool halo_gather(const Halo *halo, double *values, int64_t n, Error *error) {
  return !halo || halo->ranks->gather(halo->ranks, values, n, error);
}
