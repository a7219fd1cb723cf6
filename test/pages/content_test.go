package pages

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// A row of a table is its cells by the text of their column's header.
type row map[string]cell

type cell struct {
	Text    string   `json:"text"`
	Digests []string `json:"digests"` // that a click copies
}

// tables reads the tables of a section, with their headings.
const tables = `id => [...document.getElementById(id).querySelectorAll("table:not(.diff)")].map(table => {
  const heads = [...table.tHead.rows[0].cells].map(c => c.textContent.trim());
  return [...table.tBodies].flatMap(b => [...b.rows]).map(r => Object.fromEntries([...r.cells].map((c, n) => [heads[n], {
    text: c.textContent.replace(/\s+/g, " ").trim(),
    digests: [...c.querySelectorAll("[data-copy]")].map(d => d.dataset.copy),
  }])));
})`

// called is how people call a platform.
func called(p platform.Platform) string {
	if release := platform.Release(p.OSVersion); release != "" {
		return p.OS + "/" + p.Architecture + ":" + release
	}
	return p.String()
}

// images compares the table of images and platforms with the lock, both ways.
func images(o *tab, l *lock.Lock) (wrong []string) {
	seen := evaluate[[][]row](o, tables, "images")[0]
	for n, i := range l.Images {
		if len(seen) != len(l.Images) || seen[n]["Image"].Text != i.Name {
			return append(wrong, fmt.Sprintf("the images are %d, without %s at place %d", len(seen), i.Name, n))
		}
		for _, c := range i.Children {
			cell := seen[n][called(c.Platform)]
			if !slices.Equal(cell.Digests, []string{c.Digest.String()}) ||
				!strings.Contains(cell.Text, c.Digest.Hex[:12]) {
				wrong = append(wrong, fmt.Sprintf("%s for %s is %s: %+v", i.Name, called(c.Platform), c.Digest, cell))
			}
			if size := progress.Size(c.LayerBytes); !strings.HasPrefix(cell.Text, size+" ") {
				wrong = append(wrong, fmt.Sprintf("%s for %s has %s: %+v", i.Name, called(c.Platform), size, cell))
			}
			if strings.Contains(cell.Text, "stub") != (len(c.Stubs()) > 0) {
				wrong = append(wrong,
					fmt.Sprintf("%s for %s: stubs %v: %+v", i.Name, called(c.Platform), c.Stubs(), cell))
			}
			delete(seen[n], called(c.Platform))
		}
		delete(seen[n], "Image")
		for platform, cell := range seen[n] {
			if len(cell.Digests) > 0 {
				wrong = append(wrong, fmt.Sprintf("the lock has no %s for %s: %+v", i.Name, platform, cell))
			}
		}
	}
	return wrong
}

// names compares the table of names with the lock.
func names(o *tab, l *lock.Lock) (wrong []string) {
	seen := evaluate[[][]row](o, tables, "names")[0]
	for n, i := range l.Images {
		r := seen[n]
		if r["Image"].Text != i.Name || r["Repository"].Text != i.Repository ||
			!slices.Equal(r["Digest"].Digests, []string{i.Digest.String()}) {
			wrong = append(wrong, fmt.Sprintf("%s: %+v", i.Name, r))
		}
		if !slices.Equal(strings.Fields(r["Tags"].Text), i.Tags) {
			wrong = append(wrong, fmt.Sprintf("the tags of %s are %v: %+v", i.Name, i.Tags, r))
		}
	}
	return wrong
}

// bundles compares the table of bundles with the files.
func bundles(o *tab, dir string) (wrong []string) {
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	must(o.t, err)
	count := 0
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if !strings.HasSuffix(name, ".tar.zst") {
			continue
		}
		count++
		fi, err := os.Stat(filepath.Join(dir, name))
		must(o.t, err)
		if !slices.ContainsFunc(evaluate[[][]row](o, tables, "bundles")[0], func(r row) bool {
			return strings.HasPrefix(r["File"].Text, name) && strings.Contains(r["File"].Text, sum) &&
				r["Size"].Text == progress.Size(fi.Size())
		}) {
			wrong = append(wrong, fmt.Sprintf("no bundle %s of %d bytes with %s", name, fi.Size(), sum))
		}
	}
	if count == 0 {
		wrong = append(wrong, "the release has no bundle")
	}
	return wrong
}

// finding is one in what `slipway lint -json` prints.
type finding struct {
	Rule, Object, Message string
	Line                  int
}

// findings compares the findings with what lint prints of the release.
func findings(o *tab, dir string) (wrong []string) {
	var report struct{ Findings []finding }
	must(o.t, json.Unmarshal([]byte(run(o.t, "lint", "-json", filepath.Join(dir, "release.yaml"))), &report))
	lines := strings.Split(read(o.t, filepath.Join(dir, "release.yaml")), "\n")
	seen := evaluate[[]string](o,
		`() => [...document.querySelectorAll("#findings article")].map(a => a.textContent.replace(/\s+/g, " "))`)
	marked := evaluate[[]string](o,
		`() => [...document.querySelectorAll("#findings .found")].map(a => a.textContent.replace(/\s+/g, " "))`)
	if len(seen) != len(report.Findings) {
		return append(wrong, fmt.Sprintf("lint finds %d: the page %d", len(report.Findings), len(seen)))
	}
	for n, f := range report.Findings {
		for _, text := range []string{f.Rule, f.Object, fmt.Sprintf("line %d", f.Line)} {
			if !strings.Contains(seen[n], text) {
				wrong = append(wrong, fmt.Sprintf("finding %d does not tell %q: %s", n, text, seen[n]))
			}
		}
		if line := strings.Join(strings.Fields(lines[f.Line-1]), " "); !strings.Contains(marked[n], line) {
			wrong = append(wrong, fmt.Sprintf("finding %d is at %q: %s", n, line, marked[n]))
		}
	}
	return wrong
}

// differences compares the sizes of a comparison with both locks.
func differences(o *tab, l, base *lock.Lock) (wrong []string) {
	text := fmt.Sprint(evaluate[[][]row](o, tables, "changes"))
	count := 0
	for _, i := range l.Images {
		old, _ := base.Image(i.Name)
		for n, c := range i.Children {
			if before := old.Children[n]; c.Digest != before.Digest {
				count++
				if !strings.Contains(text, i.Name) || !strings.Contains(text, progress.Size(before.LayerBytes)) ||
					!strings.Contains(text, progress.Size(c.LayerBytes)) {
					wrong = append(wrong, fmt.Sprintf("%s for %s: from %d bytes to %d: %s", i.Name,
						called(c.Platform), before.LayerBytes, c.LayerBytes, text))
				}
			}
		}
	}
	if count == 0 {
		wrong = append(wrong, "nothing differs")
	}
	return wrong
}

// TestContent compares what pages show with the locks, the files and what lint prints.
func TestContent(t *testing.T) {
	for name, r := range map[string]*released{"kpack": kpack(t), "hello": hello(t), "changed": changed(t)} {
		o := open(t, r.page, view{width: 1440})
		l := r.lock(t)
		wrong := slices.Concat(images(o, l), names(o, l), bundles(o, r.dir), findings(o, r.dir))
		if r.base != "" {
			wrong = append(wrong, differences(o, l, hello(t).lock(t))...)
		}
		report(t, name, wrong)
	}
	if out := run(t, "lint", "-json", filepath.Join(changed(t).dir, "release.yaml")); !strings.Contains(out,
		"windows-resource-requests") {
		t.Errorf("lint finds nothing to show: %s", out)
	}
}

func report(t *testing.T, name string, wrong []string) {
	t.Helper()
	for _, w := range wrong {
		t.Errorf("%s: %s", name, w)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}
