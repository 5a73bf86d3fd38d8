#ifndef CTEXTS_H
#define CTEXTS_H

#include <stddef.h>

// The words of hubpair in other languages than English: a file for each, compiled in, one behind the other.

typedef struct {
    const unsigned char *_Nonnull bytes;
    size_t count;
} hubpair_texts;

hubpair_texts hubpair_languages(void);

#endif
