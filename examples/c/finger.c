/* A rigid finger pushes a soft ball over a floor and then stops. Before each step the program sets the finger's
 * position, as a robot's controller would. It prints the ball's momentum. */
#include <stdio.h>

#include <pliant.h>

static const char *const SCENE =
    "{\"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"size\": [0.2, 0.2, 0.2], \"cells\": 3},"
    "              \"place\": [0, 0, 0.105]}],"
    " \"young\": 2e4, \"gravity\": [0, 0, -9.81], \"floor\": 0, \"friction\": 0.5, \"self_contact\": true,"
    " \"obstacles\": [{\"kind\": \"capsule\", \"from\": [-0.2, 0, 0.08], \"to\": [-0.2, 0, 0.3], \"radius\": 0.02}]}";

static int fail(void) {
  fprintf(stderr, "%s\n", pliant_error());
  return 1;
}

int main(void) {
  pliant_scene *scene = NULL;
  pliant_sim *sim = NULL;
  if (pliant_scene_parse(&scene, SCENE, NULL) || pliant_sim_create(&sim, scene)) return fail();
  pliant_scene_destroy(scene);
  double finger[3] = { -0.2, 0, 0.19 };
  for (int k = 0; k < 60; k++) {
    if (k < 30) finger[0] += 0.4 / 60; /* 0.4 m/s */
    if (pliant_obstacle_to(sim, 0, finger, NULL) || pliant_step(sim, 1)) return fail();
    if (k % 10 != 9) continue;
    const char *const name = "momentum";
    double momentum[3];
    if (pliant_observe(sim, &name, 1, momentum, 3)) return fail();
    printf("%.2f s: finger at %.3f m, momentum of the ball %.4f kg m/s\n", (k + 1) / 60.0, finger[0], momentum[0]);
  }
  pliant_sim_destroy(sim);
  return 0;
}
