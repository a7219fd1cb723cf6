package scaffold

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// metadataTarget is the target that docker/metadata-action makes: those that inherit it get its
// names.
const metadataTarget = "docker-metadata-action"

// bakeSet is a value that what calls bake gives targets:
// https://docs.docker.com/reference/cli/docker/buildx/bake/#set.
type bakeSet struct {
	targets, key, value string // targets is a pattern
	more                bool   // the value is a further one
	rank                rank
}

// bakeSetting matches it.
var bakeSetting = lazyregexp.New(`^([^.=\s]+)\.([a-z-]+(?:\.[A-Za-z0-9_]+)?)(\+?)=(.*)$`)

// bakeSetOf notes what a call gives targets.
func (d *Draft) bakeSetOf(text string, r rank) {
	if m := bakeSetting.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		d.bakeSets = append(d.bakeSets, bakeSet{m[1], m[2], strings.Trim(m[4], `"'`), m[3] != "", r})
	}
}

// bakeCommand notes what a command that bakes gives targets.
func (d *Draft) bakeCommand(words []string, r rank) {
	if !slices.Contains(words, "bake") {
		return
	}
	for n, w := range words {
		if value, ok := strings.CutPrefix(w, "--set="); ok {
			d.bakeSetOf(value, r)
		} else if w == "--set" && n+1 < len(words) {
			d.bakeSetOf(words[n+1], r)
		}
	}
}

// set gives a target a value.
func (b *dockerBuild) set(s bakeSet) {
	list := func(old []string, values ...string) []string {
		if s.more {
			return append(old, values...)
		}
		return values
	}
	switch name, arg, _ := strings.Cut(s.key, "."); name {
	case "tags":
		b.names = list(b.names, strings.Split(s.value, ",")...)
	case "platform":
		b.platforms, b.noPlatform = list(b.platforms, splitPlatforms(s.value)...), false
	case "args":
		b.args[arg] = s.value
	case "target":
		b.target = s.value
	case "context":
		b.context = s.value
	case "dockerfile":
		b.file = s.value
	}
}

// bakeCall matches a command that bakes, with what follows.
var bakeCall = lazyregexp.New(`\bbuildx\s+bake\b([^\n;&|]*)`)

// bakeValued are the flags of docker buildx bake whose value is the next word.
var bakeValued = []string{"-f", "--file", "--set", "--progress", "--metadata-file", "--builder", "--allow"}

// bakeNames returns the targets and groups that what publishes calls: words of commands, and
// targets of docker/bake-action.
func (d *Draft) bakeNames() (names []string) {
	for _, file := range sortedKeys(d.publishers.texts) {
		if path.Ext(file) == ".hcl" {
			continue
		}
		text := strings.ReplaceAll(d.publishers.texts[file], "\\\n", " ")
		for _, m := range bakeCall.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[1])
			for i := 0; i < len(words); i++ {
				switch w := strings.Trim(words[i], `"'`); {
				case slices.Contains(bakeValued, w):
					i++
				case !strings.HasPrefix(w, "-") && !shell.Unknown(w):
					names = appendNew(names, w)
				}
			}
		}
		for _, doc := range d.yaml(file) {
			d.bakeSteps(doc, &names)
		}
	}
	return names
}

// bakeSteps adds the targets of steps of docker/bake-action.
func (d *Draft) bakeSteps(n *yaml.Node, names *[]string) {
	if strings.HasPrefix(yamlfile.Text(n, "uses"), "docker/bake-action") {
		list := strings.ReplaceAll(yamlfile.Text(n, "with", "targets"), "\n", ",")
		*names = appendNew(*names, splitList(list)...)
	}
	for _, c := range n.Content {
		d.bakeSteps(c, names)
	}
}
