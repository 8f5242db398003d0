// Stars: see stars.h.
#include "mesh/stars.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

void stars_destroy(Stars *stars) {
  free(stars->start);
  free(stars->tet);
  *stars = (Stars){ 0 };
}

bool stars_create(Stars *stars, const TetMesh *mesh, Error *error) {
  *stars = (Stars){ .start = array_new((int64_t)mesh->node_count + 2, sizeof *stars->start, "nodes", error),
                    .tet = array_new(4 * (int64_t)mesh->tet_count, sizeof *stars->tet, "tets", error) };
  if (!stars->start || !stars->tet) {
    stars_destroy(stars);
    return false;
  }
  // start[a + 2] counts; then start[a + 1] is where node a's next tet goes, and in the end where the node's tets end
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < 4; a++) stars->start[mesh->tet[e][a] + 2]++;
  for (int a = 0; a < mesh->node_count; a++) stars->start[a + 2] += stars->start[a + 1];
  for (int e = 0; e < mesh->tet_count && !interrupt_signal(); e++)
    for (int a = 0; a < 4; a++) stars->tet[stars->start[mesh->tet[e][a] + 1]++] = e;
  if (interrupt_check(error)) return true;
  stars_destroy(stars);
  return false;
}
