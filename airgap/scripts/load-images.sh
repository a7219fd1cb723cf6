#!/bin/sh
# Loads the images of {{.Name}} {{.Version}} into the containerd of this Linux node.
#
# usage: load-images.sh [DIRECTORY]
#
# DIRECTORY has the bundles and SHA256SUMS; without it, they lie beside this script. CTR names the ctr program (ctr), ADDRESS containerd's
# socket (ctr's default; k3s has /run/k3s/containerd/containerd.sock), NAMESPACE the namespace (k8s.io, where the kubelet looks), and
# CTR_FLAGS further flags of ctr images import.
{{- if .Parts}}
#
# The bundle with all images is taken where it is there, and else each bundle of a group that is there.
{{- with .Groups}} ONLY names the groups of this node in
# place of that: ONLY="{{.}}". A node that has a group already needs no bundle of it.
{{- end}}{{end}}
#
# The blobs of the images get the labels containerd.io/distribution.source.REGISTRY=REPOSITORY that a pull would have set: by these Spegel, and the
# embedded registry of RKE2 and k3s, know what this node can serve to others. ctr sets them one by one; LABELS=no leaves them out.
#
# KEY names the public key of the maintainer, which must come to this node in another way than the bundles: it may not be in their directory, below it
# or above it, and nobody else may write it. With it, nothing is imported unless SHA256SUMS.sig is a signature of SHA256SUMS by that key, which openssl
# verifies, and SHA256SUMS lists this script and what else tells the release. This script came with the bundles, so check it first:
#   base64 -d SHA256SUMS.sig >/tmp/sig && openssl dgst -sha256 -verify /etc/slipway/keys/release.pub -signature /tmp/sig SHA256SUMS &&
#     sha256sum --check --ignore-missing SHA256SUMS
#
{{- if .Snapshot}}
# This is a snapshot, which no registry got: nothing is imported without SNAPSHOT=yes, for a node of tests.
#
{{- end}}
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
[ "${1-set}" ] || fail "the directory is given and empty: name it, or leave it out"
# A variable that is empty because another is not set would switch off what it asks for.
for name in KEY {{if .Parts}}ONLY {{end}}ADDRESS NAMESPACE CTR LABELS; do
	eval "value=\${$name-set}"
	# shellcheck disable=SC2154 # eval sets it
	[ "$value" ] || fail "$name is set and empty: give it a value, or unset it"
done

{{- if .Snapshot}}
[ "${SNAPSHOT-}" = yes ] || fail "{{.Name}} {{.Version}} is a snapshot, which no registry got: take a release, or set SNAPSHOT=yes on a node of tests"
{{- end}}

directory=${1-$(dirname -- "$0")}
namespace=${NAMESPACE-k8s.io}
program=${CTR-ctr}
case ${LABELS-yes} in
yes | no) ;;
*) fail "LABELS=$LABELS is neither yes nor no" ;;
esac

machine=$(uname -m)
case $machine in
{{- range .Linux}}
{{.Machines}})
	platform={{.Platform}}
	all={{with .All}}{{.File}}{{end}}
{{- if $.Parts}}
	parts='{{range $n, $p := .Parts}}{{if $n}} {{end}}{{$p.File}}{{end}}'
{{- end}}
	;;
{{- end}}
*) fail "there is no bundle for this machine ($machine), only for{{range .Linux}} {{.Platform}}{{end}}" ;;
esac

# Names and digests of the images in a bundle, so that pods that pin a digest find them.
images() {
	case $1 in
{{- range .Linux}}{{range .Bundles}}
	{{.File}})
		cat <<'END'
{{- range .Images}}
{{.Name}} {{.Reference}}
{{- end}}
END
		;;
{{- end}}{{end}}
	esac
}
{{- if .Parts}}

# The groups of a bundle.
groups_of() {
	case $1 in
{{- range .Linux}}{{range .Parts}}
	{{.File}}) echo '{{.Groups}}' ;;
{{- end}}{{end}}
	esac
}

# The layers that a sparse bundle lacks.
lacking_of() {
	case $1 in
{{- range .Linux}}{{range .Parts}}{{if .Lacking}}
	{{.File}})
		cat <<'END'
{{- range .Lacking}}
{{.}}
{{- end}}
END
		;;
{{- end}}{{end}}{{end}}
	esac
}

# The bundle that has them.
base_of() {
	case $1 in
{{- range .Linux}}{{range .Parts}}{{if .Lacking}}
	{{.File}}) echo {{.Base}} ;;
{{- end}}{{end}}{{end}}
	esac
}
{{- end}}

run() {
	if [ -n "${ADDRESS-}" ]; then
		"$program" --address "$ADDRESS" --namespace "$namespace" "$@"
	else
		"$program" --namespace "$namespace" "$@"
	fi
}

# writers prints who may write a file, besides its owner and root. A group with the number of the owner is the owner's own.
writers() {
	# shellcheck disable=SC2046 # three words
	set -- $(stat -c '%a %u %g' -- "$1")
	case $1 in
	*[2367]) echo everybody ;;
	*[2367]?) [ "$3" = 0 ] || [ "$3" = "$2" ] || echo "the group $3" ;;
	esac
}

# check_place refuses a key, or a link to one, that came with the bundles, or that others may write or exchange.
check_place() {
	case $1 in
	"$release"/*) fail "KEY=$KEY is next to the bundles, which it is to prove: $elsewhere" ;;
	esac
	at=$release
	while at=$(dirname -- "$at") && [ "$at" != / ] && [ "$(stat -c %d -- "$at")" = "$device" ]; do
		[ "$at" != "$home" ] || [ "$(dirname -- "$release")" = "$at" ] || break
		[ "$(dirname -- "$1")" != "$at" ] || fail "KEY=$KEY is in a directory above the bundles, which it is to prove: $elsewhere"
		[ "$at" != "$home" ] || break
	done
	if [ ! -L "$1" ] && [ -n "$(writers "$1")" ]; then
		fail "KEY=$KEY may be written by $(writers "$1"), so it proves nothing: get it again from where it came from, and run chmod go-w on it"
	fi
	child=$1
	while at=$(dirname -- "$child"); do
		owner=$(stat -c %u -- "$child")
		if [ -n "$(writers "$at")" ] && ! { [ -k "$at" ] && { [ "$owner" = 0 ] || [ "$owner" = "$(id -u)" ]; }; }; then
			fail "KEY=$KEY is below $at, where $(writers "$at") may exchange it, so it proves nothing: keep it elsewhere, such as in /etc/slipway/keys"
		fi
		[ "$at" != / ] || break
		child=$at
	done
}

# check_listed refuses a file that is not, byte for byte, what SHA256SUMS lists under a name.
check_listed() {
	want=$(awk -v name="$1" '$2 == name || $2 == "*" name { print $1 }' "$sums")
	[ -n "$want" ] || fail "SHA256SUMS does not name $1: it is of another release"
	got=$(sha256sum <"$2" | cut -d ' ' -f 1)
	[ "$got" = "$want" ] || fail "$2 has the checksum $got, SHA256SUMS says $want: copy it again"
}

# archive_of prints the file of a bundle that is imported.
archive_of() {
{{- if .Gzip}}
	# The .tar.gz is the same archive, for a node without zstd.
	twin=${1%.zst}.gz
	if [ -f "$directory/$twin" ] && { [ ! -f "$directory/$1" ] || ! command -v zstd >/dev/null; }; then
		echo "$twin"
		return
	fi
{{- end}}
	echo "$1"
}

command -v "$program" >/dev/null || fail "$program is not in PATH: name it with CTR"
chosen=$all
{{- if .Parts}}
if [ -n "${ONLY-}" ]; then
	chosen=
	for part in $parts; do
		for group in $ONLY; do
			[ "$(groups_of "$part")" != "$group" ] || [ ! -f "$directory/$(archive_of "$part")" ] || chosen="$chosen $part"
		done
	done
	for group in $ONLY; do
		for part in $chosen $parts; do # of a bundle that is not there it is said below
			[ "$(groups_of "$part")" != "$group" ] || { chosen="$chosen $part" && continue 2; }
		done
		fail "ONLY=$ONLY: the release has no bundle of group $group alone for $platform"
	done
	chosen=$(echo "$chosen" | tr ' ' '\n' | awk 'NF && !seen[$0]++')
elif [ ! -f "$directory/$(archive_of "$all")" ]; then
	chosen=
	for part in $parts; do
		[ ! -f "$directory/$(archive_of "$part")" ] || chosen="$chosen $part"
	done
fi
[ -n "$chosen" ] || fail "$directory has no bundle for $platform: copy ${all:-one of $parts} here, or name the directory that has it"
{{- end}}
for bundle in $chosen; do
	file=$directory/$(archive_of "$bundle")
	[ -f "$file" ] || fail "$file is missing: copy it here, or name the directory that has it"
done
[ -f "$directory/SHA256SUMS" ] || fail "$directory/SHA256SUMS is missing: copy it here from the release"

# The checksums are read once: a copy is what counts. The bundle is too large for that: it is read twice, and nobody else may write to its directory.
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
sums=$temporary/SHA256SUMS
cat "$directory/SHA256SUMS" >"$sums"
if [ -n "${KEY-}" ]; then
	command -v openssl >/dev/null || fail "openssl is not in PATH: it verifies the signature by KEY"
	[ -f "$KEY" ] || fail "KEY=$KEY is missing: name the public key of the maintainer"
	elsewhere='whoever changed the one could change the other: get the key in another way'
	release=$(readlink -f -- "$directory")
	home=$(readlink -f -- "${HOME-/}" || echo /)
	device=$(stat -c %d -- "$release")
	check_place "$(readlink -f -- "$KEY")"
	check_place "$(readlink -f -- "$(dirname -- "$KEY")")/$(basename -- "$KEY")"
	[ -f "$directory/SHA256SUMS.sig" ] ||
		fail "$directory/SHA256SUMS.sig is missing: the release was not signed, or its signature was removed; copy it here from the release"
	base64 -d <"$directory/SHA256SUMS.sig" >"$temporary/signature" 2>/dev/null ||
		fail "$directory/SHA256SUMS.sig is not base64: copy it again"
	openssl dgst -sha256 -verify "$KEY" -signature "$temporary/signature" "$sums" >/dev/null 2>&1 ||
		fail "$directory/SHA256SUMS.sig is not a signature of SHA256SUMS by the key $KEY: it is of another release or another maintainer, or was changed; nothing was imported"
	# The key has signed older releases, too: what tells the release is what this SHA256SUMS lists.
	[ -f "$0" ] || fail "this script must be run as a file, which is compared with SHA256SUMS"
	check_listed load-images.sh "$0"
	for name in release.lock.json provenance.json provenance.sigstore.json release.yaml load-images.ps1; do
		[ ! -e "$directory/$name" ] || check_listed "$name" "$directory/$name"
	done
	echo "verified: SHA256SUMS is signed by $KEY, and is of {{.Name}} {{.Version}}"
fi

for bundle in $chosen; do
	file=$(archive_of "$bundle")
	check_listed "$file" "$directory/$file"
done

# What ctr of containerd 1 reads is plain tar; that of containerd 2 decompresses. A pipe hides a failure of its first program, which the
# checksum has ruled out: ctr fails on what is cut short. containerd unpacks an image for its first container; ctr of containerd 2 would unpack all
# that this machine could run of it, and the bundle holds one.
import() {
	echo "importing $(basename -- "$1") for $platform into the namespace $namespace"
	tool=zstd
	case $1 in
	*.gz) tool=gzip ;;
	esac
	if command -v "$tool" >/dev/null; then
		# shellcheck disable=SC2086 # CTR_FLAGS are several words
		"$tool" -dcq <"$1" | run images import --no-unpack --platform "$platform" ${CTR_FLAGS-} -
	else
		# shellcheck disable=SC2086 # as above
		run images import --no-unpack --platform "$platform" ${CTR_FLAGS-} "$1" ||
			fail "importing failed: containerd 1 needs $tool: install it (apt-get install $tool), and run this again"
	fi
}
{{- if .Parts}}

# check_base refuses a sparse bundle on a node that does not have what it lacks.
check_base() {
	lacking_of "$1" >"$temporary/lacking"
	[ -s "$temporary/lacking" ] || return 0
	run content ls --quiet >"$temporary/have"
	if grep -v -x -F -f "$temporary/have" "$temporary/lacking" >/dev/null; then
		base=$(base_of "$1")
		fail "$1 has not all layers of its images, and this node lacks some: load $base first, or copy it here"
	fi
}
{{- end}}

for bundle in $chosen; do
{{- if .Parts}}
	check_base "$bundle"
{{- end}}
	import "$directory/$(archive_of "$bundle")"
	images "$bundle" | while read -r name reference; do
		run images tag --force "$name" "$reference" </dev/null >/dev/null
		for image in "$name" "$reference"; do
			run images label "$image" io.cri-containerd.pinned=pinned </dev/null >/dev/null
		done
	done
done

# loaded prints the images of all bundles, each once.
loaded() {
	for bundle in $chosen; do
		images "$bundle"
	done | sort -u
}

# sources prints a digest and a label for each blob of an image that lacks the label, as containerd writes it after a pull: the host without its port
# in the key, the repositories in order in the value, both together no longer than containerd allows. What belongs to an image, and is here, tell the
# labels by which containerd keeps it.
sources() {
	run content ls </dev/null >"$temporary/content"
	loaded | LC_ALL=C awk '
		function add(digest, key, path, n, all, i, list, placed) {
			n = split(label[digest, key], all, ",")
			for (i = 1; i <= n; i++) {
				if (all[i] == path) return
				if (!placed && all[i] > path) { list = list "," path; placed = 1 }
				list = list "," all[i]
			}
			list = substr(placed ? list : list "," path, 2)
			if (length(key) + length(list) > 4096) return
			if (!((digest, key) in changed)) line[++count] = digest SUBSEP key
			changed[digest, key]
			label[digest, key] = list
		}
		read == "content" {
			digest = $1
			here[digest] = 1
			sub(/^.*\t/, "")
			n = split($0, part, ",")
			for (i = 1; i <= n; i++) {
				at = index(part[i], "=")
				if (at) key = substr(part[i], 1, at - 1)
				value = substr(part[i], at + 1)
				if (key ~ /^containerd\.io\/gc\.ref\.content\./) children[digest] = children[digest] " " value
				if (key !~ /^containerd\.io\/distribution\.source\./ || value !~ /^[a-z0-9][a-z0-9._\/-]*$/) continue
				label[digest, key] = label[digest, key] (label[digest, key] == "" ? "" : ",") value
			}
		}
		read == "images" {
			at = index($2, "@")
			stack[top = 1] = substr($2, at + 1)
			host = path = substr($2, 1, at - 1)
			sub(/\/.*/, "", host)
			sub(/^[^\/]*\//, "", path)
			sub(/:[0-9]+$/, "", host)
			gsub(/[][]/, "", host)
			while (top) {
				digest = stack[top--]
				if (!(digest in here) || (NR, digest) in seen) continue
				seen[NR, digest] = 1
				add(digest, "containerd.io/distribution.source." host, path)
				n = split(children[digest], child, " ")
				for (i = 1; i <= n; i++) stack[++top] = child[i]
			}
		}
		END {
			for (i = 1; i <= count; i++) {
				split(line[i], part, SUBSEP)
				print part[1], part[2] "=" label[line[i]]
			}
		}' read=content "$temporary/content" read=images -
}

# label_sources sets them, with as many ctr at a time as there are processors.
label_sources() {
	sources >"$temporary/labels"
	[ -s "$temporary/labels" ] || return 0
	set -- "$program" --namespace "$namespace"
	[ -z "${ADDRESS-}" ] || set -- "$@" --address "$ADDRESS"
	parallel=
	if processors=$(nproc 2>/dev/null) && echo | xargs -P 1 true 2>/dev/null; then
		parallel="-P $processors"
	fi
	# shellcheck disable=SC2086 # parallel is two words, or none
	xargs $parallel -n 2 "$@" content label <"$temporary/labels" >/dev/null 2>"$temporary/said" || {
		sort -u "$temporary/said" >&2
		fail "the images are imported, but not all of their blobs are labeled: run this again, or with LABELS=no if no node takes images from this one"
	}
}

if [ "${LABELS-yes}" = yes ]; then
	label_sources
fi
echo "done: $(loaded | wc -l | tr -d ' ') images"
