// The frame of a command line program: see program.h.
#include "app/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/meant.h"
#include "base/memory.h"
#include "scene/json_file.h"

enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_BAD_LINE = 2 };

int program_exit(Parsed parsed, bool ok) {
  if (parsed == PARSED_HELP) return EXIT_GOOD;
  return parsed == PARSED_ERROR ? EXIT_BAD_LINE : ok ? EXIT_GOOD : EXIT_FAILED;
}

static const Verb *find_command(const Program *program, const char *name) {
  for (const Verb *command = program->commands; command->name; command++)
    if (strcmp(name, command->name) == 0) return command;
  return NULL;
}

// fails where the words name something that another program has now
static bool check_moved(const Program *program, int count, char **words, Error *error) {
  for (const MovedWord *m = program->moved; m && m->command; m++) {
    if (strcmp(words[0], m->command) != 0) continue;
    bool found = !m->option;
    for (int w = 1; w < count && m->option && strcmp(words[w], "--") != 0; w++) {
      const size_t length = strlen(m->option);
      found = found || (strncmp(words[w], m->option, length) == 0 && (!words[w][length] || words[w][length] == '='));
    }
    if (found)
      return error_set(error, "%s%s%s is in another program now: %s", m->command, m->option ? " " : "",
                       m->option ? m->option : "", m->now);
  }
  return true;
}

// a word that stands where a command does, and is none: what may have been meant, and what there is
static int refuse_command(const Program *program, const char *word, const char *why, Error *error) {
  char known[200] = "", text[96];
  Meant meant = meant_by(word);
  for (const Verb *command = program->commands; command->name; command++) {
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", command->name);
    meant_offer(&meant, command->name);
  }
  meant_offer(&meant, "help");
  error_set(error, "%.200s: %s%s; there are: help, %s", word, why, meant_text(&meant, text), known);
  return EXIT_BAD_LINE;
}

// the command of the first word, or, where that is a scene, a mesh or an option, the window
static int run(const Program *program, int count, char **words, Scene *scene, Error *error) {
  static char *help[] = { "--help" };
  const char *first = count > 0 ? words[0] : "";
  const Verb *command = find_command(program, first);
  if (count > 0 && !check_moved(program, count, words, error)) return EXIT_BAD_LINE;
  if (command) return command->run(count - 1, words + 1, scene, error);
  if (strcmp(first, HELP_TABLE) == 0) {
    static char *table[] = { HELP_TABLE };
    for (const Verb *each = program->commands; each->name; each++) each->run(1, table, scene, error);
    if (!program->without_command) return EXIT_GOOD;
  }
  if (!program->without_command && (count == 0 || strcmp(first, "--help") == 0)) {
    program->print_help();
    return count == 0 ? EXIT_BAD_LINE : EXIT_GOOD;
  }
  if (strcmp(first, "help") == 0) {
    if (count == 1 && program->without_command) return program->without_command(1, help, scene, error);
    if (count == 1) {
      program->print_help();
      return EXIT_GOOD;
    }
    command = find_command(program, words[1]);
    return command ? command->run(1, help, scene, error) : refuse_command(program, words[1], "no such command", error);
  }
  // a name without path and ending is a command's, unless it is there
  if (!program->without_command) return refuse_command(program, first, "no such command", error);
  if (first[0] && first[0] != '-' && !strpbrk(first, "./") && access(first, F_OK) != 0)
    return refuse_command(program, first, "no such command, and no such file", error);
  return program->without_command(count, words, scene, error);
}

// --version, wherever it stands among the options
static bool asks_for_version(int count, char **words) {
  for (int w = 1; w < count && strcmp(words[w], "--") != 0; w++)
    if (strcmp(words[w], "--version") == 0) return true;
  return false;
}

// Where a standard stream is closed, the next file that is opened would take its number, and get what is printed.
static void hold_standard_files(void) {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
    // opened for reading: writing to it fails, so that lost results are reported
    if (fcntl(descriptor, F_GETFD) < 0) (void)!open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

// results that could not be printed whole are a failure
static int end_output(int code) {
  const bool lost = ferror(stdout);
  if (lost) fputc('\n', stdout);  // so that the system says once more why
  errno = 0;
  if (fclose(stdout) == 0 && !lost) return code;
  log_notice("standard output cannot be written: %s", errno ? strerror(errno) : "a part of it was lost");
  return code == EXIT_GOOD ? EXIT_FAILED : code;
}

int program_main(const Program *program, int count, char **words) {
  hold_standard_files();
  signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` is a write that fails, with the system's words
  interrupt_begin();
  json_begin();
  Error error = { 0 };
  if (asks_for_version(count, words)) {
    printf("%s %s\n", program->name, PLIANT_VERSION);
    return end_output(EXIT_GOOD);
  }
  Scene *scene = array_new(1, sizeof *scene, "the scene", &error);  // too large for a short stack
  int code = EXIT_BAD_LINE;
  if (scene && memory_bound_check(&error)) code = run(program, count - 1, words + 1, scene, &error);
  if (code != EXIT_GOOD) log_notice("%s", error.message);
  free(scene);
  return end_output(code);
}
