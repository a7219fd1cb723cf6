package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// consumer is something that tests run against.
type consumer struct {
	name      string   // in SLIPWAY_WITHOUT
	commands  []string // all must be in PATH
	packages  []string // of Debian and Ubuntu
	purpose   string
	elsewhere string // how to get it where there is no apt; empty where it is in every distribution
	root      bool   // works for root only
}

var consumers = []consumer{
	{"race", []string{"gcc"}, []string{"gcc", "libc6-dev"}, "the race detector", "", false},
	{"containerd", []string{"containerd", "ctr", "runc"}, []string{"containerd", "runc"}, "importing bundles, running images", "; https://containerd.io/downloads", true},
	{"docker", []string{"dockerd", "docker"}, []string{"docker.io"}, "docker load, docker pull", "; https://docs.docker.com/engine/install", true},
	{"skopeo", []string{"skopeo"}, []string{"skopeo"}, "copying bundles and images", "", false},
	{"podman", []string{"podman"}, []string{"podman"}, "podman load", "", true},
	{"registry", []string{"docker-registry"}, []string{"docker-registry"}, "pushing to the registry that most people run", "", false},
	{"zstd", []string{"zstd"}, []string{"zstd"}, "RKE2's packing, beside ours", "", false},
	{"shellcheck", []string{"shellcheck"}, []string{"shellcheck"}, "the script that loads images on nodes", "", false},
	{"bsdtar", []string{"bsdtar"}, []string{"libarchive-tools"}, "RKE2's packing, beside ours", "", false},
	{"wine", []string{"wine"}, []string{"wine"}, "running Windows programs", "; https://wiki.winehq.org/Download", false},
	{"cluster", []string{"go"}, nil, "a Kubernetes control plane, built from the Go module proxy", "run it as root", true},
	{"mingw", []string{"x86_64-w64-mingw32-gcc"}, []string{"gcc-mingw-w64-x86-64"}, "a DLL that wine lacks", "", false},
}

// missing lists the consumers of which a command is not in PATH, or that only root can use where
// this is somebody else.
func missing(list []consumer) []consumer {
	var out []consumer
	for _, c := range list {
		if c.root && os.Geteuid() != 0 {
			out = append(out, c)
			continue
		}
		for _, command := range c.commands {
			if _, err := exec.LookPath(command); err != nil {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

func names(list []consumer) string {
	var s []string
	for _, c := range list {
		s = append(s, c.name)
	}
	return strings.Join(s, ", ")
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }
