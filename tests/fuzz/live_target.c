// Reads inputs of the fuzzer as checkpoints, input logs or the numbers in a scene file, and applies them to a small
// body: see live_target.h. Checkpoints and logs begin with a header that has checksums. The fuzzer cannot guess them,
// so a valid header is written before its bytes, unless the first bytes select a test of the header.
#include "live_target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "live/live.h"
#include "scene/checkpoint.h"

enum { FPS = 30, HEAD_BYTES = 32, STEPS = 2 };

static const char *const SCENE =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}], \"pins\": [{\"z\": [null, 0.01]}],"
    " \"device\": \"cpu\", \"mu\": 500, \"lambda\": 200, \"density\": 10, \"newton_max\": 4, \"cg_max\": 60, "
    "\"halvings_max\": 1,"
    " \"drags\": [{\"grab\": {\"center\": \"+z\", \"radius\": 0.6}, \"path\": [[0, 0, 0, 0], [1, 0.5, 0, 0]]}]}";

static char scene_path[96];
static Scene scene;

static void must(bool holds, const Error *error) {
  if (holds) return;
  fprintf(stderr, "a call that must succeed has failed: %s\n", error->message);
  abort();
}

static void remove_scene(void) {
  remove(scene_path);
}

static void begin(const char *folder) {
  Error error = { 0 };
  if (scene_path[0]) return;
  snprintf(scene_path, sizeof scene_path, "%s/pliant_fuzz_%d.scene.json", folder, (int)getpid());
  FILE *file = fopen(scene_path, "w");
  must(file && fputs(SCENE, file) >= 0 && fclose(file) == 0, &error);
  atexit(remove_scene);
  must(scene_read(&scene, scene_path, &error), &error);
}

static Live *live_new(void) {
  Error error = { 0 };
  Live *live = calloc(1, sizeof *live);
  must(live && live_create(live, &scene, &error), &error);
  return live;
}

static void live_delete(Live *live) {
  live_destroy(live);
  free(live);
}

static void *read_all(const char *path, size_t *size) {
  static unsigned char bytes[1 << 16];
  FILE *file = fopen(path, "rb");
  *size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) fclose(file);
  return bytes;
}

// Writes a checkpoint file. If the data begin with "PLIANTCK", they are the whole file. Otherwise the file gets `good`
// and then the data. `good` has the header and the signature (list of settings) of a valid checkpoint of this body.
static void write_checkpoint(const char *path, unsigned char *good, size_t good_bytes, const uint8_t *data,
                             size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) abort();
  if (size < 8 || memcmp(data, "PLIANTCK", 8) != 0) {
    const size_t signed_bytes = good_bytes - HEAD_BYTES;
    const uint64_t bytes = signed_bytes + size;
    const uint32_t sum = (uint32_t)crc32_z(crc32_z(0, good + HEAD_BYTES, signed_bytes), data, size);
    memcpy(good + 16, &bytes, 8);
    memcpy(good + 24, &sum, 4);
    const uint32_t head_sum = (uint32_t)crc32_z(0, good, 28);
    memcpy(good + 28, &head_sum, 4);
    fwrite(good, 1, good_bytes, file);
  }
  fwrite(data, 1, size, file);
  if (fclose(file) != 0) abort();
}

void fuzz_checkpoint(const char *folder, const char *path, const uint8_t *data, size_t size) {
  static Live *live;
  static unsigned char good[1 << 14];
  static size_t good_bytes;
  Error error = { 0 };
  begin(folder);
  if (!live) {
    uint32_t signature_bytes;
    live = live_new();
    must(checkpoint_write(&live->session, FPS, path, &error), &error);
    const unsigned char *whole = read_all(path, &good_bytes);
    memcpy(&signature_bytes, whole + HEAD_BYTES, 4);
    const size_t end = HEAD_BYTES + 4 + signature_bytes;
    if (end > sizeof good || end > good_bytes) abort();
    memcpy(good, whole, good_bytes = end);
  }

  must(simulation_release(live->session.simulation, 0, &error) && session_reset(&live->session, &error), &error);
  write_checkpoint(path, good, good_bytes, data, size);
  if (!checkpoint_read(&live->session, FPS, path, &error)) {
    if (!error.message[0]) abort();

    // after a failed resume, a reset must succeed
    Error again = { 0 };
    must(session_reset(&live->session, &again), &again);
    return;
  }

  // each step must succeed or report an error, and the state must stay finite
  StepReport report;
  for (int k = 0; k < STEPS && live_step(live, &report, &error); k++) continue;
  double x[64][3], p[64][3];
  Error second = { 0 };
  if (live->session.mesh.node_count > 64) abort();
  must(simulation_state(live->session.simulation, x, p, &second), &second);
  for (int a = 0; a < live->session.mesh.node_count; a++)
    for (int i = 0; i < 3; i++)
      if (!isfinite(x[a][i] + p[a][i])) abort();
}

// Returns the first line of an input log of this body, as the program writes it.
static const char *good_head(const char *path, Live *live) {
  static char head[1 << 12];
  Error error = { 0 };
  size_t size;
  if (head[0]) return head;
  must(live_log(live, path, &error), &error);
  const char *text = read_all(path, &size);
  const char *end = memchr(text, '\n', size);
  if (!end || end - text + 2 > (long)sizeof head) abort();
  memcpy(head, text, (size_t)(end - text) + 1);
  return head;
}

// Writes a log file. The first byte of the data selects which part of the file the data are. 'R': the other bytes are
// the whole file. 'H': the other bytes follow the scene in the first line. Any other byte: all bytes are the lines
// after the first line.
static void write_log(const char *path, const char *head, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) abort();
  const bool raw = size > 0 && data[0] == 'R', heads = size > 0 && data[0] == 'H';
  if (heads)
    fprintf(file, "{\"pliant_log\":1,\"scene\":\"%s\",\"scene_sum\":%u,", scene_path, scene.text_sum);
  else if (!raw)
    fputs(head, file);
  fwrite(data + (raw || heads), 1, size - (raw || heads), file);
  if (fclose(file) != 0) abort();
}

void fuzz_input_log(const char *folder, const char *path, const uint8_t *data, size_t size) {
  static Scene read;
  Error error = { 0 };
  InputReader reader = { 0 };
  Command command;
  begin(folder);
  Live *live = live_new();
  write_log(path, good_head(path, live), data, size);
  bool ok = input_reader_open(&reader, path, &read, &error);
  const bool opened = ok;
  while (ok) {
    while (live_next_logged(live, &reader, &command, &error)) ok = ok && live_apply(live, &command, &error);
    if (!ok || error.message[0] || (reader.ended && !reader.has_command)) break;
    live->steps_taken = reader.step;  // as if the session had taken all steps before the next command
  }
  must(ok == opened, &error);  // live_apply must not fail: a session applies or refuses each command
  // a message begins with the file's path
  if (error.message[0] && strncmp(error.message, path, strlen(path)) != 0) must(false, &error);
  input_reader_close(&reader);
  live_delete(live);
}

// A scene in which each # is replaced by the next number of the input.
static const char *const NUMBERS =
    "{\"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}, \"place\": [#, #, #],"
    " \"velocity\": [#, #, #]}], \"device\": \"cpu\", \"self_contact\": true, \"contact_distance\": #, \"friction\": #,"
    " \"newton_max\": 3, \"cg_max\": 60, \"halvings_max\": 0, \"obstacles\": ["
    "{\"kind\": \"sphere\", \"at\": [#, #, #], \"radius\": #, \"path\": [[0, #, #, #], [1, #, #, #]]},"
    "{\"kind\": \"box\", \"at\": [#, #, #], \"size\": [#, #, #], \"spin\": {\"axis\": [#, #, #], \"speed\": #}},"
    "{\"kind\": \"capsule\", \"from\": [#, #, #], \"to\": [#, #, #], \"radius\": #},"
    "{\"kind\": \"plane\", \"at\": [#, #, #], \"normal\": [#, #, #]}]}";

// Returns the input's next number, 0 after the last one. Infinities and NaN become 1e308, since JSON has neither.
static double next_number(const uint8_t **data, size_t *size) {
  double number = 0;
  if (*size < sizeof number) return 0;
  memcpy(&number, *data, sizeof number);
  *data += sizeof number;
  *size -= sizeof number;
  return isfinite(number) ? number : 1e308;
}

void fuzz_numbers(const char *path, const uint8_t *data, size_t size) {
  static Scene made;
  Error error = { 0 };
  StepReport report;
  FILE *file = fopen(path, "w");
  if (!file) abort();
  for (const char *c = NUMBERS; *c; c++)
    if (*c == '#')
      fprintf(file, "%.17g", next_number(&data, &size));
    else
      fputc(*c, file);
  if (fclose(file) != 0) abort();
  Live *live = calloc(1, sizeof *live);
  must(live != NULL, &error);
  if (scene_read(&made, path, &error) && live_create(live, &made, &error)) {
    double x[8][3], p[8][3];
    Simulation *simulation = live->session.simulation;
    must(simulation_state(simulation, x, NULL, &error), &error);
    for (int a = 0; a < 8; a++)
      for (int i = 0; i < 3; i++) x[a][i] += next_number(&data, &size);
    Error refused = { 0 };
    simulation_set_state(simulation, (const double(*)[3])x, NULL, &refused);
    for (int k = 0; k < STEPS && live_step(live, &report, &error); k++) continue;
    Error second = { 0 };
    must(simulation_state(simulation, x, p, &second), &second);
    for (int a = 0; a < 8; a++)
      for (int i = 0; i < 3; i++)
        if (!isfinite(x[a][i] + p[a][i])) abort();
    live_delete(live);
  } else {
    if (!error.message[0]) abort();
    free(live);
  }
}
