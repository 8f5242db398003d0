// A web server for one page: it sends the page by HTTP and frames by WebSocket. One thread calls all functions. Only
// server.c includes the header of the library libwebsockets.
//
// A frame is a text message with the status, then a binary message with the picture. Each connection gets only the
// newest frame. The page answers each picture when it shows it. A connection with SERVER_UNSEEN unanswered pictures
// gets no frame, so a slow connection skips frames, and no queue grows. A notice is a text message that is not repeated
// with each frame. Of several notices, a slow connection gets only the newest one.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
  SERVER_CLIENTS_MAX = 16,    // maximum number of connections that get frames
  SERVER_MESSAGE_MAX = 4096,  // bytes, maximum length of a message from a page
  SERVER_TOKEN_MAX = 128,     // maximum number of characters of a token
  SERVER_UNSEEN = 2,          // maximum number of pictures sent over a connection that its page has not answered yet
};

typedef struct ServerSettings {
  const char *host;   // address on which the server listens, such as "127.0.0.1"
  int port;           // port on which the server listens; 0: any free port
  const char *token;  // secret that each request must contain
  const char *page;   // the page as HTML
  /// Handles a message of connection `client`; a zero byte follows text [length]. To refuse the message, returns false
  /// with the reason, which the server reports before it closes the connection.
  bool (*receive)(void *context, int client, const char *text, size_t length, Error *reason);
  void (*leave)(void *context, int client);  // called when connection `client` is closed
  void *context;
} ServerSettings;

typedef struct Server Server;

/// Creates a server that listens for connections. Copies the settings; the texts to which they point must stay valid.
/// Fails if address or port are not available.
bool server_open(Server **server, const ServerSettings *settings, Error *error);

/// Closes all connections. Accepts NULL.
void server_close(Server *server);

/// Returns the port on which the server listens.
int server_port(const Server *server);

/// Waits for requests, at most `seconds` seconds, and handles them. A signal to the process ends the wait.
void server_wait(Server *server, double seconds);

/// Returns the number of connections that get frames.
int server_watchers(const Server *server);

/// Returns true if a new frame is useful: some connection has got the newest frame and can take another one now.
bool server_wants_frame(const Server *server);

/// Provides a new frame, which connections get as soon as they can take it. status: a JSON object without its last
/// brace, to which the server adds the member "control". Its value is "none" if `controller` is 0. Otherwise it is
/// "you" for the connection `controller`, and "another" for all other connections. picture [size] may be empty. Copies
/// status and picture.
bool server_show(Server *server, const char *status, int controller, const uint8_t *picture, size_t size, Error *error);

/// Provides a new notice, which each connection gets once, as soon as it can take it. Connections that are opened later
/// get it too. Copies the text.
bool server_announce(Server *server, const char *text, Error *error);

/// Records that the page shows a frame. Must be called when connection `client` has answered that it shows this frame.
void server_seen(Server *server, int client, int64_t frame);

/// Returns the number that the frame of the next call of server_show gets.
int64_t server_next_frame(const Server *server);
