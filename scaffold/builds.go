package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/scaffold/makefile"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// dockerBuild is a command, or a step of a workflow, that builds an image.
type dockerBuild struct {
	at        place
	rank      rank
	file      string // the Dockerfile; * replaces unknown parts
	context   string // "" where it is not known
	target    string // a $ in it begins an unknown part, as in args and names
	args      map[string]string
	names     []string // references, with tags
	platforms []string
	// noPlatform means that the build is for the machine that it runs on.
	noPlatform bool
	contexts   []string // further ones, by their names
	bake       string   // the target of a bake file
	ofBranches bool     // it runs for branches, and not for tags or releases
	files      bool     // it makes files, and no image
	named      bool     // its context is named by a variable
	moves      bool     // its tags without a version are not those of a release
	// strict is the same build without defaults of make, nil if there are none.
	strict *dockerBuild
}

// counts reports whether the build is of a file that releases are made with.
func (b dockerBuild) counts() bool {
	return b.rank == publishes || isWorkflow(b.at.file) || !isAside(b.at.file)
}

// maxBuilds bounds how many builds are kept.
const maxBuilds = 1000

// findBuilds reads what builds images today: recipes of make, scripts, pipelines, workflows and
// bake files.
func (d *Draft) findBuilds() {
	for _, r := range d.make.Recipes {
		strict := d.recipeCalls(r, true)
		for n, c := range d.recipeCalls(r, false) {
			var without *dockerBuild
			if n < len(strict) {
				without, _ = buildOf(strict[n])
			}
			d.command(c, without, lineOf(r.At), d.publishers.target(r.Target))
		}
		for _, c := range strict { // a default of make is not what a release pushes to
			d.pushing(c, lineOf(r.At), d.publishers.target(r.Target))
		}
	}
	for _, f := range d.tree.files {
		switch r, dir := d.publishers.of(f), path.Base(path.Dir(f)); {
		case path.Ext(f) == ".sh" && (!isAside(path.Dir(f)) || slices.Contains(counted, dir) || r == publishes):
			for _, c := range shell.Calls(string(d.tree.text(f)), d.ciValues()) {
				d.command(c, nil, place{f, c.Line}, r)
			}
		case isPipeline(f) && isYAML(f) && r == publishes:
			for _, doc := range d.needed(f) {
				known := d.ciValues()
				scalars(yamlfile.Value(doc, "substitutions"), "", known) // of Cloud Build
				for _, part := range parts(f, doc) {
					d.ofBranches = ofBranch(part)
					d.pipeline(f, part, r, known)
				}
				d.ofBranches = false
				for _, step := range append(items(doc, "steps"), items(doc, "pipeline")...) {
					d.drone(f, step, machine(doc), r, known)
				}
				for _, step := range pairs(yamlfile.Value(doc, "steps")) {
					d.drone(f, step, machine(doc), r, known)
				}
			}
		case isWorkflow(f) && isYAML(f):
			for _, doc := range d.yaml(f) {
				d.workflow(f, doc, nil)
			}
		case composeFile.MatchString(path.Base(f)) && !isAside(path.Dir(f)):
			d.compose(f)
		}
	}
	for _, f := range d.tree.files { // what calls them is known now
		if ext := path.Ext(f); strings.HasPrefix(path.Base(f), "docker-bake") && !isAside(path.Dir(f)) &&
			(ext == ".hcl" || ext == ".json") {
			d.bake(f)
		}
	}
	d.dropBranches()
}

// pipeline adds the builds of a pipeline: commands in its texts, and the words of Cloud Build,
// Tekton and others, whose builder is an image.
func (d *Draft) pipeline(f string, n *yaml.Node, r rank, known map[string]string) {
	if args := texts(n, "args"); len(args) > 0 {
		c := shell.Call{Line: n.Line, Words: append(strings.Fields(yamlfile.Text(n, "entrypoint")), args...), Dir: "."}
		if builder := yamlfile.Text(n, "name") + yamlfile.Text(n, "image"); strings.Contains(builder, "docker") {
			c.Words = append([]string{"docker"}, args...)
		} else if strings.Contains(builder, "kaniko") {
			c.Words = append([]string{"kaniko", "build"}, args...)
		}
		d.command(c, nil, place{f, n.Line}, r)
	}
	if n.Kind == yaml.ScalarNode {
		for _, c := range shell.Calls(circle.Replace(n.Value), known) {
			d.command(c, nil, place{f, firstLine(n) + c.Line - 1}, r)
		}
	}
	for _, c := range n.Content {
		d.pipeline(f, c, r, known)
	}
}

// circle writes what CircleCI knows of a pipeline as the variables that it gives commands.
var circle = strings.NewReplacer("<< pipeline.git.tag >>", "$CIRCLE_TAG", "<<pipeline.git.tag>>", "$CIRCLE_TAG",
	"<< pipeline.git.revision >>", "$CIRCLE_SHA1", "<<pipeline.git.revision>>", "$CIRCLE_SHA1")

// firstLine is the line on which the text of a scalar begins.
func firstLine(n *yaml.Node) int {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Line + 1
	}
	return n.Line
}

// recipeCalls are the commands of a recipe, with variables in place: those that carry the version
// stay, and with strict all that are only defaults.
func (d *Draft) recipeCalls(r makefile.Recipe, strict bool) []shell.Call {
	d.make.Keep = func(name string) bool {
		return versionArgument.MatchString(name) || strict && d.make.Defaults[name]
	}
	defer func() { d.make.Keep = nil }()
	return shell.Calls(strings.TrimLeft(d.make.Expand(r.Text), "@-+ "), nil)
}

// command adds the build that a command is. without is the same one without defaults of make, nil
// if there are none.
func (d *Draft) command(c shell.Call, without *dockerBuild, at place, r rank) {
	b, ok := buildOf(c)
	if !ok {
		ofFile := isWorkflow(at.file) && d.publishers.line(at.file, at.line) == publishes
		if !d.make.Files[at.file] && (r == publishes || ofFile) {
			d.compile(c, at)
		}
		if !d.make.Files[at.file] {
			d.pushing(c, at, r)
		}
		d.koBuild(c, at, r)
		d.bakeCommand(c.Words, r)
		return
	}
	if b.at, b.rank, b.strict = at, r, without; !b.files {
		d.addBuild(*b)
	}
}

// platformRank, nameRank and argumentRank are the ranks of what a build says: a default of make is
// that of developers.
func (b dockerBuild) platformRank() rank {
	if b.strict != nil && len(b.platforms) > 0 && len(b.strict.platforms) == 0 {
		return develops
	}
	return b.rank
}

func (b dockerBuild) nameRank(n int) rank {
	if b.strict != nil && n < len(b.strict.names) {
		if repository, _ := splitReference(b.strict.names[n]); shell.Unknown(repository) {
			return develops
		}
	}
	return b.rank
}

func (b dockerBuild) argumentRank(name string) rank {
	if b.strict != nil && shell.Unknown(b.strict.args[name]) {
		return develops
	}
	return b.rank
}

// addBuild keeps a build for each Dockerfile that it may be of.
func (d *Draft) addBuild(b dockerBuild) {
	if b.file == "" {
		b.file = path.Join(b.context, "Dockerfile")
		if !shell.Unknown(b.context) && !d.tree.has(b.file) && d.tree.has(path.Join(b.context, "Containerfile")) {
			b.file = path.Join(b.context, "Containerfile")
		}
	}
	before, after, ofStem := strings.Cut(strings.TrimPrefix(b.file, "./"), "$*")
	b.file = pattern(b.file)
	if shell.Unknown(b.context) {
		b.context = ""
	}
	b.ofBranches = d.ofBranches
	switch {
	case !b.noPlatform || d.machine == "":
	case d.machine == anyMachine:
		b.noPlatform = false
	default:
		b.platforms, b.noPlatform = []string{d.machine}, false
	}
	generic := path.Join(path.Dir(b.file), "Dockerfile")
	if !strings.Contains(b.file, "*") && !d.tree.has(b.file) && d.tree.has(generic) {
		b.file = generic // of which make makes the file
	}
	d.oneName(&b)
	mapped := false
	for _, f := range d.tree.files {
		if _, ok := variantOf(f); !ok || len(d.dockerBuilds) >= maxBuilds {
			continue
		}
		if ok, _ := path.Match(path.Clean(b.file), f); ok {
			of := b
			of.file, mapped = f, true
			if stem, ok := strings.CutPrefix(f, before); ofStem && ok {
				of = of.withStem(strings.TrimSuffix(stem, after))
			}
			d.dockerBuilds = append(d.dockerBuilds, of)
		}
	}
	if b.rank == publishes {
		d.published = d.published || mapped
		d.forTags = d.forTags || mapped && !b.ofBranches
		d.unmapped = d.unmapped || !mapped || strings.Contains(b.file, "*")
	}
}

// buildsOf returns the builds of a Dockerfile: those that publish, if any does.
func (d *Draft) buildsOf(file string) (list []dockerBuild) {
	for _, b := range d.dockerBuilds {
		if b.file == file {
			list = append(list, b)
		}
	}
	last := map[bool]int{true: 1}
	slices.SortStableFunc(list, func(a, b dockerBuild) int { // those of branches name it last
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(last[a.ofBranches], last[b.ofBranches]))
	})
	if n := slices.IndexFunc(list, func(b dockerBuild) bool { return b.rank != publishes }); n > 0 {
		list = list[:n]
	}
	return list
}

// publishedBy reports whether something that publishes builds a Dockerfile.
func (d *Draft) publishedBy(file string) bool {
	list := d.buildsOf(file)
	return len(list) > 0 && list[0].rank == publishes
}
