// Adds curves by the names of their observables: see view_tools.h.
#include <stdlib.h>
#include <string.h>

#include "window/view_tools.h"

bool view_open_curve(View *view, const char *name, Error *error) {
  const TetMesh *mesh = &view->form->mesh;
  Curves *curves = &view->sim->curves;
  const bool of_node = strncmp(name, "position:", 9) == 0;
  const int node = of_node ? mesh_find_node(mesh, strtoll(name + 9, NULL, 10)) : -1;
  if (node < 0) return curves_add(curves, name, error);
  return curves_add_probe(curves, mesh_node_number(mesh, node), mesh->X[node]) ||
         error_set(error, "%s has a curve already, or all %d curves are in use; delete curves in the panel's tab Plots",
                   name, CURVES_MAX);
}
