package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"

	"github.com/slipway-dev/slipway/scaffold/makefile"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

// valued are the flags of docker build whose value is the next word.
var valued = []string{
	"--build-arg", "--file", "-f", "--target", "--tag", "-t", "--platform", "--output", "-o", "--progress",
	"--cache-from", "--cache-to", "--label", "--builder", "--network", "--secret", "--ssh", "--build-context",
	"--iidfile", "--metadata-file", "--add-host", "--annotation", "--attest", "--arch", "--os", "--manifest",
}

// engine matches what builds images, also by a variable.
var engine = lazyregexp.New(`^(?:/[\w./-]*/)?(?:docker|podman|nerdctl|buildah|kaniko)$` +
	`|^\$[({]?\w*(?i:docker|ctr|container|podman|build|engine)\w*[)}]?$`)

// buildArguments returns the words after docker build, or a command like it.
func buildArguments(c shell.Call) ([]string, bool) {
	for i, w := range c.Words {
		if !engine.MatchString(w) {
			continue
		}
		rest := c.Words[i+1:]
		for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") ||
			slices.Contains([]string{"image", "buildx", "builder"}, rest[0])) {
			rest = rest[1:]
		}
		if len(rest) > 0 && (rest[0] == "build" || rest[0] == "bud") {
			return rest[1:], true
		}
	}
	return nil, false
}

// buildOf returns the build that a command is.
func buildOf(c shell.Call) (*dockerBuild, bool) {
	words, ok := buildArguments(c)
	if !ok {
		return nil, false
	}
	b := &dockerBuild{args: map[string]string{}, noPlatform: true}
	for i, w := range words {
		words[i] = here.ReplaceAllString(w, "$1.")
	}
	for i := 0; i < len(words); i++ {
		flag, value, has := strings.Cut(words[i], "=")
		if !strings.HasPrefix(flag, "-") {
			if b.context == "" && !strings.HasPrefix(flag, "$") {
				b.context = words[i]
			}
			b.named = b.named || i == len(words)-1 && belowVariable.MatchString(words[i])
			continue
		}
		if !has && slices.Contains(valued, flag) && i+1 < len(words) {
			i++
			value = words[i]
		}
		b.flag(flag, value)
	}
	switch {
	case b.file == "-" || b.file == "" && b.context == "-":
		b.file = c.Input
	case b.file != "":
		b.file = path.Join(c.Dir, b.file)
	}
	if b.context == "-" {
		b.context = ""
	}
	if b.context != "" {
		b.context = path.Join(c.Dir, b.context)
	}
	if usual := c.Env["DOCKER_DEFAULT_PLATFORM"]; usual != "" && b.noPlatform {
		b.flag("--platform", usual)
	}
	for _, n := range append(slices.Clone(b.names), b.args["ARCH"], b.args["TARGETARCH"]) {
		if forArch.MatchString(n) {
			b.noPlatform = false // it is for an architecture that make or a script knows
		}
	}
	return b, true
}

// here matches the directory that a command runs in, or the root of the repository.
var here = lazyregexp.New(`^((?:--?[a-z]+=)?)\$(?:\((?:shell )?pwd\)|[({]?(?:PWD|CURDIR|GITHUB_WORKSPACE)[)}]?` +
	`|\((?:shell )?git rev-parse --show-toplevel\))`)

// belowVariable matches a directory that only a shell or make knows.
var belowVariable = lazyregexp.New(`^\$(?:\(\w+\)|\{\w+\}|\w+|\*)(?:/.*)?$`)

// forArch matches what has an architecture in it that is not known.
var forArch = lazyregexp.New(`\$[({]?\w*(?i:arch)\w*[)}]?|(?:linux|windows)-\$\*|^\$\*$`)

// flag takes a flag of docker build, or of kaniko.
func (b *dockerBuild) flag(name, value string) {
	switch name {
	case "--build-arg":
		if k, v, ok := strings.Cut(value, "="); ok {
			b.args[k] = v
		} else {
			b.args[k] = "${" + k + "}"
		}
	case "--file", "-f", "--dockerfile":
		b.file = value
	case "--context":
		b.context = value
	case "--target":
		b.target = value
	case "--tag", "-t", "--destination":
		b.names = append(b.names, computed.ReplaceAllString(value, "$$(shell)"))
	case "--output", "-o":
		b.files = b.files || strings.Contains(value, "type=local") || strings.Contains(value, "type=tar") ||
			!strings.Contains(value, "type=") && !shell.Unknown(value)
	case "--build-context":
		b.contexts = append(b.contexts, value)
	case "--arch":
		b.noPlatform = false
		b.platforms = append(b.platforms, on(architectures[value])...)
	case "--platform", "--custom-platform", "--customPlatform":
		b.noPlatform = false
		b.platforms = append(b.platforms, splitPlatforms(value)...)
	}
}

// computed matches what a command would give.
var computed = lazyregexp.New(`\$\([^()]*[ /][^()]*(?:\([^()]*\)[^()]*)*\)`)

func splitPlatforms(s string) (list []string) {
	for _, p := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
		if !shell.Unknown(p) {
			list = append(list, p)
		}
	}
	return list
}

// withStem puts the stem of a rule of make, which its Dockerfile tells, in the place of $*.
func (b dockerBuild) withStem(stem string) dockerBuild {
	put := func(s string) string { return strings.ReplaceAll(s, "$*", stem) }
	b.target, b.names = put(b.target), slices.Clone(b.names)
	for n := range b.names {
		b.names[n] = put(b.names[n])
	}
	args := map[string]string{}
	for k, v := range b.args {
		args[k] = put(v)
	}
	b.args = args
	if b.strict != nil {
		strict := b.strict.withStem(stem)
		b.strict = &strict
	}
	return b
}

// pattern replaces the unknown parts of a path by *.
func pattern(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			break
		}
		b.WriteString(s[:i] + "*")
		_, rest, ok := makefile.Reference(s[i:])
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
