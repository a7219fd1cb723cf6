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
	{regexp.MustCompile(`\b(if|case|for|a loop|\|\|) (is not known|depends)`), "a condition or loop: `%s`"},
	{regexp.MustCompile(`nothing here sets the variable (\w+)`), "a variable that only the base could set: `%s`"},
	{
		regexp.MustCompile(`(\S+) is not made in the stage \S+, and (.*) in line`),
		"a file that a package manager may have made: `%s`",
	},
	{regexp.MustCompile(`(\$\(.*\)) needs the output of a command`), "the output of a command: `%s`"},
	{
		regexp.MustCompile(`RUN (\S+): .*the files of the base are not known here`),
		"files of a base that a snapshot replaces by a stub: `%s`",
	},
	{regexp.MustCompile(`(\S+) is downloaded, and nothing compares`), "a download without a checksum"},
	{regexp.MustCompile(`CGO_ENABLED=1 needs a C compiler`), "a program with CGO"},
	{regexp.MustCompile(`RUN go: programs are compiled in a stage`), "go in the image itself"},
	{regexp.MustCompile(`RUN (?:with the shell )?(\S*(?:powershell|pwsh)\S*?):? `), "PowerShell"},
	{regexp.MustCompile(`^(?:.*) is not known here in a line for cmd`), "a line for cmd"},
	{regexp.MustCompile(`(".*") is neither a path in the context nor STAGE:/PATH`), "an output of a Windows stage"},
	{regexp.MustCompile(`RUN (\S+): no command is run`), "`%s`"},
	{regexp.MustCompile(`RUN (\S+) needs a machine`), "a program of the image: `%s`"},
}

// verdict returns what came of a Dockerfile, and why.
func (j judgement) verdict(t *testing.T) (verdict, why string) {
	t.Helper()
	switch {
	case j.file.Packages != "":
		return "packages", j.file.Packages
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
				return "refused", fmt.Sprintf(r.text, strings.ReplaceAll(m[1], "|", `\|`))
			default:
				return "refused", r.text
			}
		}
	}
	t.Errorf("%s: no reason matches %v", j.product.Module, j.err)
	return "refused", ""
}

// before is how many Dockerfiles were carried out when the corpus was fixed.
const before = 58

const corpusHead = `# Dockerfiles that ship

What Slipway makes of %d Dockerfiles that products ship in their Go modules, with not a word changed. They were chosen before the evaluator was
extended for them; [corpus.yaml](../test/buildkit/testdata/corpus.yaml) has the hash of each, and the arguments and programs that the product's
own Makefile gives it. The test that evaluates them writes this page: ` + "`cd test/buildkit && go test -run Corpus -update`" + `.

| | | |
|---|--:|---|
| right | %d of %d | carried out as it is |
| formal | %d | carried out if a file is given that no program of the product can be |
| refused | %d | with its line |
| with packages | %d | not counted: they install packages into what ships |

**%d %%** of those that install no packages are carried out; %d %% were (%d of %d) when the corpus was fixed.

## Why the others are not

| reason | |
|---|--:|
`

// page returns docs/dockerfiles-corpus.md.
func page(t *testing.T, all []judgement) string {
	t.Helper()
	counts, why := map[string]int{}, map[string]int{}
	var rows strings.Builder
	for _, j := range all {
		verdict, reason := j.verdict(t)
		counts[verdict]++
		if verdict == "refused" {
			why[strings.Split(reason, ": `")[0]]++
		}
		name, version, _ := strings.Cut(j.product.Module, "@")
		fmt.Fprintf(&rows, "| %s | %s | `%s` | %s | %s |\n", name, version, j.file.Path, verdict, reason)
	}
	total := len(all) - counts["packages"]
	var b strings.Builder
	fmt.Fprintf(&b, corpusHead, len(all), counts["right"], total, counts["formal"], counts["refused"],
		counts["packages"], counts["right"]*100/total, before*100/total, before, total)
	sorted := slices.SortedFunc(maps.Keys(why), func(a, b string) int {
		return cmp.Or(why[b]-why[a], cmp.Compare(a, b))
	})
	for _, reason := range sorted {
		fmt.Fprintf(&b, "| %s | %d |\n", reason, why[reason])
	}
	b.WriteString("\n## Each\n\n| module | version | Dockerfile | | |\n|---|---|---|---|---|\n" + rows.String())
	return b.String()
}
