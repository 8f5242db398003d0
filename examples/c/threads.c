/* Runs 64 simulations that differ in stiffness. Each of four threads creates and steps 16 of them. */
#include <pthread.h>
#include <stdio.h>

#include <pliant.h>

enum { SIMS = 64, THREADS = 4 };

static double sag[SIMS]; /* m, result of each simulation */

static int run(int number) {
  char young[32];
  pliant_scene *scene = NULL;
  pliant_sim *sim = NULL;
  pliant_view x = { .size = sizeof x };
  snprintf(young, sizeof young, "%g", 1e5 * (1 + number));
  int status =
      pliant_scene_parse(&scene,
                         "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 0.2, 0.2], \"cells\": 2}],"
                         " \"gravity\": [0, 0, -9.81], \"pins\": [{\"x\": [null, -0.49]}], \"device\": \"cpu\"}",
                         NULL);
  if (!status) status = pliant_scene_set(scene, "young", young);
  if (!status) status = pliant_sim_create(&sim, scene);
  if (!status) status = pliant_equilibrium(sim);
  if (!status) status = pliant_field(sim, "displacements", PLIANT_HOST, &x);
  for (int64_t a = 0; !status && a < x.shape[0]; a++) {
    const double down = -((const double *)x.data)[3 * a + 2];
    if (down > sag[number]) sag[number] = down;
  }
  if (status) fprintf(stderr, "simulation %d: %s\n", number, pliant_error());
  pliant_sim_destroy(sim);
  pliant_scene_destroy(scene);
  return status;
}

static void *work(void *argument) {
  const int thread = *(const int *)argument;
  for (int k = thread; k < SIMS; k += THREADS)
    if (run(k)) return argument; /* not NULL: a failure */
  return NULL;
}

int main(void) {
  pthread_t thread[THREADS];
  int number[THREADS];
  for (int k = 0; k < THREADS; k++) {
    number[k] = k;
    if (pthread_create(&thread[k], NULL, work, &number[k])) return 1;
  }
  for (int k = 0; k < THREADS; k++) {
    void *failed;
    if (pthread_join(thread[k], &failed) || failed) return 1;
  }
  for (int k = 1; k < SIMS; k++)
    if (!(sag[k] < sag[k - 1])) return 1; /* a stiffer bar sags less */
  printf("64 bars sag between %.4f m and %.4f m\n", sag[SIMS - 1], sag[0]);
  return 0;
}
