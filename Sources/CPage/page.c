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
#embed "files/styles/page.css"
};
hubpair_page_file hubpair_page_style(void) { return (hubpair_page_file){style, sizeof style}; }

static const unsigned char start[] = {
#embed "files/start.js"
};
hubpair_page_file hubpair_page_start(void) { return (hubpair_page_file){start, sizeof start}; }

static const unsigned char page[] = {
#embed "files/page.js"
};
hubpair_page_file hubpair_page_page(void) { return (hubpair_page_file){page, sizeof page}; }

static const unsigned char dom[] = {
#embed "files/dom.js"
};
hubpair_page_file hubpair_page_dom(void) { return (hubpair_page_file){dom, sizeof dom}; }

static const unsigned char hub[] = {
#embed "files/hub.js"
};
hubpair_page_file hubpair_page_hub(void) { return (hubpair_page_file){hub, sizeof hub}; }

static const unsigned char house[] = {
#embed "files/appliances/house.js"
};
hubpair_page_file hubpair_page_house(void) { return (hubpair_page_file){house, sizeof house}; }

static const unsigned char kinds[] = {
#embed "files/appliances/kinds.js"
};
hubpair_page_file hubpair_page_kinds(void) { return (hubpair_page_file){kinds, sizeof kinds}; }

static const unsigned char card[] = {
#embed "files/appliances/card.js"
};
hubpair_page_file hubpair_page_card(void) { return (hubpair_page_file){card, sizeof card}; }

static const unsigned char home[] = {
#embed "files/views/home.js"
};
hubpair_page_file hubpair_page_home(void) { return (hubpair_page_file){home, sizeof home}; }

static const unsigned char messages[] = {
#embed "files/views/messages.js"
};
hubpair_page_file hubpair_page_messages(void) { return (hubpair_page_file){messages, sizeof messages}; }

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

static const unsigned char plain_style[] = {
#embed "files/styles/plain.css"
};
hubpair_page_file hubpair_page_plain_style(void) { return (hubpair_page_file){plain_style, sizeof plain_style}; }
