package scaffold

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// workflows is where the workflows of GitHub are.
const workflows = ".github/workflows/"

// maxMatrix bounds how many jobs of a matrix are read.
const maxMatrix = 64

// workflow adds the builds of a workflow: steps of docker/build-push-action, and commands.
func (d *Draft) workflow(name string, doc *yaml.Node) {
	env := map[string]string{}
	scalars(yamlfile.Value(doc, "env"), "env.", env)
	for _, job := range pairs(yamlfile.Value(doc, "jobs")) {
		for _, known := range matrix(yamlfile.Value(job, "strategy", "matrix")) {
			maps.Copy(known, env)
			scalars(yamlfile.Value(job, "env"), "env.", known)
			scalars(yamlfile.Value(job, "with"), "inputs.", known)
			d.workflowJob(name, job, known)
		}
	}
}

func (d *Draft) workflowJob(name string, job *yaml.Node, known map[string]string) {
	text := func(n *yaml.Node, path ...any) string { return expression(yamlfile.Text(n, path...), known) }
	meta := []string{} // of docker/metadata-action, which names the images of the steps after it
	for _, s := range items(job, "steps") {
		switch uses := yamlfile.Text(s, "uses"); {
		case strings.HasPrefix(uses, "docker/metadata-action"):
			meta = strings.Fields(text(s, "with", "images"))
			d.metadata(text(s, "with", "tags"), text(s, "with", "flavor"))
		case strings.HasPrefix(uses, "docker/build-push-action"):
			b := dockerBuild{
				at: name, file: text(s, "with", "file"), context: cmp.Or(text(s, "with", "context"), "."),
				target: text(s, "with", "target"), args: map[string]string{},
			}
			for l := range strings.Lines(text(s, "with", "build-args")) {
				if k, v, ok := strings.Cut(strings.TrimSpace(l), "="); ok {
					b.args[k] = v
				}
			}
			b.platforms = splitPlatforms(text(s, "with", "platforms"))
			b.names = append(slices.Clone(meta),
				strings.FieldsFunc(text(s, "with", "tags"), func(r rune) bool { return r == ',' || r == '\n' })...)
			for i := range b.names {
				b.names[i] = strings.TrimSpace(b.names[i])
			}
			d.addBuild(b)
		}
		for _, l := range logical(expression(yamlfile.Text(s, "run"), known)) {
			d.command(l, name)
		}
	}
}

var (
	inExpression = lazyregexp.New(`\$\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}`)
	anyExpr      = lazyregexp.New(`\$\{\{[^}]*\}\}`)
)

// expression puts in what is known of a workflow's expressions. Others become $(workflow).
func expression(s string, known map[string]string) string {
	for range 3 {
		s = inExpression.ReplaceAllStringFunc(s, func(e string) string {
			if v, ok := known[inExpression.FindStringSubmatch(e)[1]]; ok {
				return v
			}
			return e
		})
	}
	return anyExpr.ReplaceAllString(s[:min(len(s), maxExpanded)], "$$(workflow)")
}

// matrix returns what a matrix gives each of its jobs: all combinations of its lists, and what
// include adds.
func matrix(n *yaml.Node) []map[string]string {
	all := []map[string]string{{}}
	for key, list := range pairs(n) {
		values := items(list)
		if key == "include" || key == "exclude" || len(values) == 0 {
			continue
		}
		var next []map[string]string
		for _, before := range all {
			for _, v := range values {
				if len(next) >= maxMatrix {
					break
				}
				one := maps.Clone(before)
				scalars(v, "matrix."+key+".", one)
				if v.Kind == yaml.ScalarNode {
					one["matrix."+key] = v.Value
				}
				next = append(next, one)
			}
		}
		all = next
	}
	include := items(n, "include")
	if len(all) == 1 && len(all[0]) == 0 && len(include) > 0 {
		all = nil
	}
	for _, v := range include[:min(len(include), maxMatrix)] {
		one := map[string]string{}
		scalars(v, "matrix.", one)
		all = append(all, one)
	}
	return all
}
