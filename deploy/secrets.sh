#!/bin/sh
# Makes a password for the database of compose.yaml, and the address that holds it. What is there stays.
#
# The folder is for its owner alone; the files in it are for everybody, as containers of other users read them.
set -eu
folder=$(dirname "$0")/secrets
mkdir -p "$folder"
chmod 700 "$folder"
if [ -s "$folder/database_url" ]; then exit 0; fi
password=$(openssl rand -hex 24)
printf '%s' "$password" > "$folder/postgres_password"
printf 'postgresql+psycopg://lab:%s@database/lab' "$password" > "$folder/database_url"
chmod 444 "$folder/postgres_password" "$folder/database_url"
