// Makes the label with values at the point under the mouse: see view.h.
#include "mesh/quadratic.h"
#include "window/probe.h"
#include "window/view.h"

bool view_probe(const View *view, HudOverlay *overlay, Error *error) {
  const Pick *under = &view->under;
  double x[10][3];
  if (!view->probes || under->tet < 0 || overlay->label_count == HUD_LABELS_MAX) return true;
  const TetMesh *mesh = &view->form->mesh;
  for (int a = 0; a < mesh_cell_nodes(mesh); a++) {
    const int node = mesh_cell_node(mesh, under->tet, a);
    if (!surface_renderer_node(&view->renderer, node, x[a], error)) return false;
  }
  char body[SCENE_BODY_NAME + 16] = "";
  const Scene *scene = &view->sim->live.session.scene;
  if (scene->body_count) scene_body_name(scene, mesh_body(mesh, mesh_cell_node(mesh, under->tet, 0)), body);
  const int k = overlay->label_count++;
  for (int i = 0; i < 2; i++) overlay->labels[k].pixel[i] = view->cursor[i];
  probe_text(mesh, under->tet, (const double(*)[3])x, under->point, &view->status.settings, body,
             overlay->labels[k].text, sizeof overlay->labels[k].text);
  return true;
}
