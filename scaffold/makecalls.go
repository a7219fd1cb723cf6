package scaffold

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

// attaches matches what puts files into a release of a forge, or into a bucket.
var attaches = lazyregexp.New(`\baws\s+s3\s+(?:cp|sync)\b|\bgsutil\s+(?:-\S+\s+)*(?:cp|rsync)\b|\bgcloud\s+storage\s+cp\b|\bgh\s+release\s+(?:create|upload)|action-gh-release|upload-release-asset|release-action@|go-release-action|\bhub\s+release`)

// promOrb matches what publishes Prometheus' projects by their Makefile.common:
// https://circleci.com/developer/orbs/orb/prometheus/prometheus, https://github.com/prometheus/promci.
var promOrb = lazyregexp.New(`prometheus/(?:publish_(?:master|main|release)|promci[\w/-]*/publish_(?:main|release))`)

// attached says which workflows put files into a release: only those of GoReleaser and promu are
// read.
func (d *Draft) attached() {
	for _, f := range sortedKeys(d.publishers.texts) {
		if attaches.MatchString(d.publishers.texts[f]) {
			d.leave("files that are put into a release or a bucket, which artifacts would name", "%s", f)
		}
	}
}

// runs takes in what a text runs: scripts and other files that it names, and targets of make.
func (d *Draft) runs(text string) {
	for _, f := range d.runsScripts(text) {
		if !isWorkflow(f) {
			d.publishing(f)
		}
	}
	if promOrb.MatchString(text) { // which runs these
		for _, t := range []string{"docker", "docker-publish", "docker-manifest"} {
			d.publishesTarget(t)
			d.publishesTarget("common-" + t)
		}
	}
	for _, words := range makeCalls(expression(text, d.ofForge())) {
		for _, w := range words {
			if name, value, ok := strings.Cut(w, "="); !ok {
				d.publishesTarget(w)
			} else if value != "" && !strings.HasPrefix(value, "$") {
				d.make.Set(name, value)
			}
		}
	}
}

// environment gives variables of make that have defaults alone what the environment of a workflow
// has.
func (d *Draft) environmentOf(n *yaml.Node) {
	for name, v := range pairs(yamlfile.Value(n, "env")) {
		value := expression(v.Value, d.ofForge())
		_, ok := d.make.Values[name]
		if (!ok || d.make.Defaults[name]) && value != "" && !strings.HasPrefix(value, "$") {
			d.make.Set(name, value)
		}
	}
}

// makeCalls returns the arguments of the calls of make in a text.
func makeCalls(text string) (all [][]string) {
	for _, m := range makeCall.FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", " "), -1) {
		if calls := shell.Calls("make "+m[1], nil); len(calls) > 0 {
			all = append(all, calls[0].Words[1:])
		}
	}
	return all
}

// publishesTarget takes in a target of make, with those that it needs.
func (d *Draft) publishesTarget(name string) {
	for _, t := range sortedKeys(d.make.Targets) {
		ok, _ := path.Match(strings.ReplaceAll(t, "%", "*"), pattern(name))
		if back, _ := path.Match(pattern(name), t); !ok && !back || d.publishers.targets[t] {
			continue
		}
		d.publishers.targets[t] = true
		for _, needs := range strings.Fields(d.make.Expand(strings.Join(d.make.Targets[t].Needs, " "))) {
			d.publishesTarget(needs)
		}
		for _, r := range d.make.Targets[t].Recipes {
			d.publishers.recipes.WriteString(d.make.Expand(r.Text) + "\n")
			d.runs(r.Text)
		}
	}
}
