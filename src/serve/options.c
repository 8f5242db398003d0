// Options of `pliant serve`.
#include <math.h>
#include <netdb.h>
#include <string.h>

#include "serve/serve.h"

#define AT(field) OPTION_AT(ServeOptions, field)
const Option serve_options[] = {
  { "port", OPTION_INTEGER, AT(port), OPTION_FROM_TO(0, 65535), .help = "port of the server; 0: a free port" },
  { "host", OPTION_TEXT, AT(host), .unit = "ADDRESS",
    .help = "address on which the server listens; 0.0.0.0 lets other machines connect, without encryption" },
  { "token", OPTION_TEXT, AT(token), .unit = "TEXT",
    .help = "secret part of the page's address: letters, digits, - and _ [random]" },
  { "size", OPTION_SIZE, AT(size), OPTION_FROM_TO(16, 4096), .unit = "WxH",
    .help = "size of the picture, pixels [the space that the page has]" },
  { "fps", OPTION_NUMBER, AT(fps), OPTION_FROM_TO(0.1, 240), .help = "maximum number of frames per second" },
  { "quality", OPTION_INTEGER, AT(quality), OPTION_FROM_TO(1, 100), .help = "quality of the JPEG pictures" },
  { "idle", OPTION_NUMBER, AT(idle), OPTION_FROM_TO(0.1, 1e6), .unit = "s",
    .help = "time without input from the page that has control, after which another page can take control" },
  { "save", OPTION_TEXT, AT(save), .unit = "FILE",
    .help = "scene file (.json) that the page's button Save writes [a new file in the working directory]" },
  { "log", OPTION_TEXT, AT(log), .unit = "FILE",
    .help = "write a log of all actions of the user, which pliant replay repeats" },
  { "verbose", OPTION_FLAG, AT(verbose), .help = "also report how long each cut and tear takes to compute" },
  { 0 },
};

ServeOptions serve_defaults(void) {
  return (ServeOptions){ .port = 8080, .host = "127.0.0.1", .fps = 30, .quality = 80, .idle = 30 };
}

bool serve_check(const ServeOptions *options, Error *error) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  enum { LONGEST = 128 };
  const size_t length = strspn(options->token, plain);
  if (options->token[length] || length > LONGEST)
    return error_set(error, "--token: expected at most %d letters, digits, - and _", LONGEST);

  struct addrinfo wish = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST }, *found = NULL;
  if (strcmp(options->host, "localhost") == 0) return true;
  if (getaddrinfo(options->host, NULL, &wish, &found) != 0)
    return error_set(error, "--host %s is not an address, such as 127.0.0.1 or 0.0.0.0", options->host);
  freeaddrinfo(found);
  return true;
}
