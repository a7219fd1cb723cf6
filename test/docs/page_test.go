package docs

import (
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/githubtest"
)

// page is what a page assumes. All directories are below the machine's directory for work.
type page struct {
	// directories, which are repositories of git, and the archives in testdata that they have
	products map[string]string
	setup    string            // commands of bash that run before, in the shell's directory but another shell
	in       string            // where the reader is at the beginning
	before   map[string]string // what the text of the page asks the reader to do before a block, by its first line
	fill     map[string]string // what the reader writes in place of what
	after    string            // commands of bash that check what the page promises
	needs    []string          // consumers: programs, by package consumer
	with     []func(*testing.T, *machine)
	cluster  bool // whether kubectl has a cluster with a Linux and a Windows node
}

// pages are all pages with blocks.
var pages = map[string]page{
	"README.md": {
		products: map[string]string{"slipway/kpack": "kpack", "app": "app"}, in: "slipway",
		with: []func(*testing.T, *machine){clone},
		setup: `
cd slipway && mv kpack/slipway.yaml kpack/images.txt . && rm -rf kpack/.git bases.lock.yaml images.lock.yaml
sed -i 's/directory: ./directory: kpack/; s/path: config/path: kpack\/config/' slipway.yaml
git init -q && git add . && git commit -qm all` + locked,
		before: map[string]string{
			"slipway init      # writes slipway.yaml from what builds the product today, " +
				"and asks for what that does not prove": "cd ../app",
			"slipway images                   # lists the images of the bundles, " +
				"and the files that name each": "cd ../slipway",
		},
	},
	"docs/audit.md": {products: map[string]string{"kpack": "kpack"}, in: "kpack"},
	"docs/build-cache.md": {
		products: map[string]string{"kpack": "app kpack"}, in: "kpack",
		setup: "cd kpack" + linuxOnly + locked,
	},
	"docs/bundles.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack", needs: []string{"zstd", "containerd"},
		with: []func(*testing.T, *machine){containerd},
		setup: "cd kpack" + locked + older + `
slipway release -q -binary=false -registry=ghcr.io/me -out=old
git checkout -q main
slipway release -q -binary=false -registry=ghcr.io/me
`,
		after: `cmp kpack-images.tar.zst dist/kpack-images.tar.zst
grep -q registry.internal/mirror/me/kpack/controller@sha256: release.internal.yaml
test -f mirror/registries.yaml -a -f controller/index.json -a -f controller.tar -a -f volumes/kpack-images.volumes.json
`,
	},
	"docs/migrating.md#From buildx and docker manifest": {products: map[string]string{"app": "app buildx"}, in: "app", setup: tagged},
	"docs/migrating.md#From csi-release-tools": {
		products: map[string]string{"app": "app csi"}, in: "app",
		setup: tagged + "\ngit -C app remote add origin https://github.com/kubernetes-csi/app.git\n",
		fill:  map[string]string{"slipway init": `printf '\n' | script -qec "slipway init" /dev/null`}, // Enter, on a terminal
		before: map[string]string{
			"slipway check": `sed -i 's/^destinations:/&\n  - {name: staging, registry: us-central1-docker.pkg.dev\/k8s-staging-images\/sig-storage}/' slipway.yaml; grep -q staging slipway.yaml`,
		},
	},
	"docs/migrating.md#From GoReleaser": {products: map[string]string{"app": "app goreleaser"}, in: "app", setup: tagged},
	"docs/migrating.md#From ko":         {products: map[string]string{"app": "ko"}, in: "app", setup: tagged},
	"docs/migrating.md#From RKE2's scripts": {
		in: ".", with: []func(*testing.T, *machine){rancher},
		before: map[string]string{"slipway check": `
for file in /mnt/downloads/*; do sed -i "s/$(basename $file): .*/$(basename $file): $(sha256sum <$file | cut -d" " -f1)/" slipway.yaml; done
slipway pin
`},
	},
	"docs/github.md": {
		products: map[string]string{"kpack": "kpack"},
		in:       "kpack", fill: map[string]string{"GITHUB_TOKEN=…": "GITHUB_TOKEN=" + githubtest.Token},
		with: []func(*testing.T, *machine){github},
		setup: "cd kpack" + locked + older + `
slipway release -q -binary=false -registry=ghcr.io/me -out=../0.16.0
git checkout -q main
slipway release -q -binary=false -registry=ghcr.io/me
`,
	},
	"docs/init.md": {
		products: map[string]string{"app": "app", "driver": "app buildx", "other": "app", "unpacked": "app"}, in: "app",
		setup: "rm -r unpacked/.git",
	},
	"docs/kubernetes.md": {
		products: map[string]string{"hello": "kpack"}, in: "hello", needs: []string{"cluster"}, cluster: true,
		with: []func(*testing.T, *machine){pods},
		setup: "kubectl wait --for=condition=established crd/pipelineruns.tekton.dev >/dev/null; " +
			"cd hello; sed -i 's/name: kpack$/name: hello/; s/0.16.1/1.0.0/' slipway.yaml" + locked,
		fill:  map[string]string{"--docker-password=…": "--docker-password=secret"},
		after: "(cd dist && sha256sum --quiet -c SHA256SUMS)",
	},
	"docs/mage.md": {
		products: map[string]string{"mine": "app"}, in: "slipway", with: []func(*testing.T, *machine){clone},
		setup: "cd slipway && git init -q && git add . && git commit -qm all",
		before: map[string]string{"go get -tool github.com/magefile/mage " +
			"github.com/slipway-dev/slipway/cmd/slipway": "cd ../mine"},
	},
	"docs/nodes.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack", needs: []string{"cluster"}, cluster: true,
		setup: `cd kpack && slipway release -q -binary=false
kubectl config view --raw >staging && kubectl config rename-context test eu --kubeconfig=staging >/dev/null`,
	},
	"docs/report.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack", needs: []string{"cluster"}, cluster: true,
		setup: "cd kpack" + older + `
slipway release -q -binary=false -out=../0.16.0/dist
git checkout -q main
slipway release -q -binary=false
`,
	},
	"docs/windows.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack", needs: []string{"cluster"}, cluster: true,
		setup: "cd kpack && slipway release -q -binary=false",
	},
	"docs/pins.md": {products: map[string]string{"kpack": "kpack"}, in: "kpack"},
	"docs/prebuilt.md": {
		products: map[string]string{"app": "prebuilt"}, in: "app",
		setup: `
cd app && slipway release -q -binary=false -product=linux.yaml -out=build/linux
slipway airgap extract build/linux/app-images.tar.zst slipway.local/app/app:1.0.0 -o=build/app`,
		after: `
linux() { jq -r '.images[].children[] | select(.platform == "linux/amd64").digest' $1/release.lock.json; }
test $(linux dist) = $(linux build/linux)`,
	},
	"docs/promotion.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack",
		setup: "cd kpack" + locked + "mkdir -p k8s.io/registry.k8s.io/images/k8s-staging-sig-storage",
	},
	"docs/shards.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack",
		setup: "cd kpack" + locked,
	},
	"docs/signing.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack", needs: []string{"openssl"},
		setup: "cd kpack" + locked,
		fill:  map[string]string{"SLIPWAY_PASSWORD=…": "SLIPWAY_PASSWORD=secret"},
	},
	"docs/sbom.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack",
		setup: "cd kpack; slipway release -q -binary=false",
	},
	"docs/verifying.md": {
		products: map[string]string{"kpack": "kpack"}, in: ".", needs: []string{"openssl", "zstd", "containerd"},
		with: []func(*testing.T, *machine){upstream, containerd},
		setup: keys + "cd kpack" + locked + older + `
slipway release -q -binary=false -registry=ghcr.io/me -sign=$HOME/release.key -builder=https://github.com/me/kpack -out=/srv/kpack-0.16.0
git checkout -q main
slipway release -q -registry=ghcr.io/me -sign=$HOME/release.key -builder=https://github.com/me/kpack -out=../dist
slipway airgap pack -base=/srv/kpack-0.16.0/kpack-images.tar.zst -out=../dist
cp $HOME/release.pub ..
`,
	},
	"docs/provenance.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack", with: []func(*testing.T, *machine){upstream},
		after: `jq -e '[.. | objects | select(.proven == true)] | length == 1' dist/provenance.json`,
	},
	"docs/reproduce.md": {
		products: map[string]string{"kpack": "kpack"}, in: ".", with: []func(*testing.T, *machine){upstream},
		setup: keys + `
cp $HOME/release.pub /etc/slipway/keys/kpack.pub
slipway keygen mine >/dev/null
cp mine.pub /etc/slipway/keys/rebuilder.pub
cd kpack` + linuxOnly + locked + `
slipway release -q -binary=false -registry=ghcr.io/me -sign=$HOME/release.key -builder=https://github.com/me/kpack -out=../dist
cp ../dist/kpack-0.16.1.inputs.tar.gz ../dist/kpack-images.tar.zst ..
`,
		fill: map[string]string{"SLIPWAY_PASSWORD=…": "SLIPWAY_PASSWORD=secret"},
	},
}

const (
	// locked makes a product ready for a registry.
	locked = `
{ slipway pin bases && slipway pin; } >/dev/null
git add . && git commit -qm locks
`
	// linuxOnly makes half the work of a product whose programs are compiled from the beginning.
	linuxOnly = `
sed -i 's/, "windows[^]]*//' slipway.yaml && rm config/windows.yaml
`
	// older checks the release before out.
	older = `
git checkout -q --detach
sed -i 's/^version: 0.16.1/version: 0.16.0/' slipway.yaml
test ! -d cmd || sed -i s/kpack/packs/ cmd/controller/main.go
git commit -qam 0.16.0
`
	// tagged gives app a version.
	tagged = "git -C app tag v1.0.0"
	// keys makes a key.
	keys = `
export SLIPWAY_PASSWORD=secret
mkdir -p /etc/slipway/keys
slipway keygen $HOME/release >/dev/null
cp $HOME/release.pub /etc/slipway/keys/
`
)

// exceptions are blocks that are not run.
var exceptions = []exception{
	{
		"README.md", "go tool mage test      # tests Slipway itself: ten to fifteen minutes the first time, with Go and git alone",
		"it runs this test, too",
	},
	{"docs/bundles.md", `dist\load-images.ps1`, "it is for Windows"},
	{
		"docs/sbom.md", "grype sbom:dist/sbom/controller.spdx.json   # or another scanner that reads SPDX",
		"it asks the Internet for a database of vulnerabilities",
	},
	{"docs/signing.md", "#!/bin/sh -eu", "it is a script that asks the KMS of Amazon"},
}

// exception is a block that this machine cannot run, by its page and first line.
type exception struct{ page, first, reason string }
