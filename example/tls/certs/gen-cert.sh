#!/usr/bin/env bash
# Creates an authority, certificates and Secrets to try TLS, and changes them in the same way as in production.
set -euo pipefail

STEP=certificates
CLUSTER=example
NAMESPACE=default
DOMAIN=cluster.local
DAYS=365
OUT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<'USAGE'
Usage: gen-cert.sh [STEP] [--cluster=NAME] [--namespace=NAMESPACE] [--domain=DOMAIN] [--days=DAYS] [--out=FOLDER]

Makes what an EtcdCluster with TLS needs, with openssl alone: for testing, because it leaves the key of the authority in the
folder. At the end secrets.yaml holds three Secrets: etcd-peer-tls, etcd-server-tls and etcd-client-tls.

  certificates          new certificates from the authority in the folder, which is made when there is none (the default)
  trust-both            a second authority, trusted beside the first; the certificates stay as they are
  drop-old              trust in the second authority alone, once the certificates are from it

To change the authority of a running cluster: trust-both, certificates, drop-old; after each, apply secrets.yaml and wait until
the cluster has settled.

  --cluster=NAME            name of the EtcdCluster (example)
  --namespace=NAMESPACE     its namespace (default)
  --domain=DOMAIN           DNS domain of the Kubernetes cluster (cluster.local)
  --days=DAYS               how long certificates are valid; the authority ten times as long (365)
  --out=FOLDER              where the files are (the folder of this script)
  -h, --help                show this text
USAGE
}

fail() {
  printf 'gen-cert.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

# The names are written into openssl's configuration and into YAML, so they may contain no special characters of either.
require_label() {
  [[ ${#2} -le 63 && $2 =~ ^[a-z0-9]([a-z0-9-]*[a-z0-9])?$ ]] ||
    fail "$1=$2: not a name: use at most 63 lower-case letters, digits and '-'" 2
}

require_domain() {
  [[ ${#1} -le 200 && $1 =~ ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$ ]] ||
    fail "--domain=$1: not a domain: use lower-case letters, digits, '-' and '.'" 2
}

new_key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

# Depends on no configuration of the machine.
new_authority() {
  new_key "$OUT/ca.key.new"
  openssl req -x509 -new -key "$OUT/ca.key.new" -out "$OUT/ca.crt.new" -sha256 -days $((DAYS * 10)) \
    -subj "/CN=etcd CA $(openssl rand -hex 4)" -config <(
      printf '%s\n' '[req]' 'distinguished_name = dn' 'x509_extensions = ca' '[dn]' '[ca]' \
        'basicConstraints = critical,CA:TRUE' 'keyUsage = critical,keyCertSign,cRLSign' 'subjectKeyIdentifier = hash'
    )
  mv "$OUT/ca.key.new" "$OUT/ca.key"
  mv "$OUT/ca.crt.new" "$OUT/ca.crt"
}

# new_certificate FILE SUBJECT USAGES [SUBJECT-ALT-NAMES]
new_certificate() {
  local file=$OUT/$1 subject=$2 usages=$3 names=${4:-} said
  new_key "$file.key"
  said=$(openssl req -new -key "$file.key" -subj "/CN=$subject" -config <(printf '%s\n' '[req]' 'distinguished_name = dn' '[dn]') |
    openssl x509 -req -CA "$OUT/ca.crt" -CAkey "$OUT/ca.key" -set_serial "0x$(openssl rand -hex 16)" \
      -sha256 -days "$DAYS" -out "$file.crt" -extfile <(
        printf '%s\n' 'basicConstraints = critical,CA:FALSE' 'keyUsage = critical,digitalSignature' \
          "extendedKeyUsage = $usages" 'authorityKeyIdentifier = keyid' ${names:+"subjectAltName = $names"}
      ) 2>&1) || fail "openssl did not make $1.crt: $said"
}

# A wildcard for every member, because the names of future members are not known. With the domain, because etcd asks the
# DNS for the name of a peer's address, and gets the full one.
new_certificates() {
  local members="DNS:*.$CLUSTER.$NAMESPACE.svc,DNS:*.$CLUSTER.$NAMESPACE.svc.$DOMAIN" name service=
  for name in "" ".$NAMESPACE" ".$NAMESPACE.svc" ".$NAMESPACE.svc.$DOMAIN"; do
    service+=",DNS:$CLUSTER-client$name"
  done
  new_certificate peer "etcd peer" serverAuth,clientAuth "$members"
  new_certificate server "etcd server" serverAuth,clientAuth "$members$service,DNS:localhost,IP:127.0.0.1"
  new_certificate etcd-client "etcd client" clientAuth
}

write_bundles() {
  local name authorities=("$OUT/ca.crt")
  [[ ! -e $OUT/old-ca.crt ]] || authorities=("$OUT/old-ca.crt" "$OUT/ca.crt")
  for name in peer server etcd-client; do
    cat "${authorities[@]}" >"$OUT/$name-ca.crt"
  done
}

# secret NAME FILE
secret() {
  printf -- '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  namespace: %s\ntype: Opaque\ndata:\n' "$1" "$NAMESPACE"
  local key
  for key in "$2.crt" "$2.key" "$2-ca.crt"; do
    printf '  %s: %s\n' "$key" "$(openssl base64 -A -in "$OUT/$key")"
  done
}

write_secrets() {
  {
    echo "# Secrets for the EtcdCluster $CLUSTER, made by gen-cert.sh for testing."
    secret etcd-peer-tls peer
    secret etcd-server-tls server
    secret etcd-client-tls etcd-client
  } >"$OUT/secrets.yaml"
}

is_from_new_authority() {
  openssl verify -CAfile "$OUT/ca.crt" "$OUT/$1.crt" >/dev/null 2>&1
}

trust_both() {
  [[ -e $OUT/ca.key && -e $OUT/peer.crt ]] || fail "there are no certificates in $OUT yet: run it without a step first"
  [[ ! -e $OUT/old-ca.crt ]] || fail "two authorities are trusted already: finish with certificates and drop-old first"
  cp "$OUT/ca.crt" "$OUT/old-ca.crt"
  new_authority
}

drop_old() {
  local name
  [[ -e $OUT/old-ca.crt ]] || fail "only one authority is trusted: there is none to drop"
  for name in peer server etcd-client; do
    is_from_new_authority "$name" || fail "$name.crt is from the old authority: run the step certificates first"
  done
  rm "$OUT/old-ca.crt"
}

for argument in "$@"; do
  case $argument in
    certificates | trust-both | drop-old) STEP=$argument ;;
    --cluster=*) CLUSTER=${argument#*=} ;;
    --namespace=*) NAMESPACE=${argument#*=} ;;
    --domain=*) DOMAIN=${argument#*=} ;;
    --days=*) DAYS=${argument#*=} ;;
    --out=*) OUT=${argument#*=} ;;
    -h | --help)
      usage
      exit 0
      ;;
    --cluster | --namespace | --domain | --days | --out) fail "$argument needs a value: write $argument=VALUE" 2 ;;
    *) fail "unknown argument \"$argument\": --help shows what there is" 2 ;;
  esac
done

require_label --cluster "$CLUSTER"
require_label --namespace "$NAMESPACE"
require_domain "$DOMAIN"
[[ $DAYS =~ ^[1-9][0-9]{0,3}$ ]] || fail "--days=$DAYS: not a number of days from 1 to 9999" 2
command -v openssl >/dev/null || fail "openssl is not on the PATH: install it first"

umask 077
mkdir -p -- "$OUT"
case $STEP in
  certificates)
    [[ -e $OUT/ca.key ]] || new_authority
    new_certificates
    ;;
  trust-both) trust_both ;;
  drop-old) drop_old ;;
esac
write_bundles
write_secrets
printf 'Apply the Secrets with: kubectl apply -f %q\n' "$OUT/secrets.yaml"
