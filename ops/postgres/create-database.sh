#!/usr/bin/env bash
# Run by the Postgres image once, on an empty volume: the service's own role and database.
# The role owns the database and nothing more; it is no superuser and sees no other database.
set -euo pipefail

: "${DATABASE_PASSWORD:?is not set}"

psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password DATABASE_PASSWORD
create role entity_search login password :'password';
create database entity_search owner entity_search;
revoke all on database entity_search from public;
SQL
