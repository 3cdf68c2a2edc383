#!/usr/bin/env bash
# Runs the services of the compose file without containers: a real PostgreSQL, two gateways with the gateway.yaml of the compose
# file, and a real nginx with its nginx.conf. Then replaces both gateways, one after the other, while clients send requests:
# every answer must be complete. Needs root and nginx: apt-get install nginx-light
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v nginx >/dev/null || { echo "Install nginx first: apt-get install nginx-light" >&2; exit 1; }
# Host names as in the network of the compose file, in a mount namespace of this script.
[ "${1:-}" = inside ] || exec unshare --mount "$0" inside
folder=$(mktemp -d)
chmod 755 "$folder"
printf '127.0.0.1 localhost postgres\n127.0.0.11 gateway-1\n127.0.0.12 gateway-2\n' >"$folder/hosts"
mount --bind "$folder/hosts" /etc/hosts
declare -A gateway
finish() {
  local status=$?
  [ "$status" = 0 ] || tail -n 5 "$folder"/*.log
  touch "$folder/enough"
  [ ! -f "$folder/nginx.pid" ] || kill "$(cat "$folder/nginx.pid")"
  kill -KILL "${gateway[@]}" 2>/dev/null || true
  # PostgreSQL ends when its input is closed.
  exec 3>&-
  rm -rf "$folder"
}
trap finish EXIT

mkfifo "$folder/postgres-input" "$folder/postgres-port"
node test/services/postgres-process.ts <"$folder/postgres-input" >"$folder/postgres-port" &
exec 3>"$folder/postgres-input"
read -r database_port <"$folder/postgres-port"
export DATABASE_URL="postgres://postgres@postgres:$database_port/postgres" GATEWAY_SECRET
GATEWAY_SECRET=$(printf 'x%.0s' {1..64})

start() {
  sed "s|^data: .*|data: $folder/data-$1|" deploy/compose/gateway.yaml >"$folder/gateway-$1.yaml"
  node bin/chat-gateway.cjs serve --config "$folder/gateway-$1.yaml" --host "127.0.0.1$1" >>"$folder/gateway-$1.log" 2>&1 3>&- &
  gateway[$1]=$!
  until curl -fs "http://127.0.0.1$1:8081/readyz" >/dev/null; do kill -0 "${gateway[$1]}"; sleep 0.2; done
}
start 1
start 2
# The balancer has an address of its own in the network of the compose file; here it shares one machine with the gateways.
sed -e 's/listen 8080;/listen 127.0.0.1:8080;/' -e "1i pid $folder/nginx.pid; error_log $folder/nginx.log;" \
  deploy/compose/nginx.conf >"$folder/nginx.conf"
nginx -c "$folder/nginx.conf" 3>&-

key=$(node bin/chat-gateway.cjs keys create --config deploy/compose/gateway.yaml --account demo --name try --json |
  node -p 'JSON.parse(fs.readFileSync(0, "utf8")).secret')
send_chat() {
  curl -sSN --max-time 60 http://127.0.0.1:8080/v1/chat/completions -H "Authorization: Bearer $key" \
    -H 'Content-Type: application/json' -d '{"model":"sim-chat","messages":[{"role":"user","content":"Hello!"}]}'
}
client() {
  while [ ! -e "$folder/enough" ]; do
    send_chat >"$folder/answer-$BASHPID" 2>&1 || true
    if grep -q '^data: \[DONE\]' "$folder/answer-$BASHPID"; then echo complete; else cat "$folder/answer-$BASHPID"; echo; fi >>"$folder/answers"
  done
}
clients=()
: >"$folder/answers"
for _ in 1 2 3 4; do client 3>&- & clients+=($!); done
for number in 1 2; do
  before=$(wc -l <"$folder/answers")
  kill -TERM "${gateway[$number]}"
  wait "${gateway[$number]}"
  start "$number"
  until [ "$(wc -l <"$folder/answers")" -gt $((before + 20)) ]; do sleep 0.2; done
  echo "gateway-$number was replaced"
done
touch "$folder/enough"
wait "${clients[@]}"
sort "$folder/answers" | uniq -c | sort -rn | head
! grep -qv complete "$folder/answers"
