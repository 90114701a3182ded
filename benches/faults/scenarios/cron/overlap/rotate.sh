#!/bin/sh
echo "$(date '+%b %d %H:%M:%S') nas rotate[$$]: $(ls ../archive 2>/dev/null | wc -l) archives, keeping 14"
