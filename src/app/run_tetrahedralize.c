// `pliant tetrahedralize`: see run_tetrahedralize.h. TetGen runs in a temporary folder on a copy of the surface and
// leaves its mesh beside it.
#include "app/run_tetrahedralize.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "mesh/format/text.h"
#include "mesh/mesh_write.h"

#define AT(field) offsetof(TetrahedralizeOptions, field), sizeof(((TetrahedralizeOptions *)0)->field)
const Option tetrahedralize_options[] = {
  { "quality", OPTION_NUMBER, AT(quality), 1.1, 100, NULL, NULL, NULL,
    "largest circumradius over shortest edge of a tet" },
  { "max_volume", OPTION_NUMBER, AT(max_volume), 0, HUGE_VAL, "m^3", NULL, NULL, "of a tet; 0: no bound" },
  { NULL, OPTION_NUMBER, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

enum { PATH_LENGTH = 1024 };
extern char **environ;

// Wavefront .obj, which TetGen does not read, as .off: its v and f lines, polygons as they are.
static bool obj_to_off(const char *from, const char *to, Error *error) {
  Text text = { 0 };
  char *vertices = NULL, *faces = NULL;
  size_t vertices_size, faces_size;
  int vertex_count = 0, face_count = 0;
  if (!text_open(&text, from, error)) return false;
  FILE *v = open_memstream(&vertices, &vertices_size), *f = open_memstream(&faces, &faces_size);
  bool ok = v && f;
  while (ok && text_more_words(&text, '#')) {
    const char *word;
    int length, corners = 0;
    double X[3];
    text_word(&text, "", &word, &length, error);
    if (length == 1 && word[0] == 'v') {
      for (int i = 0; ok && i < 3; i++) ok = text_double(&text, "vertex's coordinate", &X[i], error);
      if (ok) fprintf(v, "%.17g %.17g %.17g\n", X[0], X[1], X[2]), vertex_count++;
    } else if (length == 1 && word[0] == 'f') {
      char line[4096] = "";
      size_t used = 0;
      for (text_peek(&text, &word, &length);; corners++) {
        while (*text.at == ' ' || *text.at == '\t' || *text.at == '\r') text.at++;
        text_peek(&text, &word, &length);
        if (length == 0) break;
        const long index = strtol(word, NULL, 10), counted = index < 0 ? vertex_count + index : index - 1;
        if (index == 0 || counted < 0 || used > sizeof line - 32) {
          ok = error_set(error, "%s:%d: a face with the corner \"%.*s\"", from, text.line, length < 20 ? length : 20,
                         word);
          break;
        }
        used += (size_t)snprintf(line + used, sizeof line - used, " %ld", counted);
        text.at += length;
      }
      if (ok) fprintf(f, "%d%s\n", corners, line), face_count++;
    }
    text_skip_line(&text);
  }
  if (v) fclose(v);
  if (f) fclose(f);
  FILE *off = ok ? fopen(to, "w") : NULL;
  if (off) fprintf(off, "OFF\n%d %d 0\n%s%s", vertex_count, face_count, vertices, faces);
  if (ok && (!off || fclose(off) != 0)) ok = error_set(error, "%s: cannot be written: %s", to, strerror(errno));
  text_close(&text);
  free(vertices);
  free(faces);
  return ok || error_set(error, "%s: not enough memory", from);
}

static bool copy_file(const char *from, const char *to, Error *error) {
  char bytes[1 << 16];
  size_t got;
  FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
  bool ok = in && out;
  while (ok && (got = fread(bytes, 1, sizeof bytes, in)) > 0) ok = fwrite(bytes, 1, got, out) == got;
  if (in && ferror(in)) ok = false;
  if (in) fclose(in);
  if (out && fclose(out) != 0) ok = false;
  return ok || error_set(error, "%s: %s", from, strerror(errno));
}

// runs TetGen in silence; its last words are kept in a file
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
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  char last[200] = "", line[200];
  FILE *file = fopen(log, "r");
  while (file && fgets(line, sizeof line, file))
    if (strspn(line, " \t\n") != strlen(line)) memcpy(last, line, sizeof last);
  if (file) fclose(file);
  last[strcspn(last, "\n")] = 0;
  return error_set(error, "TetGen could not fill the surface: \"%s\"; it must be closed and must not cut itself", last);
}

bool run_tetrahedralize(const char *surface, const char *out, const TetrahedralizeOptions *options, Error *error) {
  static const char *const kinds[] = { ".obj", ".off", ".stl", ".ply" };
  static const char *const made[] = { ".off", ".off", ".stl", ".ply" };
  char folder[] = "/tmp/pliant_tetgen_XXXXXX", input[64], log[64], result[64], path[64], flags[80];
  int kind = 0;
  while (kind < 4 && !path_ends_with(surface, kinds[kind])) kind++;
  if (kind == 4) return error_set(error, "%s: expected a surface, .obj .off .stl or .ply", surface);
  if (!mesh_write_check(out, error)) return false;
  if (!mkdtemp(folder)) return error_set(error, "%s: cannot be made: %s", folder, strerror(errno));
  snprintf(input, sizeof input, "%s/surface%s", folder, made[kind]);
  snprintf(log, sizeof log, "%s/log", folder);
  snprintf(result, sizeof result, "%s/surface.1.ele", folder);
  const int length = snprintf(flags, sizeof flags, "-pQFBq%g", options->quality);
  if (options->max_volume > 0) snprintf(flags + length, sizeof flags - (size_t)length, "a%.12f", options->max_volume);
  char *words[] = { "tetgen", flags, input, NULL };
  TetMesh mesh = { 0 };
  Error none = { 0 };
  const bool ok = (kind == 0 ? obj_to_off : copy_file)(surface, input, error) && run_tetgen(words, log, error) &&
                  (mesh_read(result, &mesh, &none) ||
                   error_set(error, "%s: TetGen found no inside: the surface must be closed", surface)) &&
                  mesh_write(out, &mesh, NULL, error);
  if (ok) printf("%s: %d nodes, %d tets\n", out, mesh.node_count, mesh.tet_count);
  mesh_destroy(&mesh);
  static const char *const left[] = { "surface.off",
                                      "surface.stl",
                                      "surface.ply",
                                      "surface.1.node",
                                      "surface.1.ele",
                                      "surface.1.face",
                                      "surface.1.edge",
                                      "surface.1.smesh",
                                      "surface_skipped.face",
                                      "surface_skipped.node",
                                      "log" };
  for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, left[k]);
    remove(path);
  }
  rmdir(folder);
  return ok;
}
