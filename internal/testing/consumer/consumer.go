// Package consumer lists the programs that tests run releases against, such as containerd, docker
// and wine, and provides them.
//
// A consumer is one entry of [All] and, in the suites that the entry names, a file of tests. The
// rest follows from the entry: `go tool mage test` installs its packages ([SetUp]) and builds its
// programs ([BuildAll]), tests require it by name (testprog.Need), SLIPWAY_WITHOUT leaves it out
// by name, and test/README.md lists it.
package consumer

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Consumer is something that tests run against.
type Consumer struct {
	Name     string   // in SLIPWAY_WITHOUT
	Purpose  string   // what the tests use it for
	Commands []string // that have to be in PATH
	Packages []string // of Debian and Ubuntu that have the commands
	Website  string   // how to get the commands without apt, if not every distribution has them
	Built    []string // programs that are built from the Go module Module, see [Consumer.Build]
	Module   string   // directory of that module in the repository
	Root     bool     // whether it works for root only
	Suites   []string // directories of the tests that use it
}

// pinned is the module whose go.mod pins the programs that no distribution packages.
const pinned = "test/programs"

// verifiers is the module whose go.mod pins programs that verify signatures.
const verifiers = "test/verifiers/programs"

// All are the consumers.
var All = []Consumer{
	{
		Name: "gcc", Purpose: "the race detector, runc, the grammar of PowerShell",
		Commands: []string{"gcc"}, Packages: []string{"gcc", "libc6-dev"},
		Built: []string{"runc"}, Module: pinned,
		Suites: []string{"test/consumers", "test/consumers/prebuilt", "test/libraries/powershell", "test/windows"},
	},
	{
		Name: "containerd", Purpose: "importing bundles, running images",
		Commands: []string{"containerd", "ctr", "runc"}, Packages: []string{"containerd", "runc"},
		Website: "https://containerd.io/downloads",
		Built:   []string{"containerd", "ctr", "containerd-shim-runc-v2"}, Module: pinned, Root: true,
		Suites: []string{"test/consumers", "test/consumers/prebuilt", "test/docs", "test/windows"},
	},
	{
		Name: "docker", Purpose: "docker load, docker pull, docker manifest",
		Commands: []string{"dockerd", "docker"}, Packages: []string{"docker.io"},
		Website: "https://docs.docker.com/engine/install",
		Built:   []string{"dockerd", "docker", "containerd", "containerd-shim-runc-v2"}, Module: pinned, Root: true,
		Suites: []string{"test/builders", "test/consumers", "test/consumers/prebuilt", "test/registries"},
	},
	{
		Name: "podman", Purpose: "podman load, indexes to audit, building from Dockerfiles",
		Commands: []string{"podman"}, Packages: []string{"podman"}, Root: true,
		Suites: []string{"test/builders", "test/consumers", "test/consumers/prebuilt", "test/registries"},
	},
	{
		// Its command is a plugin of docker's, and what it builds with buildkit's daemon.
		Name: "buildx", Purpose: "building from Dockerfiles",
		Built: []string{"buildx"}, Module: "test/builders/programs",
		Suites: []string{"test/builders", "test/consumers/prebuilt"},
	},
	{
		Name: "buildah", Purpose: "bases of images that builders make",
		Commands: []string{"buildah"}, Packages: []string{"buildah"}, Root: true,
		Suites: []string{"test/builders", "test/consumers/prebuilt"},
	},
	{
		Name: "umoci", Purpose: "unpacking layouts that builders make",
		Commands: []string{"umoci"}, Packages: []string{"umoci"}, Root: true,
		Suites: []string{"test/builders", "test/consumers/prebuilt"},
	},
	{
		Name: "busybox", Purpose: "the programs of RUN lines",
		Commands: []string{"busybox"}, Packages: []string{"busybox-static"},
		Suites: []string{"test/builders", "test/consumers/prebuilt"},
	},
	{
		Name: "skopeo", Purpose: "copying bundles and images",
		Commands: []string{"skopeo"}, Packages: []string{"skopeo"},
		Suites: []string{"test/consumers", "test/consumers/prebuilt", "test/registries", "test/bench"},
	},
	{
		Name: "crane", Purpose: "pushing extracted images, indexes to audit",
		Built: []string{"crane"}, Module: pinned,
		Suites: []string{"test/consumers", "test/consumers/prebuilt", "test/registries"},
	},
	{
		Name: "ko", Purpose: "indexes to audit",
		Built: []string{"ko"}, Module: "test/libraries",
		Suites: []string{"test/consumers/prebuilt", "test/registries"},
	},
	{
		Name: "regctl", Purpose: "indexes to audit",
		Built: []string{"regctl"}, Module: "test/libraries",
		Suites: []string{"test/registries"},
	},
	{
		Name: "registry", Purpose: "pushing to the registry that most people run",
		Commands: []string{"docker-registry"}, Packages: []string{"docker-registry"},
		Suites: []string{"test/consumers/prebuilt", "test/registries", "test/torture"},
	},
	{
		Name: "helm", Purpose: "pulling, rendering and pushing charts",
		Built: []string{"helm"}, Module: "test/registries/programs",
		Suites: []string{"test/registries"},
	},
	{
		Name: "zstd", Purpose: "decompressing bundles as operators do, RKE2's packing for comparison",
		Commands: []string{"zstd"}, Packages: []string{"zstd"},
		Suites: []string{"airgap", "test/consumers", "test/docs", "test/bench"},
	},
	{
		Name: "bsdtar", Purpose: "listing bundles, RKE2's packing for comparison",
		Commands: []string{"bsdtar"}, Packages: []string{"libarchive-tools"},
		Suites: []string{"test/consumers", "test/bench"},
	},
	{
		Name: "pigz", Purpose: "decompressing bundles, RKE2's packing for comparison",
		Commands: []string{"pigz"}, Packages: []string{"pigz"},
		Suites: []string{"test/consumers", "test/bench"},
	},
	{
		Name: "shellcheck", Purpose: "the script that loads images on nodes",
		Commands: []string{"shellcheck"}, Packages: []string{"shellcheck"},
		Suites: []string{"airgap"},
	},
	{
		Name: "buildkit", Purpose: "evaluating Dockerfiles for comparison, indexes to audit",
		Commands: []string{"runc", "curl", "wget", "unzip", "xz"},
		Packages: []string{"runc", "curl", "wget", "unzip", "xz-utils"},
		Built:    []string{"buildkitd", "buildctl"}, Module: "test/buildkit/daemon", Root: true,
		Suites: []string{"test/builders", "test/buildkit", "test/consumers/prebuilt", "test/registries"},
	},
	{
		Name: "debian", Purpose: "the packages that distroless images consist of",
		Commands: []string{"apt", "dpkg-deb"}, Packages: []string{"apt", "dpkg"},
		Website: "https://www.debian.org/distrib/packages",
		Suites:  []string{"image/base"},
	},
	{
		Name: "wine", Purpose: "running Windows programs",
		Commands: []string{"wine"}, Packages: []string{"wine"}, Website: "https://wiki.winehq.org/Download",
		Suites: []string{"test/examples", "test/registries", "test/windows"},
	},
	{
		Name: "mingw", Purpose: "a DLL that wine lacks, programs with CGO",
		Commands: []string{"x86_64-w64-mingw32-gcc"}, Packages: []string{"gcc-mingw-w64-x86-64"},
		Suites: []string{"cmd/slipway", "test/examples", "test/registries", "test/windows"},
	},
	{
		Name: "osslsigncode", Purpose: "signing a Windows program, and verifying it in an image",
		Commands: []string{"osslsigncode"}, Packages: []string{"osslsigncode"},
		Suites: []string{"cmd/slipway"},
	},
	{
		Name: "cosign", Purpose: "verifying signatures and attestations of images",
		Built: []string{"cosign3", "cosign2"}, Module: verifiers,
		Suites: []string{"test/consumers/prebuilt", "test/verifiers"},
	},
	{
		Name: "imagepolicy", Purpose: "verifying signatures as podman, CRI-O and skopeo do",
		Built: []string{"imagepolicy"}, Module: verifiers,
		Suites: []string{"test/verifiers"},
	},
	{
		Name: "kyverno", Purpose: "verifying images as a cluster with Kyverno does",
		Built: []string{"kyverno"}, Module: verifiers + "/kyverno",
		Suites: []string{"test/verifiers"},
	},
	{
		Name: "passwd", Purpose: "what programs of RUN lines change",
		Commands: []string{"useradd", "groupadd", "setcap", "unshare", "mount"},
		Packages: []string{"passwd", "libcap2-bin", "util-linux", "mount"},
		Root:     true,
		Suites:   []string{"containerfile/system"},
	},
	{
		Name: "strace", Purpose: "seeing that verification opens no connection",
		Commands: []string{"strace"}, Packages: []string{"strace"},
		Suites: []string{"cmd/slipway"},
	},
	{
		Name:     "node",
		Purpose:  "sigstore-js, the schema of CycloneDX, axe's rules for pages, the search of the documentation",
		Commands: []string{"node", "npm"}, Packages: []string{"nodejs", "npm"},
		Website: "https://nodejs.org/en/download",
		Suites:  []string{"test/pages", "test/verifiers", "docs/website"},
	},
	{
		Name: "chromium", Purpose: "opening the pages of releases and of the documentation",
		Commands: []string{"chromium"}, Packages: []string{"chromium"},
		Website: "https://www.chromium.org/getting-involved/download-chromium",
		Suites:  []string{"test/pages"},
	},
	{
		Name: "openssl", Purpose: "verifying signatures where there is nothing else",
		Commands: []string{"openssl"}, Packages: []string{"openssl"},
		Suites: []string{"airgap", "cmd/slipway", "test/docs", "test/verifiers"},
	},
	{
		Name: "shell", Purpose: "running the commands of the documentation",
		Commands: []string{"bash", "jq"}, Packages: []string{"bash", "jq"}, Root: true,
		Suites: []string{"test/docs"},
	},
	{
		Name: "act", Purpose: "running the workflow that products call",
		Commands: []string{"jq"}, Packages: []string{"jq"},
		Built: []string{"act"}, Module: "test/workflows/runner",
		Suites: []string{"test/workflows"},
	},
	{
		// Its programs are those of [ControlPlane].
		Name: "cluster", Purpose: "a Kubernetes control plane, built from the Go module proxy, and the pods of Jobs",
		Commands: []string{"go", "runc"}, Packages: []string{"runc"}, Root: true,
		Suites: []string{"test/cluster", "test/docs"},
	},
}

// Find returns the consumer of that name, and whether there is one.
func Find(name string) (Consumer, bool) {
	n := slices.IndexFunc(All, func(c Consumer) bool { return c.Name == name })
	if n < 0 {
		return Consumer{}, false
	}
	return All[n], true
}

// Without reports whether SLIPWAY_WITHOUT names the consumer.
func Without(name string) bool {
	return slices.Contains(unwanted(), name)
}

// unwanted returns the names in SLIPWAY_WITHOUT.
func unwanted() []string {
	return strings.FieldsFunc(os.Getenv("SLIPWAY_WITHOUT"), func(r rune) bool { return r == ',' || r == ' ' })
}

// Lacking returns the first of the consumer's commands that is not in PATH, or "".
func (c Consumer) Lacking() string {
	for _, command := range c.Commands {
		if _, err := exec.LookPath(command); err != nil {
			return command
		}
	}
	return ""
}

// remedy returns how to get the consumer.
func (c Consumer) remedy() string {
	var ways []string
	if len(c.Packages) > 0 {
		ways = append(ways, "apt-get install "+strings.Join(c.Packages, " ")+" (Debian, Ubuntu)")
	}
	if c.Website != "" {
		ways = append(ways, c.Website)
	}
	if c.Root {
		ways = append(ways, "it needs root")
	}
	return strings.Join(ways, "; ")
}

func names(list []Consumer) string {
	var s []string
	for _, c := range list {
		s = append(s, c.Name)
	}
	return strings.Join(s, ", ")
}
