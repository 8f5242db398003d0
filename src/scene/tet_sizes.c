// Writes a notice about tets of very different volumes (tet_sizes.h).
#include "scene/tet_sizes.h"

#include <stdio.h>

#include "base/parallel.h"

// Bounds on the ratio of the largest tet's volume to the smallest tet's volume. If the ratio is UNEVEN or more, a step
// needs smaller tolerances than the default ones. If it is VERY_UNEVEN or more, a step also needs precision double, and
// if it is TOO_UNEVEN or more, also a more even mesh.
static const double UNEVEN = 1e4, VERY_UNEVEN = 1e7, TOO_UNEVEN = 1e13;

// Arguments of find_sizes, a parallel loop over tets in pieces of `grain` consecutive tets. tet[k] has the smallest and
// the largest tet of piece k, and volume[k] their volumes, m^3. Of equal volumes, the first is taken.
typedef struct Sizes {
  const TetMesh *mesh;
  int grain;
  int (*tet)[2];
  double (*volume)[2];
} Sizes;

// Finds the smallest and the largest tet among the tets [first, last), one piece of the loop.
static void find_sizes(const void *sizes, int first, int last) {
  const Sizes *s = sizes;
  int small = first, large = first;
  double least = mesh_tet_volume(s->mesh, first), maximum = least;
  for (int e = first + 1; e < last; e++) {
    const double volume = mesh_tet_volume(s->mesh, e);
    if (volume < least) {
      least = volume;
      small = e;
    }
    if (volume > maximum) {
      maximum = volume;
      large = e;
    }
  }
  const int piece = first / s->grain;
  s->tet[piece][0] = small;
  s->tet[piece][1] = large;
  s->volume[piece][0] = least;
  s->volume[piece][1] = maximum;
}

bool tet_sizes_notice(const TetMesh *mesh, const SimulationSettings *settings, char *notice, size_t size) {
  enum { PIECES = 64 };
  int tet[PIECES][2], small, large;
  double volume[PIECES][2], least, maximum;
  const int grain = mesh->tet_count / PIECES + 1;

  parallel_for(mesh->tet_count, grain, find_sizes, &(Sizes){ mesh, grain, tet, volume });
  small = tet[0][0];
  large = tet[0][1];
  least = volume[0][0];
  maximum = volume[0][1];
  for (int k = 1; k * (int64_t)grain < mesh->tet_count; k++) {
    if (volume[k][0] < least) {
      least = volume[k][0];
      small = tet[k][0];
    }
    if (volume[k][1] > maximum) {
      maximum = volume[k][1];
      large = tet[k][1];
    }
  }

  // Choose tolerances that suit this ratio of volumes, by the table in tet_sizes.h.
  const double ratio = maximum / least;
  if (!(ratio >= UNEVEN)) return false;
  const bool very = ratio >= VERY_UNEVEN;
  const double newton = very ? 1e-10 : 1e-5, cg = very ? 1e-6 : 1e-4;
  const bool precise = !very || settings->precision == PRECISION_F64;
  const bool solved = settings->cg_relative > 0 && settings->cg_relative <= cg;
  if (precise && settings->newton_relative <= newton && solved && ratio < TOO_UNEVEN) return false;

  char nodes[2][160];
  for (int k = 0; k < 2; k++)
    for (int c = 0, length = 0; c < mesh_corners(mesh); c++)
      length += snprintf(nodes[k] + length, sizeof nodes[k] - (size_t)length, "%s%lld", c ? ", " : "",
                         (long long)mesh->node_tag[mesh_cell_node(mesh, k == 0 ? small : large, c)]);
  snprintf(
      notice, size,
      "%s differ in volume by a factor of %.1g, from %.3g m^3 (nodes %s) to %.3g m^3 (nodes %s). The motion may be "
      "damped, or time steps may not converge at the small cells; use %s--newton-relative %g --cg-relative %g, %s a "
      "more even mesh",
      mesh_cell_word(mesh), ratio, least, nodes[0], maximum, nodes[1], precise ? "" : "--precision double ", newton, cg,
      ratio < TOO_UNEVEN ? "or" : "and");
  return true;
}
