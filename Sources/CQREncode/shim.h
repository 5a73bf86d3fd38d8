#include <qrencode.h>

#include "../CGlibc/functions.h"

// libqrencode's functions, by their declarations. The library is loaded with the first code, and never linked.
#define HUBPAIR_QRENCODE(function) \
    function(QRinput_new2) \
    function(QRinput_append) \
    function(QRinput_free) \
    function(QRcode_encodeInput) \
    function(QRcode_free)
HUBPAIR_FUNCTIONS(qrencode, HUBPAIR_QRENCODE)
