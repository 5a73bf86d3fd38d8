#include <dlfcn.h>
#include <stdio.h>
#include <gif_lib.h>

// The library is loaded with the first picture of its format, and never linked. Each line makes a function
// that looks up its namesake in the loaded library, with the type from the header: Swift cannot take a type
// from a declaration.
#define HUBPAIR_LAZY(name) \
    static inline __typeof__(&name) lazy_##name(void *library) { \
        return (__typeof__(&name))dlsym(library, #name); \
    }

HUBPAIR_LAZY(DGifOpen)
HUBPAIR_LAZY(DGifCloseFile)
HUBPAIR_LAZY(DGifGetRecordType)
HUBPAIR_LAZY(DGifGetImageHeader)
HUBPAIR_LAZY(DGifGetLine)
HUBPAIR_LAZY(DGifGetExtension)
HUBPAIR_LAZY(DGifGetExtensionNext)
HUBPAIR_LAZY(DGifExtensionToGCB)
HUBPAIR_LAZY(GifErrorString)
