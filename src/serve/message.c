// Reads messages from the page to the server: see message.h.
#include "serve/message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "scene/json.h"

// names of messages, in the order of MessageKind
static const char KINDS[] = "press|move|release|wheel|seen|act|set|go|save|fit|select|add|duplicate|delete|write";
static const double FAR = 1e5;     // pixels, largest valid coordinate of the mouse
static const double COUNT = 9e15;  // largest valid number of a frame or step
static const double INDEX = 1e6;   // largest valid index of an entry of the scene

static bool read_number(const cJSON *object, const char *key, double low, double high, double *number, Error *error) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
  // The comparisons below also refuse NaN.
  char expected[64];
  snprintf(expected, sizeof expected, "a number from %g to %g", low, high);
  if (!cJSON_IsNumber(value) || !(value->valuedouble >= low && value->valuedouble <= high))
    return json_wrong(value, key, expected, "message", error);
  *number = value->valuedouble;
  return true;
}

static bool read_flag(const cJSON *object, const char *key) {
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static bool read_position(const cJSON *object, double at[2], Error *error) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "at");
  if (!json_is_list(value, 2)) return json_wrong(value, "at", "a list of two numbers", "message", error);
  for (int i = 0; i < 2; i++) {
    const cJSON *item = cJSON_GetArrayItem(value, i);
    if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) <= FAR))
      return json_wrong(value, "at", "a list of two numbers", "message", error);
    at[i] = item->valuedouble;
  }
  return true;
}

static bool read_size(const cJSON *object, int size[2], Error *error) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "size");
  const bool is_list = json_is_list(value, 2);
  for (int i = 0; i < 2; i++) {
    const cJSON *item = is_list ? cJSON_GetArrayItem(value, i) : NULL;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1 && item->valuedouble <= FAR))
      return json_wrong(value, "size", "a list of two numbers, each at least 1", "message", error);
    size[i] = (int)item->valuedouble;
  }
  return true;
}

// Copies the value of a setting from the message as JSON text.
static bool read_value(const cJSON *object, char text[MESSAGE_VALUE], Error *error) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "value");
  if (!value || !cJSON_PrintPreallocated((cJSON *)value, text, MESSAGE_VALUE, false))
    return error_set(error, "message: expected a \"value\" of at most %d characters", MESSAGE_VALUE - 6);
  return true;
}

// Copies the text of a key to text [size]. expected: description of the text in the error message.
static bool read_text(const cJSON *object, const char *key, char *text, size_t size, const char *expected,
                      Error *error) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!cJSON_IsString(value) || strlen(value->valuestring) >= size)
    return json_wrong(value, key, expected, "message", error);
  snprintf(text, size, "%s", value->valuestring);
  return true;
}

static bool read_name(Message *message, const cJSON *object, Error *error) {
  return read_text(object, "name", message->name, sizeof message->name, "the name of an action, setting or key", error);
}

// Reads a message that edits the scene.
static bool read_edit(Message *message, const cJSON *object, Error *error) {
  double number;
  if (!read_text(object, "list", message->list, sizeof message->list, "the key of a list", error)) return false;
  if (!read_number(object, "index", 0, INDEX, &number, error)) return false;
  message->index = (int)number;
  if (message->kind != MESSAGE_ADD && message->kind != MESSAGE_WRITE) return true;
  if (!read_name(message, object, error)) return false;
  return message->kind == MESSAGE_ADD ||
         read_text(object, "text", message->text, sizeof message->text, "a text of at most 1023 bytes", error);
}

static bool read_object(Message *message, const cJSON *object, Error *error) {
  const cJSON *what = cJSON_GetObjectItemCaseSensitive(object, "do");
  const int kind = cJSON_IsString(what) ? choice_index(KINDS, what->valuestring) : -1;
  double number = 0;
  if (kind < 0)
    return json_wrong(what, "do",
                      "one of press, move, release, wheel, seen, act, set, go, save, fit, select, add, duplicate, "
                      "delete, write",
                      "message", error);
  *message = (Message){ .kind = (MessageKind)kind };
  message->shift = read_flag(object, "shift");
  message->control = read_flag(object, "control");
  message->twice = read_flag(object, "twice");
  switch (message->kind) {
    case MESSAGE_PRESS:
    case MESSAGE_RELEASE:
      if (!read_number(object, "button", 0, 2, &number, error)) return false;
      message->button = (int)number;
      return read_position(object, message->at, error);
    case MESSAGE_MOVE:
      return read_position(object, message->at, error);
    case MESSAGE_WHEEL:
      return read_number(object, "notches", -100, 100, &message->notches, error) &&
             read_position(object, message->at, error);
    case MESSAGE_SEEN:
      if (!read_number(object, "frame", 0, COUNT, &number, error)) return false;
      message->frame = (int64_t)number;
      return true;
    case MESSAGE_GO:
      if (!read_number(object, "step", 0, COUNT, &number, error)) return false;
      message->step = (int64_t)number;
      return true;
    case MESSAGE_SAVE:
      return true;
    case MESSAGE_FIT:
      return read_size(object, message->size, error);
    case MESSAGE_ACT:
      return read_name(message, object, error);
    case MESSAGE_SET:
      return read_name(message, object, error) && read_value(object, message->value, error);
    default:
      return read_edit(message, object, error);
  }
}

bool message_read(Message *message, const char *text, size_t length, Error *error) {
  cJSON *object = json_parse(text, length, "message", error);
  const bool ok = object && (cJSON_IsObject(object) || error_set(error, "message: expected a JSON object")) &&
                  read_object(message, object, error);
  cJSON_Delete(object);
  return ok;
}
