package consumers

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/platform"
)

// mode is a way to call ctr images import.
type mode struct {
	options string
	piped   bool   // through zstd, for what reads plain tar only
	starts  bool   // what was imported is unpacked and started
	refuses string // what ctr says where it cannot take the bundle
	demo    bool   // a variant: with the small release only
	own     bool   // of the platforms only this machine's is looked for
	exact   bool   // not for each Windows release the same
}

// imports are the ways to import one bundle with one ctr.
func (c containerd) imports(b bundle) []mode {
	const incomplete = "sha256:[0-9a-f]{64}: not found"
	piped := mode{piped: true}
	var all []mode
	add := func(m mode, options string) {
		m.options = options
		all = append(all, m)
		if m.piped = true; c.newer && m.demo && !m.starts && !m.exact { // in the client, which does not decompress
			m.options = "--local " + options
			all = append(all, m)
		}
	}
	if c.newer {
		piped.piped = false
	}
	with := func(change func(*mode)) mode {
		m := piped
		change(&m)
		return m
	}
	variant := with(func(m *mode) { m.demo = true })
	unpacked := with(func(m *mode) { m.starts = true })
	sparse := with(func(m *mode) { m.demo, m.refuses = true, incomplete })
	switch {
	case b.platform == nil:
		add(piped, "--all-platforms --no-unpack")
		add(with(func(m *mode) { m.demo, m.starts, m.own = true, true, true }), "")
		add(with(func(m *mode) { m.demo, m.starts = true, true }), "--all-platforms")
	case b.platform.OS == platform.Linux:
		p := "--platform " + platform.Format(*b.platform)
		if b.platform.Architecture == "amd64" {
			add(unpacked, p)
			add(with(func(m *mode) { m.demo, m.starts = true, true }), "")
		}
		add(variant, p+" --no-unpack")
		add(variant, p+" --no-unpack --digests")
		add(sparse, "--all-platforms --no-unpack")
	default:
		add(sparse, "--all-platforms --no-unpack")
		if c.newer { // of older ones ctr on Linux takes every Windows build for its own
			m := with(func(m *mode) { m.exact = true })
			if platform.Build(b.platform.OSVersion) > platform.Stable { // such a host runs older builds, too, and ctr wants all that it runs
				m.refuses, m.demo = incomplete, true
			}
			add(m, fmt.Sprintf("--platform windows(%s)/%s --no-unpack", platform.Short(b.platform.OSVersion), b.platform.Architecture))
		}
	}
	return all
}

// pinnedByImport is a name that --digests gives: by the day and by the digest.
var pinnedByImport = regexp.MustCompile(`^import-\d{4}-\d{2}-\d{2}@sha256:`)

// testCtr imports bundles by ctr, in every way that takes them and in those that cannot, and starts containers of what was unpacked.
func (c containerd) testCtr(t *testing.T) {
	each(t, func(t *testing.T, r release, b bundle) {
		for n, m := range c.imports(b) {
			if m.demo && !r.demo {
				continue
			}
			t.Run(strings.ReplaceAll("import "+m.options, "/", "-"), func(t *testing.T) {
				c.testImport(t, r, b, m, namespace(r, b, string(rune('a'+n))))
			})
		}
	})
}

func (c containerd) testImport(t *testing.T, r release, b bundle, m mode, ns string) {
	args := append([]string{"--address", c.socket, "--namespace", ns, "images", "import"}, strings.Fields(m.options)...)
	if !strings.Contains(m.options, "--no-unpack") {
		args = append(args, "--snapshotter", "native")
	}
	call := strings.Join(strings.Fields("ctr images import "+m.options), " ")
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
	s := c.look(t, ns, r, b, m.own)
	for _, run := range r.runs {
		if m.starts {
			s.ran.add(c.starts(t, ns, r.tagged(t, run), "run-"+run.image, run))
		}
	}
	if m.starts && len(r.runs) == 0 {
		return // a release other than kpack, of which is not known what it says
	}
	s.record(t, c.version, call, r, b)
}
