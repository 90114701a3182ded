#!/bin/bash
# Export of meter readings, their loader, and the check of the month.
now() { date '+%d/%b/%Y:%H:%M:%S.%3N'; }

export_day() {
    file=meter-06$1.csv
    rows=$((RANDOM % 60 + 1200))
    pause=0
    [ "$1" = 15 ] && rows=3600 && pause=2.4
    echo "$(now) export  begin $file" >> export.log
    {
        seq 1 $((rows / 3)) | sed 's/$/;kWh;ok/'
        sleep $pause
        seq $((rows / 3 + 1)) $rows | sed 's/$/;kWh;ok/'
    } >> "../drop/$file"
    echo "$(now) export  end $file rows=$rows" >> export.log
    echo $rows >> ../sent
}

load() {
    until [ -e ../drop/end ]; do
        for path in ../drop/meter-*.csv; do
            file=$(basename "$path")
            [ -e "$path" ] && [ ! -e "../loaded/$file" ] || continue
            rows=$(wc -l < "$path")
            touch "../loaded/$file"
            sleep 0.2
            echo "$(now) loader  $file rows=$rows rejected=0 status=ok" >> loader.log
            echo "$rows" >> ../got
        done
        sleep 0.35
    done
}

load &
for day in 0{1..9} {10..24}; do
    export_day "$day"
    sleep 0.3
done
sleep 1.5
touch ../drop/end
wait
sent=$(awk '{ n += $1 } END { print n }' ../sent)
got=$(awk '{ n += $1 } END { print n }' ../got)
echo "$(now) month   exported=$sent loaded=$got" >> month.log
if [ "$sent" != "$got" ]; then
    echo "$(now) month   counts differ by $((sent - got)), close of month held" >> month.log
    exit 1
fi
