#!/bin/sh
# A Chromium for the browser tests: the machine's own, else Playwright's download, else Debian's package when root.
for name in "$CHROMIUM" chromium chromium-browser google-chrome google-chrome-stable; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done
"$1/playwright" install chromium && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq && apt-get install -y -qq chromium && exit 0
fi
echo "no Chromium found: install one, or set CHROMIUM to its path" >&2
exit 1
