// pliant: the command line's front door.
#include <stdio.h>
#include <string.h>

#include "app/command_line.h"
#include "app/run_bench.h"
#include "app/run_info.h"
#include "app/run_record.h"
#include "app/run_solve.h"
#include "app/run_validate.h"
#include "app/run_verify.h"
#include "app/run_window.h"
#include "base/log.h"

enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_BAD_LINE = 2 };

static int exit_code(Parsed parsed, bool ok) {
  if (parsed == PARSED_HELP) return EXIT_GOOD;
  return parsed == PARSED_ERROR ? EXIT_BAD_LINE : ok ? EXIT_GOOD : EXIT_FAILED;
}

// without a GPU the coarse hand, which a CPU can follow
static const char *either(const char *with_gpu, const char *without) {
  return device_present(DEVICE_CUDA) ? with_gpu : without;
}

static int window(int count, char **words, Error *error) {
  WindowOptions options = window_defaults();
  Scene scene;
  const CommandLine line = {
    "pliant",
    "pliant [OPTION]... [SCENE|MESH]\n       pliant record|solve|bench|validate|verify|info ...   (each has its own "
    "--help)\n       "
    "pliant "
    "--version",
    "Opens a window on a scene, or on a mesh: grab the body with the left mouse button. Without a name, the hand.",
    window_options,
    &options,
    either("scenes/demo.json", "scenes/demo_coarse.json")
  };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_window(&scene, &options, error));
}

static int record(int count, char **words, Error *error) {
  RecordOptions options = record_defaults();
  Scene scene;
  const CommandLine line = {
    "pliant record",
    "pliant record [OPTION]... [SCENE|MESH] -o DIR",
    "Records a scene without a window, as numbered PNG files and as a film. Without a name, a finger that is dragged.",
    record_options,
    &options,
    either("scenes/drag.json", "scenes/drag_coarse.json")
  };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_record(&scene, &options, error));
}

static int bench(int count, char **words, Error *error) {
  BenchOptions options = { .repeat = 5 };
  Scene scene;
  const CommandLine line = {
    "pliant bench",
    "pliant bench [OPTION]... [SCENE|MESH]",
    "Runs a scene from rest and prints where the time of its steps goes, with Newton and CG counts.",
    bench_options,
    &options,
    "scenes/hand.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_bench(&scene, &options, error));
}

static int validate(int count, char **words, Error *error) {
  ValidateOptions options = { 0 };
  Scene scene;
  const CommandLine line = {
    "pliant validate",
    "pliant validate [OPTION]... [SCENE|MESH]",
    "Holds every assembly, into every format, on every device, against plain code in double: on "
    "four spheres and on the scene's mesh.",
    validate_options,
    &options,
    "scenes/hand.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_validate(&scene, &options, error));
}

static int solve(int count, char **words, Error *error) {
  SolveOptions options = { .increments = 10 };
  Scene scene;
  const CommandLine line = {
    "pliant solve",
    "pliant solve [OPTION]... [SCENE|MESH]",
    "Finds where a scene's forces and gravity balance, without time, by increments of the load.",
    solve_options,
    &options,
    "scenes/droop.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_solve(&scene, &options, error));
}

static int verify(int count, char **words, Error *error) {
  VerifyOptions options = { 0 };
  Scene scene;
  scene_defaults(&scene);
  scene.simulation.precision = PRECISION_F64;
  const CommandLine line = { "pliant verify",
                             "pliant verify [OPTION]...",
                             "Runs twelve cases whose answer is known, and prints reference, result, error and bound.",
                             verify_options,
                             &options,
                             NULL };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_verify(&scene, &options, error));
}

static int info(int count, char **words, Error *error) {
  Scene scene;
  const CommandLine line = { "pliant info",
                             "pliant info [OPTION]... [SCENE|MESH]",
                             "Prints what a mesh holds, and the devices and stages of this program.",
                             NULL,
                             NULL,
                             "scenes/hand.json" };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_info(&scene, error));
}

int main(int count, char **words) {
  static const struct {
    const char *name;
    int (*run)(int count, char **words, Error *error);
  } commands[] = {
    { "record", record }, { "bench", bench }, { "validate", validate },
    { "verify", verify }, { "solve", solve }, { "info", info },
  };
  Error error = { 0 };
  int code = -1;
  if (count == 2 && strcmp(words[1], "--version") == 0) {
    printf("pliant %s\n", PLIANT_VERSION);
    return EXIT_GOOD;
  }
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
    if (count > 1 && strcmp(words[1], commands[k].name) == 0) code = commands[k].run(count - 2, words + 2, &error);
  if (code < 0) code = window(count - 1, words + 1, &error);
  if (code != EXIT_GOOD) log_notice("%s", error.message);
  return code;
}
