// `pliant info`: see run_info.h.
#include "app/run_info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "mesh/adjacency.h"
#include "mesh/surface.h"

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void print_mesh(const TetMesh *mesh, const Surface *surface, const Adjacency *adjacency, int most_tets) {
  double low[3], high[3], volume = 0, smallest = HUGE_VAL, largest = 0, shortest = HUGE_VAL, longest = 0;
  mesh_bounds(mesh, low, high);
  for (int e = 0; e < mesh->tet_count; e++) {
    const double v = mesh_tet_volume(mesh, e);
    volume += v;
    smallest = fmin(smallest, v), largest = fmax(largest, v);
    for (int a = 0; a < 4; a++)
      for (int b = a + 1; b < 4; b++) {
        const double length = distance(mesh->X[mesh->tet[e][a]], mesh->X[mesh->tet[e][b]]);
        shortest = fmin(shortest, length), longest = fmax(longest, length);
      }
  }
  int widest = 0;
  for (int a = 0; a < mesh->node_count; a++)
    if (adjacency->start[a + 1] - adjacency->start[a] > widest) widest = adjacency->start[a + 1] - adjacency->start[a];
  printf("nodes                 %d\n", mesh->node_count);
  printf("tets                  %d\n", mesh->tet_count);
  printf("surface triangles     %d\n", surface->triangle_count);
  printf("bounds                [%.6g, %.6g] x [%.6g, %.6g] x [%.6g, %.6g]\n", low[0], high[0], low[1], high[1], low[2],
         high[2]);
  printf("volume                %.6g  (tets %.3g to %.3g)\n", volume, smallest, largest);
  printf("edges                 %.3g to %.3g\n", shortest, longest);
  printf("tets at a node        at most %d\n", most_tets);
  printf("neighbours of a node  %.2f on average, at most %d\n",
         (double)adjacency->start[mesh->node_count] / mesh->node_count - 1, widest - 1);
  printf("matrix                %d rows, %lld non-zeros\n", 3 * mesh->node_count,
         9LL * adjacency->start[mesh->node_count]);
}

static void print_stages(void) {
  static const char *const kinds[] = { "assembly", "matrix", "solver" };
  StageInfo info;
  printf("\ndevices               cpu: %s\n", device_model(DEVICE_CPU));
  if (device_present(DEVICE_CUDA))
    printf("                      cuda: %s\n", device_model(DEVICE_CUDA));
  else
    printf("                      cuda: none (%s)\n", device_absence());
  for (int kind = 0; kind < 3; kind++)
    for (int k = 0; simulation_stage((StageKind)kind, k, &info); k++)
      printf("%-21s %-5s %-7s %-9s %s\n", k == 0 ? kinds[kind] : "", device_name(info.device),
             precision_name(info.precision), info.name, info.summary);
}

static int most_tets_at_a_node(const TetMesh *mesh, int *count) {
  int most = 0;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < 4; a++)
      if (++count[mesh->tet[e][a]] > most) most = count[mesh->tet[e][a]];
  return most;
}

bool run_info(const Scene *scene, Error *error) {
  TetMesh mesh = { 0 };
  Surface surface = { 0 };
  Adjacency adjacency = { 0 };
  int *count = NULL;
  bool ok = false;
  if (!mesh_read(scene->mesh, &mesh, error)) goto done;
  mesh_scale(&mesh, scene->scale);
  if (!surface_create(&surface, &mesh, error) || !adjacency_create(&adjacency, &mesh, error)) goto done;
  count = array_new(mesh.node_count, sizeof *count, "nodes", error);
  if (!count) goto done;
  printf("mesh                  %s\n", scene->mesh);
  print_mesh(&mesh, &surface, &adjacency, most_tets_at_a_node(&mesh, count));
  print_stages();
  ok = true;
done:
  free(count);
  adjacency_destroy(&adjacency);
  surface_destroy(&surface);
  mesh_destroy(&mesh);
  return ok;
}
