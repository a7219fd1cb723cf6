package scaffold

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"

	"github.com/slipway-dev/slipway/scaffold/makefile"
)

// publishers are the parts of a repository that releases are made with: jobs of workflows that
// push, pipelines, and the scripts and targets of make that these run.
type publishers struct {
	files   map[string]bool     // scripts, and files that are nothing else
	targets map[string]bool     // of make
	jobs    map[*yaml.Node]bool // of workflows
	images  map[string]bool     // workflows that push more than files of a release
	lines   map[string][][2]int // of workflows, those of their jobs
	texts   map[string]string   // of all of these, by file
	recipes strings.Builder     // of the targets
	scripts []string            // files that a text may run
	pushing map[string]bool     // of these, those that push
}

var (
	// pushing matches what sends an image, a chart or a release anywhere.
	pushing = lazyregexp.New(`\bpush: *["']?(?:true|\$\{\{)|--push\b|type=(?:registry|image,push)` +
		`|\b(?:docker|podman|nerdctl|buildah|helm|oras|imgpkg|crane|img|manifest)\s+(?:\S+\s+)?push\b` +
		`|\bcrane\s+(?:cp|copy|index|append)\b|\b(?:skopeo|regctl(?:\s+image)?)\s+copy\b|\bko\s+(?:publish|build|resolve|apply|release)\b` +
		`|goreleaser(?:-action|/goreleaser|\.com|[)}]?\s+(?:--|release))|git\.io/goreleaser|GORELEASER[)}]?\s+(?:--|release)` +
		`|\bpromu\s+(?:release|crossbuild)|prometheus/(?:publish_|promci)|docker/bake-action|\bkaniko\b|\b(?:docker|podman)[ -]compose\s+push` +
		`|\bmake\s+[^\n]*(?:push|publish|release|upload)|\bmage(?:\.go)?\s+[^\n]*(?:[pP]ush|[pP]ublish|[rR]elease)`)
	// makeCall matches a call of make, with what follows.
	makeCall = lazyregexp.New(`(?:\bmake|\$\(MAKE\)|\$\{MAKE\})((?:[ \t]+(?:[^\s;&|()"']|"[^"\n]*"|'[^'\n]*')+)+)`)
	// published are targets of make that push, where no file of the repository runs them.
	published = lazyregexp.New(`(?i)push|publish|release`)
	// pipelineFile are files of systems that build and publish.
	pipelineFile = lazyregexp.New(`(?i)^(?:cloudbuild[\w.-]*\.ya?ml|\.prow(?:/.*|\.ya?ml)|\.(?:prow|cloudbuild)\.sh|\.ci-prow|` +
		`\.?tekton/.*\.ya?ml|\.gitlab-ci\.yml|\.travis\.yml|bitbucket-pipelines\.yml|\.woodpecker(?:/.*)?\.ya?ml|azure-pipelines[\w./-]*\.ya?ml|Jenkinsfile|\.circleci/config\.yml|\.drone\.yml|` +
		`buildspec[\w.-]*\.ya?ml|\.buildkite/.*\.ya?ml|\.?(?:ci|jenkins)/.*\.(?:groovy|jenkinsfile))$`)
	scriptFile = lazyregexp.New(`\.(?:sh|bash)$|(?:^|/)docker-bake[^/]*$|^\.github/|(?:^|/)(?:scripts|hack|ci|bin|build)/[^./]+$`)
)

// findPublishers finds them. Where no file of the repository publishes, targets of make that are
// called so do.
func (d *Draft) findPublishers() {
	p := &publishers{
		files: map[string]bool{}, targets: map[string]bool{}, jobs: map[*yaml.Node]bool{},
		images: map[string]bool{}, lines: map[string][][2]int{}, texts: map[string]string{}, pushing: map[string]bool{},
	}
	d.publishers = p
	for _, f := range d.tree.files {
		if dir := path.Dir(f); scriptFile.MatchString(f) && (!isAside(dir) || slices.Contains(scripted, topOf(dir))) {
			p.scripts = append(p.scripts, f)
		}
	}
	for _, f := range d.tree.files {
		switch {
		case isWorkflow(f) && isYAML(f):
			for _, doc := range d.needed(f) {
				d.publishingJobs(f, doc)
			}
		case isPipeline(f):
			d.publishing(f)
		}
	}
	for link, f := range d.tree.links {
		if pipelineFile.MatchString(link) {
			d.publishing(f)
		}
	}
	if p.calls("bake-action") || p.calls("buildx bake") {
		for _, f := range []string{"docker-bake.hcl", "docker-bake.json"} {
			if d.tree.has(f) {
				d.publishing(f)
			}
		}
	}
	d.attached()
	if p.found() {
		return
	}
	for _, name := range sortedKeys(d.make.Targets) {
		pushes := func(r makefile.Recipe) bool { return pushing.MatchString(r.Text) }
		if published.MatchString(name) && slices.ContainsFunc(d.make.Targets[name].Recipes, pushes) {
			d.publishesTarget(name)
		}
	}
}

// isPipeline reports whether a file is one of a system that builds and publishes.
func isPipeline(f string) bool {
	return pipelineFile.MatchString(f) || pipelineFile.MatchString(path.Base(f)) && !isAside(path.Dir(f))
}

// scripted are the directories of [aside] whose scripts count.
var scripted = []string{"hack", "tools", "release-tools", ".github"}

// topOf is the first directory of a path.
func topOf(p string) string {
	top, _, _ := strings.Cut(p, "/")
	return top
}

// found reports whether a file of the repository publishes.
func (p *publishers) found() bool { return len(p.texts) > 0 }

// publishingJobs finds the jobs of a workflow that push, themselves or by a script, unless it
// runs for unmerged changes only.
func (d *Draft) publishingJobs(f string, doc *yaml.Node) {
	if !merged(doc) || ofTests(f, doc) {
		return
	}
	lines := strings.Split(inComment.ReplaceAllString(string(d.tree.text(f)), ""), "\n")
	for _, job := range pairs(yamlfile.Value(doc, "jobs")) {
		from, to := max(0, job.Line-1), min(len(lines), lastLine(job))
		for _, s := range items(job, "steps") {
			if dry(s) {
				clear(lines[max(0, s.Line-1):min(len(lines), lastLine(s))])
			}
		}
		part := strings.Join(lines[from:to], "\n")
		images := d.pushes(part) || yamlfile.Text(job, "uses") != "" && pushing.MatchString(string(d.tree.text(f)))
		if d.publishers.images[f] = d.publishers.images[f] || images; images || attaches.MatchString(part) {
			d.publishers.jobs[job] = true
			d.environmentOf(doc)
			d.environmentOf(job)
			for _, s := range items(job, "steps") {
				d.environmentOf(s)
			}
			d.publishers.lines[f] = append(d.publishers.lines[f], [2]int{from + 1, to})
			d.writes(f, from, part)
			d.publishers.texts[f] += strings.Join(lines[:min(len(lines), firstJob(doc))], "\n") + "\n" + part + "\n"
			d.runs(part)
		}
	}
}

// inComment matches a comment of YAML or a shell.
var inComment = lazyregexp.New(`(?m)(?:^|[ \t])#.*$`)

// dry reports whether a step runs GoReleaser and publishes nothing.
func dry(step *yaml.Node) bool {
	return strings.HasPrefix(yamlfile.Text(step, "uses"), "goreleaser/") &&
		dryRun.MatchString(yamlfile.Text(step, "with", "args"))
}

// dryRun matches arguments of GoReleaser with which it publishes nothing.
var dryRun = lazyregexp.New(`--snapshot|--skip[= ]\S*publish|^(?:check|build|healthcheck)\b`)

// ofTests reports whether a workflow is one of tests, by its name, and not for tags or releases.
func ofTests(f string, doc *yaml.Node) bool {
	return yamlfile.Value(doc, "on", "push", "tags") == nil && yamlfile.Value(doc, "on", "release") == nil &&
		slices.ContainsFunc(wordsOf(path.Base(f)), func(w string) bool {
			return slices.Contains([]string{"test", "tests", "testing", "e2e", "integration", "lint", "benchmark"}, w)
		})
}

// firstJob is the line of jobs.
func firstJob(doc *yaml.Node) int {
	if jobs := yamlfile.Value(doc, "jobs"); jobs != nil {
		return jobs.Line - 1
	}
	return 0
}

// merged reports whether a workflow runs for more than pull requests.
func merged(doc *yaml.Node) bool {
	names := texts(doc, "on")
	for name := range pairs(yamlfile.Value(doc, "on")) {
		names = append(names, name)
	}
	return slices.ContainsFunc(names, func(n string) bool {
		return !strings.HasPrefix(n, "pull_request") && n != "merge_group"
	})
}

func lastLine(n *yaml.Node) int {
	last := n.Line + strings.Count(strings.TrimSuffix(n.Value, "\n"), "\n")
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		last++ // the line after its sign
	}
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

// publishing takes in a file that publishes, with what it runs.
func (d *Draft) publishing(f string) {
	if d.publishers.files[f] {
		return
	}
	d.publishers.files[f] = true
	d.publishers.texts[f] = string(d.tree.text(f))
	d.runs(d.publishers.texts[f])
	if isYAML(f) {
		for _, doc := range d.yaml(f) {
			d.runsWords(doc)
		}
	}
}

// runsWords takes in what commands run whose words are a list, as in Cloud Build.
func (d *Draft) runsWords(n *yaml.Node) {
	if args := texts(n, "args"); len(args) > 0 {
		d.runs(yamlfile.Text(n, "entrypoint") + " " + strings.Join(args, " "))
	}
	for _, c := range n.Content {
		d.runsWords(c)
	}
}

// calls reports whether something that publishes has a word.
func (p *publishers) calls(word string) bool {
	for _, text := range p.texts {
		if strings.Contains(text, word) {
			return true
		}
	}
	return strings.Contains(p.recipes.String(), word)
}

// of returns the rank of what a file says, whole.
func (p *publishers) of(file string) rank { return p.line(file, 0) }

// line returns the rank of a line of a file; 0 is the whole file.
func (p *publishers) line(file string, n int) rank {
	if p.files[file] || len(p.lines[file]) > 0 && (n == 0 || n < p.lines[file][0][0]) ||
		slices.ContainsFunc(p.lines[file], func(l [2]int) bool { return l[0] <= n && n <= l[1] }) {
		return publishes
	}
	return develops
}

// target returns the rank of a recipe of make.
func (p *publishers) target(name string) rank {
	if p.targets[name] {
		return publishes
	}
	return develops
}
