// Reads a text file line by line and word by word, for mesh readers, with path and line for messages. The whole file is
// in memory, so that counts can be compared with the remaining bytes before memory is allocated. Numbers must be finite
// and in range. Lines end in LF or CRLF. Files packed by gzip are unpacked. Binary data may follow a line, and words
// may be read without regard to lines: see the functions at the end.
#pragma once
#include <stdint.h>

#include "base/error.h"

enum { TEXT_SHOWN = 32 };  // characters of a bad word that a message shows

// A zeroed Text is closed. An open one is before line 1: call text_next_line first.
typedef struct Text {
  const char *path;  // borrowed
  char *data;        // the file, with a line end before it and a NUL after it; owned
  const char *at;    // the next character to read
  const char *end;   // end of the file
  int line;          // line of `at`, from 1
  char separator;    // additional separator of words; 0: none
} Text;

/// Reads the file, unpacked. Fails with the system's message if it cannot be read. To protect memory it also fails if
/// the file is larger than 8 GiB or a quarter of the free memory, or is packed more tightly than any mesh.
bool text_open(Text *text, const char *path, Error *error);
void text_close(Text *text);

/// Returns true if only blanks and line ends are left in the file.
bool text_at_end(const Text *text);

/// Returns true if only blanks are left in the line.
bool text_line_over(Text *text);

/// Advances to the next line that is not blank; `what` names its expected content. Fails at the end of the file, and if
/// the present line has unread words.
bool text_next_line(Text *text, const char *what, Error *error);

/// Skips the rest of the line.
void text_skip_line(Text *text);

/// Skips everything up to the end of the next line that begins with `word`. Fails if there is none.
bool text_skip_past(Text *text, const char *word, Error *error);

/// Reads the next word of the line: not NUL-terminated, [*length] characters of the file. Fails at the end of the line.
bool text_word(Text *text, const char *what, const char **word, int *length, Error *error);

/// Copies a word for a message: truncated if long, with "?" for characters that cannot be printed. Returns `copy`.
const char *text_shown(const char *word, int length, char copy[TEXT_SHOWN + 4]);

/// Fails unless the next word is `word`.
bool text_expect(Text *text, const char *word, Error *error);

/// Reads the next word as an integer in [low, high]. Fails with: hand.msh:1: node count is "-3", expected 4 to
/// 715827882
bool text_int(Text *text, const char *what, int low, int high, int *out, Error *error);
bool text_int64(Text *text, const char *what, int64_t low, int64_t high, int64_t *out, Error *error);

/// Converts a word to a number; false if it is not a finite number. Accepts Fortran's exponents, 1.0D+00. The character
/// after the word must exist and not be part of a number. Requires the C locale, which this program always uses.
bool text_real(const char *word, int length, double *value);

/// Converts a word to an integer; false if it is none or does not fit.
bool text_integer(const char *word, int length, int64_t *value);

/// Reads the next word as a finite number.
bool text_double(Text *text, const char *what, double *out, Error *error);

/// As text_int, for a count of records of at least `record_size` bytes each; also fails if the rest of the file cannot
/// hold so many.
bool text_count(Text *text, const char *what, int low, int high, int record_size, int *out, Error *error);

/// For formats without lines: advances to the next word, over line ends and comments, which reach from `comment` to the
/// end of a line. Fails at the end of the file.
bool text_next_word(Text *text, char comment, const char *what, Error *error);

/// As text_next_word, but returns false without an error at the end of the file.
bool text_more_words(Text *text, char comment);

/// Combines text_next_word and text_int.
bool text_next_int(Text *text, char comment, const char *what, int low, int high, int *out, Error *error);

/// Returns true if a word equals `name`, ignoring case.
bool text_is(const char *word, int length, const char *name);

/// Returns the word at the present position without advancing; length 0 at the end of a line.
void text_peek(const Text *text, const char **word, int *length);

/// Advances over the line's end, to the beginning of binary data. Fails if the line has more words.
bool text_begin_binary(Text *text, const char *what, Error *error);

/// Returns the next `count` records of `size` bytes. Fails if the file has fewer: "file: byte 12: ...".
bool text_bytes(Text *text, const char *what, int64_t count, int64_t size, const unsigned char **bytes, Error *error);

/// Offset of `at` in bytes from the beginning of the (unpacked) file, for messages about binary data.
int64_t text_offset(const Text *text);

/// Skips everything up to the end of the next occurrence of `word`, in binary data too. Fails if there is none.
bool text_search(Text *text, const char *word, Error *error);
