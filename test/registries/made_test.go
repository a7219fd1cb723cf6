package registries

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/lint"
)

// made are the healthy indexes that programs made, in docs/results/audit-proof.md.
var made = &consumertable.Table{
	Name: "made", Page: auditProof, Keys: 2, Columns: []string{"made by", "index", "platforms", "notes"},
}

// sets are the platforms of the indexes that programs put together from images.
var sets = [][]string{
	{"linux/amd64"},
	{"linux/amd64", "linux/arm64"},
	{"linux/amd64", "linux/arm64", "linux/arm/v7"},
	{
		"linux/amd64", "linux/arm64", "linux/arm/v6", "linux/arm/v7", "linux/386", "linux/ppc64le", "linux/s390x",
		"linux/riscv64",
	},
	{"linux/s390x", "linux/ppc64le"},
	{"linux/amd64", w2022},
	{"linux/amd64", "linux/arm64", w2019, w2022},
	{"linux/amd64", w2019, w2022, w2025},
	{w2019, "windows/amd64:10.0.19042.1889", w2022, w2025},
	{w2025},
}

// maker is a program that makes indexes.
type maker struct {
	program string // with its version
	make    func(p *parts) []output
}

// output is an index that a program made.
type output struct {
	ref  string
	what string // how it was made
}

// parts is a registry with images of single platforms, to put together.
type parts struct {
	*testing.T

	host string
	mu   sync.Mutex
	has  map[string]string
}

// image returns the reference of an image for a platform, with a manifest of OCI or of Docker.
func (p *parts) image(on string, form types.MediaType) string {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	key := on + string(form)
	if ref, ok := p.has[key]; ok {
		return ref
	}
	ref, err := name.NewTag(fmt.Sprintf("%s/parts:%d", p.host, len(p.has)))
	must(p, err)
	must(p, remote.Write(ref, indextest.Image(p, on, form)))
	p.has[key] = ref.String()
	return ref.String()
}

// images returns the references of those of a set.
func (p *parts) images(set []string, form types.MediaType) (refs []string) {
	for _, on := range set {
		refs = append(refs, p.image(on, form))
	}
	return refs
}

// TestMade lets programs make indexes, and finds nothing in them that is more than a note. With
// those of TestPublished there are a hundred.
func TestMade(t *testing.T) {
	all := makers(t)
	var count atomic.Int64
	t.Run("by", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.program, func(t *testing.T) {
				t.Parallel()
				p := &parts{T: t, host: distribution3(t, false, false).host, has: map[string]string{}}
				for _, i := range m.make(p) {
					i.check(t, m.program)
					count.Add(1)
				}
			})
		}
	})
	if n := count.Load(); n < 77 && os.Getenv("SLIPWAY_WITHOUT") == "" && !partial() {
		t.Errorf("only %d indexes were made", n)
	}
}

// partial reports whether only some of the tests run, and so maybe only some of the programs.
func partial() bool { return strings.Contains(flag.Lookup("test.run").Value.String(), "/") }

// check audits the index.
func (o output) check(t *testing.T, program string) {
	t.Helper()
	list, _, err := audit.NewReader(network.Options{Jobs: 4}).Read(t.Context(), o.ref)
	must(t, err)
	r := lint.CheckIndexes(list, lint.IndexOptions{Now: auditedAt})
	faults, notes := byRule(r.Findings)
	if faults != "" {
		t.Errorf("%s, %s: %s: %s", o.ref, o.what, faults, r.Findings[0].What)
	}
	made.Record(t, program, o.what, platformsOf(list[0]), notes)
}

// platformsOf lists those of an image, and counts its attestations.
func platformsOf(i lint.Index) string {
	var all []string
	for _, p := range i.Platforms() {
		all = append(all, p.String())
	}
	n := 0
	for _, e := range i.Entries {
		if e.IsAttestation() {
			n++
		}
	}
	if n > 0 {
		all = append(all, fmt.Sprintf("attestations: %d", n))
	}
	return strings.Join(all, ", ")
}
