// `pliant convert IN OUT`: converts a mesh from one format to another.
#include "app/command_line.h"

#include <stdio.h>

#include "mesh/mesh_write.h"

typedef struct ConvertOptions {
  int encoding;     // encoding of the output, a MeshEncoding
  int byte_order;   // 0: little-endian, 1: big-endian
  int msh_version;  // 0: MSH 4.1, 1: MSH 2.2
} ConvertOptions;

#define AT(field) OPTION_AT(ConvertOptions, field)
static const Option convert_options[] = {
  { "encoding", OPTION_CHOICE, AT(encoding), .choices = "usual|text|binary|base64|zlib",
    .help =
        "encoding of OUT: text or binary for .msh and .vtk, any choice for .vtu; usual: the default of the format" },
  { "byte_order", OPTION_CHOICE, AT(byte_order), .choices = "little|big",
    .help = "byte order of binary data, for formats that allow both" },
  { "msh_version", OPTION_CHOICE, AT(msh_version), .choices = "4.1|2.2",
    .help = "version of the format, if OUT is a .msh file" },
  { 0 },
};

// Fails if an option was given that has no effect on the file format of `to`.
static bool check_effects(const char *to, MeshEncoding encoding, const CommandInput *input, Error *error) {
  const bool *given = input->command_given;
  const bool order = option_given(convert_options, given, "byte_order");
  if (order && !mesh_writes_byte_order(to, encoding))
    return error_set(error, "pliant convert: --byte-order has no effect on %s, whose byte order is fixed%s", to,
                     encoding == MESH_USUAL ? "; give --encoding binary if the format supports it" : "");
  if (option_given(convert_options, given, "msh_version") && !mesh_writes_version(to))
    return error_set(error, "pliant convert: --msh-version has no effect on %s: only .msh files have versions", to);
  return true;
}

static bool check(const CommandInput *input, Error *error) {
  const ConvertOptions *options = input->options;
  return check_effects(input->paths[1], (MeshEncoding)options->encoding, input, error);
}

static bool run_convert(const CommandInput *input, Error *error) {
  const ConvertOptions *options = input->options;
  const char *from = input->paths[0], *to = input->paths[1];
  TetMesh mesh = { 0 };
  const MeshWriting how = { (MeshEncoding)options->encoding, options->byte_order == 1, options->msh_version ? 22 : 41 };
  const bool ok = mesh_write_check(to, error) && mesh_read(from, 1, &mesh, error) && mesh_write(to, &mesh, &how, error);
  if (ok) printf("%s: %d nodes, %d %s\n", to, mesh.node_count, mesh.tet_count, mesh_cell_word(&mesh));
  mesh_destroy(&mesh);
  return ok;
}

extern const CommandRow convert_command;
const CommandRow convert_command = {
  .name = "convert",
  .usage = "[OPTION]... IN OUT",
  .summary =
      "Converts a mesh file to another format. The endings of the file names choose the formats; a further "
      "ending .gz compresses the file.",
  .options = convert_options,
  .options_size = sizeof(ConvertOptions),
  .takes = TAKES_PATHS,
  .path_count = 2,
  .check = check,
  .run = run_convert,
};
