#!/usr/bin/env bash
# Gives the operator its rights: fills in the two templates beside this script and hands them to kubectl.
set -euo pipefail

ROLE_NAME=${ROLE_NAME:-etcd-operator}
ROLE_BINDING_NAME=${ROLE_BINDING_NAME:-etcd-operator}
NAMESPACE=${NAMESPACE:-default}

usage() {
  cat <<'USAGE'
Usage: create_role.sh [--role-name=NAME] [--role-binding-name=NAME] [--namespace=NAMESPACE]

Creates a ClusterRole with the rights of the operator, and a ClusterRoleBinding that gives it to the ServiceAccount
"default" of a namespace, in the cluster that kubectl talks to. Running it again brings both up to date.

  --role-name=NAME           name of the ClusterRole (etcd-operator)
  --role-binding-name=NAME   name of the ClusterRoleBinding (etcd-operator); one per namespace with an operator
  --namespace=NAMESPACE      namespace that the operator runs in (default)
  -h, --help                 show this text

The variables ROLE_NAME, ROLE_BINDING_NAME and NAMESPACE are read too; a flag wins.
USAGE
}

fail() {
  printf 'create_role.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

# The names go into sed expressions and YAML, so they hold nothing that means something to either.
require_name() {
  local flag=$1 name=$2
  [[ ${#name} -le 253 && $name =~ ^[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?$ ]] ||
    fail "$flag=$name: not a name: use letters, digits, '-', '.', ':' and '_', beginning and ending with a letter or digit" 2
}

require_namespace() {
  [[ ${#1} -le 63 && $1 =~ ^[a-z0-9]([a-z0-9-]*[a-z0-9])?$ ]] ||
    fail "--namespace=$1: not a namespace: use at most 63 lower-case letters, digits and '-'" 2
}

# A binding has one list of subjects: taking it over would silently take its rights from whoever has them now.
require_free_binding() {
  local wanted="$ROLE_NAME $NAMESPACE/default" present
  present=$(kubectl get clusterrolebinding "$ROLE_BINDING_NAME" --ignore-not-found \
    -o 'jsonpath={.roleRef.name}{range .subjects[*]}{" "}{.namespace}/{.name}{end}')
  [[ -z $present || $present == "$wanted" ]] ||
    fail "ClusterRoleBinding \"$ROLE_BINDING_NAME\" is there and binds \"$present\" (role, namespace/account), not \"$wanted\": choose another --role-binding-name, or first run: kubectl delete clusterrolebinding $ROLE_BINDING_NAME"
}

apply_template() {
  sed -e "s/<ROLE_NAME>/$ROLE_NAME/g" \
    -e "s/<ROLE_BINDING_NAME>/$ROLE_BINDING_NAME/g" \
    -e "s/<NAMESPACE>/$NAMESPACE/g" \
    "$1" | kubectl apply -f -
}

for argument in "$@"; do
  case $argument in
    --role-name=*) ROLE_NAME=${argument#*=} ;;
    --role-binding-name=*) ROLE_BINDING_NAME=${argument#*=} ;;
    --namespace=*) NAMESPACE=${argument#*=} ;;
    -h | --help)
      usage
      exit 0
      ;;
    --role-name | --role-binding-name | --namespace) fail "$argument needs a value: write $argument=VALUE" 2 ;;
    *) fail "unknown argument \"$argument\": --help shows what there is" 2 ;;
  esac
done

require_name --role-name "$ROLE_NAME"
require_name --role-binding-name "$ROLE_BINDING_NAME"
require_namespace "$NAMESPACE"
command -v kubectl >/dev/null || fail "kubectl is not on the PATH: install it first"

templates=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
require_free_binding
apply_template "$templates/cluster-role-template.yaml"
apply_template "$templates/cluster-role-binding-template.yaml"
