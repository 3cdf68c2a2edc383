#!/usr/bin/env bash
# Renders the chart with its own values and with every example, and checks the objects. Needs helm. With KUBECONFORM=1,
# kubeconform validates every object against the schemas of Kubernetes, which it downloads. Both are Go modules:
#   go install helm.sh/helm/v3/cmd/helm@latest && go install github.com/yannh/kubeconform/cmd/kubeconform@latest
set -euo pipefail
cd "$(dirname "$0")/../helm/chat-gateway"
command -v helm >/dev/null || { echo "Install helm first. The comment at the top of this file has the command." >&2; exit 1; }
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
# A helm built from source has no Kubernetes version, so it is given here. Its warning about the links in files/ is expected.
helm() { command helm "$@" 2> >(grep -v 'symbolic link' >&2); }
template() { helm template gateway . --kube-version 1.31.0 "$@"; }

helm lint --strict .
for values in values.yaml examples/*.yaml; do
  helm lint --strict --values "$values" . >/dev/null
  template --values "$values" >"$rendered/$(basename "$values")"
  echo "$values: $(grep -c '^kind: ' "$rendered/$(basename "$values")") objects"
done

# All optional objects at once.
template --values examples/cluster.yaml --set httpRoute.enabled=true --set networkPolicy.enabled=true \
  --set 'httpRoute.parentRefs[0].name=public' >"$rendered/everything.yaml"

# The chart must refuse these values.
if template --set replicaCount=2 >/dev/null 2>&1; then echo "Two gateways without a database were allowed." >&2; exit 1; fi
if template --set terminationGracePeriodSeconds=634 >/dev/null 2>&1; then echo "A pod that is killed before the end of its grace period was allowed." >&2; exit 1; fi
if template --set config.shutdown_grace=11m >/dev/null 2>&1; then echo "A grace period longer than that of the pod was allowed." >&2; exit 1; fi
template --set terminationGracePeriodSeconds=635 >/dev/null
template --set config.shutdown_grace=500ms --set terminationGracePeriodSeconds=36 >/dev/null
template --set-string 'config.shutdown_grace=${GRACE}' >/dev/null
if template --set ports.health=8080 >/dev/null 2>&1; then echo "Two equal ports were allowed." >&2; exit 1; fi
if template --set replicas=2 >/dev/null 2>&1; then echo "A value that does not exist was allowed." >&2; exit 1; fi

# The gateway checks the configuration that a pod would get.
for file in "$rendered"/*.yaml; do
  node ../../try/config-map.ts "$file" | DATABASE_URL=postgres://gateway@postgres/gateway GATEWAY_SECRET=$(printf 'x%.0s' {1..64}) \
    OPENAI_API_KEY=x ANTHROPIC_API_KEY=x DEEPSEEK_API_KEY=x node ../../../bin/chat-gateway.cjs check /dev/stdin
done

if [ -n "${KUBECONFORM:-}" ]; then
  kubeconform -strict -summary -ignore-missing-schemas "$rendered"/*.yaml
fi
