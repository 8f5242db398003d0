// pliant: the command line's front door.
#include <stdio.h>
#include <string.h>

#include "app/command_line.h"
#include "app/run_bench.h"
#include "app/run_info.h"

// One command: reads its line and runs. Returns the exit code.
typedef int (*Command)(int count, char **words, Error *error);

static int finish(bool ok) {
  return ok ? 0 : 1;
}

static int early(Parsed parsed) {
  return parsed == PARSED_HELP ? 0 : 2;
}

static int bench(int count, char **words, Error *error) {
  BenchOptions options = { .repeat = 5 };
  Scene scene;
  const CommandLine line = { "pliant bench", "pliant bench [OPTION]... [SCENE|MESH]",
                             "Runs a scene from rest and prints where the time of its steps goes, with Newton and CG counts.",
                             bench_options, &options, "scenes/hand.json", true };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return parsed == PARSED_OK ? finish(run_bench(&scene, &options, error)) : early(parsed);
}

static int info(int count, char **words, Error *error) {
  Scene scene;
  const CommandLine line = { "pliant info", "pliant info [SCENE|MESH]",
                             "Prints what a mesh holds, and the devices and stages of this program.",
                             NULL, NULL, "scenes/hand.json", true };
  const Parsed parsed = command_line_parse(&line, count, words, &scene, error);
  return parsed == PARSED_OK ? finish(run_info(&scene, error)) : early(parsed);
}

int main(int count, char **words) {
  static const struct { const char *name; Command run; } commands[] = {
    { "bench", bench }, { "info", info },
  };
  Error error = { 0 };
  int code = -1;
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
    if (count > 1 && strcmp(words[1], commands[k].name) == 0) code = commands[k].run(count - 2, words + 2, &error);
  if (code > 0) fprintf(stderr, "pliant: %s\n", error.message);
  return code < 0 ? 2 : code;
}
