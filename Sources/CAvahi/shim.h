#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/address.h>
#include <avahi-common/alternative.h>
#include <avahi-common/domain.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <avahi-common/strlst.h>
#include <sys/eventfd.h>

#include "../CGlibc/functions.h"

// libavahi-client's functions, by their declarations above. The library is loaded when the daemon is asked and never
// linked: with it come libdbus, libsystemd and nine more, which most commands would load at their start for nothing.
#define HUBPAIR_AVAHI_CLIENT(function) \
    function(avahi_client_errno) \
    function(avahi_client_free) \
    function(avahi_client_get_host_name_fqdn) \
    function(avahi_client_get_state) \
    function(avahi_client_new) \
    function(avahi_entry_group_add_service_strlst) \
    function(avahi_entry_group_commit) \
    function(avahi_entry_group_free) \
    function(avahi_entry_group_new) \
    function(avahi_entry_group_reset) \
    function(avahi_record_browser_new) \
    function(avahi_record_browser_free) \
    function(avahi_service_browser_new) \
    function(avahi_service_resolver_free) \
    function(avahi_service_resolver_new)
HUBPAIR_FUNCTIONS(avahi_client, HUBPAIR_AVAHI_CLIENT)

// glibc declares it only with _GNU_SOURCE, which Swift does not define.
int pthread_setname_np(unsigned long thread, const char *name);
