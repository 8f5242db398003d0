// pliant-lab: studies of papers 001 to 004, stationary problems, and measurements beside other programs.
#include <stdio.h>
#include <string.h>

#include "app/command_line.h"
#include "app/program.h"
#include "app/run_verify.h"
#include "base/array.h"
#include "lab/baseline/bench_extra.h"
#include "lab/rows.h"
#include "lab/steady/list_stages.h"
#include "lab/steady/run_steady.h"
#include "lab/steady/verify_steady.h"
#include "lab/study/run_study.h"
#include "lab/study/study.h"

static int study(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  StudyOptions options = { .seconds = 60 };
  const char *name;
  char names[200], summary[400];
  snprintf(summary, sizeof summary,
           "Repeats what a paper states, on this machine: its tables beside ours, and checks. NAME: %s.",
           study_names(names));
  const CommandLine line = { .command = "pliant-lab study",
                             .usage = "pliant-lab study NAME [OPTION]...",
                             .summary = summary,
                             .own = study_options,
                             .own_target = &options,
                             .takes = TAKES_PATHS,
                             .path_count = 1,
                             .paths = &name };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return program_exit(parsed, parsed == PARSED_OK && run_study(name, &options, error));
}

// the index of a problem's name
static bool find_problem(const char *name, int *index, Error *error) {
  for (*index = 0; steady_problems[*index]; (*index)++)
    if (strcmp(name, steady_problems[*index]) == 0) return true;
  return error_set(error, "%.200s: no such problem, expected poisson, plate or elasticity", name);
}

static int solve(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  SteadyOptions options = steady_option_defaults();
  const char *names[2];
  const CommandLine line = {
    .command = "pliant-lab solve",
    .usage = "pliant-lab solve poisson|plate|elasticity square|cube|MESH [OPTION]...",
    .summary =
        "Solves a stationary problem on a grid or a mesh: poisson is -div(k grad phi) = f, plate a thin plate that "
        "bends, elasticity a body with small strains. Sources and boundary values are formulas.",
    .own = steady_options,
    .own_target = &options,
    .takes = TAKES_PATHS,
    .path_count = 2,
    .paths = names
  };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  if (parsed != PARSED_OK) return program_exit(parsed, false);
  int problem;
  if (!find_problem(names[0], &problem, error)) return program_exit(PARSED_ERROR, false);
  options.problem = problem;
  return program_exit(PARSED_OK, run_steady(names[1], &options, error));
}

static int verify(int count, char **words, Scene *scene, Error *error) {
  VerifyOptions options = { 0 };
  scene_defaults(scene);
  scene->simulation.precision = PRECISION_F64;
  const CommandLine line = {
    .command = "pliant-lab verify",
    .usage = "pliant-lab verify [OPTION]...",
    .summary = "Runs four stationary problems with known answers, and prints reference, result, error and bound.",
    .own = verify_options,
    .own_target = &options,
    .takes = TAKES_STAGES
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return program_exit(parsed, parsed == PARSED_OK && run_verify(scene, &options, steady_cases, error));
}

static int bench(int count, char **words, Scene *scene, Error *error) {
  LabBenchOptions options = { .bench = { .repeat = 5 } };
  const CommandLine line = {
    .command = "pliant-lab bench",
    .usage = "pliant-lab bench [OPTION]... [SCENE|MESH]",
    .summary = "Does what pliant bench does, and measures the first linear system beside other programs.",
    .own = lab_bench_options(),
    .own_target = &options,
    .terms = bench_terms,
    .benchmark = true,
    .default_scene = "scenes/hand.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return program_exit(parsed, parsed == PARSED_OK && lab_bench(scene, &options, error));
}

static int info(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  const CommandLine line = { .command = "pliant-lab info",
                             .usage = "pliant-lab info",
                             .summary = "Prints the elements, matrices and solvers of stationary problems.",
                             .takes = TAKES_PATHS };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  if (parsed == PARSED_OK) print_steady_stages();
  return program_exit(parsed, true);
}

static void print_help(void) {
  printf(
      "usage: pliant-lab study NAME [OPTION]...\n"
      "       pliant-lab solve poisson|plate|elasticity square|cube|MESH [OPTION]...\n"
      "       pliant-lab verify|bench|info ...   (each has its own --help)\n"
      "       pliant-lab --version\n\n"
      "Repeats the studies of papers 001 to 004, solves stationary problems, and measures beside other programs.\n");
}

static const Verb commands[] = {
  { "study", study }, { "solve", solve }, { "verify", verify }, { "bench", bench }, { "info", info }, { NULL, NULL },
};

int main(int count, char **words) {
  const Program program = { .name = "pliant-lab", .commands = commands, .print_help = print_help };
  lab_add_stages();
  return program_main(&program, count, words);
}
