package registries

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/lint"
)

// Tables of docs/results/audit-proof.md: indexes of published images that are healthy, and that
// are not.
var (
	published = &consumertable.Table{
		Name: "published", Page: auditProof, Keys: 1, Columns: []string{"image", "shown at", "date", "entries", "notes"},
	}
	publishedFaults = &consumertable.Table{
		Name: "published-faults", Page: auditProof, Keys: 1,
		Columns: []string{"image", "shown at", "date", "entries", "found"},
	}
)

// pasted is what somebody has published of an index. What that leaves out, such as digests or the
// configurations of the images, is left out here.
type pasted struct {
	Image  string `json:"image"`
	Source string `json:"source"` // its address
	Date   string `json:"date"`   // of the text; or of the newest layer that it names; "" if it has none
	Index  struct {
		MediaType types.MediaType `json:"mediaType"`
		Manifests []v1.Descriptor `json:"manifests"`
	} `json:"index"`
}

// TestPublished judges the indexes of published images by what is known of them, at the time of the
// text that shows them. All are healthy but those whose text says that they are not.
func TestPublished(t *testing.T) {
	files, err := filepath.Glob("testdata/published/*.json")
	must(t, err)
	healthy := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			must(t, err)
			var p pasted
			must(t, json.Unmarshal(text, &p))
			faults, notes := p.judge(t)
			if faults == "" {
				healthy++
			}
			if want := broken[p.Image]; faults != want {
				t.Errorf("it finds %q, not %q", faults, want)
			}
			_, at, _ := strings.Cut(p.Source, "https://github.com/")
			at, _, _ = strings.Cut(at, "/blob/")
			table, found := published, notes
			if faults != "" {
				table, found = publishedFaults, faults
			}
			table.Record(t, "`"+p.Image+"`", "["+at+"]("+p.Source+")", p.Date, fmt.Sprint(len(p.Index.Manifests)), found)
		})
	}
	if healthy < 20 {
		t.Errorf("only %d are healthy", healthy)
	}
}

// broken are the images of which the text says that they are broken, and what is found.
var broken = map[string]string{"gcp-compute-persistent-disk-csi-driver": "index-os-version"}

// judge returns the rules that the index breaks.
func (p pasted) judge(t *testing.T) (faults, notes string) {
	t.Helper()
	o := lint.IndexOptions{Now: auditedAt}
	if p.Date != "" {
		var err error
		o.Now, err = time.Parse(time.DateOnly, p.Date)
		must(t, err)
	}
	i := lint.Index{Name: p.Image}
	i.Desc.MediaType = p.Index.MediaType
	for _, d := range p.Index.Manifests {
		e := lint.Entry{Desc: d}
		if i.Desc.MediaType != "" { // so that the two can be compared
			e.MediaType = string(d.MediaType)
		}
		i.Entries = append(i.Entries, e)
	}
	return byRule(lint.CheckIndexes([]lint.Index{i}, o).Findings)
}

// byRule lists the rules of findings, those of notes apart.
func byRule(list []lint.Finding) (faults, notes string) {
	counts := map[string]int{}
	var order []lint.Finding
	for _, f := range list {
		if counts[f.Rule]++; counts[f.Rule] == 1 {
			order = append(order, f)
		}
	}
	for _, f := range order {
		to := &notes
		if f.Severity != lint.Note {
			to = &faults
		}
		*to = strings.TrimPrefix(*to+", "+f.Rule, ", ")
	}
	return faults, notes
}
