// A text file read line by line and word by word, for mesh readers. It knows path and line, for messages. The whole
// file lies in memory, so that a count that it states can be compared with the bytes that are left before anything is
// allocated. Numbers are finite and in range, or an error. Lines end in LF or CRLF. Files packed by gzip are unpacked
// on the way. Between lines there may be binary data, and words may be taken without regard to lines: see the end.
#pragma once
#include <stdint.h>

#include "base/error.h"

enum { TEXT_SHOWN = 32 };  // characters of a bad word that a message shows

// A zeroed Text is closed. An open one stands before line 1: begin with text_next_line.
typedef struct Text {
  const char *path;  // borrowed
  char *data;        // the file, after a line end and before a NUL of ours; owned
  const char *at;    // the next character to read
  const char *end;   // of the file
  int line;          // the one `at` is in, from 1
  char separator;    // also stands between words, as blanks do; 0: nothing does
} Text;

/// Reads the file, unpacked. Fails with the system's words where it cannot be read, and before it fills the memory:
/// where it would be larger than 8 GiB or a quarter of what is free, or is packed more tightly than any mesh.
bool text_open(Text *text, const char *path, Error *error);
void text_close(Text *text);

/// Whether nothing but blanks and line ends is left of the file.
bool text_at_end(const Text *text);

/// Whether nothing but blanks is left of the line.
bool text_line_over(Text *text);

/// Goes to the next line that is not blank; `what` says what should stand there. Fails at the end of the file, and
/// where the line before has not been read to its end.
bool text_next_line(Text *text, const char *what, Error *error);

/// Drops the rest of the line.
void text_skip_line(Text *text);

/// Drops everything up to and with the next line that begins with `word`. Fails where there is none.
bool text_skip_past(Text *text, const char *word, Error *error);

/// The next word of the line: not NUL-terminated, [*length] characters of the file. Fails where the line has ended.
bool text_word(Text *text, const char *what, const char **word, int *length, Error *error);

/// A copy of a word that is fit for a message: cut off when long, "?" for what cannot be printed. Returns `copy`.
const char *text_shown(const char *word, int length, char copy[TEXT_SHOWN + 4]);

/// The next word must be this one.
bool text_expect(Text *text, const char *word, Error *error);

/// The next word as an integer in [low, high]. Fails with: hand.msh:1: node count is "-3", expected 4 to 715827882
bool text_int(Text *text, const char *what, int low, int high, int *out, Error *error);
bool text_int64(Text *text, const char *what, int64_t low, int64_t high, int64_t *out, Error *error);

/// A word as a number: false where it is none, or not finite. Takes Fortran's exponents too, 1.0D+00. The character
/// behind the word must be there and no part of a number. Wants the C locale, which this program never leaves.
bool text_real(const char *word, int length, double *value);

/// A word as an integer: false where it is none that fits.
bool text_integer(const char *word, int length, int64_t *value);

/// The next word as a finite number.
bool text_double(Text *text, const char *what, double *out, Error *error);

/// As text_int, for a count of records of at least `record_size` bytes each: fails also where what is left of the file
/// cannot hold so many.
bool text_count(Text *text, const char *what, int low, int high, int record_size, int *out, Error *error);

/// For formats without lines: goes to the next word, over line ends and, from a `comment` character on, the rest of
/// a line. Fails at the end of the file.
bool text_next_word(Text *text, char comment, const char *what, Error *error);

/// The same, but at the end of the file false and no error.
bool text_more_words(Text *text, char comment);

/// text_next_word and text_int in one.
bool text_next_int(Text *text, char comment, const char *what, int low, int high, int *out, Error *error);

/// Whether a word is this one, in capitals or not.
bool text_is(const char *word, int length, const char *name);

/// The word that stands here, or the rest of the line, without moving on; length 0 at a line's end.
void text_peek(const Text *text, const char **word, int *length);

/// Goes over the line's end, to where binary data begins. Fails where the line has more words.
bool text_begin_binary(Text *text, const char *what, Error *error);

/// The next `count` records of `size` bytes, as they are. Fails where the file has fewer: "file: byte 12: ...".
bool text_bytes(Text *text, const char *what, int64_t count, int64_t size, const unsigned char **bytes, Error *error);

/// Where `at` is, for messages about binary data: bytes from the file's beginning (of the unpacked file).
int64_t text_offset(const Text *text);

/// Drops everything up to and with the next occurrence of `word`, in binary data too. Fails where there is none.
bool text_search(Text *text, const char *word, Error *error);
