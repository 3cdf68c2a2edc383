#!/usr/bin/env bash
# Builds the image from Debian packages, without an image registry and without a daemon, and runs it like a container: as
# process 1, as an unprivileged user, on a read-only root file system. Then sends it a chat request, and stops it.
# Needs root and: apt-get install buildah mmdebstrap
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in buildah mmdebstrap; do
  command -v "$tool" >/dev/null || { echo "Install the missing tools first: apt-get install buildah mmdebstrap" >&2; exit 1; }
done
suite=bookworm
port=18080
user=65532
folder=$(mktemp -d)
chmod 755 "$folder"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
finish() {
  umount -R "$folder/root" 2>/dev/null || true
  rm -rf "$folder"
  # Removes the builder and base images. The image itself stays.
  buildah rmi --force localhost/gateway-base localhost/gateway-builder >/dev/null 2>&1 || true
}
trap finish EXIT

# An image of Debian packages: NAME VARIANT PACKAGES
debian_image() {
  mmdebstrap --quiet --variant="$2" --include="$3" "$suite" "$folder/$1.tar"
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$folder/$1.tar" / >/dev/null
  buildah commit --quiet --rm "$container" "localhost/gateway-$1" >/dev/null
}

echo "== the base image: the libraries that Node needs, and no shell"
debian_image base extract base-files,libc6,libgcc-s1,libstdc++6,tzdata

echo "== the builder image: Debian with Node and npm, like the official Node images"
debian_image builder minbase ca-certificates
npm install --silent --prefix "$folder/npm" npm@11
container=$(buildah from localhost/gateway-builder)
buildah copy --quiet "$container" "$(node -p process.execPath)" /usr/local/bin/node >/dev/null
buildah copy --quiet "$container" "$folder/npm/node_modules/npm" /usr/local/lib/node_modules/npm >/dev/null
buildah run "$container" ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
buildah commit --quiet --rm "$container" localhost/gateway-builder >/dev/null

echo "== the image"
# npm in the builder uses the registry and the certificates of this machine.
cp "$(npm config get userconfig)" "$folder/npmrc" 2>/dev/null || true
printf '\nregistry=%s\ncafile=/machine-certificates.crt\n' "$(npm config get registry)" >>"$folder/npmrc"
buildah build --quiet --format docker --pull-never --tag localhost/chat-gateway \
  --volume "$folder/npmrc:/root/.npmrc:ro" --volume /etc/ssl/certs/ca-certificates.crt:/machine-certificates.crt:ro \
  --build-arg BUILD_IMAGE=localhost/gateway-builder \
  --build-arg BASE_IMAGE=localhost/gateway-base \
  --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .

container=$(buildah from --pull-never localhost/chat-gateway)
cp -a "$(buildah mount "$container")" "$folder/root"
buildah rm "$container" >/dev/null
echo "$(du -sm "$folder/root" | cut -f1) MB in total, $(du -sm "$folder/root/opt" | cut -f1) MB of which is the gateway"

echo "== it runs"
mkdir "$folder/data"
chown "$user:$user" "$folder/data"
mapfile -t words < <(buildah inspect --type image --format \
  '{{range .Docker.Config.Entrypoint}}{{println .}}{{end}}{{range .Docker.Config.Cmd}}{{println .}}{{end}}' \
  localhost/chat-gateway | sed '/^$/d')
unshare --mount --pid --fork --kill-child sh -c '
  root=$1 data=$2 user=$3; shift 3
  mount --bind "$root" "$root" && mount --bind "$data" "$root/data" && mount -t proc proc "$root/proc" &&
  mount -o remount,bind,ro "$root" || exit 1
  exec chroot --userspec="$user:$user" "$root" "$@"
' sh "$folder/root" "$folder/data" "$user" "${words[@]}" --port "$port" >"$folder/output" 2>&1 &
outer=$!
for _ in $(seq 100); do grep -q 'API key' "$folder/output" && break; sleep 0.2; done
key=$(grep -o 'gwk_live_[A-Za-z0-9]*' "$folder/output" | head -1) || { cat "$folder/output"; exit 1; }
pid=$(pgrep --parent "$outer")
grep -E '^(Uid|NSpid)' "/proc/$pid/status"
if chroot --userspec="$user:$user" "/proc/$pid/root" /usr/local/bin/node -e 'fs.writeFileSync("/opt/x", "")' 2>/dev/null; then
  echo "Its root file system can be written to." >&2; exit 1
fi
curl -fsS -D - -o /dev/null "http://127.0.0.1:$port/readyz" | grep -iE '^(HTTP|x-gateway-version)'
curl -fsSN "http://127.0.0.1:$port/v1/chat/completions" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
  -d '{"model":"sim-chat","messages":[{"role":"user","content":"Hello!"}]}' | tail -2
kill -TERM "$pid"
wait "$outer"
grep -q Stopping "$folder/output"
echo "it answered, and exited with 0 after SIGTERM; the image is localhost/chat-gateway"
