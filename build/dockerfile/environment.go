package dockerfile

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/platform"
)

// environment is what variables expand to: a list, because its order is the order in the
// configuration. It implements shell.EnvGetter.
type environment struct {
	keys     []string
	values   map[string]string // by folded key
	caseless bool              // as on Windows: Path and PATH are one variable
	unread   string            // a base whose variables are not known, empty for none
	golang   bool              // and it is golang's image, whose variables have names that are known
	declared map[string]bool   // by ARG without a value
}

// isGolang reports whether an image is golang's own of Docker Hub. A name without a tag or a
// registry may be that of a base in slipway.yaml.
func isGolang(image string) bool {
	ref, err := name.ParseReference(image)
	return err == nil && strings.ContainsAny(image, "/:@") && ref.Context().Name() == "index.docker.io/library/golang"
}

// mayBeOfGolang reports whether an image of golang's, of whatever system and version, may set a
// variable: https://github.com/docker-library/golang has all its Dockerfiles.
func mayBeOfGolang(key string) bool {
	key = strings.ToUpper(key)
	return strings.HasPrefix(key, "GO") || strings.HasPrefix(key, "GIT_") || key == "PATH"
}

// known returns an error for a variable that only a base could set which is not read.
func (e *environment) known(key string) error {
	if _, ok := e.values[e.key(key)]; ok || e.unread == "" || e.declared[e.key(key)] || !variableName.MatchString(key) || e.golang && !mayBeOfGolang(key) {
		return nil
	}
	return fmt.Errorf("nothing here sets the variable %s, and the base %s, which may, is not read, since the stage compiles programs: write ARG %s with a value above it", key, e.unread, key)
}

// variableIn finds a variable in a word of the file.
var variableIn = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// declare notes that ARG names a variable without a value.
func (e *environment) declare(key string) {
	if e.declared == nil {
		e.declared = map[string]bool{}
	}
	e.declared[e.key(key)] = true
}

// withoutCase makes names that differ only in case one variable.
func (e *environment) withoutCase() *environment {
	c := newEnvironment(nil)
	c.caseless = true
	return c.take(e)
}

// take sets the variables of another environment.
func (e *environment) take(other *environment) *environment {
	for _, k := range other.keys {
		e.set(k, other.values[other.key(k)])
	}
	for k := range other.declared {
		e.declare(k)
	}
	e.unread, e.golang = other.unread, other.golang
	return e
}

func (e *environment) key(k string) string {
	if e.caseless {
		return strings.ToUpper(k)
	}
	return k
}

func newEnvironment(vars []string) *environment {
	e := &environment{values: map[string]string{}}
	for _, v := range vars {
		key, value, _ := strings.Cut(v, "=")
		e.set(key, value)
	}
	return e
}

// Get returns a variable's value and whether it is set.
func (e *environment) Get(key string) (string, bool) {
	v, ok := e.values[e.key(key)]
	return v, ok
}

// Keys returns the names of all variables.
func (e *environment) Keys() []string { return e.keys }

func (e *environment) set(key, value string) {
	if _, ok := e.values[e.key(key)]; !ok {
		e.keys = append(e.keys, key)
	}
	e.values[e.key(key)] = value
}

func (e *environment) clone() *environment {
	c := newEnvironment(nil)
	c.caseless = e.caseless
	return c.take(e)
}

// word expands the variables in one word. What grows beyond any use is an error, for a variable
// may double itself on every line.
func (b *builder) word(word string, env *environment) (string, error) {
	v, missing, err := b.shlex.ProcessWord(word, env)
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		err = cmp.Or(err, env.known(name))
	}
	if err != nil {
		return "", located{word, err}
	}
	if len(v) > maxSource {
		return "", located{word, fmt.Errorf("a value has more than %d bytes when its variables are expanded", maxSource)}
	}
	return v, nil
}

// setEnv sets a variable in a configuration's list, in its old place where it has one, and on
// Windows with its old spelling.
func (s *stage) setEnv(env []string, key, value string) []string {
	for i, e := range env {
		if k, _, _ := strings.Cut(e, "="); k == key || s.windows() && strings.EqualFold(k, key) {
			env[i] = k + "=" + value
			return env
		}
	}
	return append(env, key+"="+value)
}

// platformArgs are the arguments that every Dockerfile may declare without a value
// (https://docs.docker.com/reference/dockerfile/#automatic-platform-args-in-the-global-scope).
func platformArgs(in Input) *environment {
	build, target := normalize(in.BuildPlatform), normalize(in.Platform)
	e := newEnvironment(nil)
	for _, kv := range [][2]string{
		{"BUILDPLATFORM", formatPlatform(platform.Platform{OS: build.OS, Architecture: build.Architecture, Variant: build.Variant})},
		{"BUILDOS", build.OS},
		{"BUILDOSVERSION", build.OSVersion},
		{"BUILDARCH", build.Architecture},
		{"BUILDVARIANT", build.Variant},
		{"TARGETPLATFORM", formatPlatform(target)},
		{"TARGETOS", target.OS},
		{"TARGETOSVERSION", target.OSVersion},
		{"TARGETARCH", target.Architecture},
		{"TARGETVARIANT", target.Variant},
	} {
		value := kv[1]
		if v, ok := in.Args[kv[0]]; ok {
			value = v
		}
		e.set(kv[0], value)
	}
	return e
}

// setTargetStage adds the argument that names the stage being built.
func (b *builder) setTargetStage() {
	name := b.in.Target
	if name == "" && len(b.stages) > 0 {
		name = b.last().Name
	}
	if name == "" {
		name = "default"
	}
	if v, ok := b.in.Args["TARGETSTAGE"]; ok {
		name = v
	}
	b.globals.set("TARGETSTAGE", name)
}

// normalize writes variants as containerd/platforms does: arm has one, arm64 v8 and amd64 v1 go
// without saying.
func normalize(p platform.Platform) platform.Platform {
	switch {
	case p.Architecture == "arm" && p.Variant == "":
		p.Variant = "v7"
	case p.Architecture == "arm64" && p.Variant == "v8", p.Architecture == "amd64" && p.Variant == "v1":
		p.Variant = ""
	}
	return p
}

// formatPlatform writes a platform as BuildKit's arguments do: windows(10.0.20348)/amd64.
func formatPlatform(p platform.Platform) string {
	s := p.OS
	if p.OSVersion != "" {
		s += "(" + p.OSVersion + ")"
	}
	s += "/" + p.Architecture
	if p.Variant != "" {
		s += "/" + p.Variant
	}
	return s
}

// parsePlatform reads the value of FROM --platform. Windows without a release means the release
// of the target, where that is Windows too.
func parsePlatform(s string, target platform.Platform) (platform.Platform, error) {
	if arch, ok := strings.CutPrefix(s, platform.Windows+"/"); ok && !strings.ContainsAny(arch, ":/") {
		if target.OS != platform.Windows {
			return platform.Platform{}, fmt.Errorf("platform %q names no Windows release, and the image is for %s: write %s:ltsc2022", s, target.OS, s)
		}
		p, err := platform.Parse(s + ":" + target.OSVersion)
		if target.OSVersion == "" {
			return platform.Platform{OS: platform.Windows, Architecture: arch}, nil
		}
		return p, err
	}
	p, err := platform.Parse(s)
	return normalize(p), err
}
