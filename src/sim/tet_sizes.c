// Tets of very different size: see tet_sizes.h.
#include "sim/tet_sizes.h"

#include <stdio.h>

static const double UNEVEN = 1e4, VERY_UNEVEN = 1e7, TOO_UNEVEN = 1e13;  // largest volume over smallest

bool tet_sizes_notice(const TetMesh *mesh, const SimulationSettings *settings, char *notice, size_t size) {
  int small = 0, large = 0;
  double least = mesh_tet_volume(mesh, 0), most = least;
  for (int e = 1; e < mesh->tet_count; e++) {
    const double volume = mesh_tet_volume(mesh, e);
    if (volume < least) least = volume, small = e;
    if (volume > most) most = volume, large = e;
  }
  const double ratio = most / least;
  if (!(ratio >= UNEVEN)) return false;
  const bool very = ratio >= VERY_UNEVEN;
  const double newton = very ? 1e-10 : 1e-5, cg = very ? 1e-6 : 1e-4;
  const bool precise = !very || settings->precision == PRECISION_F64;
  const bool solved = !settings->cg_fixed || settings->cg_relative <= cg;
  if (precise && settings->newton_relative <= newton && solved && ratio < TOO_UNEVEN) return false;
  long long tag[2][4];
  for (int c = 0; c < 4; c++)
    tag[0][c] = mesh->node_tag[mesh->tet[small][c]], tag[1][c] = mesh->node_tag[mesh->tet[large][c]];
  snprintf(
      notice, size,
      "tets differ %.1g times in volume, from %.3g m^3 (nodes %lld, %lld, %lld, %lld) to %.3g m^3 (nodes %lld, %lld, "
      "%lld, %lld): a motion passes over the small ones, with damped and unconverged steps; take %s--newton-relative "
      "%g --cg-relative %g, %s a more even mesh",
      ratio, least, tag[0][0], tag[0][1], tag[0][2], tag[0][3], most, tag[1][0], tag[1][1], tag[1][2], tag[1][3],
      precise ? "" : "--precision double ", newton, cg, ratio < TOO_UNEVEN ? "or" : "and");
  return true;
}
