// `pliant tetrahedralize SURFACE OUT`: fills a closed surface with tets by the program TetGen (mesh/fill_surface.c).
#include "app/command_line.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "mesh/fill_surface.h"
#include "mesh/mesh_write.h"

typedef struct TetrahedralizeOptions {
  double quality;     // largest ratio of circumradius to shortest edge of a tet
  double max_volume;  // m^3, largest volume of a tet; 0: no limit
} TetrahedralizeOptions;

#define AT(field) OPTION_AT(TetrahedralizeOptions, field)
static const Option tetrahedralize_options[] = {
  { "quality", OPTION_NUMBER, AT(quality), OPTION_FROM_TO(1.1, 100),
    .help = "largest allowed ratio of circumradius to shortest edge of a tet; a smaller ratio gives better shapes and "
            "more tets" },
  { "max_volume", OPTION_NUMBER, AT(max_volume), OPTION_AT_LEAST(0), .unit = "m^3",
    .help = "largest allowed volume of a tet; 0: no limit" },
  { 0 },
};

// Prints the size of the mesh, and the number of its cavities if there are any. Warns if the mesh is longer than 20 m:
// its file is then probably in mm, as many programs write it, but Pliant reads lengths in m.
static void print_counts(const char *out, const TetMesh *mesh, int cavity_count) {
  static const double LARGE = 20;  // m, larger meshes cause the warning
  double low[3], high[3], longest = 0, volume = 0;
  mesh_bounds(mesh, low, high);
  for (int i = 0; i < 3; i++) longest = fmax(longest, high[i] - low[i]);
  for (int e = 0; e < mesh->tet_count; e++) volume += mesh_tet_volume(mesh, e);
  printf("%s: %d nodes, %d tets, %.4g x %.4g x %.4g m, volume %.4g m^3", out, mesh->node_count, mesh->tet_count,
         high[0] - low[0], high[1] - low[1], high[2] - low[2], volume);
  if (cavity_count > 0) printf(", cavities: %d", cavity_count);
  printf("\n");
  if (longest > LARGE)
    log_notice("%s: the mesh is %.4g m long; if the file is in mm, set \"scale\": 0.001 in the scene", out, longest);
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(TetrahedralizeOptions *)options = (TetrahedralizeOptions){ .quality = FILL_QUALITY };
}

static bool run_tetrahedralize(const CommandInput *given, Error *error) {
  const TetrahedralizeOptions *options = given->options;
  const char *surface = given->paths[0], *out = given->paths[1];
  const FillOptions fill = { .quality = options->quality, .max_volume = options->max_volume };
  TetMesh mesh = { 0 };
  int cavity_count = 0;
  if (!fill_surface_reads(surface))
    return error_set(error, "%s: expected a surface file, .obj .off .stl or .ply", surface);
  const bool ok = mesh_write_check(out, error) && fill_surface(surface, &fill, &mesh, &cavity_count, error) &&
                  mesh_write(out, &mesh, NULL, error);
  if (ok) print_counts(out, &mesh, cavity_count);
  mesh_destroy(&mesh);
  return ok;
}

extern const CommandRow tetrahedralize_command;
const CommandRow tetrahedralize_command = {
  .name = "tetrahedralize",
  .usage = "[OPTION]... SURFACE OUT",
  .summary =
      "Fills a closed surface (.obj .off .stl .ply) with tetrahedra, and writes the mesh file OUT. Needs the program "
      "TetGen.",
  .options = tetrahedralize_options,
  .options_size = sizeof(TetrahedralizeOptions),
  .takes = TAKES_PATHS,
  .path_count = 2,
  .prepare = prepare,
  .run = run_tetrahedralize,
};
