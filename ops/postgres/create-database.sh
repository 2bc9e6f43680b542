#!/usr/bin/env bash
# Run by the Postgres image once, on an empty volume: the service's database and its roles. None is a superuser, none
# sees another database. entity_search owns the tables and is for `migrate` alone; what the others may do is set by
# `migrate`, from src/schema/rights.ts.
set -euo pipefail

: "${DATABASE_PASSWORD:?is not set}" "${DATABASE_API_PASSWORD:?is not set}" "${DATABASE_INDEXER_PASSWORD:?is not set}"
: "${DATABASE_WRITER_PASSWORD:?is not set}" "${DATABASE_ADMIN_PASSWORD:?is not set}"

psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password DATABASE_PASSWORD
\getenv api_password DATABASE_API_PASSWORD
\getenv indexer_password DATABASE_INDEXER_PASSWORD
\getenv writer_password DATABASE_WRITER_PASSWORD
\getenv admin_password DATABASE_ADMIN_PASSWORD
create role entity_search login password :'password';
create role entity_search_api login password :'api_password';
create role entity_search_indexer login password :'indexer_password';
create role entity_search_writer login password :'writer_password';
create role entity_search_admin login password :'admin_password';
create database entity_search owner entity_search;
revoke all on database entity_search from public;
SQL
