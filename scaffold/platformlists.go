package scaffold

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"

	"github.com/slipway-dev/slipway/scaffold/makefile"
)

// architectures are those of Kubernetes' nodes, as files name them.
var architectures = map[string]string{
	"amd64": "linux/amd64", "x86_64": "linux/amd64", "arm64": "linux/arm64", "aarch64": "linux/arm64",
	"arm64v8": "linux/arm64", "arm": "linux/arm/v7", "armv7": "linux/arm/v7", "armhf": "linux/arm/v7",
	"arm32v7": "linux/arm/v7", "armv6": "linux/arm/v6", "arm/v7": "linux/arm/v7", "arm/v6": "linux/arm/v6",
	"ppc64le": "linux/ppc64le", "s390x": "linux/s390x", "386": "linux/386", "riscv64": "linux/riscv64",
	"mips64le": "linux/mips64le", "loong64": "linux/loong64",
}

var osArch = lazyregexp.New(`^linux[-_/]([a-z0-9_]+)(?:[-/](v[0-9]))?$`)

// platformWord returns the platform that a word is, "" if it is none.
func platformWord(w string) string {
	if p := architectures[w]; p != "" {
		return p
	}
	if m := osArch.FindStringSubmatch(w); m != nil {
		arch := strings.TrimPrefix(architectures[m[1]], "linux/")
		if m[2] != "" {
			arch = m[1] + "/" + m[2]
		}
		if list := on("linux/" + arch); arch != "" && len(list) > 0 {
			return list[0]
		}
	}
	return ""
}

// platformWords returns the platforms that all words of a text are, none if one is something else
// or there is only one. Those of other operating systems count as words.
func platformWords(text string) (list []string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\"'()[];", r) })
	for _, w := range words {
		os, _, _ := strings.Cut(w, "/")
		switch p := platformWord(w); {
		case p != "":
			list = appendNew(list, p)
		case os == "darwin" || os == platform.Windows || os == "freebsd" || strings.HasPrefix(w, "windows-"):
		default:
			return nil
		}
	}
	if len(words) < 2 || len(list) < 2 {
		return nil
	}
	return list
}

// listClaims are the lists of architectures and platforms in what builds the project, whatever
// their names.
func (d *Draft) listClaims() (all []claim) {
	for _, f := range d.tree.files {
		if !d.saysBuilds(f) {
			continue
		}
		for n, line := range makefile.Lines(string(d.tree.text(f))) {
			at := place{f, n}
			for _, list := range lineLists(line) {
				all = append(all, claim{listOf(list), d.lineRank(f, line, n), at})
			}
		}
		if isYAML(f) {
			for _, doc := range d.yaml(f) {
				d.sequences(f, doc, &all)
			}
		}
	}
	return all
}

// lineLists returns the lists of platforms in a line.
func lineLists(line string) (all [][]string) {
	add := func(list []string) {
		if list != nil {
			all = append(all, list)
		}
	}
	if m := given.FindStringSubmatch(line); m != nil {
		value, _, _ := strings.Cut(m[2], " #")
		add(platformWords(value))
	}
	for _, m := range passed.FindAllStringSubmatch(line, -1) {
		add(platformWords(m[1]))
	}
	for _, m := range tupleList.FindAllStringSubmatch(line, -1) {
		add(tuples(m[1]))
	}
	return all
}

// tuples reads os arch buildx_platform suffix base_image addon_image; …
func tuples(s string) (list []string) {
	for t := range strings.SplitSeq(s, ";") {
		f := strings.Fields(t)
		switch {
		case len(f) < 2 || f[0] != platform.Linux:
		case len(f) >= 3 && !strings.HasPrefix(f[2], "-") && !strings.HasPrefix(f[2], "."):
			list = appendNew(list, on("linux/"+f[2])...)
		default:
			list = appendNew(list, on("linux/"+f[1])...)
		}
	}
	return list
}

// sequences adds the lists of YAML whose items, or whose words, are all architectures or platforms.
func (d *Draft) sequences(f string, n *yaml.Node, all *[]claim) {
	if n.Kind == yaml.SequenceNode {
		var words []string
		for _, i := range n.Content {
			words = append(words, i.Value)
		}
		if list := platformWords(strings.Join(words, " ")); list != nil {
			*all = append(*all, claim{listOf(list), d.publishers.line(f, n.Line), place{f, n.Line}})
		}
	}
	if n.Kind == yaml.ScalarNode {
		if list := platformWords(n.Value); list != nil {
			*all = append(*all, claim{listOf(list), d.publishers.line(f, n.Line), place{f, n.Line}})
		}
	}
	for _, c := range n.Content {
		d.sequences(f, c, all)
	}
}

// lineRank returns the rank of a line of a file: of make, that of what uses its variable.
func (d *Draft) lineRank(f, line string, n int) rank {
	if !d.make.Files[f] {
		return d.publishers.line(f, n)
	}
	name, operator, _ := makefile.Assignment(line)
	if name == "" || operator == "?=" && !d.publishers.found() {
		return develops
	}
	return d.variableRank(name)
}

// saysBuilds reports whether a file may say how the project is built.
func (d *Draft) saysBuilds(f string) bool {
	if path.Base(f) == "BASEIMAGE" {
		return false
	}
	return d.make.Files[f] || isWorkflow(f) || d.publishers.of(f) == publishes ||
		path.Ext(f) == ".sh" && !isAside(path.Dir(f))
}
