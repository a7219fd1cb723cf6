//go:build linux

package buildkit

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/platform"
)

// judgement is what came of a Dockerfile.
type judgement struct {
	product *upstream
	file    corpusFile
	err     error
}

// reasons say why a Dockerfile is refused, by the first error in it that one of them matches.
var reasons = []struct {
	of   *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\b(if|case|for|a loop|\|\|) (is not supported|depends)`), "a condition or loop: `%s`"},
	{regexp.MustCompile(`nothing here sets the variable (\w+)`), "a variable that only the base could set: `%s`"},
	{
		regexp.MustCompile(`(\S+) is not made in the stage \S+, and (.*) in line`),
		"a file that a package manager may have made: `%s`",
	},
	{regexp.MustCompile(`(\$\(.*\)) needs the output of a command`), "the output of a command: `%s`"},
	{
		regexp.MustCompile(`RUN (\S+): .*the files of the base are unknown`),
		"files of a base that a snapshot replaces by a stub: `%s`",
	},
	{regexp.MustCompile(`(\S+) is downloaded, and nothing compares`), "a download without a checksum"},
	{regexp.MustCompile(`CGO_ENABLED=1 needs a C compiler`), "a program with CGO"},
	{regexp.MustCompile(`RUN go: programs are compiled in a stage`), "go in the image itself"},
	{regexp.MustCompile(`RUN (?:with the shell )?(\S*(?:powershell|pwsh)\S*?):? `), "PowerShell"},
	{regexp.MustCompile(`^(?:.*) is not supported in a line for cmd`), "a line for cmd"},
	{regexp.MustCompile(`(".*") is neither a path in the context nor STAGE:/PATH`), "an output of a Windows stage"},
	{regexp.MustCompile(`RUN (\S+): no command is run`), "`%s`"},
	{regexp.MustCompile(`RUN (\S+) needs a machine`), "a program of the image: `%s`"},
}

// verdict returns what came of a Dockerfile, and why.
func (j judgement) verdict(t *testing.T) (verdict, why string) {
	t.Helper()
	refused := j.column()
	switch {
	case j.file.Packages != "":
		return refused, j.file.Packages
	case j.err == nil && len(j.file.Formal) == 0:
		return "right", ""
	case j.err == nil:
		var list []string
		for _, p := range slices.Sorted(maps.Keys(j.file.Formal)) {
			list = append(list, path.Base(p)+" is "+j.file.Formal[p])
		}
		return "formal", strings.Join(list, ", ")
	}
	for line := range strings.SplitSeq(j.err.Error(), "\n") {
		for _, r := range reasons {
			m := r.of.FindStringSubmatch(line)
			switch {
			case m == nil:
			case strings.Contains(r.text, "%"):
				return refused, fmt.Sprintf(r.text, strings.ReplaceAll(m[1], "|", `\|`))
			default:
				return refused, r.text
			}
		}
	}
	t.Errorf("%s: no reason matches %v", j.product.Module, j.err)
	return refused, ""
}

// column returns where a Dockerfile is counted that is not carried out: a builder makes those for
// Linux.
func (j judgement) column() string {
	if strings.HasPrefix(j.file.Platform, platform.Windows) {
		return "refused"
	}
	return "builder"
}

// named checks that the error of a Dockerfile that is not carried out names the ways on.
func (j judgement) named(t *testing.T) {
	t.Helper()
	if j.err == nil {
		return
	}
	if text := j.err.Error(); !strings.Contains(text, "take it as it was built (prebuilt)") ||
		strings.Contains(text, "let a builder make this image") != (j.column() == "builder") {
		t.Errorf("%s %s: its error does not name the ways on: %v", j.product.Module, j.file.Path, j.err)
	}
}

// before is how many Dockerfiles were carried out when the corpus was fixed.
const before = 58

const corpusHead = `# Dockerfiles that ship

What Slipway makes of %d Dockerfiles that products ship in their Go modules, with not a word changed, chosen before the evaluator was
extended for them; [corpus.yaml](../../test/buildkit/testdata/corpus.yaml) has the hash of each, and the arguments and programs that the product's
own Makefile gives it. The test that evaluates them writes this page: ` + "`cd test/buildkit && go test -run Corpus -update`" + `.

| | all | carried out | by a builder | refused |
|---|--:|--:|--:|--:|
| all | %d | %d | %d | %d |
| those that install no packages into what ships | %d | %d | %d | %d |
| those that do | %d | %d | %d | %d |

A Dockerfile is *right* if it is carried out as it is, and *formal* if it is once a file is given that no program of the product can be. A *builder*
(docker, podman, buildctl) makes one for Linux of which a ` + "`RUN`" + ` needs a machine: Slipway refuses it with its line, and the error names
` + "`dockerfile.builder`" + ` and ` + "`prebuilt`" + `. One for Windows that needs a machine is *refused*, and is taken as it was built.

**%d %%** of those that install no packages are carried out as they are (%d of %d); %d %% were (%d of %d) when the corpus was fixed.

## Why the others without packages are not

| reason | |
|---|--:|
`

// page returns docs/results/dockerfiles-corpus.md.
func page(t *testing.T, all []judgement) string {
	t.Helper()
	counts, why := map[bool]map[string]int{false: {}, true: {}}, map[string]int{}
	var rows strings.Builder
	for _, j := range all {
		verdict, reason := j.verdict(t)
		j.named(t)
		counts[j.file.Packages != ""][verdict]++
		if j.err != nil && j.file.Packages == "" {
			why[strings.Split(reason, ": `")[0]]++
		}
		name, version, _ := strings.Cut(j.product.Module, "@")
		fmt.Fprintf(&rows, "| %s | %s | `%s` | %s | %s |\n", name, version, j.file.Path, verdict, reason)
	}
	var sums [3][4]any // of all, without packages and with them
	for n, of := range []func(verdict string) int{
		func(v string) int { return counts[false][v] + counts[true][v] },
		func(v string) int { return counts[false][v] },
		func(v string) int { return counts[true][v] },
	} {
		carried, builder, refused := of("right")+of("formal"), of("builder"), of("refused")
		sums[n] = [4]any{carried + builder + refused, carried, builder, refused}
	}
	total, right := sums[1][0].(int), counts[false]["right"]
	var b strings.Builder
	fmt.Fprintf(&b, corpusHead, slices.Concat([]any{len(all)}, sums[0][:], sums[1][:], sums[2][:],
		[]any{right * 100 / total, right, total, before * 100 / total, before, total})...)
	sorted := slices.SortedFunc(maps.Keys(why), func(a, b string) int {
		return cmp.Or(why[b]-why[a], cmp.Compare(a, b))
	})
	for _, reason := range sorted {
		fmt.Fprintf(&b, "| %s | %d |\n", reason, why[reason])
	}
	b.WriteString("\n## Each\n\n| module | version | Dockerfile | | |\n|---|---|---|---|---|\n" + rows.String())
	return b.String()
}
