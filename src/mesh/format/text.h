// Reads text files line by line and word by word, for mesh readers. Messages contain path and line. The whole file is
// read into memory first, so that a count in the file can be compared with the file's size before an array for so many
// entries is allocated. Numbers must be finite and in range. Lines end in LF or CRLF. Files compressed by gzip are
// decompressed. Further functions at the end of this header read binary data, and text in which line ends have no
// meaning.
#pragma once
#include <stdint.h>

#include "base/error.h"

enum { TEXT_SHOWN = 32 };         // max number of characters of an invalid word in a message
enum { TEXT_RANGE_LENGTH = 48 };  // max bytes of the text that text_range writes

// A file in memory and the present position in it. After text_open the position is before line 1, so text_next_line
// must be called first. A zeroed Text is closed.
typedef struct Text {
  const char *path;  // path of the file; borrowed
  char *data;        // content of the file, with a line end added before it and a NUL after it; owned
  const char *at;    // the next character to read
  const char *end;   // end of the file
  int line;          // number of the line that contains `at`, from 1
  char separator;    // a character that separates words, in addition to blanks; 0: none
} Text;

/// Reads and decompresses a file. If this fails, the error has the system's message. To protect memory, also fails if
/// the content exceeds 8 GiB or a quarter of the free memory, or if a large file is compressed by a factor of more than
/// 200, as no mesh file is.
bool text_open(Text *text, const char *path, Error *error);
void text_close(Text *text);

/// Returns true if only blanks and line ends are left in the file.
bool text_at_end(const Text *text);

/// Returns true if only blanks are left in the line.
bool text_line_over(Text *text);

/// Advances to the next line that is not blank. `what` describes the line's expected content in messages. Fails at the
/// end of the file, or if the present line has unread words.
bool text_next_line(Text *text, const char *what, Error *error);

/// Skips the rest of the line.
void text_skip_line(Text *text);

/// Searches for the next line that begins with `word`, and advances to its end. Fails if there is none.
bool text_skip_past(Text *text, const char *word, Error *error);

/// Reads the next word of the line, and fails if there is none. *word points to the word's first character in the
/// file's content, where no NUL ends the word. *length is the length of the word. `what` describes the expected word in
/// messages.
bool text_word(Text *text, const char *what, const char **word, int *length, Error *error);

/// Copies a word for a message. Characters that cannot be printed are replaced by "?". If the word has more than
/// TEXT_SHOWN characters, the rest is replaced by "...". Returns `copy`.
const char *text_shown(const char *word, int length, char copy[TEXT_SHOWN + 4]);

/// Reads the next word and fails unless it is `word`.
bool text_expect(Text *text, const char *word, Error *error);

/// Both functions read the next word as an integer from `low` to `high`. `what` describes the number in messages, for
/// example:
/// hand.msh:1: node count is "-3", expected 4 to 715827882
bool text_int(Text *text, const char *what, int low, int high, int *out, Error *error);
bool text_int64(Text *text, const char *what, int64_t low, int64_t high, int64_t *out, Error *error);

/// Writes the range of a valid integer for a message, such as "0 to 5", or "3" if both bounds are equal. Returns `out`.
const char *text_range(int64_t low, int64_t high, char out[TEXT_RANGE_LENGTH]);

/// Converts a word to a finite number. The decimal separator is a point in any locale. Fortran's exponents as in
/// 1.0D+00 are accepted. Returns false if the word is not a number. The character after the word must be one that
/// cannot belong to a number.
bool text_real(const char *word, int length, double *value);

/// Converts a word to an integer. Returns false if the word is not an integer or does not fit into 64 bits.
bool text_integer(const char *word, int length, int64_t *value);

/// Reads the next word as a finite number.
bool text_double(Text *text, const char *what, double *out, Error *error);

/// Reads the next word as an integer from low to high that tells how many rows (such as nodes) follow in the file. Also
/// fails if the rest of the file is too short for this many rows of at least `record_size` bytes.
bool text_count(Text *text, const char *what, int low, int high, int record_size, int *out, Error *error);

/// For formats in which line ends have no meaning: advances to the next word, over line ends and comments. A comment
/// begins with the character `comment` and ends with its line; 0: there are no comments. Fails at the end of the file.
/// `what` describes the expected word in messages.
bool text_next_word(Text *text, char comment, const char *what, Error *error);

/// As text_next_word, but returns false without an error at the end of the file.
bool text_more_words(Text *text, char comment);

/// Advances to the next word as text_next_word does, and reads the word as text_int does.
bool text_next_int(Text *text, char comment, const char *what, int low, int high, int *out, Error *error);

/// Returns true if a word equals `name`; upper and lower case count as equal.
bool text_is(const char *word, int length, const char *name);

/// Sets *word and *length to the word at the present position, which does not change. *length is 0 at the end of a
/// line.
void text_peek(const Text *text, const char **word, int *length);

/// Advances over the end of the line to the next byte, at which binary data begin. Fails if the line has more words.
/// `what` describes the binary data in messages.
bool text_begin_binary(Text *text, const char *what, Error *error);

/// Reads the next count * size bytes: `count` items, such as nodes, of `size` bytes each. *bytes becomes their address
/// in the file's content. If the file is too short, fails with a message that begins with "file: byte 12:".
bool text_bytes(Text *text, const char *what, int64_t count, int64_t size, const unsigned char **bytes, Error *error);

/// Returns the present position, in bytes from the beginning of the decompressed file, for messages about binary data.
int64_t text_offset(const Text *text);

/// Searches for the next occurrence of `word`, also in binary data, and advances to its end. Fails if there is none.
bool text_search(Text *text, const char *word, Error *error);
