package debian

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// lists are the packages that Dockerfiles of products install, at their present state: those of
// [upstreams], and of products whose Dockerfiles also need what is not Debian's.
var lists = map[string]string{
	"secrets-store": "ca-certificates mount",
	"npd":           "util-linux bash libsystemd-dev systemd",
	"smb":           "ca-certificates cifs-utils util-linux e2fsprogs mount udev xfsprogs krb5-user",
	"nfs":           "ca-certificates mount nfs-common netbase",
	"iscsi":         "open-iscsi e2fsprogs xfsprogs util-linux mount ca-certificates",
	"azuredisk":     "util-linux e2fsprogs mount ca-certificates udev xfsprogs btrfs-progs libssl3",
	"azurefile":     "ca-certificates cifs-utils util-linux e2fsprogs mount udev xfsprogs nfs-common netbase",
	"gcp-pd":        "util-linux e2fsprogs mount ca-certificates udev xfsprogs btrfs-progs nvme-cli mdadm lvm2",
	"argo-cd":       "git git-lfs tini ca-certificates gpg gpg-agent openssh-client tzdata",
	"antrea":        "iptables ipset openvswitch-switch jq iproute2",
	"fluent-bit":    "libssl3 libsasl2-2 libpq5 libsystemd0 zlib1g libyaml-0-2 ca-certificates openssl gdb",
	"alloy":         "ca-certificates libsystemd-dev tzdata",
}

// TestLists installs the packages of twelve products. It takes minutes, and runs where
// SLIPWAY_LISTS is set.
func TestLists(t *testing.T) {
	long(t)
	scan := scanner(t)
	r := registrytest.Serve(t)
	pushed(t, r, base(t, bookworm, true), bookworm)
	dockerfiles := map[string]string{}
	for name, packages := range lists {
		dockerfiles[name] = "FROM debian\nRUN apt-mark unhold libcap2 && apt-get install -y --no-install-recommends " + packages + "\n"
	}
	p := written(t, r, "smb", []object{{
		"name": "debian", "images": object{"linux/amd64": r.Host() + "/base:" + bookworm},
	}}, dockerfiles)
	p.run(t, "bases")
	p.run(t, "pin", "-q", "-store="+p.store)
	p.release(t)
	for name, packages := range lists {
		dir := filepath.Join(t.TempDir(), "image")
		p.image(t, name, dir)
		if out := dpkg(t, dir, append([]string{"-s"}, strings.Fields(packages)...)...); strings.Contains(out, "is not installed") {
			t.Errorf("%s: %s", name, out)
		}
		if out := dpkg(t, dir, "--audit"); out != "" {
			t.Errorf("%s: dpkg --audit: %s", name, out)
		}
		compareScanned(t, scan, dir, filepath.Join(p.dir, "dist", "sbom", name+".spdx.json"))
	}
}
