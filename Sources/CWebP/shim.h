#include <webp/decode.h>

#include "../CGlibc/functions.h"

// The library is loaded with the first picture of its format, and never linked.
HUBPAIR_LAZY(WebPGetFeaturesInternal)
HUBPAIR_LAZY(WebPInitDecoderConfigInternal)
HUBPAIR_LAZY(WebPIDecode)
HUBPAIR_LAZY(WebPIUpdate)
HUBPAIR_LAZY(WebPIDelete)
