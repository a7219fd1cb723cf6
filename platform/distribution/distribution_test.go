package distribution_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/platform/distribution"
)

// TestTable checks that the table is in order, and that each day is one.
func TestTable(t *testing.T) {
	if !slices.IsSortedFunc(distribution.All, func(a, b distribution.Distribution) int { return cmp.Compare(a.ID, b.ID) }) {
		t.Error("the distributions are not sorted by ID")
	}
	for _, d := range distribution.All {
		if !strings.HasPrefix(d.Source, "https://") {
			t.Errorf("%s has no source", d.ID)
		}
		seen := map[string]bool{}
		for _, r := range d.Releases {
			if seen[r.Version] {
				t.Errorf("%s %s is there twice", d.ID, r.Version)
			}
			seen[r.Version] = true
			for _, day := range []string{r.Until, cmp.Or(r.Extended, r.Until)} {
				if _, err := time.Parse(time.DateOnly, day); err != nil {
					t.Errorf("%s %s: %v", d.ID, r.Version, err)
				}
			}
			if r.Extended != "" && r.Extended <= r.Until {
				t.Errorf("%s %s: extended support ends before the regular one", d.ID, r.Version)
			}
		}
	}
}

func TestOSRelease(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"PRETTY_NAME=\"Distroless\"\nNAME=\"Debian GNU/Linux\"\nID=\"debian\"\nVERSION_ID=\"12\"\n", "Debian 12"},
		{"NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.20.3\n", "Alpine 3.20"},
		{"ID=\"rhel\"\nVERSION_ID=\"9.4\"\n", "Red Hat Enterprise Linux 9"},
		{"ID='sles'\r\nVERSION_ID='15.7'\r\n", "SUSE Linux Enterprise Server 15.7"},
		{"ID=ubuntu\nVERSION_ID=\"4.04\"\n", "Ubuntu "}, // not in the table
		{"ID=wolfi\nVERSION_ID=\"20230201\"\n", "Wolfi "},
		{"ID=amzn\nVERSION_ID=2023\n", "Amazon Linux 2023"},
		{"ID=plan9\n", ""},
		{"ID=debian\x00\n", ""},
		{"ID=" + strings.Repeat("a", 2000), ""},
		{"", ""},
	} {
		d, r, ok := distribution.Parse([]byte(tc.text)).Release()
		got := d.Support(r).Name
		if !ok {
			got = ""
		}
		if got != tc.want {
			t.Errorf("%q is %q, not %q", tc.text, got, tc.want)
		}
	}
}

func TestOfImage(t *testing.T) {
	for reference, want := range map[string]string{
		"debian:bookworm-slim": "Debian 12", "docker.io/library/debian:12.5": "Debian 12",
		"gcr.io/distroless/static-debian12:nonroot": "Debian 12", "golang:1.26-alpine3.22": "Alpine 3.22",
		"alpine:3.20.3@sha256:" + strings.Repeat("0", 64): "Alpine 3.20", "python:3.13-slim-bullseye": "Debian 11",
		"registry.access.redhat.com/ubi9/ubi-minimal:9.4": "", "registry.access.redhat.com/ubi9:9.4": "Red Hat Enterprise Linux 9",
		"registry.suse.com/bci/bci-base:15.6": "SUSE Linux Enterprise Server 15.6", "ubuntu:22.04": "Ubuntu 22.04",
		"quay.io/centos/centos:stream9": "", "amazonlinux:2": "Amazon Linux 2", "fedora:42": "Fedora 42",
		"debian": "", "debian:latest": "", "example.com/debian/app:1.12": "", "": "", "app:12": "", "rockylinux:9.3": "Rocky Linux 9",
	} {
		d, r, ok := distribution.OfImage(reference)
		got := ""
		if ok {
			got = d.Support(r).Name
		}
		if got != want {
			t.Errorf("%s is %q, not %q", reference, got, want)
		}
	}
}
