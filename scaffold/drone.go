package scaffold

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// imagePlugin matches the plugins of Drone and Woodpecker that build an image and push it:
// https://plugins.drone.io/plugins/docker, https://woodpecker-ci.org/plugins.
var imagePlugin = lazyregexp.New(`^(?:plugins/(?:docker|kaniko|buildx|ecr|gcr|gar|acr)|.*plugin-(?:docker-buildx|kaniko))(?:[:@].*)?$`)

// drone adds the build of a step of Drone or Woodpecker. machine is the platform of its pipeline.
func (d *Draft) drone(f string, step *yaml.Node, machine string, r rank, known map[string]string) {
	settings := yamlfile.Value(step, "settings")
	if settings == nil || !imagePlugin.MatchString(yamlfile.Text(step, "image")) {
		return
	}
	value := func(s string) string {
		for _, c := range shell.Calls("x "+s, known) {
			return strings.Join(c.Words[1:], " ")
		}
		return s
	}
	b := dockerBuild{
		at: place{f, step.Line}, rank: r, file: yamlfile.Text(settings, "dockerfile"),
		context: cmp.Or(yamlfile.Text(settings, "context"), "."), target: yamlfile.Text(settings, "target"),
		args: map[string]string{}, noPlatform: machine == "",
	}
	if b.file == "" && b.context == "." {
		b.file = "Dockerfile"
	}
	for _, p := range texts(settings, "platforms") {
		b.platforms = append(b.platforms, splitPlatforms(p)...)
	}
	if len(b.platforms) == 0 && machine != "" {
		b.platforms = []string{machine}
	}
	for _, a := range texts(settings, "build_args") {
		if name, v, ok := strings.Cut(a, "="); ok {
			b.args[name] = value(v)
		}
	}
	for name, v := range pairs(yamlfile.Value(settings, "build_args")) {
		b.args[name] = value(v.Value)
	}
	tags := slices.Concat(texts(settings, "tags"), texts(settings, "tag"))
	if word(settings, "auto_tag") == "true" {
		tags = []string{"{{ .Version }}", "{{ .Major }}.{{ .Minor }}", "{{ .Major }}"}
		if suffix := yamlfile.Text(settings, "auto_tag_suffix"); suffix != "" {
			for n := range tags {
				tags[n] += "-" + suffix
			}
		}
	}
	for _, repository := range texts(settings, "repo") {
		repository = value(repository)
		if host := value(yamlfile.Text(settings, "registry")); host != "" && !strings.HasPrefix(repository, host) {
			repository = host + "/" + repository
		}
		for _, tag := range tags {
			b.names = append(b.names, repository+":"+value(tag))
		}
		if len(tags) == 0 {
			b.names = append(b.names, repository)
		}
	}
	d.addBuild(b)
}

// machine is the platform that a pipeline of Drone runs on, "" if it names none.
func machine(doc *yaml.Node) string {
	if os, arch := yamlfile.Text(doc, "platform", "os"), yamlfile.Text(doc, "platform", "arch"); arch != "" {
		return cmp.Or(os, "linux") + "/" + arch
	}
	return ""
}
