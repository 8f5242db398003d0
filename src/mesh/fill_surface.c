// Fills surfaces with tets: see fill_surface.h. TetGen reads a copy of the surface in a temporary folder and writes its
// mesh there.
#include "mesh/fill_surface.h"

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

#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/timer.h"
#include "mesh/cavities.h"
#include "mesh/format/text.h"
#include "mesh/surface_polygons.h"

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

// Reports closed surfaces that do not become cavities although the user may have meant this.
static void report_filled(const char *path, const Cavities *cavities) {
  if (cavities->same > 0)
    log_notice(
        "%s: closed surfaces inside another one with the same orientation: %d; they are no cavities, so their insides "
        "are filled; for cavities, reverse the faces of the inner surfaces",
        path, cavities->same);
  if (cavities->mixed > 0)
    log_notice(
        "%s: closed surfaces with faces of different orientations: %d; the program cannot recognise cavities at "
        "these surfaces, and fills their insides",
        path, cavities->mixed);
}

// Reads a surface, checks it and writes it as a .smesh file for TetGen, with a point in each cavity. The surface is
// checked here because TetGen's messages about invalid surfaces do not help a user.
static bool pass_polygons(const char *from, const char *to, const FillOptions *options, int *cavity_count,
                          Error *error) {
  Polygons polygons = { 0 };
  if (!polygons_read(from, true, &polygons, error)) return false;
  const double volume = fabs(polygons_volume(&polygons));
  const bool few = !(options->max_volume > 0) || volume / options->max_volume <= MESH_MAX_TETS ||
                   error_set(error,
                             "%s: the volume of %.3g m^3 needs %.3g tets of at most %.3g m^3; a mesh has at most %d "
                             "tets: give a larger --max-volume",
                             from, volume, volume / options->max_volume, options->max_volume, MESH_MAX_TETS);
  Cavities cavities = { 0 };
  const bool ok = few && cavities_find(&polygons, from, &cavities, error) &&
                  polygons_write_smesh(&polygons, (const double(*)[3])cavities.point, cavities.count, to, error);
  if (ok) report_filled(from, &cavities);
  *cavity_count = cavities.count;
  cavities_destroy(&cavities);
  polygons_destroy(&polygons);
  return ok;
}

// Returns false with an error if the user has interrupted the program or cancelled the work.
static bool goes_on(const FillOptions *options, Error *error) {
  if (!interrupt_check(error)) return false;
  return !options->cancelled || !atomic_load(options->cancelled) || error_set(error, "cancelled");
}

// Waits until the child process ends. After an interrupt, sends SIGTERM to the child, and SIGKILL 200 ms later.
static bool wait_for(pid_t child, int *status, const FillOptions *options, Error *error) {
  enum { GRACE_MS = 200 };
  int waited_ms = -1;  // ms since SIGTERM was sent; -1: not sent
  pid_t ended;
  while ((ended = waitpid(child, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (waited_ms < 0 && !goes_on(options, error)) {
      kill(child, SIGTERM);
      waited_ms = 0;
    }
    if (waited_ms >= 0 && (waited_ms += 5) == GRACE_MS) kill(child, SIGKILL);
    timer_sleep(0.005);
  }
  return waited_ms < 0 && goes_on(options, error);
}

// Runs TetGen with the arguments `words`, and writes its output to the file `log`. If TetGen fails, the error message
// contains the last line of this output.
static bool run_tetgen(char **words, const char *log, const FillOptions *options, Error *error) {
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
        "filling a surface needs TetGen: install it (apt-get install tetgen), or make the mesh with another mesher");
  if (code != 0) return error_set(error, "tetgen cannot be started: %s", strerror(code));

  // Limits the memory of TetGen. If the mesh is too fine for the memory, TetGen then fails, and this program reports
  // it. Without the limit, the system could end this program.
  const rlim_t maximum = memory_bound(memory_of_host());
  const struct rlimit limit = { maximum, maximum };
  if (maximum > 0) prlimit(child, RLIMIT_AS, &limit, NULL);
  if (!wait_for(child, &status, options, error)) return false;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  char last[200] = "", line[200];
  FILE *file = fopen(log, "r");
  while (file && fgets(line, sizeof line, file))
    if (strspn(line, " \t\n") != strlen(line)) memcpy(last, line, sizeof last);
  if (file) fclose(file);
  last[strcspn(last, "\n")] = 0;
  if (WIFSIGNALED(status))
    return error_set(
        error,
        "TetGen crashed (signal %d): the surface is damaged or intersects itself, or its mesh does not fit into "
        "memory",
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

static const char *const kinds[] = { ".obj", ".off", ".stl", ".ply" };
enum { KINDS = sizeof kinds / sizeof *kinds };

bool fill_surface_reads(const char *path) {
  int kind = 0;
  while (kind < KINDS && !path_ends_with(path, kinds[kind])) kind++;
  return kind < KINDS;
}

bool fill_surface(const char *surface, const FillOptions *options, TetMesh *mesh, int *cavity_count, Error *error) {
  const bool ply = path_ends_with(surface, ".ply");
  const char *parent = getenv("TMPDIR");
  char folder[TEMPORARY_PATH_LENGTH], input[TEMPORARY_PATH_LENGTH + 16], log[TEMPORARY_PATH_LENGTH + 16],
      result[TEMPORARY_PATH_LENGTH + 16];
  char volume[800], flags[850];
  if (!fill_surface_reads(surface))
    return error_set(error, "%s: expected a surface file, .obj .off .stl or .ply", surface);
  snprintf(folder, sizeof folder, "%.4000s/pliant_tetgen_XXXXXX", parent && parent[0] ? parent : "/tmp");
  if (!mkdtemp(folder))
    return error_set(error,
                     "%s%.900s: cannot write temporary files for TetGen there: %s; set TMPDIR to a writable folder",
                     parent && parent[0] ? "TMPDIR is " : "", parent && parent[0] ? parent : "/tmp", strerror(errno));
  snprintf(input, sizeof input, "%s/surface%s", folder, ply ? ".ply" : ".smesh");
  snprintf(log, sizeof log, "%s/log", folder);
  snprintf(result, sizeof result, "%s/surface.1.ele", folder);
  if (options->max_volume > 0) print_full(options->max_volume, volume, sizeof volume);
  snprintf(flags, sizeof flags, "-pQFBq%g%s%s", options->quality, options->max_volume > 0 ? "a" : "",
           options->max_volume > 0 ? volume : "");
  char *words[] = { "tetgen", flags, input, NULL };
  Error none = { 0 };
  *cavity_count = 0;
  const bool ok =
      (ply ? copy_file(surface, input, error) : pass_polygons(surface, input, options, cavity_count, error)) &&
      run_tetgen(words, log, options, error) &&
      (mesh_read(result, 1, mesh, &none) ||
       (goes_on(options, error) &&
        error_set(error, "%s: TetGen found no interior; the surface must be closed", surface)));
  remove_folder(folder);
  if (ok && ply)
    log_notice("%s: cavities of .ply files are filled; if the body has cavities, save its surface as .stl or .obj",
               surface);
  return ok;
}
