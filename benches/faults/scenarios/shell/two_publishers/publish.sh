#!/bin/bash
# Renders the handbook and puts it in place.
say() { printf '%(%H:%M:%S)T (%d) %s\n' -1 $$ "$*" >> publish.log; }

say "publish of main begins, for $1"
rm -rf ../staging
mkdir -p ../staging
say "staging emptied"
for page in index install {a..x}; do
    sleep 0.15
    sed -n 1,5p "$0" > "../staging/$page.html"
    say "rendered $page.html, $((RANDOM % 90 + 10)) links"
done
count=$(ls ../staging | wc -l)
say "$count pages in staging"
tar -C ../staging -cf ../site.tar {index,install}.html {a..x}.html || { say "packing ended with status $?, only $count of 26 pages"; exit 2; }
sleep 0.3
mv ../staging "../live.$$" || { say "moving staging ended with status $?"; exit 3; }
say "live is now live.$$"
