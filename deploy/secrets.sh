#!/bin/sh
# Makes a password for the database of compose.yaml, the address that holds it, and an empty file for what a sign-in takes
# (sign_in.toml, see docs/operation.md). What is there stays.
#
# The folder is for its owner alone; the files in it are for everybody, as containers of other users read them.
set -eu
folder=$(dirname "$0")/secrets
mkdir -p "$folder"
chmod 700 "$folder"
if [ ! -e "$folder/sign_in.toml" ]; then
    : > "$folder/sign_in.toml"
    chmod 644 "$folder/sign_in.toml"
fi
if [ -s "$folder/database_url" ]; then exit 0; fi
password=$(openssl rand -hex 24)
printf '%s' "$password" > "$folder/postgres_password"
printf 'postgresql+psycopg://lab:%s@database/lab' "$password" > "$folder/database_url"
chmod 444 "$folder/postgres_password" "$folder/database_url"
