#!/bin/bash
# Writes the changed files of one host to tape.
host=$1
log() { printf '%s bk1 vault[%d]: %s: %s\n' "$(date '+%b %e %H:%M:%S')" $$ "$host" "$*" >> vault.log; }

log "job started"
sleep 0.$((RANDOM % 5 + 1))
case $host in db2) changed=0 ;; *) changed=$((RANDOM % 900 + 20)) ;; esac
tries=0
until mkdir ../drive0 2> /dev/null; do
    ((tries++ % 6)) || log "drive busy, waiting"
    sleep 0.3
done
log "drive reserved"
log "$changed files changed since last full"
if [ "$changed" -eq 0 ]; then
    log "nothing to write, job done"
    exit 0
fi
for part in 1 2 3; do
    sleep 0.1
    log "part $part of 3 written, $((changed * 3000 + RANDOM)) bytes"
done
rmdir ../drive0
log "drive freed, job done"
