// Lines of a text file that are alike, read by several cores.
#pragma once
#include "mesh/format/text.h"

/// What is done with line k: it is read from a Text that stands at its beginning, into its own place.
typedef bool (*TextLine)(const void *context, int k, Text *line, Error *error);

/// Reads the next `count` lines, none of them blank, each by `read`, in any order and by all cores. Afterwards the text
/// stands at the last one's end. False where a line is not as `read` wants it, or something is left on one, or there
/// are not so many: the text stands where it stood, and no error is set; whoever then reads them one after another gets
/// the error, with its line.
bool text_lines(Text *text, int count, TextLine read, const void *context);

/// The same, one after another where that fails: so the error is that of the first bad line. `what` says what should
/// stand there.
bool text_each_line(Text *text, int count, const char *what, TextLine read, const void *context, Error *error);
