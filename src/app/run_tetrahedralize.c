// `pliant tetrahedralize SURFACE OUT`: fills a closed surface with tets by the program TetGen. TetGen reads a copy of
// the surface in a temporary folder and writes its mesh there.
#define _GNU_SOURCE  // declares prlimit
#include "app/command_line.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mesh/surface_polygons.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/timer.h"
#include "mesh/format/text.h"
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

enum { TEMPORARY_PATH_LENGTH = 4096 };
extern char **environ;

// Copies a .ply file without a change, because TetGen can read this format. Fails for a binary file, since TetGen reads
// only .ply files that are text.
static bool copy_file(const char *from, const char *to, Error *error) {
  Text text = { 0 };
  if (!text_open(&text, from, error)) return false;
  static const char mark[] = "format binary";
  const size_t head = (size_t)(text.end - text.data) < 400 ? (size_t)(text.end - text.data) : 400;
  if (memmem(text.data, head, mark, sizeof mark - 1)) {
    text_close(&text);
    return error_set(
        error, "%s: TetGen reads .ply files as text only, and this file is binary; save it as .stl or .obj", from);
  }
  const size_t size = (size_t)(text.end - text.data) - 1;  // `text` is the file's content after an additional line end
  FILE *file = fopen(to, "wb");
  const bool written = file && fwrite(text.data + 1, 1, size, file) == size;
  const bool ok =
      (file && fclose(file) == 0 && written) || error_set(error, "%s: cannot be written: %s", to, strerror(errno));
  text_close(&text);
  return ok;
}

// Reads a surface, checks it and writes it as an .off file for TetGen. The surface is checked here because TetGen's
// messages about invalid surfaces do not help a user.
static bool pass_polygons(const char *from, const char *to, const TetrahedralizeOptions *options, Error *error) {
  Polygons polygons = { 0 };
  if (!polygons_read(from, true, &polygons, error)) return false;
  const double volume = fabs(polygons_volume(&polygons));
  const bool few = !(options->max_volume > 0) || volume / options->max_volume <= MESH_MAX_TETS ||
                   error_set(error,
                             "%s: the volume of %.3g m^3 needs %.3g tets of at most %.3g m^3; a mesh has at most %d "
                             "tets: give a larger --max-volume",
                             from, volume, volume / options->max_volume, options->max_volume, MESH_MAX_TETS);
  const bool ok = few && polygons_write_off(&polygons, to, error);
  polygons_destroy(&polygons);
  return ok;
}

// Waits until the child process ends. After an interrupt, sends SIGTERM to the child, and SIGKILL 200 ms later.
static bool wait_for(pid_t child, int *status, Error *error) {
  enum { GRACE_MS = 200 };
  int waited_ms = -1;  // ms since SIGTERM was sent; -1: not sent
  pid_t ended;
  while ((ended = waitpid(child, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (waited_ms < 0 && !interrupt_check(error)) kill(child, SIGTERM), waited_ms = 0;
    if (waited_ms >= 0 && (waited_ms += 5) == GRACE_MS) kill(child, SIGKILL);
    timer_sleep(0.005);
  }
  return waited_ms < 0 && interrupt_check(error);
}

// Runs TetGen with the arguments `words`, and writes its output to the file `log`. If TetGen fails, the error message
// contains the last line of this output.
static bool run_tetgen(char **words, const char *log, Error *error) {
  pid_t child;
  int status = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int code = posix_spawnp(&child, "tetgen", &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code == ENOENT)
    return error_set(
        error,
        "tetrahedralize needs TetGen: install it (apt-get install tetgen), or make the mesh with another mesher");
  if (code != 0) return error_set(error, "tetgen cannot be started: %s", strerror(code));
  // Limits the memory of TetGen. If the mesh is too fine for the memory, TetGen then fails, and this program reports
  // it. Without the limit, the system could end this program.
  const rlim_t maximum = memory_bound(memory_of_host());
  const struct rlimit limit = { maximum, maximum };
  if (maximum > 0) prlimit(child, RLIMIT_AS, &limit, NULL);
  if (!wait_for(child, &status, error)) return false;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  char last[200] = "", line[200];
  FILE *file = fopen(log, "r");
  while (file && fgets(line, sizeof line, file))
    if (strspn(line, " \t\n") != strlen(line)) memcpy(last, line, sizeof last);
  if (file) fclose(file);
  last[strcspn(last, "\n")] = 0;
  if (WIFSIGNALED(status))
    return error_set(error, "TetGen crashed (signal %d): the surface is damaged, or its mesh does not fit into memory",
                     WTERMSIG(status));
  return error_set(
      error, "TetGen could not fill the surface: \"%s\"; the surface must be closed, without self-intersections", last);
}

static void remove_folder(const char *folder) {
  char path[TEMPORARY_PATH_LENGTH + 300];
  DIR *list = opendir(folder);
  for (const struct dirent *entry; list && (entry = readdir(list));) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    unlink(path);  // fails for "." and ".."
  }
  if (list) closedir(list);
  rmdir(folder);
}

// Writes a positive number with 17 digits and without an exponent, as TetGen's flags require.
static void print_full(double value, char *text, size_t size) {
  const int before = (int)floor(log10(value));
  snprintf(text, size, "%.*f", before < 16 ? 16 - before : 0, value);
}

// Prints the size of the mesh. Warns if the mesh is longer than 20 m: its file is then probably in mm, as many programs
// write it, but Pliant reads lengths in m.
static void print_counts(const char *out, const TetMesh *mesh) {
  static const double LARGE = 20;  // m, larger meshes cause the warning
  double low[3], high[3], longest = 0, volume = 0;
  mesh_bounds(mesh, low, high);
  for (int i = 0; i < 3; i++) longest = fmax(longest, high[i] - low[i]);
  for (int e = 0; e < mesh->tet_count; e++) volume += mesh_tet_volume(mesh, e);
  printf("%s: %d nodes, %d tets, %.4g x %.4g x %.4g m, volume %.4g m^3\n", out, mesh->node_count, mesh->tet_count,
         high[0] - low[0], high[1] - low[1], high[2] - low[2], volume);
  if (longest > LARGE)
    log_notice("%s: the mesh is %.4g m long; if the file is in mm, set \"scale\": 0.001 in the scene", out, longest);
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(TetrahedralizeOptions *)options = (TetrahedralizeOptions){ .quality = 1.4 };
}

static bool run_tetrahedralize(const CommandInput *given, Error *error) {
  const TetrahedralizeOptions *options = given->options;
  const char *surface = given->paths[0], *out = given->paths[1];
  static const char *const kinds[] = { ".obj", ".off", ".stl", ".ply" };
  static const char *const made[] = { ".off", ".off", ".off", ".ply" };
  const char *parent = getenv("TMPDIR");
  char folder[TEMPORARY_PATH_LENGTH], input[TEMPORARY_PATH_LENGTH + 16], log[TEMPORARY_PATH_LENGTH + 16],
      result[TEMPORARY_PATH_LENGTH + 16];
  char volume[800], flags[850];
  int kind = 0;
  while (kind < 4 && !path_ends_with(surface, kinds[kind])) kind++;
  if (kind == 4) return error_set(error, "%s: expected a surface file, .obj .off .stl or .ply", surface);
  if (!mesh_write_check(out, error)) return false;
  snprintf(folder, sizeof folder, "%.4000s/pliant_tetgen_XXXXXX", parent && parent[0] ? parent : "/tmp");
  if (!mkdtemp(folder))
    return error_set(error,
                     "%s%.900s: cannot write temporary files for TetGen there: %s; set TMPDIR to a writable folder",
                     parent && parent[0] ? "TMPDIR is " : "", parent && parent[0] ? parent : "/tmp", strerror(errno));
  snprintf(input, sizeof input, "%s/surface%s", folder, made[kind]);
  snprintf(log, sizeof log, "%s/log", folder);
  snprintf(result, sizeof result, "%s/surface.1.ele", folder);
  if (options->max_volume > 0) print_full(options->max_volume, volume, sizeof volume);
  snprintf(flags, sizeof flags, "-pQFBq%g%s%s", options->quality, options->max_volume > 0 ? "a" : "",
           options->max_volume > 0 ? volume : "");
  char *words[] = { "tetgen", flags, input, NULL };
  TetMesh mesh = { 0 };
  Error none = { 0 };
  const bool ok = (kind < 3 ? pass_polygons(surface, input, options, error) : copy_file(surface, input, error)) &&
                  run_tetgen(words, log, error) &&
                  (mesh_read(result, 1, &mesh, &none) ||
                   (interrupt_check(error) &&
                    error_set(error, "%s: TetGen found no interior; the surface must be closed", surface))) &&
                  mesh_write(out, &mesh, NULL, error);
  if (ok) print_counts(out, &mesh);
  mesh_destroy(&mesh);
  remove_folder(folder);
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
