package registries

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/lint"
)

// seeded are the faults that slipway audit found, in docs/results/audit-proof.md.
var seeded = &consumertable.Table{
	Name: "faults", Page: auditProof, Keys: 3,
	Columns: []string{"rule", "seeded in", "fault", "severity", "`-fix`"},
}

const auditProof = "../../docs/results/audit-proof.md"

// audited is the time of these audits.
var auditedAt = time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)

// fault is something that is wrong with an image, or with what names it.
type fault struct {
	what  string // in words
	rule  string // that finds it
	where string // registry, layout, archive, manifest, chart or list
	seed  func(b *bed)
}

// bed is where a fault is seeded, and how it is audited.
type bed struct {
	*testing.T

	host string // of the registry
	repo name.Repository

	arg    string // what is audited; the tag 1.0.0 of repo if it is empty
	reader audit.Reader
	o      lint.IndexOptions
	deep   bool
	nodes  string // a file of them, with which the command is called; or ""
}

// ref is the tag of the image with the fault.
func (b *bed) ref() name.Tag { return b.repo.Tag("1.0.0") }

// TestSeededFaults seeds each fault in each registry. It is found by its rule, and nothing else
// above a note is; -fix mends it or not in both alike.
func TestSeededFaults(t *testing.T) {
	rules := map[string]bool{}
	for _, f := range faults {
		rules[f.rule] = true
	}
	for _, r := range lint.IndexRules() {
		if !rules[r.ID] {
			t.Errorf("no fault for the rule %s", r.ID)
		}
	}
	for called, start := range audited {
		t.Run(called, func(t *testing.T) {
			t.Parallel()
			host := start(t).host
			for n, f := range faults {
				t.Run(strings.ReplaceAll(f.what, "/", "-"), func(t *testing.T) {
					repo, err := name.NewRepository(host + "/fault/" + numeral(n))
					must(t, err)
					b := &bed{T: t, host: host, repo: repo, reader: audit.NewReader(network.Options{Jobs: 4})}
					b.o.Now = auditedAt
					f.seed(b)
					severity := b.check(f.rule)
					seeded.Record(t, "["+f.rule+"](../rules.md#"+f.rule+")", f.where, f.what, severity, b.mends(f))
				})
			}
		})
	}
}

// numeral is a number as a part of a repository's name.
func numeral(n int) string { return string([]byte{'a' + byte(n/26), 'a' + byte(n%26)}) }

// check audits what was seeded, and returns the severity of the finding.
func (b *bed) check(rule string) (severity string) {
	b.Helper()
	for _, f := range b.audit(b.arg) {
		switch {
		case f.Rule == rule:
			severity = string(f.Severity)
		case f.Severity != lint.Note:
			b.Errorf("it finds %s, too: %s", f.Rule, f.What)
		}
	}
	if severity == "" {
		b.Errorf("it does not find %s", rule)
	}
	return severity
}

// audit returns the findings of an argument, or of the image with the fault.
func (b *bed) audit(arg string) []lint.Finding {
	b.Helper()
	if arg == "" {
		arg = b.ref().String()
	}
	if b.nodes != "" {
		return b.command(arg)
	}
	reader := b.reader
	if b.deep {
		deep, err := audit.NewDeep()
		must(b, err)
		defer deep.Close() //nolint:errcheck // a directory for temporary files
		reader.Deep = deep
	}
	list, found, err := reader.Read(b.Context(), arg)
	must(b, err)
	o := b.o
	o.Found = found
	return lint.CheckIndexes(list, o).Findings
}

// mends says whether -fix mends the fault.
func (b *bed) mends(f fault) string {
	b.Helper()
	if f.where != "registry" {
		return "–"
	}
	to, err := name.NewRepository(b.host + "/mended/" + strings.TrimPrefix(b.repo.RepositoryStr(), "fault/"))
	must(b, err)
	b.reader = audit.NewReader(network.Options{Jobs: 4})
	done, err := b.reader.Fix(b.Context(), b.ref().String(), audit.Fix{To: to, Tag: "1.0.0"})
	if err != nil || len(done.Changes) == 0 {
		return "no"
	}
	for _, after := range b.audit(to.Tag("1.0.0").String()) {
		if after.Rule == f.rule || after.Severity != lint.Note {
			return "no"
		}
	}
	return "yes"
}

// index pushes an index under the tag.
func index(entries ...string) func(b *bed) {
	return func(b *bed) { b.push("1.0.0", entries...) }
}

// example is an index of indextest by its name.
func example(called string) func(b *bed) {
	n := slices.IndexFunc(indextest.Cases, func(c indextest.Case) bool { return c.Name == called })
	return index(indextest.Cases[n].Entries...)
}

// nodesOf lets the image be for nodes of kubectl get nodes.
func (b *bed) nodesOf(list ...string) {
	b.Helper()
	var items []string
	for n, text := range list {
		system, kernel, _ := strings.Cut(text, ":")
		os, arch, _ := strings.Cut(system, "/")
		items = append(items, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-`+numeral(n)+`"},"status":{"nodeInfo":{"operatingSystem":"`+os+
			`","architecture":"`+arch+`","kernelVersion":"`+kernel+`"}}}`)
	}
	file := filepath.Join(b.TempDir(), "nodes.json")
	must(b, os.WriteFile(file, []byte(`{"apiVersion":"v1","kind":"NodeList","items":[`+strings.Join(items, ",")+`]}`), 0o600))
	b.nodes = file
}

// command returns the findings of slipway audit itself.
func (b *bed) command(arg string) []lint.Finding {
	b.Helper()
	program, err := slipway()
	must(b, err)
	out, err := exec.CommandContext(b.Context(), program, "audit", "-json", "-nodes="+b.nodes, arg).Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		b.Fatal(err)
	}
	var report lint.Report
	if err := json.Unmarshal(out, &report); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return report.Findings
}
