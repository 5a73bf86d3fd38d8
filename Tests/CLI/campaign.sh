#!/bin/sh
# The hubs, computers and appliances among which campaign.py types its lines: `start` in an empty directory, then `end`.
if [ "$1" = end ]; then
    kill $(cat hub.pid house.pid)
    exit
fi
mkfifo hand
$ROOT/samples/house --port 8401 --plain >house.out 2>house.log <>hand &
echo $! >house.pid
until grep -q 8401 house.out; do kill -0 $! || exit; sleep 0.05; done
serve() {
    : >$1.log
    hubpair serve --state $1 >$1.log 2>&1 </dev/null &
    echo $! >$1.pid
    until curl -sk https://127.0.0.1:$2/hubpair/v1/hub | grep -q '"id"'; do kill -0 $(cat $1.pid) || exit; done
}
hubpair setup --state hub --port 8101 --name House --upstream http://127.0.0.1:8401 --json >/dev/null || exit
serve hub 8101
for who in owner guest; do
    stay=$(test $who = owner || echo --stay 2d)
    hubpair print --state hub --role $who $stay -o $who.png --address 127.0.0.1
    hubpair pair $who.png --config $who --hub 127.0.0.1:8101 --name "$who" || exit
done
until hubpair call GET /hubpair/v1/states --config owner >/dev/null 2>&1; do kill -0 $(cat hub.pid) || exit; done
# A hub that is set up and not served, one that has gone, and something to act on.
hubpair setup --state still.kept --port 8102 --name Attic --json >/dev/null
hubpair setup --state dead --port 8103 --name House --json >/dev/null
serve dead 8103
hubpair print --state dead --role owner -o dead.png --address 127.0.0.1
hubpair pair dead.png --config gone --hub 127.0.0.1:8103 --name laptop || exit
kill $(cat dead.pid)
hubpair devices add tablet --state hub --output tablet.p12
hubpair home room add Kitchen 'Counter lamp' --config owner
hubpair home scene save evening 'Desk lamp' --config owner
hubpair home rule add Leak 'Smoke detector' --when on --config owner
hubpair print --state hub --expires 2h --ascii --format terminal 2>/dev/null |
    grep -oE '^ *[0-9A-Z]{4}-[0-9A-Z]{4}(-[0-9A-Z]{4})?$' | tr -d ' ' | paste -sd- >typed
grep -qE '^([0-9A-Z]{4}-){4}[0-9A-Z]{4}$' typed
