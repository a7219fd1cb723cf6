package main

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/golden"
)

var update = flag.Bool("update", false, "write docs/results/benchmarks.md and its plots anew")

// docs is the file of the results in the documentation, without its extension.
const docs = "../../docs/results/benchmarks"

// TestDocs compares the page and the plots in the documentation with the results there.
func TestDocs(t *testing.T) {
	all, err := readResults(docs + ".json")
	must(t, err)
	if len(all) == 0 {
		t.Fatal("there are no results")
	}
	text, plots := page(all, filepath.Base(docs))
	golden.Compare(t, *update, docs+".md", text)
	for name, svg := range plots {
		golden.Compare(t, *update, filepath.Join(docs, name), svg)
	}
	files, err := filepath.Glob(filepath.Join(docs, "*"))
	must(t, err)
	for _, path := range files {
		if _, ok := plots[filepath.Base(path)]; !ok {
			t.Errorf("%s is of no result: run go tool mage bench -plot", path)
		}
	}
}

// TestMerge: the results of a part replace those of the same part, in the order of the parts.
func TestMerge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	b := &bench{}
	for _, part := range []string{"push", "warm", "push", "curve"} {
		all, err := readResults(path)
		must(t, err)
		r := result{Part: part, Date: "2026-11-22", Others: float64(len(all)), Comparisons: []recordedComparison{
			comparison{
				title: part, ours: figure{name: "slipway", seconds: 2},
				other: []figure{{name: "other", seconds: 5, bytes: 1e6}},
			}.record(),
			comparison{title: part + " again", ours: figure{name: "slipway"}}.record(),
		}}
		must(t, writeResults(path, b.merge(all, r)))
	}
	all, err := readResults(path)
	must(t, err)
	var order []string
	for _, r := range all {
		order = append(order, fmt.Sprint(r.Part, r.Others))
	}
	if want := []string{"warm1", "push2", "curve2"}; !slices.Equal(order, want) {
		t.Errorf("the results are of %v, want %v", order, want)
	}
	if f := all[1].Comparisons[0].Figures[1]; f != (recordedFigure{Name: "other", Seconds: 5, Bytes: 1e6}) ||
		ratio(f, all[1].Comparisons[0].Figures[0]) != "2.50" {
		t.Errorf("a figure came back as %+v", f)
	}
	must(t, writeResults(path, all[1:]))
	files, err := filepath.Glob(strings.TrimSuffix(path, ".json") + "/*")
	must(t, err)
	for n, f := range files {
		files[n] = filepath.Base(f)
	}
	if want := []string{"curve-2.svg", "curve.svg", "push-2.svg", "push.svg"}; !slices.Equal(files, want) {
		t.Errorf("the plots are %v, want %v", files, want)
	}
}

// TestPlot: a plot is XML whatever names are, its bars are to scale, and its texts say what they
// show.
func TestPlot(t *testing.T) {
	svg := plot(recordedComparison{Title: `<b>&"` + strings.Repeat("long ", 50), Figures: []recordedFigure{
		{Name: "slipway", Seconds: 1}, {Name: "a & b <c>", Seconds: 4}, {Name: "nothing", Seconds: 0},
	}})
	var widths []string
	var texts strings.Builder
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			for _, a := range token.Attr {
				if token.Name.Local == "rect" && a.Name.Local == "width" {
					widths = append(widths, a.Value)
				}
			}
		case xml.CharData:
			texts.Write(token)
		}
	}
	if want := []string{"719", "130.0", "520.0", "2.0"}; !slices.Equal(widths, want) {
		t.Errorf("the widths are %v, want %v", widths, want)
	}
	for _, s := range []string{
		"1.00 s\n", "4.00 s · 4.00 ×\n", "slipway 1.00 s; a & b <c> 4.00 s; nothing 0.00 s",
		"…",
	} {
		if !strings.Contains(texts.String(), s) {
			t.Errorf("the texts have no %q: %s", s, texts.String())
		}
	}
}

// TestErrors: what cannot be done is reported before anything is measured.
func TestErrors(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.json")
	must(t, os.WriteFile(bad, []byte("{"), 0o644))
	for want, args := range map[string][]string{
		"name the file of the results": {"-plot"},
		"bad.json: not results":        {"-plot", "-results=" + bad},
		`part "warn" does not exist`:   {"-parts=push,warn"},
	} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestBusy: the page states where the machine had other work to do.
func TestBusy(t *testing.T) {
	for others, want := range map[float64]bool{0.05: false, 0.3: true} {
		text, _ := page([]result{{
			Part: "push", Processors: 2, Others: others,
			Comparisons: []recordedComparison{{Title: "t", Figures: []recordedFigure{{Name: "slipway"}}}},
		}}, "x")
		if strings.Contains(text, "Other work took") != want {
			t.Errorf("where others take %v: %s", others, text)
		}
	}
	// In 2 s two processors have 400 ticks; of the 300 that were used, 100 were for this process.
	now := time.Now()
	if got := (used{now.Add(2 * time.Second), 1300, 150}).others(used{now, 1000, 50}, 2); got != 0.5 {
		t.Errorf("others take %v of the processors", got)
	}
	if u := usedNow(); u.all <= 0 || u.own < 0 || u.own > u.all {
		t.Errorf("the kernel tells %+v", u)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
