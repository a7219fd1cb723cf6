package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// mended are the rules whose findings -fix ends.
var mended = []string{
	"index-missing", "index-unreadable", "index-duplicate", "index-no-platform", "index-platform-differs",
	"index-os-version", "index-os-version-differs", "index-order",
}

// drawn are platforms of entries and of configurations, in several spellings.
var drawn = []string{
	"", "linux/amd64", "linux/amd64/v1", "linux/x86_64", "linux/arm64", "linux/arm64/v8", "linux/aarch64", "linux/arm",
	"linux/arm/v6", "linux/arm/v7", "linux(+erofs)/amd64", "windows/amd64", w2019, w2022, "windows/amd64:10.0.20348.1",
	w2025, "unknown/unknown", "windows/amd64:10.0.20348.4773",
}

// draw makes an index of a few entries. Half of them are for the platform that their image is for.
func draw(t *testing.T, r *rand.Rand) lint.Index {
	t.Helper()
	i := lint.Index{Name: "registry.example/app:1", Desc: v1.Descriptor{MediaType: types.OCIImageIndex}}
	digest := func(n int) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: fmt.Sprintf("%064x", n)} }
	on := func() platform.Platform {
		var p platform.Platform
		if text := drawn[r.IntN(len(drawn))]; text != "" {
			must(t, p.UnmarshalText([]byte(text)))
		}
		return p
	}
	for n := range 1 + r.IntN(6) {
		listed, is := on(), on()
		if r.IntN(2) == 0 {
			is = listed
		}
		e := lint.Entry{
			Desc: v1.Descriptor{MediaType: types.OCIManifestSchema1, Size: 1, Digest: digest(n), Platform: listed.V1()},
			Read: outcome.There, MediaType: string(types.OCIManifestSchema1),
			Config: &v1.ConfigFile{OS: is.OS, Architecture: is.Architecture, Variant: is.Variant, OSVersion: is.OSVersion},
		}
		if again := i.Entries[:n]; n > 0 && r.IntN(8) == 0 && listed.OS != "unknown" &&
			again[n-1].Read != outcome.Unasked { // one image twice
			again := again[n-1]
			e.Desc.Digest, e.Config, e.Read = again.Desc.Digest, again.Config, again.Read
			e.Artifact, e.Desc.ArtifactType, e.Fault = again.Artifact, again.Desc.ArtifactType, again.Fault
		} else {
			switch r.IntN(12) {
			case 0:
				e.Read, e.Config = outcome.Absent, nil
			case 1:
				e.Read, e.Config, e.Fault = outcome.Broken, nil, errors.New("damaged")
			case 2:
				e.Artifact, e.Config, e.Desc.ArtifactType = true, nil, "application/vnd.example"
			}
		}
		if listed.OS == "unknown" { // an attestation, of an image that may be anywhere in the index
			e.Read, e.Config = outcome.Unasked, nil
			e.Desc.Annotations = map[string]string{oci.ReferenceDigest: digest(r.IntN(7)).String()}
		}
		i.Entries = append(i.Entries, e)
	}
	i.Raw = document(t, i)
	return i
}

func document(t *testing.T, i lint.Index) []byte {
	t.Helper()
	m := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex}
	for _, e := range i.Entries {
		m.Manifests = append(m.Manifests, e.Desc)
	}
	raw, err := json.Marshal(m)
	must(t, err)
	return raw
}

// broken returns the findings of an index that -fix ends, those about attestations that it lists,
// and that it lists no image, for which there is no end.
func broken(i lint.Index) (all []lint.Finding) {
	for _, f := range lint.CheckIndexes([]lint.Index{i}, lint.IndexOptions{Now: now}).Findings {
		_, ofEntry := f.Entry()
		if slices.Contains(mended, f.Rule) || f.Rule == "evidence-lost" && ofEntry || f.Rule == "index-empty" {
			all = append(all, f)
		}
	}
	return all
}

// TestMendDrawn mends drawn indexes. Where audit finds nothing, nothing changes; afterwards audit
// finds nothing that is to be mended; and no kind of node finds less than before.
func TestMendDrawn(t *testing.T) {
	extent.Plain(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	changed, refused, count := 0, 0, extent.Number(400, 4000)
	for n := range count {
		i := draw(t, r)
		found := broken(i)
		m, err := audit.Mend(i, lint.IndexOptions{Now: now})
		if t.Failed() {
			t.Fatalf("seed %d, index %d", seed, n)
		}
		if err != nil {
			if refused++; len(found) == 0 {
				t.Errorf("%s: nothing is to be mended, and it is refused: %v", i.Raw, err)
			}
			if strings.Contains(err.Error(), "audit -fix") {
				t.Errorf("%s: what is refused is advised: %v", i.Raw, err)
			}
			continue
		}
		if len(found) == 0 {
			if len(m.Changes) > 0 || string(m.Raw) != string(i.Raw) {
				t.Errorf("%s: nothing is to be mended, and it changes: %q", i.Raw, m.Changes)
			}
			continue
		}
		changed++
		after := reread(t, i, m)
		for _, f := range broken(after) {
			t.Errorf("%s: mended by %q it has %s", i.Raw, m.Changes, f)
		}
		for _, host := range nine {
			if got := worse(t, host, i, after); got != "" {
				t.Errorf("%s: mended by %q: a host of %s %s", i.Raw, m.Changes, host, got)
			}
		}
	}
	if changed < count/8 || refused < count/80 {
		t.Errorf("%d were mended and %d refused", changed, refused)
	}
}

// reread returns a mended index with what is known of its entries.
func reread(t *testing.T, before lint.Index, m audit.Mended) lint.Index {
	t.Helper()
	tree, err := oci.Parse(m.Desc, m.Raw)
	must(t, err)
	after := lint.Index{Name: before.Name, Desc: m.Desc, Raw: m.Raw}
	for _, c := range tree.Children {
		n := slices.IndexFunc(before.Entries, func(e lint.Entry) bool {
			return e.Desc.Digest == c.Desc.Digest && e.Read != outcome.Absent && e.Read != outcome.Broken
		})
		if n < 0 {
			t.Fatalf("%s is in no entry that was there", c.Desc.Digest)
		}
		e := before.Entries[n]
		e.Desc = c.Desc
		after.Entries = append(after.Entries, e)
	}
	return after
}

// nine are kinds of nodes.
var nine = []string{
	"linux/amd64", "linux/arm64", "linux/arm/v7", "linux/arm/v6", "windows/amd64:10.0.17763.1",
	"windows/amd64:10.0.20348.1", "windows/amd64:10.0.25398.1", "windows/amd64:10.0.26100.1", "linux/s390x",
}

// worse says how a node is worse off: it ran an image before that it really could run, and finds
// none now, or one that it cannot run, or for Windows an older one.
func worse(t *testing.T, host string, before, after lint.Index) string {
	t.Helper()
	on, err := platform.Parse(host)
	must(t, err)
	takes := func(i lint.Index) (of lint.Entry, is platform.Platform, ok bool) {
		for _, bare := range []bool{false, true} { // as containerd takes them
			var all []platform.Platform
			var entries []lint.Entry
			for _, e := range i.Entries {
				p := platform.From(e.Desc.Platform)
				if bare && e.Config != nil {
					p = platform.FromConfig(e.Config)
				}
				if bare == (e.Desc.Platform == nil) && p.IsImage() && !e.Artifact {
					all, entries = append(all, p), append(entries, e)
				}
			}
			if n := platform.Best(on, all); n >= 0 && entries[n].Config != nil {
				is = platform.FromConfig(entries[n].Config)
				return entries[n], is, platform.Runs(on, is)
			} else if n >= 0 {
				return of, is, false
			}
		}
		return of, is, false
	}
	from, was, ran := takes(before)
	to, is, runs := takes(after)
	switch {
	case !ran, from.Desc.Digest == to.Desc.Digest:
		return ""
	case !runs:
		return fmt.Sprintf("ran %s, and runs nothing", was)
	case is.OSVersion != "" && platform.Build(is.OSVersion) < platform.Build(was.OSVersion):
		return fmt.Sprintf("ran %s, and runs the older %s", was, is)
	case platform.Best(on, []platform.Platform{was, is}) == 0 && platform.From(from.Desc.Platform) == was:
		return fmt.Sprintf("ran %s, and runs %s, which is no better", was, is)
	}
	return ""
}

// TestMendKeeps: what this version does not know stays, in the document, in an entry that is mended
// and in one that is not.
func TestMendKeeps(t *testing.T) {
	platforms := []string{"linux/amd64", "linux/arm64"}
	i := lint.Index{Name: "app:1", Desc: v1.Descriptor{MediaType: types.OCIImageIndex}}
	for n, on := range platforms {
		var p platform.Platform
		must(t, p.UnmarshalText([]byte(on)))
		e := lint.Entry{
			Desc: v1.Descriptor{
				MediaType: types.OCIManifestSchema1, Size: 1, Platform: (&platform.Platform{OS: "linux", Architecture: "amd64"}).V1(),
				Digest: v1.Hash{Algorithm: "sha256", Hex: fmt.Sprintf("%064x", n)},
			},
			Read: outcome.There, Config: &v1.ConfigFile{OS: p.OS, Architecture: p.Architecture},
		}
		i.Entries = append(i.Entries, e)
	}
	i.Raw = []byte(strings.ReplaceAll(string(document(t, i)), `"size":1`, `"size":1,"future":true`))
	m, err := audit.Mend(i, lint.IndexOptions{Now: now})
	must(t, err)
	if got := strings.Count(string(m.Raw), `"future": true`); got != 2 || len(m.Changes) != 1 {
		t.Errorf("%d of 2 entries keep their field: %s %q", got, m.Raw, m.Changes)
	}
}

// TestMendAllowed: what is allowed stays as it is.
func TestMendAllowed(t *testing.T) {
	var i lint.Index
	for seed := uint64(0); ; seed++ {
		i = draw(t, rand.New(rand.NewPCG(seed, 1)))
		if f := broken(i); len(f) == 1 && f[0].Rule == "index-duplicate" {
			break
		}
	}
	allow := []lint.IndexAllow{{Rule: "index-duplicate", Reason: "meant"}}
	m, err := audit.Mend(i, lint.IndexOptions{Now: now, Allow: allow})
	if err != nil || len(m.Changes) > 0 {
		t.Errorf("it changes %q, %v", m.Changes, err)
	}
	m, err = audit.Mend(i, lint.IndexOptions{Now: now})
	if err != nil || len(m.Changes) != 1 || !strings.Contains(m.Changes[0], "removed") {
		t.Errorf("not allowed, it changes %q, %v", m.Changes, err)
	}
}
