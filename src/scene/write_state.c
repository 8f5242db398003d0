// Writes positions and momenta to the file that the option --state names: see write_state.h.
#include "scene/write_state.h"

#include <stdlib.h>

#include "base/array.h"
#include "scene/state_npz.h"

bool write_state(const Session *session, const char *path, Error *error) {
  const int nodes = session->mesh.node_count;
  double(*x)[3] = array_new(nodes, sizeof *x, "positions", error);
  double(*momenta)[3] = array_new(nodes, sizeof *momenta, "momenta", error);
  const bool ok = x && momenta && simulation_state(session->simulation, x, momenta, error) &&
                  state_npz_write(path, nodes, (const double(*)[3])x, (const double(*)[3])momenta,
                                  (const double(*)[3])session->mesh.X, error);
  free(x);
  free(momenta);
  return ok;
}
