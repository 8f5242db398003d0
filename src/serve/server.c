// The web server: see server.h. libwebsockets calls on_event for each event of a connection.
#include "serve/server.h"

#include <errno.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/log.h"
#include "base/timer.h"

enum { STATUS_MAX = 8192, DESCRIPTORS_MAX = 64, NAME_MAX_LENGTH = 64, HEADER_MAX = 1024, REPORTS_MAX = 60 };

// A frame: its status and its picture. The server and connections that send the frame hold references.
typedef struct Frame {
  int holders;  // number of references to the frame
  int64_t number;
  int controller;  // connection whose page may move the body and the camera; 0: none
  size_t status_length, size;
  char status[STATUS_MAX];  // state of the simulation as a JSON object, without the last brace
  uint8_t *picture;         // [LWS_PRE + size]; libwebsockets writes headers into the first LWS_PRE bytes
} Frame;

// A text that each connection gets once.
typedef struct Notice {
  unsigned char *text;  // [LWS_PRE + length]; libwebsockets writes headers into the first LWS_PRE bytes
  size_t length;
  int64_t number;  // number of notices so far; 0: none
} Notice;

// A connection that gets frames, usually a page in a browser.
typedef struct Client {
  struct lws *socket;  // NULL: the entry is free
  int id;
  Frame *sending;      // frame whose status was sent and whose picture is next; NULL: none
  int64_t sent, seen;  // number of the frame that was last sent, and of the one that the page has last shown
  int unseen;          // number of pictures that were sent but not yet shown
  int64_t noticed;     // number of the notice that was last sent
  char text[SERVER_MESSAGE_MAX + 1];
  size_t length;  // bytes of an incomplete message in `text`
} Client;

struct Server {
  ServerSettings settings;
  struct lws_context *context;
  struct lws_context_creation_info info;
  struct lws_protocols protocols[2];
  lws_sorted_usec_list_t timer;
  Frame *newest;  // NULL: no frame yet
  Notice notice;
  int64_t frames;
  int port, last_id;
  double minute;  // s, clock time since which refused requests are counted
  int reports;    // number of refused requests since then
  Client clients[SERVER_CLIENTS_MAX];
};

// Data that libwebsockets stores for each connection.
typedef struct Link {
  Client *client;  // entry of Server.clients; NULL: the connection gets no frames
} Link;

// ---- functions that send frames to connections

static void release(Frame *frame) {
  if (!frame || --frame->holders > 0) return;
  free(frame->picture);
  free(frame);
}

// Returns true if the connection can take another frame now.
static bool is_free(const Client *client) {
  return client->socket && !client->sending && client->unseen < SERVER_UNSEEN;
}

static bool may_send(const Server *server, const Client *client) {
  return is_free(client) && client->sent < server->frames;
}

bool server_wants_frame(const Server *server) {
  for (int k = 0; k < SERVER_CLIENTS_MAX; k++)
    if (is_free(&server->clients[k]) && server->clients[k].sent == server->frames) return true;
  return false;
}

bool server_show(Server *server, const char *status, int controller, const uint8_t *picture, size_t size,
                 Error *error) {
  Frame *frame = array_new(1, sizeof *frame, "a frame", error);
  if (!frame) return false;
  frame->holders = 1;
  frame->controller = controller;
  frame->status_length = strlen(status);
  if (frame->status_length >= sizeof frame->status) {
    release(frame);
    return error_set(error, "the status of a frame is too long");
  }
  memcpy(frame->status, status, frame->status_length + 1);
  if (size > 0 && !(frame->picture = array_new((int64_t)(LWS_PRE + size), 1, "a frame", error))) {
    release(frame);
    return false;
  }
  if (size > 0) memcpy(frame->picture + LWS_PRE, picture, size);
  frame->size = size;
  frame->number = ++server->frames;
  release(server->newest);
  server->newest = frame;
  for (int k = 0; k < SERVER_CLIENTS_MAX; k++)
    if (may_send(server, &server->clients[k])) lws_callback_on_writable(server->clients[k].socket);
  return true;
}

bool server_announce(Server *server, const char *text, Error *error) {
  const size_t length = strlen(text);
  unsigned char *copy = array_new((int64_t)(LWS_PRE + length), 1, "a notice", error);
  if (!copy) return false;
  memcpy(copy + LWS_PRE, text, length);
  free(server->notice.text);
  server->notice = (Notice){ .text = copy, .length = length, .number = server->notice.number + 1 };
  for (int k = 0; k < SERVER_CLIENTS_MAX; k++)
    if (server->clients[k].socket) lws_callback_on_writable(server->clients[k].socket);
  return true;
}

int64_t server_next_frame(const Server *server) {
  return server->frames + 1;
}

static Client *find(Server *server, int id) {
  for (int k = 0; k < SERVER_CLIENTS_MAX; k++)
    if (server->clients[k].socket && server->clients[k].id == id) return &server->clients[k];
  return NULL;
}

void server_seen(Server *server, int client, int64_t frame) {
  Client *c = find(server, client);
  if (!c || frame <= c->seen || frame > c->sent) return;
  c->seen = frame;
  if (c->unseen > 0) c->unseen--;
  if (may_send(server, c)) lws_callback_on_writable(c->socket);
}

int server_watchers(const Server *server) {
  int count = 0;
  for (int k = 0; k < SERVER_CLIENTS_MAX; k++) count += server->clients[k].socket != NULL;
  return count;
}

// Sends the newest notice. Returns nonzero if the connection is broken. libwebsockets stores the bytes that the
// connection cannot take at once, and calls on_event for the next message when these bytes were sent.
static int send_notice(Server *server, Client *client) {
  const Notice *notice = &server->notice;
  client->noticed = notice->number;
  if (lws_write(client->socket, notice->text + LWS_PRE, notice->length, LWS_WRITE_TEXT) < 0) return -1;
  lws_callback_on_writable(client->socket);
  return 0;
}

// Sends the next message: the newest notice, or the status or the picture of a frame. Returns nonzero if the connection
// is broken.
static int send_part(Server *server, Client *client) {
  Frame *frame = client->sending;
  if (frame) {
    const int sent = lws_write(client->socket, frame->picture + LWS_PRE, frame->size, LWS_WRITE_BINARY);
    client->sending = NULL;
    release(frame);
    if (sent < 0) return -1;
    if (may_send(server, client)) lws_callback_on_writable(client->socket);
    return 0;
  }

  if (client->noticed < server->notice.number) return send_notice(server, client);
  if (!may_send(server, client)) return 0;
  frame = server->newest;
  unsigned char text[LWS_PRE + STATUS_MAX + 32];
  const char *control = !frame->controller ? "none" : frame->controller == client->id ? "you" : "another";
  const int length =
      snprintf((char *)text + LWS_PRE, sizeof text - LWS_PRE, "%s, \"control\": \"%s\"}", frame->status, control);
  client->sent = frame->number;
  if (frame->size > 0) {
    frame->holders++;
    client->sending = frame;
    client->unseen++;
  }

  if (lws_write(client->socket, text + LWS_PRE, (size_t)length, LWS_WRITE_TEXT) < 0) return -1;
  lws_callback_on_writable(client->socket);
  return 0;
}

// ---- functions that answer HTTP requests

// Writes a notice about a refused request, but at most REPORTS_MAX notices per minute. Otherwise other machines could
// fill the disk with notices, or block the server if nobody reads its standard error.
static void report(struct lws *socket, const char *why) {
  Server *server = lws_context_user(lws_get_context(socket));
  char name[NAME_MAX_LENGTH] = "";
  const double now = timer_seconds();
  if (now - server->minute > 60) {
    server->minute = now;
    server->reports = 0;
  }
  if (++server->reports > REPORTS_MAX) {
    if (server->reports == REPORTS_MAX + 1)
      log_notice("serve: refused %d requests within a minute; the others of this minute are not reported", REPORTS_MAX);
    return;
  }
  lws_get_peer_simple(socket, name, sizeof name);
  log_notice("serve: refused a request from %s: %s", name[0] ? name : "an unknown address", why);
}

// Returns true if two texts are equal. The time does not depend on where they differ, so it does not reveal the token.
static bool is_equal(const char *a, const char *b) {
  const size_t length = strlen(b);
  unsigned difference = strlen(a) != length;
  for (size_t k = 0; k < length; k++) difference |= (unsigned)(a[k % (strlen(a) + 1)] ^ b[k]);
  return difference == 0;
}

// Returns true if the request has the argument token=TOKEN with the server's token.
static bool has_token(const Server *server, struct lws *socket) {
  char argument[SERVER_TOKEN_MAX + 16];
  for (int k = 0; k < 16; k++) {
    const int length = lws_hdr_copy_fragment(socket, argument, sizeof argument, WSI_TOKEN_HTTP_URI_ARGS, k);
    if (length == -1) return false;  // the request has no more arguments
    if (length > 0 && strncmp(argument, "token=", 6) == 0) return is_equal(argument + 6, server->settings.token);
  }
  return false;
}

// Sends an HTTP error with a line of text. Returns nonzero if the connection is broken.
static int send_error(struct lws *socket, unsigned code, const char *why) {
  unsigned char buffer[LWS_PRE + HEADER_MAX], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
  const size_t length = strlen(why);
  if (lws_add_http_common_headers(socket, code, "text/plain; charset=utf-8", length, &at, end)) return -1;
  if (lws_finalize_http_header(socket, &at, end) || (size_t)(end - at) < length) return -1;
  memcpy(at, why, length);
  return lws_write(socket, start, (size_t)(at - start) + length, LWS_WRITE_HTTP) < 0;
}

// Reports and refuses a request. Returns the result that libwebsockets expects of on_event.
static int refuse(struct lws *socket, unsigned code, const char *why) {
  report(socket, why);
  return send_error(socket, code, why) || lws_http_transaction_completed(socket) ? -1 : 0;
}

// Sends the headers of the page, whose text follows when the connection can take it.
static int begin_page(const Server *server, struct lws *socket, const char *path) {
  static const char *const headers[][2] = {
    { "content-security-policy:",
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
      "img-src 'self' data: blob:; connect-src 'self'" },
    { "referrer-policy:", "no-referrer" },
    { "cache-control:", "no-store" },
    { "x-content-type-options:", "nosniff" },
  };
  unsigned char buffer[LWS_PRE + HEADER_MAX], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;

  // browsers request an icon without the token
  if (strcmp(path, "/favicon.ico") == 0)
    return send_error(socket, 404, "there is no icon") || lws_http_transaction_completed(socket) ? -1 : 0;
  if (lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) <= 0) return refuse(socket, 405, "only GET is allowed");
  if (!has_token(server, socket)) return refuse(socket, 403, "the token in the address is missing or wrong");
  if (strcmp(path, "/") != 0) return refuse(socket, 404, "there is only one page, /");
  if (lws_add_http_common_headers(socket, 200, "text/html; charset=utf-8", strlen(server->settings.page), &at, end))
    return -1;
  for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
    if (lws_add_http_header_by_name(socket, (const unsigned char *)headers[k][0], (const unsigned char *)headers[k][1],
                                    (int)strlen(headers[k][1]), &at, end))
      return -1;
  if (lws_finalize_write_http_header(socket, start, &at, end)) return -1;
  lws_callback_on_writable(socket);
  return 0;
}

static int finish_page(const Server *server, struct lws *socket) {
  const size_t length = strlen(server->settings.page);
  unsigned char *copy = malloc(LWS_PRE + length);
  if (!copy) return -1;
  memcpy(copy + LWS_PRE, server->settings.page, length);
  const int sent = lws_write(socket, copy + LWS_PRE, length, LWS_WRITE_HTTP_FINAL);
  free(copy);
  return sent < (int)length || lws_http_transaction_completed(socket) ? -1 : 0;
}

// Answers a request for a WebSocket. Returns 0 to accept it.
static int confirm(const Server *server, struct lws *socket, const char *kind) {
  unsigned code = 0;
  const char *why = "";
  if (strcmp(kind, "websocket") != 0) {
    code = 400;
    why = "it asks for another protocol than WebSocket";
  }
  if (!code && !has_token(server, socket)) {
    code = 403;
    why = "the token in the address is missing or wrong";
  }
  if (!code && server_watchers(server) == SERVER_CLIENTS_MAX) {
    code = 503;
    why = "too many pages are open";
  }
  if (!code) return 0;
  report(socket, why);
  return send_error(socket, code, why) ? -1 : 1;
}

// ---- connections that get frames

static int join(Server *server, struct lws *socket, Link *link) {
  for (int k = 0; k < SERVER_CLIENTS_MAX; k++) {
    Client *client = &server->clients[k];
    if (client->socket) continue;
    *client = (Client){ .socket = socket, .id = ++server->last_id };
    // counts older frames as sent and shown, so that the new connection gets the newest frame at once
    client->sent = client->seen = server->frames > 0 ? server->frames - 1 : 0;
    link->client = client;
    lws_callback_on_writable(socket);
    return 0;
  }
  return -1;
}

static void part(Server *server, Link *link) {
  Client *client = link->client;
  if (!client) return;
  link->client = NULL;
  client->socket = NULL;
  release(client->sending);
  client->sending = NULL;
  if (server->settings.leave) server->settings.leave(server->settings.context, client->id);
}

// Reports the reason and closes the connection. Returns -1, which makes libwebsockets close it.
static int close_with(struct lws *socket, enum lws_close_status status, const char *why) {
  report(socket, why);
  lws_close_reason(socket, status, NULL, 0);
  return -1;
}

static int receive(Server *server, Client *client, const char *bytes, size_t count) {
  struct lws *socket = client->socket;
  Error reason = { 0 };
  if (lws_frame_is_binary(socket))
    return close_with(socket, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "it sent a binary message; expected text");
  if (client->length + count + lws_remaining_packet_payload(socket) > SERVER_MESSAGE_MAX)
    return close_with(socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "it sent a message of more than 4096 bytes");
  memcpy(client->text + client->length, bytes, count);
  client->length += count;
  if (lws_remaining_packet_payload(socket) > 0 || !lws_is_final_fragment(socket)) return 0;
  const size_t length = client->length;
  client->text[length] = '\0';
  client->length = 0;
  if (server->settings.receive(server->settings.context, client->id, client->text, length, &reason)) return 0;
  return close_with(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION, reason.message);
}

static int on_event(struct lws *socket, enum lws_callback_reasons event, void *user, void *in, size_t length) {
  Server *server = lws_context_user(lws_get_context(socket));
  Link *link = user;
  switch (event) {
    case LWS_CALLBACK_HTTP:
      return begin_page(server, socket, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
      return finish_page(server, socket);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      return confirm(server, socket, in);
    case LWS_CALLBACK_ESTABLISHED:
      return join(server, socket, link);
    case LWS_CALLBACK_SERVER_WRITEABLE:
      return link->client ? send_part(server, link->client) : -1;
    case LWS_CALLBACK_RECEIVE:
      return link->client ? receive(server, link->client, in, length) : -1;
    case LWS_CALLBACK_CLOSED:
      part(server, link);
      return 0;
    default:
      return 0;
  }
}

// ---- starting and ending the server

// Fails with the reason if address and port are not available, because libwebsockets would give no reason. The option
// --host is an address in numbers, which serve_check has checked.
static bool check_address(const ServerSettings *settings, Error *error) {
  char port[16];
  struct addrinfo wish = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST }, *found = NULL;
  snprintf(port, sizeof port, "%d", settings->port);
  const int failed = getaddrinfo(settings->host, port, &wish, &found);
  if (failed != 0)
    return error_set(error, "port %d of %s cannot be opened: %s", settings->port, settings->host, gai_strerror(failed));
  const int one = 1, descriptor = socket(found->ai_family, SOCK_STREAM, 0);
  bool ok = descriptor >= 0;
  if (ok) setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  ok = ok && bind(descriptor, found->ai_addr, found->ai_addrlen) == 0 && listen(descriptor, 1) == 0;
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  freeaddrinfo(found);
  if (ok) return true;
  return error_set(error, "port %d of %s cannot be opened: %s%s", settings->port, settings->host, strerror(reason),
                   reason == EADDRINUSE ? "; choose another with --port, or 0 for a free one" : "");
}

bool server_open(Server **made, const ServerSettings *settings, Error *error) {
  static const lws_retry_bo_t alive = { .secs_since_valid_ping = 15, .secs_since_valid_hangup = 25 };
  if (!check_address(settings, error)) return false;
  Server *server = array_new(1, sizeof *server, "the web server", error);
  if (!server) return false;
  server->settings = *settings;
  server->protocols[0] = (struct lws_protocols){
    .name = "pliant", .callback = on_event, .per_session_data_size = sizeof(Link), .rx_buffer_size = SERVER_MESSAGE_MAX
  };
  const bool six = strchr(settings->host, ':');
  server->info = (struct lws_context_creation_info){
    .port = settings->port,
    .iface = settings->host,
    .protocols = server->protocols,
    .user = server,
    .gid = -1,
    .uid = -1,
    .fd_limit_per_thread = DESCRIPTORS_MAX,
    .timeout_secs = 10,
    .keepalive_timeout = 10,
    .retry_and_idle_policy = &alive,
    .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | (six ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6),
  };
  lws_set_log_level(0, NULL);
  server->context = lws_create_context(&server->info);
  struct lws_vhost *host = server->context ? lws_get_vhost_by_name(server->context, "default") : NULL;
  if (!host) {
    server_close(server);
    return error_set(error, "%s, port %d: the web server cannot be started", settings->host, settings->port);
  }
  server->port = lws_get_vhost_listen_port(host);
  *made = server;
  return true;
}

void server_close(Server *server) {
  if (!server) return;
  server->settings.leave = NULL;
  if (server->context) lws_context_destroy(server->context);
  release(server->newest);
  free(server->notice.text);
  free(server);
}

int server_port(const Server *server) {
  return server->port;
}

// libwebsockets calls this function when the time of server_wait has passed, and then ends the wait.
static void on_time(lws_sorted_usec_list_t *timer) {
  (void)timer;
}

void server_wait(Server *server, double seconds) {
  lws_sul_schedule(server->context, 0, &server->timer, on_time, (lws_usec_t)(1e6 * seconds) + 1);
  lws_service(server->context, 0);
}
