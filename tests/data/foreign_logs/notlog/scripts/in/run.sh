#!/bin/sh
set -e
echo '2023-02-15 10:00:00 ERROR x'
