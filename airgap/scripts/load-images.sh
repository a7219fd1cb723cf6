#!/bin/sh
# Loads the images of {{.Name}} {{.Version}} into the containerd of this Linux node.
#
# usage: load-images.sh [DIRECTORY]
#
# DIRECTORY has the bundles and SHA256SUMS; without it, they lie beside this script. CTR names the ctr program (ctr), ADDRESS containerd's
# socket (ctr's default; k3s has /run/k3s/containerd/containerd.sock), NAMESPACE the namespace (k8s.io, where the kubelet looks), and
# CTR_FLAGS further flags of ctr images import.
#
# KEY names the public key of the maintainer, which must come to this node in another way than the bundles. With it, nothing is imported unless
# SHA256SUMS.sig is a signature of SHA256SUMS by that key, which openssl verifies. This script came with the bundles, so check it first:
#   base64 -d SHA256SUMS.sig >/tmp/sig && openssl dgst -sha256 -verify /etc/slipway/keys/release.pub -signature /tmp/sig SHA256SUMS &&
#     sha256sum --check --ignore-missing SHA256SUMS
#
# The kubelet leaves the images when it makes room, since nothing could pull them again: they are labeled io.cri-containerd.pinned=pinned, which containerd
# knows since 1.6.25. Remove those of an old release with crictl rmi.
set -eu

fail() {
	echo "load-images.sh: $*" >&2
	exit 1
}

case "${1-}" in
-h | --help)
	sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0"
	exit 0
	;;
esac
[ $# -le 1 ] || fail "too many arguments: name one directory"

directory=${1-$(dirname -- "$0")}
namespace=${NAMESPACE-k8s.io}
program=${CTR-ctr}

machine=$(uname -m)
case $machine in
{{- range .Linux}}
{{.Machines}})
	platform={{.Platform}}
	bundle={{.File}}
	;;
{{- end}}
*) fail "there is no bundle for this machine ($machine), only for{{range .Linux}} {{.Platform}}{{end}}" ;;
esac

# Names and digests of the images in the bundle, so that pods that pin a digest find them.
images() {
	case $platform in
{{- range .Linux}}
	{{.Platform}})
		cat <<'END'
{{- range .Images}}
{{.Name}} {{.Reference}}
{{- end}}
END
		;;
{{- end}}
	esac
}

run() {
	if [ -n "${ADDRESS-}" ]; then
		"$program" --address "$ADDRESS" --namespace "$namespace" "$@"
	else
		"$program" --namespace "$namespace" "$@"
	fi
}

command -v "$program" >/dev/null || fail "$program is not in PATH: name it with CTR"
file=$directory/$bundle
[ -f "$file" ] || fail "$file is missing: copy it here, or name the directory that has it"
[ -f "$directory/SHA256SUMS" ] || fail "$directory/SHA256SUMS is missing: copy it here from the release"

# What is verified is read once: a copy is what counts.
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
sums=$temporary/SHA256SUMS
cat "$directory/SHA256SUMS" >"$sums"
if [ -n "${KEY-}" ]; then
	command -v openssl >/dev/null || fail "openssl is not in PATH: it verifies the signature by KEY"
	[ -f "$KEY" ] || fail "KEY=$KEY is missing: name the public key of the maintainer"
	[ "$(dirname -- "$(readlink -f -- "$KEY")")" != "$(readlink -f -- "$directory")" ] ||
		fail "KEY=$KEY is next to the bundles, which it is to prove: whoever changed the one could change the other: get the key in another way"
	[ -f "$directory/SHA256SUMS.sig" ] ||
		fail "$directory/SHA256SUMS.sig is missing: the release was not signed, or its signature was removed; copy it here from the release"
	base64 -d <"$directory/SHA256SUMS.sig" >"$temporary/signature" 2>/dev/null ||
		fail "$directory/SHA256SUMS.sig is not base64: copy it again"
	openssl dgst -sha256 -verify "$KEY" -signature "$temporary/signature" "$sums" >/dev/null 2>&1 ||
		fail "$directory/SHA256SUMS.sig is not a signature of SHA256SUMS by the key $KEY: it is of another release or another maintainer, or was changed; nothing was imported"
	echo "verified: SHA256SUMS is signed by $KEY"
fi

want=$(awk -v name="$bundle" '$2 == name || $2 == "*" name { print $1 }' "$sums")
[ -n "$want" ] || fail "SHA256SUMS does not name $bundle: it is of another release"
got=$(sha256sum <"$file" | cut -d ' ' -f 1)
[ "$got" = "$want" ] || fail "$file has the checksum $got, SHA256SUMS says $want: copy it again"

# What ctr of containerd 1 reads is plain tar; that of containerd 2 decompresses. A pipe hides a failure of its first program, which the
# checksum has ruled out: ctr fails on what is cut short. containerd unpacks an image for its first container; ctr of containerd 2 would unpack all
# that this machine could run of it, and the bundle holds one.
echo "importing $bundle for $platform into the namespace $namespace"
if command -v zstd >/dev/null; then
	# shellcheck disable=SC2086 # CTR_FLAGS are several words
	zstd --decompress --stdout --quiet "$file" | run images import --no-unpack --platform "$platform" ${CTR_FLAGS-} -
else
	# shellcheck disable=SC2086 # as above
	run images import --no-unpack --platform "$platform" ${CTR_FLAGS-} "$file" ||
		fail "importing failed: containerd 1 needs zstd: install it (apt-get install zstd), and run this again"
fi

images | while read -r name reference; do
	run images tag --force "$name" "$reference" </dev/null >/dev/null
	for image in "$name" "$reference"; do
		run images label "$image" io.cri-containerd.pinned=pinned </dev/null >/dev/null
	done
done
echo "done: $(images | wc -l | tr -d ' ') images"
