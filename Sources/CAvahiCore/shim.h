// The module CAvahi, whose types these headers use: declared in two modules they would be two in Swift.
#include "../CAvahi/shim.h"

#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/publish.h>
#include <avahi-core/rr.h>

#include "../CGlibc/functions.h"

// libavahi-core's functions, by their declarations above. The library is loaded when it is needed and never linked:
// it has an avahi_entry_group_free of its own, which libavahi-client's of the same name would take the place of.
#define HUBPAIR_AVAHI_CORE(function) \
    function(avahi_s_entry_group_commit) \
    function(avahi_s_entry_group_free) \
    function(avahi_s_entry_group_new) \
    function(avahi_s_entry_group_reset) \
    function(avahi_server_add_address) \
    function(avahi_server_add_service_strlst) \
    function(avahi_server_config_free) \
    function(avahi_server_config_init) \
    function(avahi_server_errno) \
    function(avahi_server_free) \
    function(avahi_server_new) \
    function(avahi_set_log_function)
HUBPAIR_FUNCTIONS(avahi_core, HUBPAIR_AVAHI_CORE)

// The address sanitizer ends a program that loads a library with RTLD_DEEPBIND.
static inline int hubpair_has_address_sanitizer(void) { return dlsym(RTLD_DEFAULT, "__asan_init") != 0; }
