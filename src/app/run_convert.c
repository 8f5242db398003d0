// `pliant convert`: see run_convert.h.
#include "app/run_convert.h"

#include <stdio.h>

#include "mesh/mesh_write.h"

#define AT(field) OPTION_AT(ConvertOptions, field)
const Option convert_options[] = {
  { "encoding", OPTION_CHOICE, AT(encoding), .choices = "usual|text|binary|base64|zlib",
    .help = "of the file: .msh, .vtk text or binary; .vtu any" },
  { "byte_order", OPTION_CHOICE, AT(byte_order), .choices = "little|big",
    .help = "of binary data, where the format leaves it open" },
  { "msh_version", OPTION_CHOICE, AT(msh_version), .choices = "4.1|2.2", .help = "of .msh files" },
  { 0 },
};

bool run_convert(const char *from, const char *to, const ConvertOptions *options, Error *error) {
  TetMesh mesh = { 0 };
  const MeshWriting how = { (MeshEncoding)options->encoding, options->byte_order == 1, options->msh_version ? 22 : 41 };
  const bool ok = mesh_write_check(to, error) && mesh_read(from, 1, &mesh, error) && mesh_write(to, &mesh, &how, error);
  if (ok) printf("%s: %d nodes, %d %s\n", to, mesh.node_count, mesh.tet_count, mesh_cell_word(&mesh));
  mesh_destroy(&mesh);
  return ok;
}
