package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// dockerBuild is a command, or a step of a workflow, that builds an image.
type dockerBuild struct {
	at        string // the file that it stands in
	file      string // the Dockerfile; * stands for what is not known
	context   string // "" where it is not known
	target    string // a $ in it stands for what is not known, as in args and names
	args      map[string]string
	names     []string // references, with tags
	platforms []string
	releaser  bool // the programs are in the root of the context
}

// counts reports whether the build is of a file that releases are made with.
func (b dockerBuild) counts() bool { return strings.HasPrefix(b.at, workflows) || !isAside(b.at) }

// unknown reports whether a text has something that only make, a shell or a workflow knows.
func unknown(s string) bool { return strings.Contains(s, "$") || strings.Contains(s, "{{") }

// maxBuilds bounds how many builds are kept.
const maxBuilds = 1000

// findBuilds reads what builds images today: recipes of make, scripts, workflows and bake files.
func (d *Draft) findBuilds() {
	for _, r := range d.make.recipes {
		d.command(d.make.expand(r), "the Makefile")
	}
	for _, f := range d.tree.files {
		switch dir := path.Base(path.Dir(f)); {
		case path.Ext(f) == ".sh" && (!isAside(path.Dir(f)) || slices.Contains(released, dir)):
			for _, l := range logical(string(d.tree.text(f))) {
				d.command(l, f)
			}
		case strings.HasPrefix(f, workflows) && isYAML(f):
			for _, doc := range d.yaml(f) {
				d.workflow(f, doc)
			}
		case strings.HasPrefix(path.Base(f), "docker-bake") && !isAside(path.Dir(f)) &&
			(path.Ext(f) == ".hcl" || path.Ext(f) == ".json"):
			d.bake(f)
		}
	}
}

// valued are the flags of docker build whose value is the next word.
var valued = []string{
	"--build-arg", "--file", "-f", "--target", "--tag", "-t", "--platform", "--output", "-o", "--progress",
	"--cache-from", "--cache-to", "--label", "--builder",
	"--network", "--secret", "--ssh", "--build-context", "--iidfile", "--metadata-file", "--add-host",
	"--annotation", "--attest", "--arch", "--os", "--manifest",
}

// command adds the build that a command line is.
func (d *Draft) command(line, at string) {
	m := imageBuild.FindStringSubmatch(line)
	if m == nil {
		return
	}
	b := dockerBuild{at: at, args: map[string]string{}}
	words := shellWords(m[1])
	dir := "."
	if cd := changesDir.FindStringSubmatch(strings.TrimSuffix(line, m[0])); cd != nil {
		dir = cd[1]
	}
	for i := 0; i < len(words); i++ {
		flag, value, has := strings.Cut(words[i], "=")
		if !strings.HasPrefix(flag, "-") {
			if b.context == "" && !strings.HasPrefix(flag, "$") {
				b.context = words[i]
			}
			continue
		}
		if !has && slices.Contains(valued, flag) && i+1 < len(words) {
			i++
			value = words[i]
		}
		b.flag(flag, value)
	}
	if b.file != "" {
		b.file = path.Join(dir, b.file)
	}
	if b.context != "" {
		b.context = path.Join(dir, b.context)
	}
	d.addBuild(b)
}

// changesDir matches a cd before the command.
var changesDir = lazyregexp.New(`\bcd\s+([^\s;&|]+)\s*(?:&&|;)[^\n]*$`)

// flag takes a flag of docker build.
func (b *dockerBuild) flag(name, value string) {
	switch name {
	case "--build-arg":
		if k, v, ok := strings.Cut(value, "="); ok {
			b.args[k] = v
		} else {
			b.args[k] = "${" + k + "}"
		}
	case "--file", "-f":
		b.file = value
	case "--target":
		b.target = value
	case "--tag", "-t":
		b.names = append(b.names, value)
	case "--platform":
		b.platforms = append(b.platforms, splitPlatforms(value)...)
	}
}

func splitPlatforms(s string) (list []string) {
	for _, p := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
		if !unknown(p) {
			list = append(list, p)
		}
	}
	return list
}

// addBuild keeps a build for each Dockerfile that it may be of.
func (d *Draft) addBuild(b dockerBuild) {
	if b.file == "" {
		b.file = path.Join(b.context, "Dockerfile")
		if !unknown(b.context) && !d.tree.has(b.file) && d.tree.has(path.Join(b.context, "Containerfile")) {
			b.file = path.Join(b.context, "Containerfile")
		}
	}
	b.file = pattern(b.file)
	if unknown(b.context) {
		b.context = ""
	}
	d.references = append(d.references, slices.DeleteFunc(slices.Clone(b.names), unknownName)...)
	for _, f := range d.tree.files {
		if _, ok := variantOf(f); !ok || len(d.dockerBuilds) >= maxBuilds {
			continue
		}
		if ok, _ := path.Match(path.Clean(b.file), f); ok {
			of := b
			of.file = f
			d.dockerBuilds = append(d.dockerBuilds, of)
		}
	}
}

// unknownName reports whether the repository of a reference is not known.
func unknownName(ref string) bool {
	repository, _ := splitReference(ref)
	return unknown(repository)
}

// pattern puts * in the place of what is not known in a path.
func pattern(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			break
		}
		b.WriteString(s[:i] + "*")
		_, rest, ok := reference(s[i:])
		switch {
		case ok:
			s = rest
		case len(s) > i+1 && (s[i+1] == '*' || s[i+1] == '@' || s[i+1] == '<'):
			s = s[i+2:]
		default:
			s = strings.TrimLeft(s[i+1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")
		}
	}
	return strings.TrimPrefix(b.String()+s, "./")
}

// buildsOf returns the builds of a Dockerfile.
func (d *Draft) buildsOf(file string) (list []dockerBuild) {
	for _, b := range d.dockerBuilds {
		if b.file == file {
			list = append(list, b)
		}
	}
	return list
}

// releaserImages adds the builds of .goreleaser.yaml.
func (d *Draft) releaserImages(name string, n *yaml.Node) {
	for _, key := range []string{"dockers", "dockers_v2"} {
		for _, i := range items(n, key) {
			b := dockerBuild{
				at: name, file: cmp.Or(yamlfile.Text(i, "dockerfile"), "Dockerfile"),
				context: ".", args: map[string]string{}, releaser: true,
			}
			b.names = append(texts(i, "image_templates"), texts(i, "images")...)
			for _, f := range texts(i, "build_flag_templates") {
				k, v, _ := strings.Cut(f, "=")
				b.flag(k, v)
			}
			if os := yamlfile.Text(i, "goos"); key == "dockers" && (os == "" || os == "linux") {
				b.platforms = []string{"linux/" + cmp.Or(yamlfile.Text(i, "goarch"), "amd64")}
			}
			b.platforms = append(b.platforms, texts(i, "platforms")...)
			for key, value := range pairs(yamlfile.Value(i, "build_args")) {
				b.args[key] = value.Value
			}
			d.addBuild(b)
		}
	}
}

// builder matches a command that builds an image, up to its arguments.
var imageBuild = lazyregexp.New(
	`(?:^|[\s;&|({@'"-])(?:[\w./-]*(?:docker|podman|nerdctl|buildah)|\$[({][A-Za-z0-9_]*(?:DOCKER|CTR|CONTAINER|PODMAN|BUILDER|ENGINE)[A-Za-z0-9_]*[)}])(?:\s+-[^\s]+)*\s+(?:(?:image|buildx|builder)\s+)?(?:build|bud)\s+(.*)$`)

// logical returns the lines of a script, joined where they end with a backslash.
func logical(text string) []string {
	text = strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(text)
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// shellWords splits a command line up to its end: quotes are taken off, and what a shell or make
// would put in place stays one word.
func shellWords(s string) (words []string) {
	var b strings.Builder
	quote, depth, some := byte(0), 0, false
	end := func() {
		if some {
			words = append(words, b.String())
		}
		b.Reset()
		some = false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case depth > 0:
			depth += strings.Count("({", string(c)) - strings.Count(")}", string(c))
			b.WriteByte(c)
			continue
		case c == '$' && quote != '\'' && i+1 < len(s) && (s[i+1] == '(' || s[i+1] == '{'):
			b.WriteString(s[i : i+2])
			i++
			depth, some = 1, true
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				b.WriteByte(c)
			}
			continue
		case c == '"' || c == '\'':
			quote, some = c, true
			continue
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			some = true
			continue
		case c == ' ' || c == '\t':
			end()
			continue
		case c == ';' || c == '&' || c == '|' || c == '>' || c == '#' && !some:
			end()
			return words
		}
		b.WriteByte(c)
		some = true
	}
	end()
	return words
}
