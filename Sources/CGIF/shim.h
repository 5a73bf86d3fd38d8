#include <stdio.h>
#include <gif_lib.h>

#include "../CGlibc/functions.h"

// The library is loaded with the first picture of its format, and never linked.
HUBPAIR_LAZY(DGifOpen)
HUBPAIR_LAZY(DGifCloseFile)
HUBPAIR_LAZY(DGifGetRecordType)
HUBPAIR_LAZY(DGifGetImageHeader)
HUBPAIR_LAZY(DGifGetLine)
HUBPAIR_LAZY(DGifGetExtension)
HUBPAIR_LAZY(DGifGetExtensionNext)
HUBPAIR_LAZY(DGifExtensionToGCB)
HUBPAIR_LAZY(GifErrorString)
