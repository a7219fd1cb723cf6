package scaffold

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/workload"
	"github.com/slipway-dev/slipway/scaffold/makefile"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// newer compares the versions that two paths have in them.
func newer(a, b string) bool { return semver.Compare(versionIn(a), versionIn(b)) > 0 }

func versionIn(p string) string {
	for part := range strings.SplitSeq(p, "/") {
		if v := "v" + strings.TrimPrefix(part, "v"); semver.IsValid(v) {
			return v
		}
	}
	return ""
}

var (
	imageField = lazyregexp.New(
		`(?:^|[\s{,-])["']?(?:image|repository|newName)["']?:\s*["']?/?([A-Za-z0-9][A-Za-z0-9._/:@-]*)["']?\s*(?:[#,}].*)?$`)
	baseRepo = lazyregexp.New(
		`(?m)^\s*(?:baseRepo|registry|baseRegistry):\s*["']?([a-z0-9.-]+\.[a-z]{2,}(?::[0-9]+)?(?:/[a-z0-9._/-]+)?)["']?\s*$`)
	// inText is an image in the text of a README.
	inText = lazyregexp.New("(?:docker (?:pull|run)[^`\n]*?|image:?\\s+|[`\"'=\\s])((?:[a-z0-9-]+\\.)+[a-z]{2,}/[a-z0-9._/-]+)(:[A-Za-z0-9._-]+)?")
	// stagingImage is where images of Kubernetes' projects are before they are promoted.
	stagingImage = lazyregexp.New(`\bgcr\.io/k8s-staging-([a-z0-9-]+)`)
	koRepo       = lazyregexp.New(`\bKO_DOCKER_REPO["']?\s*[:=]+\s*["']?([a-z0-9.-]+\.[a-z]{2,}/[A-Za-z0-9._/-]+)`)
	// elsewhere are registries that users do not pull a product's images from.
	elsewhere = lazyregexp.New(
		`^(?:localhost|(?:www\.)?git(?:hub|lab)\.com/|pkg\.go\.dev/|127\.|0\.0\.0\.0|[a-z0-9-]+:|ttl\.sh|mirror\.gcr\.io|registry-1\.docker\.io|hub\.docker\.com|[a-z0-9.-]*example\.(?:com|org)|` +
			`kind-registry|[a-z0-9.-]*\.(?:local|internal|svc|invalid|test|localhost)(?:[:/]|$))|/v[12]/|/api/`)
)

// named is an image that may be the product's, where it is named.
type named struct {
	repository, tag string // the repository with its registry
	of              string // the Dockerfile that it is built from, or the image; "" if that is not known
	rank            rank
	at              place
}

// allReferences returns the images that builds, manifests, charts and the README name.
func (d *Draft) allReferences() (all []named) {
	if d.references != nil {
		return d.references
	}
	defer func() { d.references = slices.Concat(all, []named{{}}) }()
	add := func(ref, of string, r rank, at place) {
		if name, ok := d.wholeName(ref); ok {
			repository, tag := splitReference(name)
			if d.dropped[repository] && r == publishes {
				r = develops
			}
			all = append(all, named{repository, tag, of, r, at})
		}
	}
	for _, b := range d.dockerBuilds {
		for n, name := range b.names {
			add(name, b.file, b.nameRank(n), b.at)
		}
	}
	for _, b := range d.pushed {
		for _, name := range b.names {
			add(name, "", b.rank, b.at)
		}
	}
	for _, n := range d.koNames {
		for _, i := range d.images {
			if p, ok := find(d.programs, func(p program) bool { return p.name == i.program }); ok && p.dir == n.of {
				add(n.repository, i.name, n.rank, n.at)
			}
		}
	}
	for _, f := range d.tree.files {
		switch {
		case d.publishers.of(f) == publishes:
			d.publishedNames(f, add)
		case f == "README.md":
			for n, line := range makefile.Lines(string(d.tree.text(f))) {
				d.chartNames(line, installs, place{f, n})
				for _, m := range append(inText.FindAllStringSubmatch(line, -1), ofHub(line)...) {
					r := develops
					if d.owner() != "" && d.installRank(m[1]) == installs {
						r = installs
					}
					add(m[1]+m[2], "", r, place{f, n})
				}
			}
		case workload.IsManifest(f) && !isAside(path.Dir(f)) && !d.otherVersion(f):
			d.manifestReferences(f, add)
		}
	}
	return all
}

// publishedNames adds the images that a file which publishes names, whole or by the repository of
// ko.
func (d *Draft) publishedNames(f string, add func(ref, file string, r rank, at place)) {
	text := koVariable.ReplaceAllString(d.withParameters(f), "KO_DOCKER_REPO:$2$1")
	if u, ok := strings.CutPrefix(strings.ToLower(d.home()), "github.com/"); ok && !koRepo.MatchString(text) {
		text = setupKo.ReplaceAllString(text, "KO_DOCKER_REPO=ghcr.io/"+u)
	}
	bare, base := d.koBare || strings.Contains(text, "--bare"), lazyregexp.New(`--base-import-paths|\s-B\b`).MatchString(text)
	for n, line := range makefile.Lines(text) {
		at := place{f, n}
		if d.publishers.line(f, n) != publishes || isYAML(f) && ofStep.MatchString(line) {
			continue
		}
		for _, m := range koRepo.FindAllStringSubmatch(line, -1) {
			prefix, r := strings.TrimSuffix(m[1], "/"), develops // else ko adds a digest to the name
			if bare || base {
				r = publishes
			}
			for _, i := range d.images {
				switch {
				case i.program == "":
				case bare:
					add(prefix, i.name, publishes, at)
				default:
					add(prefix+"/"+i.name, "", r, at)
				}
			}
		}
		for _, m := range organization.FindAllStringSubmatch(line, -1) {
			name := cmp.Or(d.make.Value("DOCKER_IMAGE_NAME"), d.repositoryName())
			host := strings.ReplaceAll(strings.Replace(m[1], "docker_hub", "docker_io", 1), "_", ".")
			add(host+"/"+m[2]+"/"+name, "", publishes, at)
		}
		d.chartNames(line, publishes, at)
		for _, m := range stagingImage.FindAllString(line, -1) {
			for _, i := range d.images {
				add(m+"/"+i.name, "", publishes, at)
			}
		}
		now := publishes
		if remark.MatchString(line) {
			now = develops
		}
		for _, m := range inText.FindAllStringSubmatch(line, -1) {
			if !isPath.MatchString(m[1]) {
				add(m[1], "", now, at)
			}
		}
	}
}

// ociChart matches where a chart is in a registry.
var ociChart = lazyregexp.New(`oci://((?:[a-z0-9-]+\.)+[a-z]{2,}(?::[0-9]+)?)/([A-Za-z0-9._/-]+)`)

// organization matches where the orb of Prometheus' projects pushes to.
var organization = lazyregexp.New(`\b(docker_hub|quay_io)_organization:\s*["']?([A-Za-z0-9._-]+)`)

// chartNames notes where charts are published: a line of the README that installs one names it,
// too.
func (d *Draft) chartNames(line string, r rank, at place) {
	for _, m := range ociChart.FindAllStringSubmatch(line, -1) {
		repository := strings.ToLower(strings.Trim(m[2], "/"))
		own := slices.ContainsFunc(d.chart, func(c entry) bool { return c.name == path.Base(repository) })
		if own {
			repository = path.Dir(repository)
		}
		if own || r == publishes {
			d.charted = append(d.charted, claim{m[1] + "/" + repository, r, at})
		}
	}
}

// koVariable matches the repository of ko as an entry of an environment: a name, and below it a
// value.
var koVariable = lazyregexp.New(`name: *["']?KO_DOCKER_REPO["']? *(\n\s*)value:([^\n]*)`)

// setupKo matches the action that installs ko, and sets its repository: that of the source on ghcr.io.
var setupKo = lazyregexp.New(`(?m)(?:-\s*)?\buses:\s*ko-build/setup-ko@.*$`)

// remark matches a line that is a comment.
var remark = lazyregexp.New(`^\s*(?:#|//|/?\*)`)

// ofStep matches the image that a step runs in.
var ofStep = lazyregexp.New(`^\s*-?\s*["']?(?:name|image|uses|container)["']?:`)

// isPath matches paths of Go packages and of files.
var isPath = lazyregexp.New(`^(?:github\.com|golang\.org|go\.|gopkg\.in|sigs\.k8s\.io|k8s\.io)/|\.(?:go|ya?ml|sh|json|tar|t?gz|zip|md|git)$`)

// home is where the repository is, as github.com/owner/name: where it was cloned from, or else what
// its module path says; "" if it is not known.
func (d *Draft) home() string {
	return cmp.Or(d.options.remote, strings.TrimPrefix(d.source.url, "https://"))
}

// owner is that of the repository, "" if it is not known.
func (d *Draft) owner() string {
	_, rest, _ := strings.Cut(strings.ToLower(d.home()), "/")
	owner, _, _ := strings.Cut(rest, "/")
	return owner
}

// otherVersion reports whether a file is of another version than the product's.
func (d *Draft) otherVersion(f string) bool {
	return versionIn(f) != "" && versionIn(f) != d.version && d.version != ""
}

// manifestReferences adds the images of manifests, and of the values of charts.
func (d *Draft) manifestReferences(f string, add func(ref, file string, r rank, at place)) {
	text := d.tree.text(f)
	if !bytes.Contains(text, []byte("kind:")) && !strings.HasPrefix(path.Base(f), "values") &&
		!composeFile.MatchString(path.Base(f)) {
		return // neither an object of Kubernetes, nor values of a chart, nor a file of Compose
	}
	prefix := ""
	if m := baseRepo.FindSubmatch(text); m != nil {
		prefix = string(m[1]) + "/"
	}
	for n, line := range makefile.Lines(string(text)) {
		m := imageField.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		ref := m[1]
		if host, _, _ := strings.Cut(ref, "/"); !strings.ContainsAny(host, ".:") {
			ref = prefix + ref
		}
		add(ref, "", d.installRank(ref), place{f, n})
	}
	for _, doc := range d.yaml(f) {
		d.values(f, doc, add)
	}
}

// installRank is the rank of a name that users install.
func (d *Draft) installRank(ref string) rank {
	ref = strings.ToLower(ref)
	if d.owner() == "" || strings.Contains(ref, d.owner()) || strings.HasPrefix(ref, "registry.k8s.io/") ||
		stagingImage.MatchString(ref) {
		return installs
	}
	return copies
}

// values adds the images of mappings with a repository and a tag, and perhaps a registry.
func (d *Draft) values(f string, n *yaml.Node, add func(ref, file string, r rank, at place)) {
	if n.Kind == yaml.MappingNode {
		tag, repository := yamlfile.Value(n, "tag"), cmp.Or(yamlfile.Value(n, "repository"), yamlfile.Value(n, "image"))
		if tag != nil && tag.Value != "" && repository != nil && repository.Kind == yaml.ScalarNode {
			ref := strings.Trim(yamlfile.Text(n, "registry")+"/"+strings.Trim(repository.Value, "/"), "/")
			add(ref+":"+tag.Value, "", d.installRank(ref), place{f, tag.Line})
		}
	}
	for _, c := range n.Content {
		d.values(f, c, add)
	}
}

// wholeName returns a reference with its registry, by default that of Docker Hub. Of a name
// without an account, and where users do not pull from, ok is false.
func (d *Draft) wholeName(ref string) (whole string, ok bool) {
	repository, _ := splitReference(ref)
	host, rest, slash := strings.Cut(repository, "/")
	if !slash || shell.Unknown(repository) || rest == "" {
		return "", false
	}
	if !strings.ContainsAny(host, ".:") && host != "localhost" {
		ref = "docker.io/" + ref
	}
	repository, tag := splitReference(ref)
	repository = strings.Replace(strings.ToLower(repository), "index.docker.io/", "docker.io/", 1)
	if ref = repository; tag != "" {
		ref += ":" + tag
	}
	return ref, imagename.CheckRepository(repository) == nil && !elsewhere.MatchString(repository)
}
