// The files of the hub's page, in the program itself: it is one file to install, and the page is never of
// another version than the hub. C23's #embed costs a tenth of a second to build; SwiftPM's .embedInCode, an
// array literal, more than a minute for so many bytes (swift-package-manager issue 6923).
#pragma once
#include <stddef.h>

typedef struct {
    const unsigned char *bytes;
    size_t count;
} hubpair_page_file;

hubpair_page_file hubpair_page_index(void);
hubpair_page_file hubpair_page_icon(void);
hubpair_page_file hubpair_page_style(void);
hubpair_page_file hubpair_page_plain_style(void);
hubpair_page_file hubpair_page_start(void);
hubpair_page_file hubpair_page_page(void);
hubpair_page_file hubpair_page_sheet(void);
hubpair_page_file hubpair_page_many(void);
hubpair_page_file hubpair_page_scenes(void);
hubpair_page_file hubpair_page_about(void);
hubpair_page_file hubpair_page_front(void);
hubpair_page_file hubpair_page_add(void);
hubpair_page_file hubpair_page_history(void);
hubpair_page_file hubpair_page_timers(void);
hubpair_page_file hubpair_page_picture(void);
hubpair_page_file hubpair_page_owner(void);
hubpair_page_file hubpair_page_code(void);
hubpair_page_file hubpair_page_edit(void);
hubpair_page_file hubpair_page_hubs(void);
hubpair_page_file hubpair_page_houses(void);
hubpair_page_file hubpair_page_services(void);
hubpair_page_file hubpair_page_rights(void);
hubpair_page_file hubpair_page_enter(void);
hubpair_page_file hubpair_page_session(void);
hubpair_page_file hubpair_page_manifest(void);
hubpair_page_file hubpair_page_icon_192(void);
hubpair_page_file hubpair_page_icon_512(void);
hubpair_page_file hubpair_page_worker(void);
hubpair_page_file hubpair_page_push(void);
