#include <stdio.h>
#include <turbojpeg.h>

#include "../CGlibc/functions.h"

// libturbojpeg's functions, by their declarations. The library is loaded with the first JPEG, and never linked.
#define HUBPAIR_TURBOJPEG(function) \
    function(tjInitDecompress) \
    function(tjDecompressHeader3) \
    function(tjDecompress2) \
    function(tjDestroy) \
    function(tjGetErrorCode) \
    function(tjGetErrorStr2)
HUBPAIR_FUNCTIONS(turbojpeg, HUBPAIR_TURBOJPEG)
