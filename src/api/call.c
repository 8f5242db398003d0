// Code that runs at the start and at the end of every function of pliant.h (call.h).
#include "api/call.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/printable.h"

static _Thread_local char sentence[ERROR_LENGTH];
static pliant_log_function receiver;
static void *receiver_user;

static void receive(const char *line, void *context) {
  (void)context;
  if (receiver) receiver(line, receiver_user);
}

static void prepare(void) {
  environment_ignore();
  log_send_to(receive, NULL);
}

void api_prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
}

void pliant_set_log(pliant_log_function log, void *user) {
  api_prepare();
  receiver = log;
  receiver_user = user;
}

static void pass_notice(const char *line, void *context) {
  const Listener *to = ((const Heard *)context)->listener;
  to->log(line, to->user);
}

static void pass_progress(const char *what, double part, void *context) {
  const Heard *heard = context;
  heard->listener->progress(what, heard->from + part * heard->share, heard->listener->user);
}

void api_hear(Heard *heard) {
  const Listener *to = heard->listener;
  heard->log = log_route_here((LogRoute){ to && to->log ? pass_notice : NULL, heard });
  heard->progress = progress_route_here((ProgressRoute){ to && to->progress ? pass_progress : NULL, heard });
}

void api_hear_end(const Heard *heard) {
  log_route_here(heard->log);
  progress_route_here(heard->progress);
}

const char *pliant_error(void) {
  return sentence;
}

int api_result(const Error *error, pliant_status status) {
  if (!error->message[0]) return PLIANT_OK;
  memcpy(sentence, error->message, sizeof sentence);
  const bool memory = strstr(sentence, "out of memory") || strstr(sentence, "not enough memory");
  return memory ? PLIANT_NO_MEMORY : status;
}

int api_fail(pliant_status status, const char *format, ...) {
  NUMBERS_WITH_POINT_HERE;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  printable(sentence, sizeof sentence);
  return status;
}

int api_need(const void *pointer, const char *name) {
  return pointer ? PLIANT_OK : api_fail(PLIANT_BAD_ARGUMENT, "%s is NULL", name);
}

int api_give(const void *bytes, size_t size, void *to, size_t capacity, size_t *needed, const char *what) {
  if (needed) *needed = size;
  if (!to) return PLIANT_OK;
  if (size > capacity)
    return api_fail(PLIANT_BAD_ARGUMENT, "%s needs %zu bytes, but the given array holds %zu; give a larger array", what,
                    size, capacity);
  memcpy(to, bytes, size);
  return PLIANT_OK;
}

int api_give_struct(void *to, const void *from, size_t size) {
  size_t given;
  if (!to) return api_need(to, "the struct");
  memcpy(&given, to, sizeof given);
  if (given <= sizeof given)
    return api_fail(PLIANT_BAD_ARGUMENT, "the struct's member \"size\" is %zu; set it to the sizeof of the struct",
                    given);
  const size_t bytes = given < size ? given : size;
  memset((char *)to + sizeof given, 0, given - sizeof given);
  memcpy((char *)to + sizeof given, (const char *)from + sizeof given, bytes - sizeof given);
  return PLIANT_OK;
}
