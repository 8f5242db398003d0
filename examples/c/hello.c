/* A bar that is fixed at one end and sags. Prints the height of its free end over time.
 *
 *   cc hello.c -o hello $(pkg-config --cflags --libs pliant) && ./hello */
#include <stdio.h>

#include <pliant.h>

static int fail(void) {
  fprintf(stderr, "%s\n", pliant_error());
  return 1;
}

int main(void) {
  pliant_scene *scene = NULL;
  pliant_sim *sim = NULL;
  if (pliant_scene_create(&scene)) return fail();
  if (pliant_scene_set(scene, "shapes", "[{\"kind\": \"box\", \"size\": [1, 0.2, 0.2], \"cells\": 3}]") ||
      pliant_scene_set(scene, "young", "5e6") || pliant_scene_set(scene, "gravity", "[0, 0, -9.81]") ||
      pliant_scene_add(scene, "pins", "{\"x\": [null, -0.49]}") || pliant_sim_create(&sim, scene))
    return fail();
  for (int k = 0; k < 10; k++) {
    if (pliant_step(sim, 6)) return fail();
    pliant_view x = { .size = sizeof x };
    pliant_report report = { .size = sizeof report };
    if (pliant_field(sim, "positions", PLIANT_HOST, &x) || pliant_get_report(sim, &report)) return fail();
    const double *position = x.data;
    double lowest = position[2];
    for (int64_t a = 0; a < x.shape[0]; a++)
      if (position[3 * a + 2] < lowest) lowest = position[3 * a + 2];
    printf("%.2f s: lowest point at %.4f m\n", report.time, lowest);
  }
  pliant_sim_destroy(sim);
  pliant_scene_destroy(scene);
  return 0;
}
