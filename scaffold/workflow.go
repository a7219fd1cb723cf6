package scaffold

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// isWorkflow reports whether a file is where the workflows of GitHub, and of forges like it, are.
func isWorkflow(f string) bool {
	return strings.HasPrefix(f, ".github/workflows/") || strings.HasPrefix(f, ".gitea/workflows/") ||
		strings.HasPrefix(f, ".forgejo/workflows/")
}

// inMatrix is the key of the known values of a job whose matrix is read, complete.
const inMatrix = "(matrix)"

// maxMatrix bounds how many jobs of a matrix are read.
const maxMatrix = 64

// workflow adds the builds of a workflow: steps of docker/build-push-action, and commands. inputs
// are those that another one calls it with.
func (d *Draft) workflow(name string, doc *yaml.Node, inputs map[string]string) {
	env := d.ofForge()
	for key, input := range pairs(yamlfile.Value(doc, "on", "workflow_call", "inputs")) {
		if def := yamlfile.Text(input, "default"); def != "" {
			env["inputs."+key] = def
		}
	}
	maps.Copy(env, inputs)
	scalars(yamlfile.Value(doc, "env"), "env.", env)
	outer := d.ofBranches // of a workflow that calls this one
	defer func() { d.ofBranches, d.machine = outer, "" }()
	for id, job := range pairs(yamlfile.Value(doc, "jobs")) {
		mixed := slices.ContainsFunc(matrix(yamlfile.Value(job, "strategy", "matrix")), func(m map[string]string) bool {
			return strings.Contains(expression(yamlfile.Text(job, "runs-on"), m), "arm")
		})
		branches := outer || inputs == nil && ofBranches(doc) || forBranch(yamlfile.Text(job, "if"))
		for _, known := range matrix(yamlfile.Value(job, "strategy", "matrix")) {
			d.ofBranches = branches
			if closed(yamlfile.Value(job, "strategy", "matrix")) {
				known[inMatrix] = "all"
			}
			maps.Copy(known, env)
			scalars(yamlfile.Value(job, "env"), "env.", known)
			if called, ok := strings.CutPrefix(yamlfile.Text(job, "uses"), "./"); ok && inputs == nil {
				with := map[string]string{}
				scalars(yamlfile.Value(job, "with"), "inputs.", with)
				for key, v := range with {
					with[key] = expression(v, known)
				}
				for _, inner := range d.yaml(called) {
					d.workflow(called, inner, with)
				}
			}
			known["directory"] = cmp.Or(yamlfile.Text(job, "defaults", "run", "working-directory"),
				yamlfile.Text(doc, "defaults", "run", "working-directory"))
			d.machine = ""
			if on := expression(yamlfile.Text(job, "runs-on"), known); mixed || shell.Unknown(on) {
				d.machine = machineOf(on)
			}
			d.workflowJob(name, job, known)
			for key, v := range pairs(yamlfile.Value(job, "outputs")) {
				env["needs."+id+".outputs."+key] = expression(v.Value, known)
			}
		}
	}
}

// metaVersion gives the fields of docker/metadata-action the names that they have elsewhere.
var metaVersion = strings.NewReplacer("{{version}}", "{{.Version}}", "{{raw}}", "{{.Tag}}")

// buildAction matches actions that build images.
var buildAction = lazyregexp.New(`(?i)^docker/build-push-action|buildah-build|kaniko|docker-build|build-(?:and-)?(?:push|publish)|^int128/build`)

// buildStep adds the build of a step. meta are names that a step before it made.
func (d *Draft) buildStep(s *yaml.Node, text func(n *yaml.Node, path ...any) string, meta []string, at place, r rank) {
	with := func(names ...string) (value string) {
		for _, name := range names {
			value = cmp.Or(value, text(s, "with", name))
		}
		return value
	}
	b := dockerBuild{
		at: at, rank: r, file: with("file", "dockerfile", "containerfiles"),
		context: inRepository(cmp.Or(with("context"), ".")),
		target:  with("target"), args: map[string]string{},
	}
	if tags := with("tags", "tag"); shell.Unknown(tags) && strings.Contains(tags, "(workflow)") || tags == "" {
		b.names = slices.Clone(meta)
	}
	b.platforms = splitPlatforms(with("platforms", "platform"))
	b.noPlatform = with("platforms", "platform", "archs") == ""
	for _, arch := range splitList(with("archs")) {
		b.platforms = append(b.platforms, on(architectures[arch])...)
	}
	if push := yamlfile.Value(s, "with", "push"); strings.HasPrefix(yamlfile.Text(s, "uses"), "docker/") &&
		(push == nil || push.Value == "false") && !strings.Contains(with("outputs"), "push") {
		b.rank = develops
	}
	b.contexts = strings.Fields(with("build-contexts"))
	for l := range strings.Lines(with("build-args")) {
		if k, v, ok := strings.Cut(strings.TrimSpace(l), "="); ok {
			b.args[k] = v
		}
	}
	image := with("image", "images", "repository", "repo")
	for _, tag := range splitList(strings.ReplaceAll(with("tags", "tag"), "\n", ",")) {
		if image != "" && !strings.Contains(tag, "/") {
			tag = image + ":" + tag
		}
		b.names = append(b.names, tag)
	}
	d.addBuild(b)
}

// inRepository returns the context of docker/build-push-action as a directory: its default is the
// repository itself.
func inRepository(context string) string {
	if below, ok := strings.CutPrefix(strings.ReplaceAll(context, " ", ""), "{{defaultContext}}"); ok {
		return cmp.Or(strings.TrimPrefix(below, ":"), ".")
	}
	return context
}

func (d *Draft) workflowJob(name string, job *yaml.Node, known map[string]string) {
	publishing := d.publishers.of(name)
	if d.publishers.jobs[job] {
		publishing = publishes
	}
	if len(d.publishers.lines[name]) > 0 && !d.publishers.images[name] {
		publishing = develops // what it builds goes into files
	}
	ofJob := d.ofBranches
	d.workflowSteps(name, items(job, "steps"), known, publishing, 0)
	d.ofBranches = ofJob
}

// maxActions bounds how deep actions of the repository call each other.
const maxActions = 4

// workflowSteps adds the builds of the steps of a job, or of an action of the repository.
func (d *Draft) workflowSteps(name string, steps []*yaml.Node, known map[string]string, publishing rank, depth int) {
	text := func(n *yaml.Node, path ...any) string { return expression(yamlfile.Text(n, path...), known) }
	meta := []string{} // of docker/metadata-action, which names the images of the steps after it
	ofJob := d.ofBranches
	for _, s := range steps {
		d.ofBranches = ofJob || forBranch(yamlfile.Text(s, "if"))
		switch uses := yamlfile.Text(s, "uses"); {
		case strings.HasPrefix(uses, "./") && depth < maxActions:
			d.ownAction(path.Clean(uses), s, known, publishing, depth+1)
		case strings.HasPrefix(uses, "docker/metadata-action"):
			var own []string
			for _, repository := range strings.Fields(text(s, "with", "images")) {
				for _, tag := range metadata(s, text) {
					own = append(own, repository+":"+tag)
				}
			}
			meta = append(meta, own...)
			if id := yamlfile.Text(s, "id"); id != "" && len(own) > 0 {
				_, version := splitReference(own[0])
				known["steps."+id+".outputs.tags"] = strings.Join(own, "\n")
				known["steps."+id+".outputs.version"] = metaVersion.Replace(version)
			}
		case buildAction.MatchString(uses):
			d.buildStep(s, text, meta, place{name, s.Line}, publishing)
		case strings.HasPrefix(uses, "docker/bake-action") && publishing == publishes:
			d.metaNames = appendNew(d.metaNames, meta...)
			for l := range strings.Lines(text(s, "with", "set")) {
				d.bakeSetOf(l, publishing)
			}
		}
		run := yamlfile.Value(s, "run")
		if run == nil {
			continue
		}
		dir := cmp.Or(text(s, "working-directory"), expression(known["directory"], known))
		for _, c := range shell.Calls(expression(run.Value, known), d.shellValues(s, known)) {
			if !shell.Unknown(dir) {
				c.Dir = path.Join(dir, c.Dir)
			}
			results(c, yamlfile.Text(s, "id"), known)
			d.command(c, nil, place{name, firstLine(run) + c.Line - 1}, publishing)
		}
	}
	d.ofBranches = ofJob
}

// ownAction adds the builds of an action of the repository, with what a step gives it.
func (d *Draft) ownAction(dir string, step *yaml.Node, known map[string]string, publishing rank, depth int) {
	name, action := d.first(path.Join(dir, "action.yml"), path.Join(dir, "action.yaml"))
	if action == nil {
		return
	}
	inner := maps.Clone(known)
	for key, input := range pairs(yamlfile.Value(action, "inputs")) {
		inner["inputs."+key] = yamlfile.Text(input, "default")
	}
	for key, v := range pairs(yamlfile.Value(step, "with")) {
		inner["inputs."+key] = expression(v.Value, known)
	}
	d.workflowSteps(name, items(yamlfile.Value(action, "runs"), "steps"), inner, publishing, depth)
	if id := yamlfile.Text(step, "id"); id != "" {
		for key, v := range pairs(yamlfile.Value(action, "outputs")) {
			known["steps."+id+".outputs."+key] = expression(yamlfile.Text(v, "value"), inner)
		}
	}
}

var (
	inExpression = lazyregexp.New(`\$\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}`)
	anyExpr      = lazyregexp.New(`\$\{\{(?:[^}]|\}[^}])*\}\}`)
	// ofTag matches an expression with one value for tags of git, and another one otherwise.
	ofTag = lazyregexp.New(`^\$\{\{[^}]*?(?:ref_type == 'tag'|refs/tags)[^&|]*&&\s*('?)([^'&|\s]+)'?\s*\|\|`)
)

// expression replaces a workflow's expressions by their known values. Others become $(workflow).
func expression(s string, known map[string]string) string {
	for range 3 {
		s = inExpression.ReplaceAllStringFunc(s, func(e string) string {
			name := inExpression.FindStringSubmatch(e)[1]
			if v, ok := known[name]; ok || strings.HasPrefix(name, "matrix.") && known[inMatrix] != "" {
				return v // a job of a matrix has nothing for what its matrix does not name
			}
			return e
		})
	}
	return anyExpr.ReplaceAllStringFunc(s[:min(len(s), maxExpanded)], func(e string) string {
		if m := ofTag.FindStringSubmatch(e); m != nil && m[1] != "" {
			return m[2]
		} else if m != nil && known[m[2]] != "" {
			return known[m[2]]
		}
		return "$(workflow)"
	})
}
