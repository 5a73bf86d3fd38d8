#include <dlfcn.h>
#include <webp/decode.h>

// The library is loaded with the first picture of its format, and never linked. Each line makes a function
// that looks up its namesake in the loaded library, with the type from the header: Swift cannot take a type
// from a declaration.
#define HUBPAIR_LAZY(name) \
    static inline __typeof__(&name) lazy_##name(void *library) { \
        return (__typeof__(&name))dlsym(library, #name); \
    }

HUBPAIR_LAZY(WebPGetFeaturesInternal)
HUBPAIR_LAZY(WebPInitDecoderConfigInternal)
HUBPAIR_LAZY(WebPIDecode)
HUBPAIR_LAZY(WebPIUpdate)
HUBPAIR_LAZY(WebPIDelete)
