/* Static equilibrium: a bar is held at one end, and a traction pulls at the other end. Compares the displacement of the
 * end with that of linear elasticity, traction * length / E = F L / (E A). */
#include <stdio.h>

#include <pliant.h>

static int fail(void) {
  fprintf(stderr, "%s\n", pliant_error());
  return 1;
}

int main(void) {
  /* The first pin holds the end at x = -0.5 m along x only, so that this end can become narrower. The other two hold two
   * of its corners along y and z, so that the bar cannot turn. */
  static const char *const text =
      "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 0.1, 0.1], \"cells\": 2}],"
      " \"young\": 1e6, \"poisson\": 0.3, \"precision\": \"double\","
      " \"pins\": [{\"x\": [null, -0.49], \"axes\": \"x\"},"
      "            {\"center\": [-0.5, -0.05, 0], \"radius\": 0.01, \"axes\": \"yz\"},"
      "            {\"center\": [-0.5, 0.05, 0], \"radius\": 0.01, \"axes\": \"z\"}],"
      " \"forces\": [{\"region\": {\"x\": [0.49, null]}, \"traction\": [100, 0, 0]}]}";
  const double length = 1, young = 1e6, traction = 100; /* m, Pa, N/m^2 */
  static const char *const names[] = { "patch_displacement:forces/1", "reaction:1" };
  double values[6]; /* mean displacement of the loaded end, m; force with which the first pin holds the bar, N */
  pliant_scene *scene = NULL;
  pliant_sim *sim = NULL;
  if (pliant_scene_parse(&scene, text, NULL) || pliant_sim_create(&sim, scene)) return fail();
  pliant_scene_destroy(scene);
  if (pliant_equilibrium(sim) || pliant_observe(sim, names, 2, values, 6)) return fail();
  printf("the end moves by %.4e m, in linear elasticity by %.4e m; the pin holds the bar with %.4f N\n", values[0],
         traction * length / young, values[3]);
  pliant_sim_destroy(sim);
  return 0;
}
