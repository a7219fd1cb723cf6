package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/chart"
	_ "github.com/slipway-dev/slipway/render/chart/engine"
	"github.com/slipway-dev/slipway/report"
	"github.com/slipway-dev/slipway/report/changes"
)

func hash(n int) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: fmt.Sprintf("%064x", n)} }

// made returns a release of n images for the platforms, as the lock and the bill of materials have
// it, and a bundle with layers.
func made(t *testing.T, n int, version string, platforms ...string) *report.Release {
	t.Helper()
	r := &report.Release{Contents: &bundle.Contents{Product: "big", Version: version}}
	r.Release = changes.Release{Lock: &lock.Lock{Release: lock.Release{
		Name: "big", Version: version,
		Registry: "registry.example/big", Created: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), Go: "go1.26.8",
	}}}
	r.Summary = sbom.Summary{
		Modules: map[string][]string{}, Images: map[[2]string][]string{},
		Licenses: map[string][]string{},
	}
	for i := range n {
		image := lock.Image{
			Name:       fmt.Sprintf("image-%03d", i),
			Repository: fmt.Sprintf("registry.example/big/image-%03d", i), Tags: []string{version},
			Digest: hash(1000 + i),
		}
		in := bundle.Image{Name: image.Tagged()}
		for k, name := range platforms {
			p, err := platform.Parse(name)
			must(t, err)
			layers := []v1.Descriptor{{Digest: hash(k), Size: 100e6}, {Digest: hash(10 + k), Size: 1e6}}
			for l := range 4 {
				layers = append(layers, v1.Descriptor{Digest: hash(1e6 + 100*i + 10*k + l), Size: int64(l+1) * 3e6})
			}
			image.Children = append(image.Children,
				lock.Child{Platform: p, Digest: hash(1e5 + 10*i + k), LayerBytes: 131e6})
			in.Manifests = append(in.Manifests,
				bundle.Manifest{Platform: p, Tree: &oci.Tree{
					Desc:   v1.Descriptor{Digest: hash(1e5 + 10*i + k)},
					Layers: layers, Presence: oci.Included,
				}})
		}
		r.Lock.Images, r.Contents.Images = append(r.Lock.Images, image), append(r.Contents.Images, in)
	}
	return r
}

func write(t *testing.T, r, base *report.Release) string {
	t.Helper()
	must(t, r.Complete(t.Context()))
	var out bytes.Buffer
	must(t, report.Write(&out, r, base))
	return out.String()
}

func wants(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestLarge: the page of 200 images for 5 platforms, with a finding in each of their pods, has
// less than 3 MB.
func TestLarge(t *testing.T) {
	r := made(t, 200, "1.0.0", "linux/amd64", "linux/arm64", "windows/amd64:ltsc2019", "windows/amd64:ltsc2022",
		"windows/amd64:ltsc2025")
	old := made(t, 200, "0.9.0", "linux/amd64", "linux/arm64", "windows/amd64:ltsc2019", "windows/amd64:ltsc2022",
		"windows/amd64:ltsc2025")
	var manifest strings.Builder
	for i, image := range r.Lock.Images {
		r.Lock.Images[i].Digest = hash(5000 + i)
		for k := range image.Children {
			image.Children[k].Digest = hash(2e5 + 10*i + k)
		}
		fmt.Fprintf(&manifest,
			"apiVersion: v1\nkind: Pod\nmetadata: {name: pod-%d, namespace: big}\nspec:\n  nodeSelector: "+
				"{kubernetes.io/os: windows}\n  securityContext: {runAsUser: "+
				"0}\n  containers:\n    - {name: a, image: %q}\n---\n", i, r.Lock.Images[i].Reference())
	}
	r.Manifest = []byte(manifest.String())
	text := write(t, r, old)
	if len(text) > 3e6 {
		t.Errorf("the page has %d bytes", len(text))
	}
	if n := strings.Count(text, ` data-bytes="131000000"`); n != 1000 {
		t.Errorf("the matrix has %d cells", n)
	}
	wants(t, text, `data-copy="`+hash(2e5+10*199+4).String()+`"`, `data-line="1796"`, `<article class="finding `)
	t.Logf("%d bytes", len(text))
}

// TestContents: modules of which there are several versions with the images that have them,
// licenses, the age of bases by the date of the release, tags that moved, and deltas.
func TestContents(t *testing.T) {
	r := made(t, 2, "1.0.0", "linux/amd64", "windows/amd64:ltsc2022")
	r.Modules = map[string][]string{"example.com/a": {"v1.0.0", "v1.1.0"}, "example.com/b": {"v1.0.0"}}
	r.Images = map[[2]string][]string{
		{"example.com/a", "v1.0.0"}: {"image-000"},
		{"example.com/a", "v1.1.0"}: {"image-001"},
	}
	r.Licenses = map[string][]string{"": {"example.com/a"}, "BSD-3-Clause": {"stdlib"}}
	r.Packages = map[string]map[string][]string{"image-000": {"curl": {"7.88.1-10", "7.88.1-9"}, "<b>": {"1"}}}
	r.Lock.Images[0].Children[1].Base = &lock.Base{Name: "mcr.microsoft.com/windows/nanoserver:ltsc2022@" +
		hash(7).String(), Digest: hash(7), Created: time.Date(2025, 12, 24, 0, 0, 0, 0, time.UTC)}
	r.Lock.Images[0].Children[0].Base = &lock.Base{
		Name:   "registry.example/base@" + hash(8).String(),
		Digest: hash(8), Created: r.Lock.Created.Add(-time.Hour),
	}
	r.Lock.Images[0].Children[1].OSVersion = "10.0.20348.1"
	r.Lock.Images[1].Children[0].Base = &lock.Base{
		Name: "docker.io/library/debian:bullseye-slim@" + hash(9).String(), Digest: hash(9), Created: r.Lock.Created,
	}
	r.Lock.Images[0].FloatingTags = []lock.FloatingTag{
		{Tag: "latest", Repository: r.Lock.Images[0].Repository},
		{Tag: "edge", Repository: "copy.example/big", Kept: "it names 2.0.0"},
	}
	r.Bundles = []bundle.File{{Path: "big-images.tar.zst", Size: 1000e6, Contents: r.Contents}}
	r.Deltas = []bundle.File{{
		Path: "big-images.tar.zst.delta", Size: 200e6,
		Contents: &bundle.Contents{Delta: &bundle.Delta{
			Base: bundle.DeltaBase{File: "old.tar.zst", Version: "0.9.0"}, Bundle: "big-images.tar.zst", Size: 1000e6,
		}},
	}}
	r.Keys = []string{"SHA256:abc"}
	wants(t, write(t, r, nil),
		`2 Go modules are in the programs. Of these there are several versions`, `<code>v1.1.0</code> image-001`,
		`data-license="BSD-3-Clause" data-count="1"`, "none declared",
		`<details data-image="image-000" data-count="2"><summary>image-000: 2 packages</summary>`,
		`<th scope="row">curl</th><td>7.88.1-10, 7.88.1-9</td>`, "&lt;b&gt;</th>",
		`href="#packages"`,
		`Windows 10.0.20348.1</td><td class="age">2025-12-24, 38 days before the release`,
		`2026-01-31, on the day of the release; the regular support of Debian 11 ended on 2024-08-14, and the extended one`,
		`2026-01-30, a day before the release<`, "latest moves to it", "copy.example/big:edge stays: it names 2.0.0",
		"800.0 MB of 1.0 GB (80 %)",
		"slipway airgap apply big-images.tar.zst.delta -base=old.tar.zst -o=big-images.tar.zst",
		"who has old.tar.zst of 0.9.0",
		`A release, published at registry.example/big. <span id="proof" data-keys="SHA256:abc">Signed, as its files state, with the key SHA256:abc.`)
}

// digits is a digest of one digit.
func digits(n int) v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(fmt.Sprint(n), 64)}
}

// TestWhy: a comparison states per image why it changed, and links modules and sources to their
// differences.
func TestWhy(t *testing.T) {
	old, now := made(t, 6, "1.0.0", "linux/amd64"), made(t, 6, "1.1.0", "linux/amd64")
	arm, err := platform.Parse("linux/arm64")
	must(t, err)
	now.Lock.Images[3].Children = append(now.Lock.Images[3].Children, lock.Child{Platform: arm, Digest: hash(60)})
	for n, r := range []*report.Release{old, now} {
		v := []string{"v1.0.0", "v1.2.0"}[n]
		r.Lock.Sources = []lock.Source{{
			Name: "app", Revision: []string{"aaaa", "bbbb"}[n],
			URL: "https://github.com/me/app.git",
		}, {Name: "own", Revision: "cccc"}}
		r.Lock.Compilers = []lock.Compiler{{Command: "gcc", Version: v}}
		r.Sources = map[string][]string{"image-001": {"app", "own"}, "image-002": {"own"}, "image-003": {"own"}}
		for i := 2; i < 4; i++ { // another label
			r.Lock.Images[i].Digest, r.Lock.Images[i].Children[0].Digest = hash(100*i+n), hash(100*i+10+n)
		}
		r.Modules = map[string][]string{
			"stdlib": {"1.26." + []string{"8", "7"}[n]}, "github.com/x/y/z": {v},
			"golang.org/x/sys": {v}, "example.com/m": {v}, "same.example/m": {"v1.0.0"},
		}
		for path, versions := range r.Modules {
			r.Images[[2]string{path, versions[0]}] = []string{"image-001"}
		}
		r.Packages = map[string]map[string][]string{
			"image-001": {"curl": {fmt.Sprint(n)}, "same": {"1"}, []string{"old", "new"}[n]: {"1"}},
		}
		taken := &r.Lock.Images[4].Children[0]
		taken.Prebuilt = &lock.Taken{From: "oci:a"}
		r.Lock.Images[4].Digest, taken.Digest, taken.Config = hash(400+n), digits(n), digits(n+2)
		r.Sources["image-004"] = []string{"app"}
		r.Lock.Images[1].Digest, r.Lock.Images[1].Children[0].Digest = hash(70+n), hash(80+n)
		r.Lock.Images[1].Children[0].LayerBytes += int64(n) * 2e6
		r.Lock.Images[1].Children[0].Base = &lock.Base{
			Name:   "registry.example/base:1@" + hash(90+n).String(),
			Digest: digits(n + 1),
		}
		r.Manifest = []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: p" +
			fmt.Sprint(n) + ", namespace: a}\nspec: {containers: [{name: a, image: " +
			"registry.example/a}], nodeSelector: {kubernetes.io/os: windows}, securityContext: {runAsUser: 0}}\n")
		must(t, r.Complete(t.Context()))
	}
	text := write(t, now, old)
	wants(t, text,
		"base registry.example/base:1 for linux/amd64: 111111111111 → 222222222222", "Go 1.26.8 → 1.26.7",
		`<span class="version">1.26.7</span> </td><td>down`, "modules: 3 up",
		"packages: 1 changed, 1 new, 1 gone", `<h3>Packages of distributions</h3>`,
		`<td><span class="version">0</span> </td><td><span class="version">1</span> </td><td>changed`+
			`<div class="soft">in image-001</div>`,
		`<tr class="moved" data-name="old">`, `<em>gone</em></td><td>gone`,
		"source app: aaaa → bbbb",
		`href="https://github.com/me/app/compare/aaaa...bbbb"`,
		`href="https://github.com/golang/sys/compare/v1.0.0...v1.2.0"`,
		`href="https://github.com/x/y/compare/z/v1.0.0...z/v1.2.0"`,
		`href="https://pkg.go.dev/example.com/m@v1.2.0"`, "2 manifests are the same", "2.0 MB", `id="new-findings"`,
		`id="gone-findings"`, "{name: p0, namespace: a}")
	for image, want := range map[string]string{
		"image-002": `<div>its files, its labels or its settings: neither bases, packages, modules nor sources</div>`,
		"image-004": `<div>image taken as it is for linux/amd64: 000000000000, configuration 222222222222 → 111111111111, configuration 333333333333</div>`,
		"image-003": `<div>linux/arm64 is new</div><div>its files, its labels or its settings: neither bases, packages, modules nor sources</div>`,
	} {
		wants(t, text, `<tr class="why" data-image="`+image+`"><th scope="row">`+image+`</th><td>`+want+`</td></tr>`)
	}
	if strings.Contains(text, `class="why" data-image="image-000"`) || strings.Contains(text, `namespace: a}\n<`) {
		t.Error("the page tells why an image changed that did not, or shows line ends")
	}
}

// TestFindings: findings that are allowed show the reason, and those of charts their template.
func TestFindings(t *testing.T) {
	dir := dist(t, func(l *lock.Lock) {})
	r, err := report.Read(t.Context(), dir)
	must(t, err)
	if len(r.Findings) == 0 {
		t.Fatal("nothing is found")
	}
	r, err = report.Read(t.Context(), dir, product.Allow{Rule: r.Findings[0].Rule, Reason: "it <b>must</b>"})
	must(t, err)
	tree := t.TempDir()
	for name, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
		"templates/pod.yaml": "# a comment\napiVersion: v1\nkind: Pod\nmetadata: {name: charted, namespace: " +
			"demo}\nspec:\n  nodeSelector: {kubernetes.io/os: windows}\n" +
			"  securityContext:\n    runAsUser: 7\n  containers: [{name: a, image: registry.example/a}]\n",
	} {
		path := filepath.Join(tree, "app", name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	c, err := chart.Load(chart.Location{Tree: tree, Path: "app", Shown: "app"})
	must(t, err)
	r.Findings, r.Charts = nil, []*chart.Chart{c}
	text := write(t, r, nil)
	wants(t, text, "Allowed: it &lt;b&gt;must&lt;/b&gt;.", `class="finding allowed"`, "from app/templates/pod.yaml:8",
		`class="found"><span class="n">`, "runAsUser: 7")
}

// TestNothingFound: where lint finds nothing the page says so, and where it did not look it is
// silent.
func TestNothingFound(t *testing.T) {
	dir := dist(t, func(l *lock.Lock) {})
	const clean = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: demo}\n"
	must(t, os.WriteFile(filepath.Join(dir, "release.yaml"), []byte(clean), 0o644))
	list(t, dir)
	const nothing = "Lint finds nothing in the manifests."
	wants(t, page(t, dir, ""), nothing, `<a href="#findings">`)
	if alone := page(t, filepath.Join(dir, lock.Name), ""); strings.Contains(alone, nothing) {
		t.Error("the page of a lock alone tells that nothing is found")
	}
}

// TestNodes: the page states which nodes run a pod, and why others do not.
func TestNodes(t *testing.T) {
	r, err := report.Read(t.Context(), dist(t, func(l *lock.Lock) {}))
	must(t, err)
	list, err := nodes.Read("nodes.json", []byte(`{"apiVersion":"v1","kind":"List","items":[
		{"apiVersion":"v1","kind":"Node","metadata":{"name":"lin","labels":{"kubernetes.io/os":"linux","kubernetes.io/arch":"amd64"}},"status":{"nodeInfo":{"operatingSystem":"linux","architecture":"amd64"}}},
		{"apiVersion":"v1","kind":"Node","metadata":{"name":"win","labels":{"kubernetes.io/os":"windows","kubernetes.io/arch":"amd64","node.kubernetes.io/windows-build":"10.0.20348"}},"status":{"nodeInfo":{"operatingSystem":"windows","architecture":"amd64"}}}]}`))
	must(t, err)
	must(t, r.RunOn(t.Context(), list))
	var out bytes.Buffer
	must(t, report.Write(&out, r, nil))
	wants(t, out.String(), `id="nodes"`, `data-what="Pod demo/a"`, `<div>win</div>`, "lin: ", `data-node="lin"`)
	alone := &report.Release{}
	if err := alone.RunOn(t.Context(), list); err == nil {
		t.Error("which nodes run a bundle is known")
	}
}

// TestRun: the record of a run is shown as a timeline, with what ran beside each step; a record
// that makes no sense is refused.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	p, record := progress.Recording(nil)
	next := record.Stages()
	next("checking")
	next("building")
	task := p.Start("compiling <demo>", progress.Items, 0)
	p.Start("broken", progress.Items, 0).Fail()
	task.Done("")
	next("")
	run := report.NewRun("demo", "1.0.0", record)
	if len(run.Steps) != 4 {
		t.Fatalf("the steps are %v", run.Steps)
	}
	run.Steps = []progress.Step{
		{Name: "checking", End: 1, Stage: true},
		{Name: "building", Begin: 1, End: 4, Stage: true},
		{Name: "compiling <demo>", Begin: 1.5, End: 3.5},
		{Name: "packing", Begin: 3, End: 4, Failed: true},
	}
	must(t, run.Write(dir))
	r := made(t, 1, "1.0.0", "linux/amd64")
	var err error
	r.Timeline, err = report.ReadRun(dir)
	must(t, err)
	wants(t, write(t, r, nil), "The last run, of demo 1.0.0, took 4.0s.",
		`data-step="compiling &lt;demo&gt;" data-begin="1.5" data-end="3.5"`, `<rect x="375" width="500"`,
		`<td class="soft">packing</td>`, "failed</strong>")
	run.Steps[0].End = -1
	must(t, run.Write(dir))
	if _, err := report.ReadRun(dir); err == nil ||
		!strings.Contains(err.Error(), `"checking" is from 0 to -1 seconds`) {
		t.Errorf("a step that ends before it begins: %v", err)
	}
}
