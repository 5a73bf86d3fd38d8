#include "CTexts.h"

// C23 has #embed; the rest of this package is no newer C than it was.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char de[] = {
#embed "de.txt"
};
hubpair_texts hubpair_texts_de(void) { return (hubpair_texts){de, sizeof de}; }

static const unsigned char help_de[] = {
#embed "help-de.txt"
};
hubpair_texts hubpair_help_de(void) { return (hubpair_texts){help_de, sizeof help_de}; }
