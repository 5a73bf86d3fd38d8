#include <zlib.h>

#include "../CGlibc/functions.h"

// The library is loaded when the first browser asks for the page, and never linked.
HUBPAIR_LAZY(compressBound)
HUBPAIR_LAZY(compress2)
HUBPAIR_LAZY(crc32)
