#ifndef CTEXTS_H
#define CTEXTS_H

#include <stddef.h>

// The words of the command line in other languages: a file for each, compiled in.

typedef struct {
    const unsigned char *_Nonnull bytes;
    size_t count;
} hubpair_texts;

hubpair_texts hubpair_texts_de(void);
hubpair_texts hubpair_help_de(void);

#endif
