#!/usr/bin/env bash
# Gives the operator its rights: fills in the two templates beside this script and hands them to kubectl.
set -euo pipefail

ROLE_NAME=${ROLE_NAME:-etcd-operator}
ROLE_BINDING_NAME=${ROLE_BINDING_NAME:-etcd-operator}
NAMESPACE=${NAMESPACE:-default}
SERVICE_ACCOUNT=${SERVICE_ACCOUNT:-etcd-operator}
cluster_wide=false
with_crds=true

usage() {
  cat <<'USAGE'
Usage: create_role.sh [--role-name=NAME] [--role-binding-name=NAME] [--namespace=NAMESPACE]
                      [--service-account=NAME] [--cluster-wide | --no-crds]

Gives the operator of a namespace its rights, in the cluster that kubectl talks to: a ServiceAccount, a Role with a
RoleBinding in that namespace, and, for --create-crd, a ClusterRole for the three CRDs. With --cluster-wide a ClusterRole
and a ClusterRoleBinding for all namespaces instead. Running it again brings all of them up to date.

  --role-name=NAME           name of the Role or ClusterRole (etcd-operator)
  --role-binding-name=NAME   name of the binding (etcd-operator); with --cluster-wide one per namespace with an operator
  --namespace=NAMESPACE      namespace that the operator runs in (default)
  --service-account=NAME     what the operator runs as (etcd-operator)
  --cluster-wide             for an operator that is started with --cluster-wide
  --no-crds                  for one that is started with --create-crd=false: no right beyond its namespace
  -h, --help                 show this text

The variables ROLE_NAME, ROLE_BINDING_NAME, NAMESPACE and SERVICE_ACCOUNT are read too; a flag wins.
USAGE
}

fail() {
  printf 'create_role.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

# The names are written into sed expressions and YAML, so they may contain no special characters of either.
require_name() {
  local flag=$1 name=$2
  [[ ${#name} -le 253 && $name =~ ^[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?$ ]] ||
    fail "$flag=$name: not a name: use letters, digits, '-', '.', ':' and '_', beginning and ending with a letter or digit" 2
}

require_namespace() {
  [[ ${#1} -le 63 && $1 =~ ^[a-z0-9]([a-z0-9-]*[a-z0-9])?$ ]] ||
    fail "--namespace=$1: not a namespace: use at most 63 lower-case letters, digits and '-'" 2
}

require_account() {
  [[ ${#1} -le 253 && $1 =~ ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$ ]] ||
    fail "--service-account=$1: not a ServiceAccount: use lower-case letters, digits, '-' and '.'" 2
}

SUBJECTS='jsonpath={.roleRef.name}{range .subjects[*]}{" "}{.namespace}/{.name}{end}'

# A binding has one list of subjects: replacing it would silently remove the rights of its present subjects.
require_free_binding() {
  local kind=$1 wanted="$ROLE_NAME $NAMESPACE/$SERVICE_ACCOUNT" present
  present=$(kubectl get "$kind" "$ROLE_BINDING_NAME" --namespace="$NAMESPACE" --ignore-not-found -o "$SUBJECTS")
  [[ -z $present || $present == "$wanted" || $present == "$ROLE_NAME $NAMESPACE/default" ]] ||
    fail "$kind \"$ROLE_BINDING_NAME\" is there and binds \"$present\" (role, namespace/account), not \"$wanted\": choose another --role-binding-name, or first run: kubectl delete $kind $ROLE_BINDING_NAME --namespace=$NAMESPACE"
  [[ -z $present || $present == "$wanted" ]] ||
    printf 'create_role.sh: %s "%s" gave the rights to ServiceAccount "%s/default", which loses them now: apply the Deployment again, with serviceAccountName: %s\n' \
      "$kind" "$ROLE_BINDING_NAME" "$NAMESPACE" "$SERVICE_ACCOUNT" >&2
}

# Earlier versions gave an operator of one namespace the rights to all of them. It may still run as that.
tell_of_leftover() {
  local present
  present=$(kubectl get clusterrolebinding "$ROLE_BINDING_NAME" --ignore-not-found -o "$SUBJECTS")
  [[ $present == *" $NAMESPACE/default"* ]] || return 0
  printf 'create_role.sh: ClusterRoleBinding "%s" still gives ServiceAccount "%s/default" the rights of "%s" in all namespaces. When no operator runs as that any more: kubectl delete clusterrolebinding %s\n' \
    "$ROLE_BINDING_NAME" "$NAMESPACE" "$ROLE_NAME" "$ROLE_BINDING_NAME" >&2
}

apply_template() {
  sed -e "s/<ROLE_NAME>/$ROLE_NAME/g" \
    -e "s/<ROLE_BINDING_NAME>/$ROLE_BINDING_NAME/g" \
    -e "s/<NAMESPACE>/$NAMESPACE/g" \
    -e "s/<SERVICE_ACCOUNT>/$SERVICE_ACCOUNT/g" \
    "$1" | kubectl apply -f -
}

for argument in "$@"; do
  case $argument in
    --role-name=*) ROLE_NAME=${argument#*=} ;;
    --role-binding-name=*) ROLE_BINDING_NAME=${argument#*=} ;;
    --namespace=*) NAMESPACE=${argument#*=} ;;
    --service-account=*) SERVICE_ACCOUNT=${argument#*=} ;;
    --cluster-wide) cluster_wide=true ;;
    --no-crds) with_crds=false ;;
    -h | --help)
      usage
      exit 0
      ;;
    --role-name | --role-binding-name | --namespace | --service-account) fail "$argument needs a value: write $argument=VALUE" 2 ;;
    *) fail "unknown argument \"$argument\": --help shows what there is" 2 ;;
  esac
done

require_name --role-name "$ROLE_NAME"
require_name --role-binding-name "$ROLE_BINDING_NAME"
require_namespace "$NAMESPACE"
require_account "$SERVICE_ACCOUNT"
command -v kubectl >/dev/null || fail "kubectl is not on the PATH: install it first"

templates=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
if $cluster_wide; then
  require_free_binding clusterrolebinding
else
  require_free_binding rolebinding
fi
# Kubernetes makes that one itself.
[[ $SERVICE_ACCOUNT == default ]] || apply_template "$templates/service-account-template.yaml"
if $cluster_wide; then
  apply_template "$templates/cluster-role-template.yaml"
  apply_template "$templates/cluster-role-binding-template.yaml"
  exit
fi
apply_template "$templates/role-template.yaml"
apply_template "$templates/role-binding-template.yaml"
if $with_crds; then apply_template "$templates/crd-role-template.yaml"; fi
[[ $SERVICE_ACCOUNT == default ]] || tell_of_leftover
