#include "CPage.h"

// C23 has #embed; the rest of this package is no newer C than it was.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index[] = {
#embed "files/index.html"
};
hubpair_page_file hubpair_page_index(void) { return (hubpair_page_file){index, sizeof index}; }

static const unsigned char icon[] = {
#embed "files/icon.svg"
};
hubpair_page_file hubpair_page_icon(void) { return (hubpair_page_file){icon, sizeof icon}; }

static const unsigned char style[] = {
#embed "files/styles/plain.css" suffix(,)
#embed "files/styles/page.css"
};
hubpair_page_file hubpair_page_style(void) { return (hubpair_page_file){style, sizeof style}; }

static const unsigned char start[] = {
#embed "files/start.js"
};
hubpair_page_file hubpair_page_start(void) { return (hubpair_page_file){start, sizeof start}; }

// One script of all that the first screen needs: each module of its own would cost a browser that comes for the first
// time a way to the hub and back. A module stands behind those that it imports; see ServedText.swift.
static const unsigned char page[] = {
#embed "files/text.js" suffix(,)
#embed "files/key.js" suffix(,)
#embed "files/app/app.js" suffix(,)
#embed "files/dom.js" suffix(,)
#embed "files/hub.js" suffix(,)
#embed "files/appliances/units.js" suffix(,)
#embed "files/appliances/kinds.js" suffix(,)
#embed "files/appliances/colours.js" suffix(,)
#embed "files/appliances/appliance.js" suffix(,)
#embed "files/appliances/controls.js" suffix(,)
#embed "files/appliances/card.js" suffix(,)
#embed "files/appliances/house.js" suffix(,)
#embed "files/views/sections.js" suffix(,)
#embed "files/views/home.js" suffix(,)
#embed "files/views/messages.js" suffix(,)
#embed "files/page.js"
};
hubpair_page_file hubpair_page_page(void) { return (hubpair_page_file){page, sizeof page}; }

static const unsigned char sheet[] = {
#embed "files/appliances/sheet.js"
};
hubpair_page_file hubpair_page_sheet(void) { return (hubpair_page_file){sheet, sizeof sheet}; }

static const unsigned char many[] = {
#embed "files/views/many.js"
};
hubpair_page_file hubpair_page_many(void) { return (hubpair_page_file){many, sizeof many}; }

static const unsigned char scenes[] = {
#embed "files/views/scenes.js"
};
hubpair_page_file hubpair_page_scenes(void) { return (hubpair_page_file){scenes, sizeof scenes}; }

static const unsigned char about[] = {
#embed "files/views/about.js"
};
hubpair_page_file hubpair_page_about(void) { return (hubpair_page_file){about, sizeof about}; }

static const unsigned char front[] = {
#embed "files/views/front.js"
};
hubpair_page_file hubpair_page_front(void) { return (hubpair_page_file){front, sizeof front}; }

static const unsigned char add[] = {
#embed "files/views/add.js"
};
hubpair_page_file hubpair_page_add(void) { return (hubpair_page_file){add, sizeof add}; }

static const unsigned char history[] = {
#embed "files/views/history.js"
};
hubpair_page_file hubpair_page_history(void) { return (hubpair_page_file){history, sizeof history}; }

static const unsigned char timers[] = {
#embed "files/appliances/timers.js"
};
hubpair_page_file hubpair_page_timers(void) { return (hubpair_page_file){timers, sizeof timers}; }

static const unsigned char picture[] = {
#embed "files/appliances/picture.js"
};
hubpair_page_file hubpair_page_picture(void) { return (hubpair_page_file){picture, sizeof picture}; }

static const unsigned char owner[] = {
#embed "files/views/owner.js"
};
hubpair_page_file hubpair_page_owner(void) { return (hubpair_page_file){owner, sizeof owner}; }

static const unsigned char code[] = {
#embed "files/views/code.js"
};
hubpair_page_file hubpair_page_code(void) { return (hubpair_page_file){code, sizeof code}; }

static const unsigned char edit[] = {
#embed "files/views/edit.js"
};
hubpair_page_file hubpair_page_edit(void) { return (hubpair_page_file){edit, sizeof edit}; }

static const unsigned char hubs[] = {
#embed "files/views/hubs.js"
};
hubpair_page_file hubpair_page_hubs(void) { return (hubpair_page_file){hubs, sizeof hubs}; }

static const unsigned char houses[] = {
#embed "files/views/houses.js"
};
hubpair_page_file hubpair_page_houses(void) { return (hubpair_page_file){houses, sizeof houses}; }

static const unsigned char services[] = {
#embed "files/views/services.js"
};
hubpair_page_file hubpair_page_services(void) { return (hubpair_page_file){services, sizeof services}; }

static const unsigned char rights[] = {
#embed "files/rights.js"
};
hubpair_page_file hubpair_page_rights(void) { return (hubpair_page_file){rights, sizeof rights}; }

static const unsigned char plain_style[] = {
#embed "files/styles/plain.css"
};
hubpair_page_file hubpair_page_plain_style(void) { return (hubpair_page_file){plain_style, sizeof plain_style}; }

// What a stranger gets; the code is taken out of the address first.
static const unsigned char enter_script[] = {
#embed "files/app/brought.js" suffix(,)
#embed "files/text.js" suffix(,)
#embed "files/key.js" suffix(,)
#embed "files/app/app.js" suffix(,)
#embed "files/read.js" suffix(,)
#embed "files/enter.js"
};
hubpair_page_file hubpair_page_enter(void) { return (hubpair_page_file){enter_script, sizeof enter_script}; }

static const unsigned char session_script[] = {
#embed "files/session.js"
};
hubpair_page_file hubpair_page_session(void) { return (hubpair_page_file){session_script, sizeof session_script}; }

static const unsigned char manifest[] = {
#embed "files/app/app.webmanifest"
};
hubpair_page_file hubpair_page_manifest(void) { return (hubpair_page_file){manifest, sizeof manifest}; }

static const unsigned char icon_192[] = {
#embed "files/app/icon-192.png"
};
hubpair_page_file hubpair_page_icon_192(void) { return (hubpair_page_file){icon_192, sizeof icon_192}; }

static const unsigned char icon_512[] = {
#embed "files/app/icon-512.png"
};
hubpair_page_file hubpair_page_icon_512(void) { return (hubpair_page_file){icon_512, sizeof icon_512}; }

static const unsigned char worker_script[] = {
#embed "files/app/worker.js"
};
hubpair_page_file hubpair_page_worker(void) { return (hubpair_page_file){worker_script, sizeof worker_script}; }

static const unsigned char push_script[] = {
#embed "files/app/push.js"
};
hubpair_page_file hubpair_page_push(void) { return (hubpair_page_file){push_script, sizeof push_script}; }
