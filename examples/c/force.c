/* A force that the program computes itself: wind along x. Before each step it gives each node the force
 * drag * mass * (wind - velocity), N. */
#include <stdio.h>
#include <stdlib.h>

#include <pliant.h>

static int fail(void) {
  fprintf(stderr, "%s\n", pliant_error());
  return 1;
}

int main(void) {
  static const char *const text =
      "{\"shapes\": [{\"kind\": \"box\", \"size\": [0.1, 0.1, 1], \"cells\": 2}], \"young\": 1e5,"
      " \"pins\": [{\"z\": [null, 0.01]}]}";
  const double wind = 2, drag = 0.6; /* m/s; kg/s for each kg of the body */
  pliant_scene *scene = NULL;
  pliant_sim *sim = NULL;
  if (pliant_scene_parse(&scene, text, NULL) || pliant_sim_create(&sim, scene)) return fail();
  pliant_scene_destroy(scene);
  pliant_view v = { .size = sizeof v }, mass = v, force = v;
  if (pliant_field(sim, "masses", PLIANT_HOST, &mass)) return fail();
  const int64_t nodes = mass.shape[0];
  double *f = calloc(3 * (size_t)nodes, sizeof *f);
  if (!f) return 1;
  for (int k = 0; k < 300; k++) {
    if (pliant_field(sim, "velocities", PLIANT_HOST, &v)) return fail();
    for (int64_t a = 0; a < nodes; a++)
      f[3 * a] = drag * ((const double *)mass.data)[a] * (wind - ((const double *)v.data)[3 * a]);
    force.data = f;
    force.device = PLIANT_HOST;
    force.type = PLIANT_F64;
    force.shape[0] = nodes;
    force.shape[1] = 3;
    if (pliant_put(sim, "forces", &force) || pliant_step(sim, 1)) return fail();
  }

  pliant_view x = { .size = sizeof x };
  if (pliant_field(sim, "displacements", PLIANT_HOST, &x)) return fail();
  double bend = 0;
  for (int64_t a = 0; a < nodes; a++)
    if (((const double *)x.data)[3 * a] > bend) bend = ((const double *)x.data)[3 * a];
  printf("after 5 s the wind has bent the pole by %.4f m\n", bend);
  free(f);
  pliant_sim_destroy(sim);
  return 0;
}
