// Package notes writes the notes of a release in Markdown: its images with digests and platforms,
// what changed since another release, and how to verify it.
//
// Equal releases have equal notes. Names and versions come from locks and bills of materials,
// which others may have written: [code] makes them text that Markdown does not interpret.
package notes

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/report/changes"
)

// maxNotes is how long notes may be in bytes: GitHub takes 125000 characters. The tables of images
// and charts may have maxTables of them.
const (
	maxNotes  = 100_000
	maxTables = 60_000
)

// Options are what else the notes need.
type Options struct {
	Old *changes.Release // to compare with; nil compares with none
	// Fingerprint is that of the key which signed the release; "" if it is not signed.
	Fingerprint string
}

// Write returns the notes of a release.
func Write(r changes.Release, o Options) string {
	var b strings.Builder
	images(&b, r.Lock)
	packages(&b, r)
	if o.Old != nil {
		since(&b, *o.Old, r)
	}
	verify(&b, r.Lock, o.Fingerprint)
	return b.String()
}

// images lists what the release has published, by digest.
func images(b *strings.Builder, l *lock.Lock) {
	b.WriteString("## Images\n\n| image | digest | platforms |\n|---|---|---|\n")
	row := func(left int, line string) bool {
		if b.Len()+len(line) > maxTables {
			fmt.Fprintf(b, "| and %d more, which `release.lock.json` lists | | |\n", left)
			return false
		}
		b.WriteString(line)
		return true
	}
	for n, i := range l.Images {
		var platforms []string
		for _, c := range i.Children {
			platforms = append(platforms, code(c.Platform.String()))
		}
		if !row(len(l.Images)-n, fmt.Sprintf("| %s | %s | %s |\n", code(i.Tagged()), code(i.Digest.String()),
			strings.Join(platforms, ", "))) {
			break
		}
	}
	if len(l.Charts) > 0 {
		b.WriteString("\n| chart | version | digest |\n|---|---|---|\n")
		for n, c := range l.Charts {
			if !row(len(l.Charts)-n, fmt.Sprintf("| %s | %s | %s |\n", code("oci://"+c.Repository),
				code(c.Version), code(c.Digest.String()))) {
				break
			}
		}
	}
	if len(l.Copies) > 0 {
		fmt.Fprintf(b, "\nThe same images, with the same digests, are at %s.\n", codes(l.Copies))
	}
}

// verifying is the page that explains verification.
const verifying = "https://github.com/slipway-dev/slipway/blob/main/docs/verifying.md"

// key is where the notes expect the public key: package keyfile accepts it there for files
// anywhere.
const key = "/etc/slipway/keys/release.pub"

// verify explains how to verify the files and images.
func verify(b *strings.Builder, l *lock.Lock, fingerprint string) {
	b.WriteString("\n## Verify\n\n")
	nested := "`SHA256SUMS` lists the files as they are in the directory of the release: " +
		"`slipway` belongs into `bin/`, and the files `*.spdx.json` into `sbom/`.\n"
	if fingerprint == "" {
		b.WriteString("The release is not signed. Its files are compared with the checksums by\n\n" +
			"```sh\nsha256sum --check --ignore-missing SHA256SUMS\n```\n\n" + nested)
		return
	}
	fmt.Fprintf(b, "The release is signed with the key %s. Get the public key in another way than "+
		"the files, and keep it elsewhere: "+
		"a key next to what it is to prove is refused. In a directory with the files:\n\n", code(fingerprint))
	b.WriteString("```sh\nslipway verify -key=" + key + " .\n```\n\nor, without slipway,\n\n" +
		"```sh\nbase64 -d SHA256SUMS.sig >sums.sig\nopenssl dgst -sha256 -verify " +
		key + " -signature sums.sig SHA256SUMS\n" +
		"sha256sum --check --ignore-missing SHA256SUMS\n```\n\n" + nested)
	fmt.Fprintf(b, "\n[What this proves](%s), and how clusters refuse images of %s that the key has not signed.\n",
		verifying, text(l.Name))
}
