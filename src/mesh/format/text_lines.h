// Reads many lines with the same structure, such as lists of nodes, from a text file on several cores.
#pragma once
#include "mesh/format/text.h"

/// Callback: reads line k, counted from 0, from `line`, whose position is the beginning of the line, and stores the
/// result for index k.
typedef bool (*TextLine)(const void *context, int k, Text *line, Error *error);

/// Reads the next `count` lines that are not blank by calling `read` for each, on all cores and in any order.
/// Afterwards the position of `text` is the end of the last line. Returns false if `read` fails for a line or does not
/// read all its words, or if there are fewer lines. Then the position is unchanged and no error is set, since the first
/// bad line is not known.
bool text_lines(Text *text, int count, TextLine read, const void *context);

/// As text_lines. If that fails, reads line by line, so that the error is that of the first bad line. `what` is the
/// expected content, for messages.
bool text_each_line(Text *text, int count, const char *what, TextLine read, const void *context, Error *error);
