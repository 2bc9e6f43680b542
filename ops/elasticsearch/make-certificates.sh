#!/usr/bin/env bash
# Makes the node's certificate once. The authority that signs it lives only while this runs: nothing else can ever be
# signed in its name. To renew (after three years, or at will), remove both volumes and start again; see
# docs/install.md.
set -euo pipefail

node=/certificates/node
authority=/certificates/authority

if [ -s "$node/node.key" ] && [ -s "$node/node.crt" ] && [ -s "$node/ca.crt" ] && [ -s "$authority/ca.crt" ]; then
  echo 'The certificates are there already.'
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cd /usr/share/elasticsearch
bin/elasticsearch-certutil ca --silent --pem --days 1095 --out "$work/ca.zip"
unzip -q "$work/ca.zip" -d "$work"
bin/elasticsearch-certutil cert --silent --pem --days 1095 --out "$work/node.zip" \
  --ca-cert "$work/ca/ca.crt" --ca-key "$work/ca/ca.key" \
  --name node --dns elasticsearch,localhost --ip 127.0.0.1
unzip -q "$work/node.zip" -d "$work"

# Elasticsearch runs as user 1000 in group 0; the service's processes run as 1000:1000 and need the authority only.
install -m 0640 -g 0 "$work/node/node.key" "$node/node.key"
install -m 0640 -g 0 "$work/node/node.crt" "$node/node.crt"
install -m 0644 "$work/ca/ca.crt" "$node/ca.crt"
install -m 0644 "$work/ca/ca.crt" "$authority/ca.crt"
echo 'The certificates are made.'
