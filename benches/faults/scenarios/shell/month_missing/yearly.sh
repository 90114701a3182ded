#!/bin/bash
# Yearly table of both stations.
set -euo pipefail
for station in harbour hill; do
    for month in 0{1..9} 10 11 12; do
        file=../archive/$station/$1-$month.tsv
        echo "$(date '+%F %T') $station $1-$month: sorting"
        sort -k2 -n "$file" > ../sorted.tsv
        echo "$(date '+%F %T') $station $1-$month: $(wc -l < ../sorted.tsv) days, coldest $(head -n 1 ../sorted.tsv | cut -f 2), warmest $(tail -n 1 ../sorted.tsv | cut -f 2)"
        sleep 0.3
    done
    echo "$(date '+%F %T') $station: year $1 complete"
done
