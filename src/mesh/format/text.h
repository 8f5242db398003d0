// Reads text files line by line and word by word, for mesh readers. Messages contain path and line. The whole file is
// read into memory. So a count in the file can be compared with the file's size before memory is allocated. Numbers
// must be finite and in range. Lines end in LF or CRLF. Files compressed by gzip are decompressed. The last functions
// below read binary data in a text file, and formats in which line ends have no meaning.
#pragma once
#include <stdint.h>

#include "base/error.h"

enum { TEXT_SHOWN = 32 };  // number of characters of an invalid word that messages show

// A zeroed Text is closed. After text_open the position is before line 1, so text_next_line must be called first.
typedef struct Text {
  const char *path;  // path of the file; borrowed
  char *data;        // content of the file, with a line end added before it and a NUL after it; owned
  const char *at;    // the next character to read
  const char *end;   // end of the file
  int line;          // number of the line that contains `at`, from 1
  char separator;    // a further character, besides blanks, that separates words; 0: none
} Text;

/// Reads a file and decompresses it. Fails with the system's message if it cannot be read. To protect memory it also
/// fails if the content is larger than 8 GiB or a quarter of the free memory, or if its compression ratio is higher
/// than that of any mesh.
bool text_open(Text *text, const char *path, Error *error);
void text_close(Text *text);

/// Returns true if only blanks and line ends are left in the file.
bool text_at_end(const Text *text);

/// Returns true if only blanks are left in the line.
bool text_line_over(Text *text);

/// Advances to the next line that is not blank. `what` is its expected content, for messages. Fails at the end of the
/// file, or if the present line has unread words.
bool text_next_line(Text *text, const char *what, Error *error);

/// Skips the rest of the line.
void text_skip_line(Text *text);

/// Advances to the end of the next line that begins with `word`. Fails if there is none.
bool text_skip_past(Text *text, const char *word, Error *error);

/// Reads the next word of the line. *word points into the file's content and is not terminated; *length is its length.
/// Fails at the end of the line.
bool text_word(Text *text, const char *what, const char **word, int *length, Error *error);

/// Copies a word for a message. A long word is truncated, and characters that cannot be printed are replaced by "?".
/// Returns `copy`.
const char *text_shown(const char *word, int length, char copy[TEXT_SHOWN + 4]);

/// Fails unless the next word is `word`.
bool text_expect(Text *text, const char *word, Error *error);

/// Reads the next word as an integer from `low` to `high`. `what` is the number's name in messages, for example:
/// hand.msh:1: node count is "-3", expected 4 to 715827882
bool text_int(Text *text, const char *what, int low, int high, int *out, Error *error);
bool text_int64(Text *text, const char *what, int64_t low, int64_t high, int64_t *out, Error *error);

/// Converts a word to a number, with a decimal point in any locale. Returns false if it is not a finite number. Accepts
/// Fortran's exponents, 1.0D+00. Also reads the character after the word. This character must exist and must not be
/// able to continue a number.
bool text_real(const char *word, int length, double *value);

/// Converts a word to an integer. Returns false if it is no integer or does not fit into 64 bits.
bool text_integer(const char *word, int length, int64_t *value);

/// Reads the next word as a finite number.
bool text_double(Text *text, const char *what, double *out, Error *error);

/// As text_int, for the number of records that follow in the file. Also fails if the rest of the file is too short for
/// this number of records of at least `record_size` bytes each.
bool text_count(Text *text, const char *what, int low, int high, int record_size, int *out, Error *error);

/// For formats in which line ends have no meaning: advances to the next word, over line ends and comments. A comment is
/// the rest of a line from the character `comment` on. Fails at the end of the file.
bool text_next_word(Text *text, char comment, const char *what, Error *error);

/// As text_next_word, but returns false without an error at the end of the file.
bool text_more_words(Text *text, char comment);

/// Calls text_next_word and then text_int.
bool text_next_int(Text *text, char comment, const char *what, int low, int high, int *out, Error *error);

/// Returns true if a word equals `name`, ignoring case.
bool text_is(const char *word, int length, const char *name);

/// Sets *word and *length to the word at the present position, without advancing; *length is 0 at the end of a line.
void text_peek(const Text *text, const char **word, int *length);

/// Advances over the end of the line to the next byte, at which binary data begin. Fails if the line has more words.
bool text_begin_binary(Text *text, const char *what, Error *error);

/// Reads the next `count` records of `size` bytes; *bytes gets their address in the file's content. Fails if the file
/// is too short, with a message that begins with "file: byte 12:".
bool text_bytes(Text *text, const char *what, int64_t count, int64_t size, const unsigned char **bytes, Error *error);

/// Returns the present position as an offset in bytes from the beginning of the decompressed file, for messages about
/// binary data.
int64_t text_offset(const Text *text);

/// Advances to the end of the next occurrence of `word`, also in binary data. Fails if there is none.
bool text_search(Text *text, const char *word, Error *error);
