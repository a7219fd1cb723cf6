package base_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// load reads a slipway.yaml with the given bases for a release to a registry. If anew is
// set, it reads the file as slipway pin bases does.
func load(t *testing.T, dir, host, bases string, anew bool) (*product.Product, error) {
	t.Helper()
	t.Setenv("SLIPWAY_REGISTRY", "")
	t.Setenv("SLIPWAY_VERSION", "")
	text := `apiVersion: slipway/v1
name: demo
version: "1"
platforms: ["windows/amd64:ltsc2019", "windows/amd64:ltsc2022", "windows/amd64:ltsc2025"]
sources: [{name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}]
bases:
` + bases + `
programs: [{name: a, source: here, package: .}]
images: [{name: a, bases: {windows: on}, go: {program: a}}]
`
	if err := os.WriteFile(dir+"/slipway.yaml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return product.Load(t.Context(),
		product.Options{Path: dir + "/slipway.yaml", Registries: []string{host + "/team"}, Bases: anew})
}

// lock locks the bases and returns the changes. Without options it renews all.
func lock(t *testing.T, dir, host, bases string, options ...base.LockOptions) []base.Change {
	t.Helper()
	p, err := load(t, dir, host, bases, true)
	if err != nil {
		t.Fatal(err)
	}
	o := base.LockOptions{Update: true}
	if len(options) > 0 {
		o = options[0]
	}
	l, err := base.Lock(t.Context(), p, client, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := product.WriteBases(t.Context(), p, l.Entries, l.References, nil); err != nil {
		t.Fatal(err)
	}
	return l.Changes
}

// made returns an image for a platform with a creation date.
func made(t *testing.T, p platform.Platform, day string) v1.Image {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	i, err := mutate.CreatedAt(image(t, p), v1.Time{Time: at})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func windows(version string) platform.Platform {
	return platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: version}
}

// silent returns an index whose descriptors lack os.version, like some registries'
// copies of Microsoft's bases.
func silent(images ...v1.Image) v1.ImageIndex {
	var idx v1.ImageIndex = empty.Index
	for _, i := range images {
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{
			Add:        i,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "windows", Architecture: "amd64"}},
		})
	}
	return mutate.IndexMediaType(idx, types.DockerManifestList)
}

// TestLock locks a named base at three tags, builds on it, and then moves one of the tags.
func TestLock(t *testing.T) {
	host, dir := serve(t), t.TempDir()
	nano := host + "/windows/nanoserver"
	bases := "  - {name: on, microsoft: nanoserver, repository: " + nano + "}"
	push(t, nano+":ltsc2019", made(t, windows("10.0.17763.8389"), "2026-01-13"))
	pushIndex(t, nano+":ltsc2022", silent(made(t, windows("10.0.20348.4773"), "2026-01-13")))
	pushIndex(t, nano+":ltsc2025", mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
		Add: made(t, windows("10.0.26100.32370"), "2026-01-13"),
		Descriptor: v1.Descriptor{Platform: &v1.Platform{
			OS: "windows", Architecture: "amd64",
			OSVersion: "10.0.26100.32370",
		}},
	}))

	if p, err := load(t, dir, host, bases, false); err != nil || len(p.Demands) != 1 ||
		strings.Count(p.Demands[0], "windows/amd64:ltsc20") != 3 {
		t.Errorf("a release on bases that are not locked: %+v, %v", p, err)
	}
	for _, c := range lock(t, dir, host, bases) {
		if !c.Changed || c.Old != nil || c.New.Created != "2026-01-13" {
			t.Errorf("the first time: %+v", c)
		}
	}
	for _, c := range lock(t, dir, host, bases) {
		if c.Changed || c.Old == nil || *c.Old != c.New {
			t.Errorf("the second time: %+v", c)
		}
	}
	var said bytes.Buffer
	resolve := func() (base.Base, error) {
		p, err := load(t, dir, host, bases, false)
		if err != nil {
			t.Fatal(err)
		}
		pr := progress.New(&said)
		defer pr.Close()
		r := base.Resolver{
			Bases: p.Bases, File: p.Path, Snapshot: p.Snapshot(), Store: storetest.Open(t),
			Client: client, Progress: pr,
		}
		return r.Resolve(t.Context(), "on", parse(t, "windows/amd64:ltsc2022"))
	}
	b, err := resolve()
	if err != nil || b.Platform.OSVersion != "10.0.20348.4773" ||
		!strings.Contains(b.Info.Name, nano+":ltsc2022@sha256:") {
		t.Fatalf("the base is %+v, %v", b, err)
	}

	moved := pushIndex(t, nano+":ltsc2022", silent(made(t, windows("10.0.20348.4900"), "2026-02-10")))
	said.Reset()
	now, err := resolve()
	if err != nil || now.Info.Name != b.Info.Name {
		t.Errorf("a release on a base that has moved: %+v, %v", now.Info, err)
	}
	if want := ":ltsc2022 has moved to " + moved[len(nano)+len(":ltsc2022@"):]; !strings.Contains(said.String(),
		"warning: ") || !strings.Contains(said.String(), want) || !strings.Contains(said.String(),
		"run slipway pin bases -update to take the new one") {
		t.Errorf("a release on a base that has moved says %q, want a warning with %q", said.String(), want)
	}
	for _, c := range lock(t, dir, host, bases, base.LockOptions{}) {
		if c.Changed || c.Why != "" {
			t.Errorf("without an update: %+v", c)
		}
	}
	var changed []string
	for _, c := range lock(t, dir, host, bases) {
		if c.Changed {
			if c.Why != "tag moved" || !strings.HasSuffix(c.To, moved[len(nano)+len(":ltsc2022"):]) || c.From == c.To {
				t.Errorf("a tag that has moved: %+v", c)
			}
			changed = append(changed, c.Platform, c.Old.OSVersion, c.New.OSVersion, c.Old.Created, c.New.Created)
		}
	}
	if d := cmp.Diff([]string{
		"windows/amd64:ltsc2022", "10.0.20348.4773", "10.0.20348.4900", "2026-01-13",
		"2026-02-10",
	}, changed); d != "" {
		t.Errorf("what has changed (-want +got):\n%s", d)
	}
	if b, err = resolve(); err != nil || b.Platform.OSVersion != "10.0.20348.4900" {
		t.Errorf("after locking anew the base is %+v, %v", b, err)
	}
}

// TestLockInline checks that a digest in slipway.yaml stays when its tag moves, and
// that the lock agrees with it.
func TestLockInline(t *testing.T) {
	host, dir := serve(t), t.TempDir()
	ref := push(t, host+"/core:ltsc2022", made(t, windows("10.0.20348.4773"), "2026-01-13"))
	newer := push(t, host+"/core:ltsc2022", made(t, windows("10.0.20348.4900"), "2026-02-10"))
	images := "  - name: on\n    images:\n"
	for _, r := range platform.LTSC {
		at := ref
		if r.Name != "ltsc2022" {
			at = push(t, host+"/core:"+r.Name, made(t, windows(r.Version+".7"), "2026-01-13"))
		}
		images += "      windows/amd64:" + r.Name + ": " + at + "\n"
	}
	if _, err := load(t, dir, host, images, false); err != nil {
		t.Errorf("a digest in slipway.yaml is a lock of its own: %v", err)
	}
	for _, c := range lock(t, dir, host, images) {
		switch want := strings.HasSuffix(c.Platform, "ltsc2022"); {
		case want && (c.Moved != newer[strings.Index(newer, "@")+1:] || c.New.OSVersion != "10.0.20348.4773"):
			t.Errorf("where the tag has moved: %+v", c)
		case !want && c.Moved != "":
			t.Errorf("where it has not: %+v", c)
		}
	}
	p, err := load(t, dir, host, images, false)
	if err != nil {
		t.Fatal(err)
	}
	r := base.Resolver{Bases: p.Bases, File: p.Path, Snapshot: p.Snapshot(), Store: storetest.Open(t), Client: client}
	if b, err := r.Resolve(t.Context(), "on", parse(t, "windows/amd64:ltsc2022")); err != nil ||
		b.Platform.OSVersion != "10.0.20348.4773" {
		t.Errorf("the base is %+v, %v", b, err)
	}
	p, err = load(t, dir, host, strings.ReplaceAll(images, ref, newer), false)
	if err != nil || len(p.Demands) != 1 || !strings.Contains(p.Demands[0], "bases.lock.yaml:") ||
		!strings.Contains(p.Demands[0], "is locked at sha256:") {
		t.Errorf("another digest in slipway.yaml than in the lock: %+v, %v", p, err)
	}
}

// TestLockedVersion checks that a base must have the version that the lock records for it.
func TestLockedVersion(t *testing.T) {
	host, dir := serve(t), t.TempDir()
	bases := "  - {name: on, microsoft: servercore, repository: " + host + "/core}"
	for _, r := range platform.LTSC {
		push(t, host+"/core:"+r.Name, made(t, windows(r.Version+".7"), "2026-01-13"))
	}
	lock(t, dir, host, bases)
	text, err := os.ReadFile(dir + "/bases.lock.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/bases.lock.yaml",
		[]byte(strings.ReplaceAll(string(text), "10.0.17763.7", "10.0.17763.8")), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := load(t, dir, host, bases, false)
	if err != nil {
		t.Fatal(err)
	}
	r := base.Resolver{Bases: p.Bases, File: p.Path, Snapshot: p.Snapshot(), Store: storetest.Open(t), Client: client}
	_, err = r.Resolve(t.Context(), "on", parse(t, "windows/amd64:ltsc2019"))
	if err == nil || !strings.Contains(err.Error(), "has the os.version 10.0.17763.7, and ") ||
		!strings.Contains(err.Error(), "has 10.0.17763.8: run slipway pin bases -update") {
		t.Errorf("got %v", err)
	}
}

// TestHostProcess checks that a single image with no or any os.version serves as the base
// for every build, and that each image built on it has the os.version of its own platform.
func TestHostProcess(t *testing.T) {
	for name, version := range map[string]string{"no version": "", "one version": "10.0.17763.1"} {
		t.Run(name, func(t *testing.T) {
			host, dir := serve(t), t.TempDir()
			bases := "  - {name: on, microsoft: hostprocess, repository: " + host + "/host-process}"
			genuine := made(t, windows(version), "2024-01-01")
			ref := push(t, host+"/host-process:v1.0.0", genuine)
			for _, c := range lock(t, dir, host, bases) {
				if c.New.OSVersion != "" || c.New.Created != "2024-01-01" ||
					c.Reference != host+"/host-process:v1.0.0" {
					t.Errorf("locked as %+v", c)
				}
			}
			p, err := load(t, dir, host, bases, false)
			if err != nil {
				t.Fatal(err)
			}
			r := base.Resolver{
				Bases: p.Bases, File: p.Path, Snapshot: p.Snapshot(), Store: storetest.Open(t),
				Client: client,
			}
			for _, l := range platform.LTSC {
				b, err := r.Resolve(t.Context(), "on", parse(t, "windows/amd64:"+l.Name))
				if err != nil {
					t.Fatal(err)
				}
				if want := l.Version + ".1"; b.Platform.OSVersion != want || digest(t, b.Image) != digest(t, genuine) ||
					b.Info.Digest != digest(t, genuine) || b.Info.Name != ref {
					t.Errorf("for %s the base is %+v %+v", l.Name, b.Platform, b.Info)
				}
			}
		})
	}
}

// TestForeignLayers checks that non-distributable layers of old bases, with the URLs to
// get them from, are kept byte for byte.
func TestForeignLayers(t *testing.T) {
	host := serve(t)
	i := made(t, windows("10.0.17763.1"), "2019-01-01")
	foreign, err := random.Layer(3000, types.DockerForeignLayer)
	if err != nil {
		t.Fatal(err)
	}
	const address = "https://mcr.microsoft.com/v2/windows/nanoserver/blobs/sha256:0"
	i, err = mutate.Append(i,
		mutate.Addendum{Layer: foreign, MediaType: types.DockerForeignLayer, URLs: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	tag := reference(t, host+"/nanoserver:1809")
	if err := remote.Write(tag, i, remote.WithNondistributable); err != nil {
		t.Fatal(err)
	}
	ref := host + "/nanoserver:1809@" + digest(t, i).String()
	b := resolve(t, &product.Product{Path: "slipway.yaml", Registry: host}, ref, "windows/amd64:ltsc2019")
	same(t, b.Image, i)
	m, err := b.Image.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	last := m.Layers[len(m.Layers)-1]
	if last.MediaType != types.DockerForeignLayer || len(last.URLs) != 1 || last.URLs[0] != address {
		t.Errorf("the layer is %+v", last)
	}
}

// TestLookAlikes rejects bases that resemble the right one.
func TestLookAlikes(t *testing.T) {
	host := serve(t)
	none, other := made(t, windows(""), "2026-01-13"), made(t, windows("10.0.17763.1"), "2026-01-13")
	a, b := made(t, windows("10.0.20348.1"), "2026-01-13"), made(t, windows("10.0.20348.2"), "2026-01-13")
	linux := made(t, parse(t, "linux/amd64"), "2026-01-13")
	r := base.Resolver{File: "slipway.yaml", Store: storetest.Open(t), Client: client}
	for name, tc := range map[string]struct {
		index v1.ImageIndex
		says  []string
	}{
		"no version at all": {silent(none), []string{`its os.version "" has not four parts`, "use one that has"}},
		"of another build": {
			silent(other),
			[]string{"no image for this platform, only for windows/amd64:10.0.17763.1"},
		},
		"two of one build": {silent(a, other, b), []string{
			"it has two images for this platform",
			"(windows/amd64:10.0.20348.1)", "(windows/amd64:10.0.20348.2)", "name one by its digest",
		}},
		"Linux called Windows": {silent(linux), []string{"it is an image for linux/amd64", "name the right one"}},
		"nothing":              {silent(), []string{"it has no image at all"}},
	} {
		t.Run(name, func(t *testing.T) {
			ref := pushIndex(t, host+"/"+strings.ToLower(strings.ReplaceAll(name, " ", "-"))+":1", tc.index)
			_, err := r.Resolve(t.Context(), ref, parse(t, "windows/amd64:ltsc2022"))
			if err == nil {
				t.Fatal("it is taken")
			}
			for _, s := range tc.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("the error %q does not say %q", err, s)
				}
			}
		})
	}
	ref := pushIndex(t, host+"/good:1", silent(other, a))
	if b, err := r.Resolve(t.Context(), ref, parse(t, "windows/amd64:ltsc2022")); err != nil ||
		digest(t, b.Image) != digest(t, a) {
		t.Errorf("the right one of an index without versions: %+v, %v", b, err)
	}
	said := mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: none, Descriptor: v1.Descriptor{Platform: windows("10.0.20348.3").V1()}})
	ref = pushIndex(t, host+"/said:1", said)
	if b, err := r.Resolve(t.Context(), ref, parse(t, "windows/amd64:ltsc2022")); err != nil ||
		b.Platform.OSVersion != "10.0.20348.3" {
		t.Errorf("an image whose version only its index says: %+v, %v", b.Platform, err)
	}
}

// TestLockFails checks that every base that cannot be locked is reported with its position.
func TestLockFails(t *testing.T) {
	host, dir := serve(t), t.TempDir()
	push(t, host+"/core:ltsc2019", made(t, parse(t, "linux/amd64"), "2026-01-13"))
	p, err := load(t, dir, host, "  - {name: on, microsoft: servercore, repository: "+host+"/core}", true)
	if err != nil {
		t.Fatal(err)
	}
	_, err = base.Lock(t.Context(), p, client, base.LockOptions{})
	if err == nil || strings.Count(err.Error(), "/slipway.yaml:7:") != 3 || strings.Count(err.Error(),
		"looking at ") != 2 || !strings.Contains(err.Error(), "it is an image for linux/amd64") {
		t.Errorf("got %v", err)
	}
}
