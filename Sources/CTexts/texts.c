#include "CTexts.h"

// C23 has #embed; the rest of this package is no newer C than it was.
#pragma clang diagnostic ignored "-Wc23-extensions"

// A language is a file, and a line here. A file begins with its own code and name.
static const unsigned char languages[] = {
#embed "languages/de.txt" suffix(,)
};
hubpair_texts hubpair_languages(void) { return (hubpair_texts){languages, sizeof languages}; }
