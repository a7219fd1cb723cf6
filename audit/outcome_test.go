package audit_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// impatient is a reader that gives up soon.
func impatient() audit.Reader { return audit.NewReader(registrytest.Impatient) }

// TestFixFailures answers each request of -fix with each failure: an entry is removed for a 404 and
// for nothing else, and a tag names what it named or the whole mended index.
func TestFixFailures(t *testing.T) {
	broken := indextest.Index(t, "linux/amd64", "linux/arm64", w2022+" as windows/amd64:10.0.17763.1")
	for name, move := range map[string]bool{"to another tag": false, "over itself": true} {
		t.Run(name, func(t *testing.T) {
			registrytest.EachFailure(t, func(t *testing.T, s *registrytest.Server) func() error {
				from := s.Repo(t, "app")
				must(t, remote.WriteIndex(from.Tag("1.0.0"), broken))
				to := s.Repo(t, "mended")
				f := audit.Fix{To: to, Tag: "1.0.0"}
				if move {
					f = audit.Fix{To: from, Tag: "1.0.0", Move: true}
				}
				f.Judge.Now = now
				return func() error {
					_, err := impatient().Fix(t.Context(), from.Tag("1.0.0").String(), f)
					return err
				}
			})
		})
	}
}

// TestOutages: a failure of the registry is no finding about the image, whatever request it is in.
func TestOutages(t *testing.T) {
	r := registrytest.Serve(t)
	repo := r.Repo(t, "app")
	i := indextest.Index(t, "linux/amd64", "linux/arm64")
	must(t, remote.WriteIndex(repo.Tag("1.0.0"), i))
	must(t, remote.WriteIndex(repo.Tag("0.9.0"), indextest.Index(t, "linux/amd64")))
	m, err := i.IndexManifest()
	must(t, err)
	img, err := i.Image(m.Manifests[1].Digest)
	must(t, err)
	config, err := img.ConfigName()
	must(t, err)
	want := found(t, repo.Tag("1.0.0").String())
	for what, part := range map[string]string{
		"the index": "/manifests/1.0.0", "the version before": "/manifests/0.9.0", "tags": "/tags/list",
		"referrers": "/referrers/", "a manifest": "/manifests/" + m.Manifests[1].Digest.String(),
		"a configuration": "/blobs/" + config.String(),
	} {
		for _, code := range []int{403, 429, 500, 503} {
			t.Run(fmt.Sprint(what, " ", code), func(t *testing.T) {
				r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
					if strings.Contains(q.URL.Path, part) {
						w.WriteHeader(code)
					}
					return strings.Contains(q.URL.Path, part)
				})
				defer r.Disturb(nil)
				made := report(t, impatient(), lint.IndexOptions{Now: now}, repo.Tag("1.0.0").String())
				for _, f := range made.Findings {
					t.Errorf("it is a finding: %s", f)
				}
				if what == "tags" && code == 403 { // many registries list them to nobody
					if len(made.Skipped) == 0 || made.Incomplete() != nil {
						t.Errorf("it is not said that tags were not looked at")
					}
					return
				}
				if err := made.Incomplete(); !outcome.Failed(err) {
					t.Errorf("it says %v", err)
				}
				var text, sarif bytes.Buffer
				must(t, made.WriteTable(&text))
				must(t, made.WriteSARIF(&sarif, "1"))
				if !strings.Contains(text.String(), "could not be read") || !strings.Contains(sarif.String(), "could not be read") {
					t.Errorf("it is said in neither %s nor SARIF", text.String())
				}
			})
		}
	}
	if diff := cmp.Diff(want, found(t, repo.Tag("1.0.0").String())); diff != "" || len(want) > 0 {
		t.Errorf("without an outage: %s %v", diff, want)
	}
}

// TestNested judges an index in an index as runtimes read it: by both platforms, and as deep as it
// is fetched.
func TestNested(t *testing.T) {
	r := registrytest.Serve(t)
	nest := func(inner v1.ImageIndex, on string) v1.ImageIndex {
		i := indextest.Index(t, "linux/amd64")
		a := mutate.IndexAddendum{Add: inner}
		if on != "" {
			var p platform.Platform
			must(t, p.UnmarshalText([]byte(on)))
			a.Platform = p.V1()
		}
		return mutate.AppendManifests(i, a)
	}
	lost := indextest.Index(t, "linux/arm64", "linux/s390x")
	for name, tc := range map[string]struct {
		index v1.ImageIndex
		lose  int // of lost, an entry
		want  []string
	}{
		"right":          {nest(indextest.Index(t, "linux/arm64"), "linux/arm64"), -1, nil},
		"no platform":    {nest(indextest.Index(t, "linux/arm64", "linux/s390x"), ""), -1, nil},
		"another":        {nest(indextest.Index(t, "linux/s390x"), "linux/arm64"), -1, []string{"error manifests[1].manifests[0] index-platform-differs", "error index-platform-absent"}},
		"wrong inside":   {nest(indextest.Index(t, "linux/s390x as linux/arm64"), "linux/arm64"), -1, []string{"error manifests[1].manifests[0] index-platform-differs"}},
		"empty":          {nest(indextest.Index(t), "linux/arm64"), -1, []string{"error index-empty", "error index-platform-absent"}},
		"lost":           {nest(lost, ""), 0, []string{"error manifests[1].manifests[0] index-missing", "error index-platform-absent"}},
		"lost whole":     {nest(lost, ""), -1, []string{"error manifests[1] index-missing", "error index-platform-absent"}},
		"lost beside":    {nest(lost, ""), 1, []string{"error manifests[1].manifests[1] index-missing"}},
		"in both":        {nest(indextest.Index(t, "linux/arm64", "linux/amd64"), ""), -1, []string{"warning manifests[1] index-duplicate"}},
		"three deep":     {nest(nest(nest(indextest.Index(t, "linux/arm64"), ""), ""), ""), -1, []string{"warning manifests[1] index-duplicate", "warning manifests[1].manifests[1] index-duplicate"}},
		"not to be read": {nest(nest(nest(nest(indextest.Index(t, "linux/arm64"), ""), ""), ""), ""), -1, []string{"error manifests[1].manifests[1].manifests[1].manifests[1] index-unreadable"}},
	} {
		t.Run(name, func(t *testing.T) {
			repo := r.Repo(t, strings.ReplaceAll(name, " ", "-"))
			must(t, remote.WriteIndex(repo.Tag("1"), tc.index))
			if name == "lost whole" {
				h, err := lost.Digest()
				must(t, err)
				must(t, remote.Delete(repo.Digest(h.String())))
			}
			if tc.lose >= 0 {
				m, err := lost.IndexManifest()
				must(t, err)
				must(t, remote.Delete(repo.Digest(m.Manifests[tc.lose].Digest.String())))
			}
			on, err := platform.Parse("linux/arm64")
			must(t, err)
			got := judged(t, reader(), lint.IndexOptions{Now: now, Platforms: []platform.Platform{on}}, repo.Tag("1").String())
			got = slices.DeleteFunc(got, func(f string) bool { return strings.HasSuffix(f, "index-nested") })
			for _, f := range tc.want {
				if !slices.Contains(got, f) {
					t.Errorf("it lacks %s: %s", f, got)
				}
			}
			if (len(tc.want) == 0 || name == "lost whole") && len(got) > len(tc.want) {
				t.Errorf("it has %s", got)
			}
		})
	}
}

// TestNestedAsFlat: an index in an index has the findings that it has by itself.
func TestNestedAsFlat(t *testing.T) {
	r := registrytest.Serve(t)
	for _, tc := range indextest.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			ref := r.Repo(t, tc.Name).Tag("1")
			i := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex),
				mutate.IndexAddendum{Add: indextest.Index(t, tc.Entries...)})
			must(t, remote.WriteIndex(ref, i))
			var want []string
			for _, f := range tc.Want {
				want = append(want, strings.Replace(f, "manifests[", "manifests[0].manifests[", 1))
			}
			got := slices.DeleteFunc(found(t, ref.String()), func(f string) bool {
				return f == "note manifests[0] index-mixed" || strings.HasSuffix(f, "index-nested")
			})
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEmptyIndex: an index that lists no image is an error wherever it is read, and cannot be
// mended.
func TestEmptyIndex(t *testing.T) {
	r := registrytest.Serve(t)
	for name, i := range map[string]v1.ImageIndex{
		"nothing": mutate.IndexMediaType(empty.Index, types.OCIImageIndex), "attested": indextest.Index(t, "attestation"),
	} {
		t.Run(name, func(t *testing.T) {
			ref := r.Repo(t, name).Tag("1")
			must(t, remote.WriteIndex(ref, i))
			args := []string{ref.String()}
			if name == "attested" { // package layout does not write an empty index
				args = append(args, archivetest.Pack(t, archivetest.Layout(t, map[string]mutate.Appendable{"app:1": i}), "tar"))
			}
			for _, arg := range args {
				if got := found(t, arg); !slices.Contains(got, "error index-empty") {
					t.Errorf("%s has %s", arg, got)
				}
			}
			if _, err := reader().Fix(t.Context(), ref.String(), audit.Fix{DryRun: true}); err == nil ||
				!strings.Contains(err.Error(), "[index-empty]") {
				t.Errorf("it is mended: %v", err)
			}
		})
	}
}

// TestArtifactEntries: what an index lists besides images is neither judged as an image nor
// removed.
func TestArtifactEntries(t *testing.T) {
	r := registrytest.Serve(t)
	i := indextest.Index(t, "linux/amd64")
	soci := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), "application/vnd.amazon.soci.index.v2+json")
	for _, p := range []*v1.Platform{nil, {OS: "linux", Architecture: "amd64"}} {
		i = mutate.AppendManifests(i, mutate.IndexAddendum{Add: soci, Descriptor: v1.Descriptor{
			Platform: p, ArtifactType: "application/vnd.amazon.soci.index.v2+json",
		}})
	}
	ref := r.Repo(t, "soci").Tag("1")
	must(t, remote.WriteIndex(ref, i))
	if got := found(t, ref.String()); len(got) > 0 {
		t.Errorf("it has %s", got)
	}
	done, err := reader().Fix(t.Context(), ref.String(), audit.Fix{DryRun: true})
	if err != nil || len(done.Changes) > 0 {
		t.Errorf("mended: %s, %v", done.Changes, err)
	}
}

// TestForNoNode: an artifact in the place of an image, and an image whose configuration says for
// nothing that it is, are for no node.
func TestForNoNode(t *testing.T) {
	r := registrytest.Serve(t)
	img := indextest.Image(t, "linux/amd64", types.OCIManifestSchema1)
	cf, err := img.ConfigFile()
	must(t, err)
	bare, err := mutate.ConfigFile(img, &v1.ConfigFile{RootFS: cf.RootFS})
	must(t, err)
	half, err := mutate.ConfigFile(img, &v1.ConfigFile{OS: "linux", RootFS: cf.RootFS})
	must(t, err)
	for want, i := range map[string]v1.Image{
		"error index-no-platform": bare, " error index-no-platform": half, "error index-empty": mutate.ConfigMediaType(img, "application/vnd.example+json"),
	} {
		ref := r.Repo(t, strings.TrimSpace(strings.Replace(want, "error ", "", 1))).Tag("1")
		must(t, remote.Write(ref, i))
		if got := found(t, ref.String()); !slices.Equal(got, []string{strings.TrimSpace(want)}) {
			t.Errorf("%s has %s", want, got)
		}
	}
}

// TestNotMended: what only a builder can mend is refused, and nothing is pushed: an index that
// would list no image, an index in the index of which another entry has a part, an artifact in the
// place of an image.
func TestNotMended(t *testing.T) {
	artifact := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		"application/vnd.oci.empty.v1+json")
	with := func(i v1.ImageIndex, a mutate.Appendable, on string) v1.ImageIndex {
		add := mutate.IndexAddendum{Add: a}
		if on != "" {
			p, err := platform.Parse(on)
			must(t, err)
			add.Platform = p.V1()
		}
		return mutate.AppendManifests(i, add)
	}
	for name, tc := range map[string]struct {
		index v1.ImageIndex
		lose  bool // the first entry
		want  string
	}{
		"lost":     {indextest.Index(t, "linux/amd64"), true, "index-empty"},
		"part":     {with(indextest.Index(t, "linux/amd64"), indextest.Index(t, "linux/amd64", "linux/arm64"), ""), false, "index-duplicate"},
		"chosen":   {with(indextest.Index(t, "windows/amd64:10.0.20348.1"), artifact, "linux/amd64"), false, "index-platform-differs"},
		"inside":   {with(indextest.Index(t, indextest.Windows2025), indextest.Index(t, indextest.Windows2019, indextest.Windows2022), ""), false, "index-order"},
		"artifact": {with(empty.Index, artifact, ""), false, "index-empty"},
	} {
		t.Run(name, func(t *testing.T) {
			r := registrytest.Serve(t)
			ref := r.Repo(t, name).Tag("1")
			must(t, remote.WriteIndex(ref, tc.index))
			if tc.lose {
				m, err := tc.index.IndexManifest()
				must(t, err)
				must(t, remote.Delete(ref.Digest(m.Manifests[0].Digest.String())))
			}
			before := r.Tags(t)
			_, err := reader().Fix(t.Context(), ref.String(), audit.Fix{To: ref.Context(), Tag: "2"})
			if err == nil || !strings.Contains(err.Error(), "["+tc.want+"]") {
				t.Errorf("%v, not %s", err, tc.want)
			}
			if after := r.Tags(t); !maps.Equal(before, after) {
				t.Errorf("the registry has %v, and had %v", after, before)
			}
		})
	}
}

// TestWantedOfArchive: what an archive lacks of an index is not there for -platform and -nodes.
func TestWantedOfArchive(t *testing.T) {
	i := indextest.Index(t, "linux/amd64", "linux/arm64", w2022)
	dir := archivetest.Layout(t, map[string]mutate.Appendable{"docker.io/library/app:1": i})
	m, err := i.IndexManifest()
	must(t, err)
	for _, d := range m.Manifests[1:] {
		must(t, os.Remove(archivetest.Blob(dir, d.Digest)))
	}
	for on, want := range map[string][2]string{
		"linux/amd64": {}, "linux/arm64": {"error index-platform-absent", "error index-node"},
		w2022: {"error index-platform-absent", "error index-node"},
	} {
		p, err := platform.Parse(on)
		must(t, err)
		for _, arg := range []string{dir, archivetest.Pack(t, dir, "tar"), archivetest.Pack(t, dir, "zst")} {
			for n, o := range []lint.IndexOptions{
				{Now: now, Platforms: []platform.Platform{p}}, {Now: now, Hosts: []lint.Host{{Name: "a", Platform: p}}},
			} {
				got := judged(t, reader(), o, arg)
				if want[n] == "" && slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, "error") }) ||
					want[n] != "" && !slices.Contains(got, want[n]) {
					t.Errorf("%s, %s: %s, not %q", arg, on, got, want[n])
				}
			}
		}
	}
}

// TestAmbiguousArchive: an archive of which two readers see two things is an error, also where the
// first reader finds nothing wrong.
func TestAmbiguousArchive(t *testing.T) {
	dir := archivetest.Layout(t, map[string]mutate.Appendable{
		"docker.io/library/app:1": indextest.Image(t, "linux/amd64", types.OCIManifestSchema1),
	})
	index, err := os.ReadFile(filepath.Join(dir, "index.json"))
	must(t, err)
	other, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2})
	must(t, err)
	file := func(name string, text []byte) func(*tar.Writer) {
		return func(w *tar.Writer) {
			must(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644}))
			_, err := w.Write(text)
			must(t, err)
		}
	}
	link := func(w *tar.Writer) {
		must(t, w.WriteHeader(&tar.Header{Name: "index.json", Typeflag: tar.TypeSymlink, Linkname: "other"}))
	}
	for name, tc := range map[string]struct {
		first, last []func(*tar.Writer)
		after       []byte
		want        bool
	}{
		"plain":            {nil, nil, nil, false},
		"padded":           {nil, nil, make([]byte, 10<<10), false},
		"the same twice":   {nil, []func(*tar.Writer){file("index.json", index)}, nil, false},
		"as tar writes it": {nil, []func(*tar.Writer){file("./x", nil)}, nil, false},
		"twice":            {[]func(*tar.Writer){file("index.json", other)}, nil, nil, true},
		"a link behind":    {[]func(*tar.Writer){file("other", other)}, []func(*tar.Writer){link}, nil, true},
		"a link before":    {[]func(*tar.Writer){file("other", index), link}, nil, nil, true},
		"absolute":         {[]func(*tar.Writer){file("/index.json", other)}, nil, nil, true},
		"a way out":        {[]func(*tar.Writer){file("../index.json", other)}, nil, nil, true},
		"a way":            {[]func(*tar.Writer){file("a/../index.json", other)}, nil, nil, true},
		"behind the end":   {nil, nil, []byte("index.json"), true},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for _, add := range tc.first {
				add(w)
			}
			must(t, w.AddFS(os.DirFS(dir)))
			for _, add := range tc.last {
				add(w)
			}
			must(t, w.Close())
			b.Write(tc.after)
			plain, packed := filepath.Join(t.TempDir(), "a.tar"), filepath.Join(t.TempDir(), "a.tar.gz")
			must(t, os.WriteFile(plain, b.Bytes(), 0o644))
			var two bytes.Buffer // two members of gzip, as of cat
			for _, part := range [][]byte{b.Bytes()[:b.Len()-len(tc.after)], tc.after} {
				z := gzip.NewWriter(&two)
				_, err := z.Write(part)
				must(t, err)
				must(t, z.Close())
			}
			must(t, os.WriteFile(packed, two.Bytes(), 0o644))
			for _, arg := range []string{plain, packed} {
				list, _, err := reader().Read(t.Context(), arg)
				made := lint.CheckIndexes(list, lint.IndexOptions{Now: now})
				is := slices.ContainsFunc(made.Findings, func(f lint.Finding) bool {
					occurred.Store(f.Rule, true)
					return f.Rule == "archive-ambiguous"
				})
				if (is || err != nil) != tc.want {
					t.Errorf("%s has %v, %v", arg, made.Findings, err)
				}
			}
		})
	}
}
