#!/usr/bin/env bash
# Creates or updates Elasticsearch's two roles and users from these files and the environment. Run it again to change
# a password.
set -euo pipefail

: "${ELASTIC_PASSWORD:?is not set}" "${SEARCH_READER_PASSWORD:?is not set}" "${SEARCH_WRITER_PASSWORD:?is not set}"

here="$(dirname "$0")"

# They become part of JSON, of an address and of a curl configuration: no character may mean anything there.
for password in "$ELASTIC_PASSWORD" "$SEARCH_READER_PASSWORD" "$SEARCH_WRITER_PASSWORD"; do
  case "$password" in
    *[!A-Za-z0-9]*) echo 'A password may hold letters and digits only: openssl rand -hex 24 makes one.' >&2; exit 64 ;;
  esac
done

# The superuser's password goes through a file descriptor: arguments are visible to every process.
put() {
  curl --silent --show-error --fail --output /dev/null --max-time 30 --retry 5 --retry-connrefused \
    --cacert /certificates/authority/ca.crt \
    --config <(printf 'user = "elastic:%s"\n' "$ELASTIC_PASSWORD") \
    --header 'Content-Type: application/json' --request PUT --data-binary @- \
    "https://elasticsearch:9200$1"
}

put /_security/role/entity_search_reader <"$here/role-reader.json"
put /_security/role/entity_search_writer <"$here/role-writer.json"
printf '{"password":"%s","roles":["entity_search_reader"]}' "$SEARCH_READER_PASSWORD" | put /_security/user/entity_search_reader
printf '{"password":"%s","roles":["entity_search_writer"]}' "$SEARCH_WRITER_PASSWORD" | put /_security/user/entity_search_writer
echo 'The roles and users are up to date.'
