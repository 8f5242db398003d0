// Reads many lines with the same structure, such as lists of nodes, from a text file on several cores.
#pragma once
#include "mesh/format/text.h"

/// Callback that reads line number k, counted from 0, and stores the result for index k. The position of `line` is the
/// beginning of the line.
typedef bool (*TextLine)(const void *context, int k, Text *line, Error *error);

/// Reads the next `count` lines that are not blank: calls `read` for each line, on all cores and in any order.
/// Afterwards the position of `text` is the end of the last line.
/// Returns false if `read` fails for a line or does not read all its words, or if there are fewer lines. Then the
/// position is unchanged, and no error is set, since the first bad line is not known.
bool text_lines(Text *text, int count, TextLine read, const void *context);

/// As text_lines, but with an error. If text_lines fails, this function reads the lines again, one after the other, and
/// sets the error of the first bad line. `what` is the expected content, for messages.
bool text_each_line(Text *text, int count, const char *what, TextLine read, const void *context, Error *error);
