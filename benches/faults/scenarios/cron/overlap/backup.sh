#!/bin/sh
say() { echo "$(date '+%b %d %H:%M:%S') nas backup[$$]: $*"; }
cd ..
say "run $1 begins, $(ls photos | wc -l) photos"
rm -rf staging
mkdir -p staging archive
for file in photos/*.jpg; do
    cp "$file" staging/
    sleep 0.17
done
say "run $1 copied"
tar czf "archive/photos-$1.tgz" staging
say "run $1 wrote photos-$1.tgz with $(tar tzf archive/photos-$1.tgz | grep -c jpg) photos"
rm -rf staging
