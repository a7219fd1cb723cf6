package consumers

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/pkg/namespaces"

	"github.com/slipway-dev/slipway/platform"
)

// mode is a way to call ctr images import.
type mode struct {
	options string
	piped   bool   // through zstd, for what reads plain tar only
	starts  bool   // what was imported is unpacked and started
	refuses string // what ctr says where it cannot take the bundle
	demo    bool   // a variant: with the small release only
	// the only platform that is looked for, where the call filters a bundle that has more
	own   string
	exact bool   // not for each Windows release the same
	host  string // the Windows version of the nodes that it imports for
}

// incomplete is what ctr says where a manifest that it wants is not in the bundle.
const incomplete = "sha256:[0-9a-f]{64}: not found"

// imports are the ways to import one bundle with one ctr.
func (c containerd) imports(b packedBundle) []mode {
	old := !c.newer
	if b.platform.IsZero() {
		all := []mode{
			{options: "--all-platforms --no-unpack", piped: old},
			{options: "--all-platforms", piped: old, demo: true, starts: true},
			{options: "", piped: old, demo: true, starts: true, own: "linux/amd64"},
		}
		if c.newer {
			all = append(all, mode{
				options: "--platform windows(10.0.26100)/amd64 --no-unpack", demo: true,
				own: "windows/amd64:ltsc2025", host: "10.0.26100",
			})
		}
		return all
	}
	p := "--platform " + b.platform.String()
	sparse := mode{options: "--all-platforms --no-unpack", piped: old, demo: true, refuses: incomplete}
	switch {
	// of ctr on Linux, which takes every Windows build for its own
	case b.platform.OS == platform.Windows && old:
		return []mode{sparse}
	case b.platform.OS == platform.Windows:
		host := platform.Short(b.platform.OSVersion)
		return []mode{
			sparse,
			{
				options: fmt.Sprintf("--platform windows(%s)/%s --no-unpack", host, b.platform.Architecture),
				exact:   true, host: host,
			},
		}
	case b.platform.Architecture != "amd64":
		return []mode{{options: p + " --no-unpack", piped: old}}
	}
	all := []mode{
		sparse,
		{options: p, piped: old, starts: true},
		{options: "", piped: old, demo: true, starts: true},
		{options: p + " --no-unpack --digests", piped: old, demo: true},
	}
	// of what is not an image
	sbom := mode{
		options: p + " --digests", piped: true,
		demo: true, refuses: "mismatched image rootfs|no processor for media-type",
	}
	if old {
		all = append(all, sbom)
	} else { // in the client, which does not decompress
		sbom.options = "--local " + sbom.options
		all = append(all, sbom,
			mode{options: "--local " + p, piped: true, demo: true, starts: true},
			mode{options: "--local", piped: true, demo: true, starts: true},
			mode{options: "--local " + p + " --no-unpack --digests", piped: true, demo: true})
	}
	return all
}

// pinnedByImport is a name that --digests gives: by the day and by the digest.
var pinnedByImport = regexp.MustCompile(`^import-\d{4}-\d{2}-\d{2}@sha256:`)

// testCtr imports bundles by ctr, in every way that takes them and in those that cannot, and
// starts containers of what was unpacked.
func (c containerd) testCtr(t *testing.T) {
	each(t, func(t *testing.T, r release, b packedBundle) {
		for n, m := range c.imports(b) {
			// with what is large, load-images does the same on the older one
			if !r.demo && (m.demo || m.starts && !c.newer) {
				continue
			}
			t.Run(strings.ReplaceAll("import "+m.options, "/", "-"), func(t *testing.T) {
				c.testImport(t, r, b, m, namespace(r, b, string(rune('a'+n))))
			})
		}
	})
}

func (c containerd) testImport(t *testing.T, r release, b packedBundle, m mode, ns string) {
	args := append([]string{"--address", c.socket, "--namespace", ns, "images", "import"}, strings.Fields(m.options)...)
	if !strings.Contains(m.options, "--no-unpack") {
		args = append(args, "--snapshotter", "native")
	}
	call := strings.Join(strings.Fields("ctr images import "+m.options), " ")
	call = regexp.MustCompile(`windows\(\S+`).ReplaceAllString(call, "'$0'") // as a shell needs it
	b.exact = m.exact
	var out string
	var err error
	if m.piped {
		call = "zstd -dc BUNDLE | " + call + " -"
		out, err = pipe(t, b, c.ctr, append(args, "-")...)
	} else {
		call += " BUNDLE"
		out, err = c.run(t.Context(), ns, append(args[4:], b.path)...)
	}
	if m.refuses != "" {
		if err == nil || !regexp.MustCompile(m.refuses).MatchString(out) {
			t.Fatalf("ctr images import: %v, want that it says %s\n%s", err, m.refuses, out)
		}
		refused(t, c.version, call, b, out)
		return
	}
	if err != nil {
		t.Fatalf("ctr images import: %v\n%s", err, out)
	}
	got := c.names(t, ns)
	var byDigest int
	for name := range got {
		if pinnedByImport.MatchString(name) {
			byDigest++
			delete(got, name)
		}
	}
	if want := strings.Contains(m.options, "--digests"); (byDigest > 0) != want {
		t.Errorf("%d names by digest", byDigest)
	}
	compare(t, got, r.images(t, b))
	if m.host != "" {
		c.collect(t, ns, r.images(t, b)[0].name)
		c.asked(t, ns, r, b, m.host)
	}
	s := c.look(t, ns, r, b, m.own)
	for _, run := range r.runs {
		if m.starts {
			s.ran.add(c.starts(t, ns, r.tagged(t, run), run))
		}
	}
	if m.starts && len(r.runs) == 0 {
		return // a release other than kpack, of which is not known what it says
	}
	s.record(t, c.version, call, r, b)
}

// collect has containerd remove what no image refers to.
func (c containerd) collect(t *testing.T, ns, image string) {
	t.Helper()
	c.list(t, ns, "images", "tag", image, "collected")
	c.list(t, ns, "images", "rm", "--sync", "collected")
}

// asked asks containerd as a Windows node of a version does, by every rule.
func (c containerd) asked(t *testing.T, ns string, r release, b packedBundle, version string) {
	t.Helper()
	api, err := client.New(c.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() //nolint:errcheck // everything was read
	for rule := range rules {
		atHost(t, namespaces.WithNamespace(t.Context(), ns), api, r, b, version, rule)
	}
}
