// Tests output files: pictures (read back by libpng), states (archives in numpy's format) and films. If a file cannot
// be written, the error message names the reason.
#include "../testing.h"

#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

#include "base/random.h"
#include "base/timer.h"
#include "record/mp4_check.h"
#include "record/png_file.h"
#include "record/video.h"
#include "scene/state_npz.h"

static char folder[] = "/tmp/pliant_record_XXXXXX";

static const char *in_folder(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void pictures_come_back_as_they_were(void **state) {
  (void)state;
  enum { WIDTH = 37, HEIGHT = 23 };
  static uint8_t rgba[HEIGHT][WIDTH][4], back[HEIGHT][WIDTH][4];
  Error error = { 0 };
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const uint8_t color[4] = { (uint8_t)(7 * x), (uint8_t)(11 * y), (uint8_t)(x * y), 255 };
      memcpy(rgba[y][x], color, 4);
    }
  const char *path = in_folder("picture.png");
  MUST(png_write(path, &rgba[0][0][0], WIDTH, HEIGHT, &error));
  png_image image = { .version = PNG_IMAGE_VERSION };
  assert_true(png_image_begin_read_from_file(&image, path));
  assert_int_equal(image.width, WIDTH);
  assert_int_equal(image.height, HEIGHT);
  image.format = PNG_FORMAT_RGBA;
  assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
  assert_memory_equal(back, rgba, sizeof rgba);
  assert_int_equal(access(in_folder("picture.png.part"), F_OK), -1);  // no temporary file is left
}

static void a_picture_without_room_says_why(void **state) {
  (void)state;
  static uint8_t rgba[64][64][4];
  Error error = { 0 };
  assert_false(png_write("/dev/full", &rgba[0][0][0], 64, 64, &error));
  assert_string_equal(error.message, "/dev/full: cannot be written: No space left on device");

  // This picture has more data than the buffer of a stream, so already a write within libpng fails, not only the last
  // one.
  static uint8_t noise[256][256][4];
  uint64_t seed = 1;
  for (int k = 0; k < 256 * 256; k++) noise[k / 256][k % 256][k % 3] = (uint8_t)(127 * random_unit(&seed) + 128);
  error = (Error){ 0 };
  assert_false(png_write("/dev/full", &noise[0][0][0], 256, 256, &error));
  assert_string_equal(error.message, "/dev/full: cannot be written: No space left on device");
}

static void a_folder_that_is_not_there_is_named(void **state) {
  (void)state;
  const uint8_t rgba[4] = { 0 };
  const double x[1][3] = { { 0 } };
  Error error = { 0 };
  assert_false(png_write("/nowhere/at/all.png", rgba, 1, 1, &error));
  assert_non_null(strstr(error.message, "/nowhere/at/all.png"));
  error = (Error){ 0 };
  assert_false(state_npz_write("/nowhere/at/all.npz", 1, x, x, x, &error));
  assert_non_null(strstr(error.message, "/nowhere/at/all.npz"));
  Video video = { 0 };
  error = (Error){ 0 };
  assert_false(video_open(&video, "/nowhere/at/all.mp4", 16, 16, 30, &error));
  assert_non_null(strstr(error.message, "/nowhere/at/all.mp4"));
  video_close(&video);
}

static void states_have_the_layout_numpy_reads(void **state) {
  (void)state;
  enum { NODES = 5 };
  static double arrays[3][NODES][3];
  static const char *const names[3] = { "positions.npy", "momenta.npy", "initial_positions.npy" };
  Error error = { 0 };
  for (int k = 0; k < 3; k++)
    for (int a = 0; a < NODES; a++)
      for (int i = 0; i < 3; i++) arrays[k][a][i] = 100 * k + 10 * a + i + 1.0 / 3;
  typedef const double(*Rows)[3];
  for (int round = 0; round < 2; round++)  // the second call replaces the file of the first
    MUST(state_npz_write(in_folder("state.npz"), NODES, (Rows)arrays[0], (Rows)arrays[1], (Rows)arrays[2], &error));
  zip_t *zip = zip_open(in_folder("state.npz"), ZIP_RDONLY, NULL);
  assert_non_null(zip);
  assert_int_equal(zip_get_num_entries(zip, 0), 3);
  for (int k = 0; k < 3; k++) {
    char bytes[1024];
    zip_stat_t status;
    zip_file_t *file = zip_fopen(zip, names[k], 0);
    assert_non_null(file);
    assert_int_equal(zip_stat(zip, names[k], 0, &status), 0);
    assert_int_equal(status.comp_method, ZIP_CM_STORE);
    const int64_t size = zip_fread(file, bytes, sizeof bytes);
    zip_fclose(file);
    const int header = (uint8_t)bytes[8] + 256 * (uint8_t)bytes[9];
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_int_equal((10 + header) % 64, 0);
    assert_int_equal(bytes[10 + header - 1], '\n');
    bytes[10 + header - 1] = '\0';
    assert_non_null(strstr(bytes + 10, "'descr': '<f8', 'fortran_order': False, 'shape': (5, 3)"));
    assert_int_equal(size, 10 + header + (int)sizeof arrays[k]);
    assert_memory_equal(bytes + 10 + header, arrays[k], sizeof arrays[k]);
  }
  zip_discard(zip);
}

static void without_ffmpeg_the_message_says_what_to_install(void **state) {
  (void)state;
  char *path = strdup(getenv("PATH"));
  Error error = { 0 };
  Video video = { 0 };
  setenv("PATH", folder, 1);
  const bool ok = video_open(&video, in_folder("none.mp4"), 16, 16, 30, &error);
  setenv("PATH", path, 1);
  free(path);
  assert_false(ok);
  assert_non_null(strstr(error.message, "install the package ffmpeg"));
  assert_int_equal(access(in_folder("none.mp4.part"), F_OK), -1);
  video_close(&video);
}

static void a_dying_ffmpeg_is_an_error_not_a_signal(void **state) {
  (void)state;

  // replaces ffmpeg by a script that ends at once
  FILE *script = fopen(in_folder("ffmpeg"), "w");
  assert_non_null(script);
  fprintf(script, "#!/bin/sh\nexit 3\n");
  fclose(script);
  assert_int_equal(chmod(in_folder("ffmpeg"), 0755), 0);
  static uint8_t rgba[256][256][4];
  char *path = strdup(getenv("PATH"));
  Error error = { 0 };
  Video video = { 0 };
  setenv("PATH", folder, 1);
  const bool opened = video_open(&video, in_folder("dead.mp4"), 256, 256, 30, &error);
  setenv("PATH", path, 1);
  free(path);
  MUST(opened);
  bool ok = true;
  for (int k = 0; k < 100 && ok; k++) ok = video_add(&video, &rgba[0][0][0], &error);
  ok = ok && video_commit(&video, &error);
  video_close(&video);
  assert_false(ok);
  assert_non_null(strstr(error.message, "ffmpeg"));
  assert_int_equal(access(in_folder("dead.mp4"), F_OK), -1);
  assert_int_equal(access(in_folder("dead.mp4.part"), F_OK), -1);
}

// Writes a film of three pictures of side x side pixels. The shell script `script` runs in place of ffmpeg.
// patience_ms: how long the program waits for it, ms; 0: the default.
static bool film_by(const char *script, const char *path, int side, int patience_ms, Error *error) {
  static uint8_t rgba[256][256][4];
  char words[64];
  FILE *file = fopen(in_folder("ffmpeg"), "w");
  assert_non_null(file);

  // `out` becomes the path of the film, which is the last argument of ffmpeg
  fprintf(file, "#!/bin/sh\nPATH='%s'\nfor out; do :; done; out=${out#file:}\n%s\n", getenv("PATH"), script);
  fclose(file);
  assert_int_equal(chmod(in_folder("ffmpeg"), 0755), 0);
  char *before = strdup(getenv("PATH"));
  Video video = { 0 };
  snprintf(words, sizeof words, "%s", folder);
  setenv("PATH", words, 1);
  bool ok = video_open(&video, path, side, side, 30, error);
  setenv("PATH", before, 1);
  free(before);
  if (patience_ms) video.patience_ms = patience_ms;
  for (int k = 0; k < 3 && ok; k++) ok = video_add(&video, &rgba[0][0][0], error);
  ok = ok && video_commit(&video, error);
  video_close(&video);
  return ok;
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

// An incomplete film never replaces a complete one, whatever ffmpeg's exit status is.
static void an_incomplete_film_does_not_replace_a_file(void **state) {
  (void)state;
  static const char *const scripts[][2] = {
    { "cat >/dev/null", "is empty" },
    { "cat >/dev/null; echo No space left on device >&2", "ffmpeg failed: No space left on device" },
    { "cat >/dev/null; echo first >&2; echo second >&2; exit 1", "ffmpeg failed: first second" },
    { "cat >$out", "is cut off" },
    { "cat >/dev/null; printf '\\0\\0\\0\\010ftyp\\0\\0\\0\\010mdat' >$out", "has no index" },
    { "cat >/dev/null; printf '\\0\\0\\0\\010ftyp\\0\\0\\0\\010moov' >$out", "has no frames" },
    { "cat >/dev/null; printf '\\0\\0\\0\\010ftyp\\0\\0\\0\\010mdat\\0\\0\\0\\010moov' >$out", "does not list all" },
    { "cat >/dev/null; printf '\\0\\0\\0\\010ftyp\\0\\0\\0\\011mdat' >$out", "is cut off" },
  };
  char path[256], old[16];
  snprintf(path, sizeof path, "%s", in_folder("good.mp4"));
  write_text(path, "a good one");
  for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
    Error error = { 0 };
    if (film_by(scripts[k][0], path, 16, 0, &error)) fail_msg("%s: an incomplete film was accepted", scripts[k][0]);
    if (!strstr(error.message, scripts[k][1]) || !strstr(error.message, path))
      fail_msg("%s: \"%s\", expected \"%s\"", scripts[k][0], error.message, scripts[k][1]);
    FILE *file = fopen(path, "r");
    assert_non_null(fgets(old, sizeof old, file));
    fclose(file);
    assert_string_equal(old, "a good one");
  }
}

// If ffmpeg hangs, the program stops waiting after a time limit, also without a signal from the user. The error message
// names the file, the fault and a remedy.
static void an_ffmpeg_that_hangs_ends_the_film(void **state) {
  (void)state;
  static const struct {
    const char *script, *fault;
    int side;  // edge of a picture, pixels: three pictures of 16 x 16 fit into the pipe, three of 256 x 256 do not
  } rows[] = { { "sleep 1000", "does not read frames", 256 },
               { "kill -STOP $$", "does not read frames", 256 },
               { "sleep 1000", "does not exit after the last frame", 16 },
               { "cat >/dev/null; sleep 1000", "does not exit after the last frame", 256 } };
  char path[256];
  snprintf(path, sizeof path, "%s", in_folder("hung.mp4"));
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    Error error = { 0 };
    const double begun = timer_seconds();
    assert_false(film_by(rows[k].script, path, rows[k].side, 1000, &error));
    assert_true(timer_seconds() - begun < 20);
    if (!strstr(error.message, path) || !strstr(error.message, rows[k].fault) || !strstr(error.message, "-o DIR"))
      fail_msg("%s: \"%s\"", rows[k].script, error.message);
    assert_int_equal(access(path, F_OK), -1);
  }
}

// At the end of a large film, ffmpeg or its child process may write or compute for a long time without reading
// pictures. The program must not take this for a hang.
static void a_slow_ffmpeg_is_not_taken_for_a_hang(void **state) {
  (void)state;
  static const char *const scripts[] = {
    "cat >/dev/null; for k in 1 2 3 4 5 6 7 8; do echo $k >>$out; sleep 0.4; done",
    "cat >/dev/null; (while :; do :; done) & sleep 3; kill $!; echo x >$out",
  };
  char path[256];
  snprintf(path, sizeof path, "%s", in_folder("busy.mp4"));
  for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
    Error error = { 0 };
    assert_false(film_by(scripts[k], path, 16, 1000, &error));
    if (!strstr(error.message, "is cut off")) fail_msg("%s: \"%s\"", scripts[k], error.message);
  }
}

// mp4_fault detects a truncated film, and a film with a wrong number of pictures in its index.
static void truncated_films_are_detected(void **state) {
  (void)state;
  if (system("ffmpeg -version >/dev/null 2>&1") != 0) skip();
  static uint8_t rgba[16][16][4];
  static char bytes[1 << 16];
  Error error = { 0 };
  Video video;
  MUST(video_open(&video, in_folder("whole.mp4"), 16, 16, 30, &error));
  for (int k = 0; k < 5; k++) MUST(video_add(&video, &rgba[0][0][0], &error));
  MUST(video_commit(&video, &error));
  video_close(&video);
  FILE *film = fopen(in_folder("whole.mp4"), "rb");
  assert_non_null(film);
  const size_t size = fread(bytes, 1, sizeof bytes, film);
  assert_null(mp4_fault(film, 5));
  assert_non_null(mp4_fault(film, 4));
  assert_non_null(mp4_fault(film, 6));
  fclose(film);
  for (size_t cut = 0; cut < size; cut++) {
    FILE *part = cut ? fmemopen(bytes, cut, "rb") : tmpfile();
    assert_non_null(part);
    if (!mp4_fault(part, 5)) fail_msg("a film that is cut off after %zu of %zu bytes has no fault", cut, size);
    fclose(part);
  }
}

static void a_film_cannot_go_into_a_device_or_a_folder(void **state) {
  (void)state;
  Video video = { 0 };
  Error error = { 0 };
  assert_int_equal(symlink("/dev/null", in_folder("null.mp4")), 0);
  assert_false(video_open(&video, in_folder("null.mp4"), 16, 16, 30, &error));
  assert_non_null(strstr(error.message, "null.mp4: is not a regular file"));
  error = (Error){ 0 };
  assert_int_equal(mkdir(in_folder("folder.mp4"), 0777), 0);
  assert_false(video_open(&video, in_folder("folder.mp4"), 16, 16, 30, &error));
  assert_non_null(strstr(error.message, "is a folder"));
}

static void films_have_all_their_pictures(void **state) {
  (void)state;
  if (system("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") != 0) skip();
  enum { WIDTH = 33, HEIGHT = 17, FRAMES = 7 };  // ffmpeg needs even sizes, so the program pads odd ones
  static uint8_t rgba[HEIGHT][WIDTH][4];
  Error error = { 0 };
  Video video;
  char command[512], said[128] = "";
  MUST(video_open(&video, in_folder("film.mp4"), WIDTH, HEIGHT, 30, &error));
  for (int k = 0; k < FRAMES; k++) {
    memset(rgba, 30 * k, sizeof rgba);
    MUST(video_add(&video, &rgba[0][0][0], &error));
  }
  MUST(video_commit(&video, &error));
  video_close(&video);
  snprintf(command, sizeof command,
           "ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,pix_fmt,nb_read_frames "
           "-of csv=p=0 %s",
           in_folder("film.mp4"));
  FILE *answer = popen(command, "r");
  assert_non_null(answer);
  assert_non_null(fgets(said, sizeof said, answer));
  pclose(answer);
  assert_string_equal(said, "h264,34,18,yuv420p,7\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pictures_come_back_as_they_were),
    cmocka_unit_test(a_picture_without_room_says_why),
    cmocka_unit_test(a_folder_that_is_not_there_is_named),
    cmocka_unit_test(states_have_the_layout_numpy_reads),
    cmocka_unit_test(without_ffmpeg_the_message_says_what_to_install),
    cmocka_unit_test(a_dying_ffmpeg_is_an_error_not_a_signal),
    cmocka_unit_test(an_incomplete_film_does_not_replace_a_file),
    cmocka_unit_test(an_ffmpeg_that_hangs_ends_the_film),
    cmocka_unit_test(a_slow_ffmpeg_is_not_taken_for_a_hang),
    cmocka_unit_test(truncated_films_are_detected),
    cmocka_unit_test(a_film_cannot_go_into_a_device_or_a_folder),
    cmocka_unit_test(films_have_all_their_pictures),
  };
  if (!mkdtemp(folder)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command) != 0 || failed;
}
