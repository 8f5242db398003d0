// The main function of pliant and pliant-lab: runs the command that the command line names first (program.h).
#include "app/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/engine.h"
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/meant.h"
#include "base/memory.h"
#include "scene/json_file.h"

enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_BAD_LINE = 2 };
enum { USAGE_LENGTH = 2048 };

// Returns the command of this name, or NULL. The default command has the name "".
static const CommandRow *find_command(const Program *program, const char *name) {
  for (const CommandRow *const *row = program->commands; *row; row++)
    if (strcmp(name, (*row)->name) == 0) return *row;
  return NULL;
}

// Sets `command` to the names of program and command, such as "pliant bench", and `usage` to the usage of the command,
// such as "pliant bench [OPTION]...".
static void write_usage(const Program *program, const CommandRow *row, char command[64], char usage[USAGE_LENGTH]) {
  snprintf(command, 64, "%s%s%s", program->name, row->name[0] ? " " : "", row->name);
  snprintf(usage, USAGE_LENGTH, "%s%s%s", command, row->usage[0] ? " " : "", row->usage);
}

// Writes the usage of all commands, one per line.
static void write_usage_of_all(const Program *program, char usage[USAGE_LENGTH]) {
  char command[64], line[USAGE_LENGTH];
  size_t length = 0;
  usage[0] = '\0';
  for (const CommandRow *const *row = program->commands; *row && length < USAGE_LENGTH; row++) {
    write_usage(program, *row, command, line);
    length += (size_t)snprintf(usage + length, USAGE_LENGTH - length, "%s\n       ", line);
  }
  if (length < USAGE_LENGTH)
    snprintf(usage + length, USAGE_LENGTH - length, "%s help [COMMAND]\n       %s --version", program->name,
             program->name);
}

static bool is_same_file(const char *a, const char *b) {
  struct stat first, second;
  return a[0] && b[0] && stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// Returns true if two paths, whose files need not exist, name one file: `a.npz` and `./a.npz`.
static bool is_same_name(const char *a, const char *b) {
  char folders[2][FILE_PATH_LENGTH];
  const char *slashes[2] = { strrchr(a, '/'), strrchr(b, '/') };
  if (strcmp(slashes[0] ? slashes[0] + 1 : a, slashes[1] ? slashes[1] + 1 : b) != 0) return false;
  for (int k = 0; k < 2; k++) {
    const char *path = k ? b : a;
    const int length = slashes[k] ? (int)(slashes[k] - path) + 1 : 0;
    snprintf(folders[k], FILE_PATH_LENGTH, "%.*s.", length, path);
  }
  return is_same_file(folders[0], folders[1]);
}

// Returns true if the option names a file that the command writes.
static bool is_output(const Option *option) {
  return option->type == OPTION_TEXT && option->unit && strcmp(option->unit, "FILE") == 0 && !option->input_file;
}

// Returns true if the scene or the file that the command line names first is read from `file`.
static bool is_input(const char *file, const CommandInput *input) {
  const Scene *scene = input->scene;
  if (input->paths[0] && is_same_file(file, input->paths[0])) return true;
  if (is_same_file(file, scene->path) || is_same_file(file, scene->mesh) || is_same_file(file, scene->begin) ||
      is_same_file(file, scene->stiffness_file) || is_same_file(file, scene->initial_file) ||
      is_same_file(file, scene->environment))
    return true;
  for (int k = 0; k < scene->body_count; k++)
    if (is_same_file(file, scene->bodies[k].mesh)) return true;
  for (int k = 0; k < OBSTACLES_MAX; k++)
    if (is_same_file(file, scene->obstacle_mesh[k])) return true;
  return false;
}

// Fails if the command would replace the file of `output` by the file of `other`, a second option of the command. The
// checkpoint of --resume may be replaced by that of --checkpoint.
static bool check_pair(const Option *output, const Option *other, const char *options, Error *error) {
  const char *file = options + output->offset, *second = options + other->offset;
  struct stat status;
  if (!file[0] || !second[0]) return true;
  if (!is_same_name(file, second) && !is_same_file(file, second)) return true;
  if (stat(file, &status) == 0 && !S_ISREG(status.st_mode))
    return true;  // several outputs may go to one device or pipe
  if (other->input_file && strcmp(output->key, "checkpoint") == 0) return true;
  char flag[64], other_flag[64];
  option_flag(output, flag);
  option_flag(other, other_flag);
  return error_set(error, "%s and %s name the same file, %s; choose two names", flag, other_flag, file);
}

// Fails if an option of the command, such as --json, names a file that the command reads or that another option names,
// since the command would replace this file. --save-scene may name the scene's file.
static bool keeps_files(const CommandRow *row, const CommandInput *input, Error *error) {
  for (const Option *o = row->options; o && o->key; o++) {
    const char *file = (const char *)input->options + o->offset;
    if (!is_output(o)) continue;
    if (strncmp(o->key, "save", 4) != 0 && is_input(file, input)) {
      char flag[64];
      option_flag(o, flag);
      return error_set(error,
                       "%s: %s is a file that the command reads; choose another name, so that it is not replaced", flag,
                       file);
    }
    for (const Option *other = row->options; other->key; other++) {
      const bool once = other->input_file || (is_output(other) && other < o);
      if (once && !check_pair(o, other, input->options, error)) return false;
    }
  }
  return true;
}

// Runs a command and returns the exit status. words [count]: the words of the command line after the command's name.
static int run_command(const Program *program, const CommandRow *row, int count, char **words, Scene *scene,
                       Error *error) {
  CommandRow whole = *row;
  char command[64], usage[USAGE_LENGTH];
  CommandInput input = { .scene = scene };
  if (row->options_size && !(input.options = array_new(1, (int64_t)row->options_size, "options of the command", error)))
    return EXIT_FAILED;
  if (row->prepare) row->prepare(&whole, input.options, scene);
  write_usage(program, row, command, usage);
  if (!row->name[0]) write_usage_of_all(program, usage);
  const CommandLine line = { .row = &whole, .command = command, .usage = usage };
  const Parsed parsed = command_line_parse(&line, count, words, &input, error);
  int code = parsed == PARSED_HELP ? EXIT_GOOD : EXIT_BAD_LINE;
  if (parsed == PARSED_OK && keeps_files(&whole, &input, error) && (!row->check || row->check(&input, error)))
    code = row->run(&input, error) ? EXIT_GOOD : EXIT_FAILED;
  free(input.options);
  return code;
}

static void print_help(const Program *program) {
  char usage[USAGE_LENGTH];
  write_usage_of_all(program, usage);
  printf("usage: %s\n\n%s Each command has its own --help.\n", usage, program->summary);
}

// Fails if words [count] begin with a command that is now in another program, or contain an option that is.
static bool check_moved(const Program *program, int count, char **words, Error *error) {
  for (const MovedWord *m = program->moved; m && m->command; m++) {
    if (strcmp(words[0], m->command) != 0) continue;
    bool found = !m->option;
    for (int w = 1; w < count && m->option && strcmp(words[w], "--") != 0; w++) {
      const size_t length = strlen(m->option);
      found = found || (strncmp(words[w], m->option, length) == 0 && (!words[w][length] || words[w][length] == '='));
    }
    if (found)
      return error_set(error, "%s%s%s has moved to another program: %s", m->command, m->option ? " " : "",
                       m->option ? m->option : "", m->now);
  }
  return true;
}

// Writes an error about an unknown command: the word, the reason `why`, the known command with the most similar name,
// and the list of all commands. Returns the exit status.
static int refuse_command(const Program *program, const char *word, const char *why, Error *error) {
  char known[200] = "", text[96];
  Meant meant = meant_by(word);
  for (const CommandRow *const *row = program->commands; *row; row++) {
    const size_t length = strlen(known);
    if (!(*row)->name[0]) continue;
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", (*row)->name);
    meant_offer(&meant, (*row)->name);
  }
  meant_offer(&meant, "help");
  error_set(error, "%.200s: %s%s; the commands are help, %s", word, why, meant_text(&meant, text), known);
  return EXIT_BAD_LINE;
}

// Runs the command that the first word names. If this word is a scene, a mesh or an option, runs the default command.
static int run(const Program *program, int count, char **words, Scene *scene, Error *error) {
  static char *help[] = { "--help" }, *table[] = { HELP_TABLE };
  const char *first = count > 0 ? words[0] : "";
  const CommandRow *row = first[0] ? find_command(program, first) : NULL, *without = find_command(program, "");
  if (count > 0 && !check_moved(program, count, words, error)) return EXIT_BAD_LINE;
  if (row) return run_command(program, row, count - 1, words + 1, scene, error);
  if (strcmp(first, HELP_TABLE) == 0) {
    for (const CommandRow *const *each = program->commands; *each; each++)
      run_command(program, *each, 1, table, scene, error);
    return EXIT_GOOD;
  }

  const bool asks = (strcmp(first, "help") == 0 && count == 1) || strcmp(first, "--help") == 0;
  if (asks && without) return run_command(program, without, 1, help, scene, error);
  if (asks || (count == 0 && !without)) {
    print_help(program);
    return asks ? EXIT_GOOD : EXIT_BAD_LINE;
  }
  if (strcmp(first, "help") == 0) {
    row = find_command(program, words[1]);
    return row ? run_command(program, row, 1, help, scene, error)
               : refuse_command(program, words[1], "no such command", error);
  }

  // The word is no command. It may be a scene or a mesh for the default command; without "." or "/" it must be the name
  // of an existing file.
  if (!without) return refuse_command(program, first, "no such command", error);
  if (first[0] && first[0] != '-' && !strpbrk(first, "./") && access(first, F_OK) != 0)
    return refuse_command(program, first, "no such command or file", error);
  return run_command(program, without, count, words, scene, error);
}

// Returns true if --version is among the options.
static bool asks_for_version(int count, char **words) {
  for (int w = 1; w < count && strcmp(words[w], "--") != 0; w++)
    if (strcmp(words[w], "--version") == 0) return true;
  return false;
}

// Opens /dev/null for each standard stream that is closed. Otherwise the next file that the program opens would get the
// descriptor of the stream, and the output of the stream would be written into this file.
static void hold_standard_files(void) {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
    // Standard output is opened for reading only, so that writing results fails and the loss is reported.
    if (fcntl(descriptor, F_GETFD) < 0) (void)!open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

// Closes standard output. Returns the exit status: EXIT_FAILED if `code` is EXIT_GOOD but the results could not be
// printed completely, otherwise `code`.
static int end_output(int code) {
  const bool lost = ferror(stdout);
  if (lost) fputc('\n', stdout);  // makes fclose write again, which sets errno to the cause
  errno = 0;
  if (fclose(stdout) == 0 && !lost) return code;
  log_notice("standard output cannot be written: %s", errno ? strerror(errno) : "the output is incomplete");
  return code == EXIT_GOOD ? EXIT_FAILED : code;
}

int program_main(const Program *program, int count, char **words) {
  hold_standard_files();

  // If SIGXFSZ is ignored, a write beyond the limit of `ulimit -f` returns an error and does not end the program.
  signal(SIGXFSZ, SIG_IGN);
  interrupt_begin();
  json_begin();
  engine_expect(count, words);
  Error error = { 0 };
  if (asks_for_version(count, words)) {
    printf("%s %s\n", program->name, PLIANT_VERSION);
    return end_output(EXIT_GOOD);
  }

  // on the heap, since a Scene is too large for a small stack
  Scene *scene = array_new(1, sizeof *scene, "the scene", &error);
  int code = EXIT_BAD_LINE;
  if (scene && memory_bound_check(&error)) code = run(program, count - 1, words + 1, scene, &error);
  if (code != EXIT_GOOD && error.message[0]) engine_report(&error);
  free(scene);
  return end_output(code);
}
