// A web server for one page: it sends the page by HTTP, and pictures by WebSocket. All functions are called
// by one thread. Only server.c includes the header of the library libwebsockets.
//
// Each connection gets the newest frame only: a text message with the status, then a binary message with the picture.
// A page answers each picture. A connection with SERVER_UNSEEN unanswered pictures gets no further frame, so a slow
// connection skips frames, and no queue grows.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
  SERVER_CLIENTS_MAX = 16,    // maximum number of connections that get frames
  SERVER_MESSAGE_MAX = 2048,  // longest message of a page, bytes
  SERVER_TOKEN_MAX = 128,     // longest token, characters
  SERVER_UNSEEN = 2,
};

typedef struct ServerSettings {
  const char *host;   // address on which the server listens, such as "127.0.0.1"
  int port;           // 0: a free port
  const char *token;  // text that each request must contain
  const char *page;   // the page, a text of HTML
  /// Handles a message of a connection; `text` [length] is followed by a zero byte. Returns false, with the reason, to
  /// refuse the message. The server then reports the reason and closes the connection.
  bool (*receive)(void *context, int client, const char *text, size_t length, Error *reason);
  void (*leave)(void *context, int client);  // a connection was closed
  void *context;
} ServerSettings;

typedef struct Server Server;

/// Begins to listen. The settings are copied, but not the texts. Fails if the address or the port is not available.
bool server_open(Server **server, const ServerSettings *settings, Error *error);

/// Closes all connections. Accepts NULL.
void server_close(Server *server);

/// Returns the port on which the server listens.
int server_port(const Server *server);

/// Waits for requests and handles them, at most for this many seconds. A signal ends the wait.
void server_wait(Server *server, double seconds);

/// Returns the number of connections that get frames.
int server_watchers(const Server *server);

/// Returns true if some connection has got the newest frame and can take another one now.
bool server_wants_frame(const Server *server);

/// Makes a frame the newest one. `status` is a JSON object without its last brace. The server appends the member
/// "control": "you" for the connection `controller`, otherwise "another", or "none" if `controller` is 0. `picture`
/// [size] may be empty. Both are copied.
bool server_show(Server *server, const char *status, int controller, const uint8_t *picture, size_t size, Error *error);

/// Marks a picture as shown by this connection.
void server_seen(Server *server, int client, int64_t frame);

/// Returns the number that server_show gives to the next frame.
int64_t server_next_frame(const Server *server);
