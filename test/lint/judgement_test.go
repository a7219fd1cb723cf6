package lint_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/lint"
)

// judgement is a verdict on findings that are the same in several places.
type judgement struct {
	Rule     string        `yaml:"rule"`
	Severity lint.Severity `yaml:"severity"`
	What     string        `yaml:"what"`
	// Verdict begins with "right:" and states why, or is TODO.
	Verdict string `yaml:"verdict"`
	// Places are by product and case: file:line object path.
	Places map[string]map[string][]string `yaml:"places"`
}

type judgements []judgement

// todo is the verdict of findings that are not judged yet.
const todo = "TODO"

// key is what a verdict belongs to: a finding, whatever its group.
type key struct{ rule, what, product, name, place string }

// particular matches what a finding says of its own place, so that others are in its group.
var particular = regexp.MustCompile(`(container |ko://)[^ ,]+|"[^"]+"(?:, first on line [0-9]+)?`)

func readJudgements(t *testing.T) judgements {
	t.Helper()
	text, err := os.ReadFile(judged)
	if errors.Is(err, fs.ErrNotExist) && *update {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list judgements
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// judge groups findings by rule, text and the verdict that the golden file has on them.
func judge(t *testing.T, old judgements, products []upstream, results [][]linted) judgements {
	t.Helper()
	verdicts := map[key]string{}
	for _, j := range old {
		for product, cases := range j.Places {
			for name, places := range cases {
				for _, place := range places {
					verdicts[key{j.Rule, j.What, product, name, place}] = j.Verdict
				}
			}
		}
	}
	var list judgements
	for n, u := range products {
		for _, l := range results[n] {
			for _, f := range l.report.Findings {
				place := strings.TrimRight(fmt.Sprintf("%s %s %s",
					cmp.Or(f.Origin, fmt.Sprintf("%s:%d", f.File, f.Line)), f.Object, f.Path), " ")
				f.What = particular.ReplaceAllString(f.What, "${1}…")
				verdict := cmp.Or(verdicts[key{f.Rule, f.What, u.Module, l.name, place}], todo)
				list = list.add(f, verdict, u.Module, l.name, place)
			}
		}
	}
	order := map[string]int{}
	for n, r := range lint.Rules() {
		order[r.ID] = n
	}
	slices.SortStableFunc(list, func(a, b judgement) int {
		return cmp.Or(order[a.Rule]-order[b.Rule], cmp.Compare(a.What, b.What), cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Verdict, b.Verdict))
	})
	return list
}

// add adds a finding to its group.
func (list judgements) add(f lint.Finding, verdict, product, name, place string) judgements {
	n := slices.IndexFunc(list, func(j judgement) bool {
		return j.Rule == f.Rule && j.Severity == f.Severity && j.What == f.What && j.Verdict == verdict
	})
	if n < 0 {
		n = len(list)
		list = append(list, judgement{f.Rule, f.Severity, f.What, verdict, map[string]map[string][]string{}})
	}
	cases := list[n].Places[product]
	if cases == nil {
		cases = map[string][]string{}
		list[n].Places[product] = cases
	}
	cases[name] = append(cases[name], place)
	return list
}

// String returns the golden file.
func (list judgements) String() string {
	b := bytes.NewBufferString("# Every finding in the products of products.yaml, with the verdict on it, " +
		"by hand. go test -run Products -update\n" +
		"# keeps the verdicts of findings that stay; those of new ones are TODO.\n")
	e := yaml.NewEncoder(b)
	e.SetIndent(2)
	if err := e.Encode(list); err != nil {
		panic(err) // strings, maps and slices alone
	}
	return b.String()
}
