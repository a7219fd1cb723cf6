package scaffold

import (
	"cmp"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// compose adds the images that a file of Compose builds.
func (d *Draft) compose(f string) {
	r := develops
	if d.publishers.calls("compose") && (d.publishers.calls(path.Base(f)) ||
		strings.HasPrefix(path.Base(f), "docker-compose.y")) {
		r = publishes
	}
	for _, doc := range d.needed(f) {
		for _, s := range pairs(yamlfile.Value(doc, "services")) {
			build := yamlfile.Value(s, "build")
			if build == nil || yamlfile.Text(s, "image") == "" {
				continue
			}
			b := dockerBuild{
				at: place{f, build.Line}, rank: r,
				context: cmp.Or(yamlfile.Text(build), yamlfile.Text(build, "context"), "."),
				target:  yamlfile.Text(build, "target"), args: map[string]string{},
				names:     []string{yamlfile.Text(s, "image")},
				platforms: texts(build, "platforms"), noPlatform: yamlfile.Value(build, "platforms") == nil,
			}
			b.context = path.Join(path.Dir(f), b.context)
			if file := yamlfile.Text(build, "dockerfile"); file != "" {
				b.file = path.Join(b.context, file)
			}
			scalars(yamlfile.Value(build, "args"), "", b.args)
			d.addBuild(b)
		}
	}
}

// composeFile matches the files of Compose.
var composeFile = lazyregexp.New(`^(?:docker-)?compose[\w.-]*\.ya?ml$`)
