// `pliant info`: see run_info.h.
#include "app/run_info.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"
#include "mesh/adjacency.h"
#include "mesh/quality.h"
#include "mesh/surface.h"
#include "scene/scene_body.h"
#include "sim/memory.h"
#include "sim/tet_sizes.h"

static void print_mesh(const TetMesh *mesh, const Surface *surface, const Adjacency *adjacency, const MeshQuality *q,
                       int most_tets) {
  double low[3], high[3];
  mesh_bounds(mesh, low, high);
  int widest = 0;
  for (int a = 0; a < mesh->node_count; a++)
    if (adjacency->start[a + 1] - adjacency->start[a] > widest) widest = adjacency->start[a + 1] - adjacency->start[a];
  printf("nodes                 %d\n", mesh->node_count);
  printf("tets                  %d\n", mesh->tet_count);
  printf("surface triangles     %d\n", surface->triangle_count);
  printf("bounds                [%.6g, %.6g] x [%.6g, %.6g] x [%.6g, %.6g]\n", low[0], high[0], low[1], high[1], low[2],
         high[2]);
  printf("volume                %.6g  (tets %.3g to %.3g)\n", q->volume, q->min_volume, q->max_volume);
  printf("edges                 %.3g to %.3g\n", q->min_edge, q->max_edge);
  printf("dihedral angles       %.1f to %.1f degrees  (of a regular tet 70.5)\n", q->min_dihedral, q->max_dihedral);
  printf(
      "aspect ratio          %.2f on average, at most %.3g  (circumradius / 3 inradius; tet with nodes %lld, %lld, "
      "%lld, %lld)\n",
      q->mean_aspect, q->worst_aspect, (long long)q->worst_tags[0], (long long)q->worst_tags[1],
      (long long)q->worst_tags[2], (long long)q->worst_tags[3]);
  printf("components            %d\n", q->components);
  printf("tets at a node        at most %d\n", most_tets);
  printf("neighbours of a node  %.2f on average, at most %d\n",
         (double)adjacency->start[mesh->node_count] / mesh->node_count - 1, widest - 1);
  printf("matrix                %d rows, %lld non-zeros\n", 3 * mesh->node_count,
         9LL * adjacency->start[mesh->node_count]);
}

// about what each assembly takes with the matrix dcsr and with dhyb, everything on its device
static void print_memory(const TetMesh *mesh, const Adjacency *adjacency) {
  const int64_t pairs = (adjacency->start[mesh->node_count] - mesh->node_count) / 2;
  StageInfo info;
  for (int k = 0; simulation_stage(STAGE_ASSEMBLY, k, &info); k++) {
    SimulationSettings s = simulation_defaults();
    double need[2][2];  // of dcsr and dhyb, host and GPU
    s.device = info.device, s.precision = info.precision;
    snprintf(s.assembly, sizeof s.assembly, "%s", info.name);
    for (int m = 0; m < 2; m++) {
      snprintf(s.matrix, sizeof s.matrix, "%s", m ? "dhyb" : "dcsr");
      const MemoryEstimate e = memory_estimate(mesh->node_count, mesh->tet_count, pairs, &s, info.device, info.device);
      need[m][0] = e.host / 1048576, need[m][1] = e.cuda / 1048576;
    }
    printf("%-21s %-9s %-7s %-5s host %.0f MiB (dhyb %.0f)", k == 0 ? "memory" : "", info.name,
           precision_name(info.precision), device_name(info.device), need[0][0], need[1][0]);
    if (info.device == DEVICE_CUDA) printf(", GPU %.0f MiB (dhyb %.0f)", need[0][1], need[1][1]);
    printf("\n");
  }
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
  MeshQuality quality;
  int *count = NULL;
  bool ok = false;
  if (!scene_body(scene, &mesh, error)) goto done;
  if (!surface_create(&surface, &mesh, error) || !adjacency_create(&adjacency, &mesh, error) ||
      !mesh_quality(&mesh, &quality, error))
    goto done;
  count = array_new(mesh.node_count, sizeof *count, "nodes", error);
  if (!count) goto done;
  printf("mesh                  %s\n", scene->shape_count ? "made of shapes" : scene->mesh);
  print_mesh(&mesh, &surface, &adjacency, &quality, most_tets_at_a_node(&mesh, count));
  print_memory(&mesh, &adjacency);
  print_stages();
  char uneven[600];
  if (tet_sizes_notice(&mesh, &scene->simulation, uneven, sizeof uneven)) log_notice("%s: %s", scene->path, uneven);
  ok = true;
done:
  free(count);
  adjacency_destroy(&adjacency);
  surface_destroy(&surface);
  mesh_destroy(&mesh);
  return ok;
}
