package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/product"
)

// koFile is the part of ko's configuration that says how a program is built (https://ko.build/configuration/).
type koFile struct {
	DefaultEnv     []string  `yaml:"defaultEnv"`
	DefaultFlags   koFlags   `yaml:"defaultFlags"`
	DefaultLdflags koStrings `yaml:"defaultLdflags"`
	Builds         []koBuild `yaml:"builds"`
}

type koBuild struct {
	ID      string    `yaml:"id"`
	Dir     string    `yaml:"dir"`
	Main    string    `yaml:"main"`
	Env     []string  `yaml:"env"`
	Flags   koFlags   `yaml:"flags"`
	Ldflags koStrings `yaml:"ldflags"`
}

// koStrings is a list of strings, or one string.
type koStrings []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *koStrings) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*s = koStrings{n.Value}
		return nil
	}
	return n.Decode((*[]string)(s))
}

// koFlags is a list of strings, or one string that is split at spaces.
type koFlags []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *koFlags) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*s = strings.Fields(n.Value)
		return nil
	}
	return n.Decode((*[]string)(s))
}

// readKo fills in what slipway.yaml leaves open from the tree's .ko.yaml, where it has one.
func (p *Program) readKo(info product.BuildInfo) error {
	file := filepath.Join(p.Tree.Dir, ".ko.yaml")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("program %s: %w", p.Name, err)
	}
	env, flags, ldflags, err := parseKo(b, p.Package, info)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if p.Env == nil {
		p.Env = env
	}
	if p.Flags == nil {
		p.Flags = flags
	}
	if p.Ldflags == nil {
		p.Ldflags = ldflags
	}
	return nil
}

// parseKo returns the settings that a .ko.yaml has for a main package.
func parseKo(b []byte, pkg string, info product.BuildInfo) (env, flags, ldflags []string, err error) {
	var ko koFile
	if err := yaml.Unmarshal(b, &ko); err != nil {
		return nil, nil, nil, err
	}
	env, flags, ldflags = ko.DefaultEnv, ko.DefaultFlags, ko.DefaultLdflags
	for _, build := range ko.Builds {
		main := build.Main
		if strings.HasSuffix(main, ".go") {
			main = path.Dir(main)
		}
		if path.Join(".", build.Dir, main) != path.Join(".", pkg) {
			continue
		}
		if len(build.Env) > 0 {
			env = build.Env
		}
		if len(build.Flags) > 0 {
			flags = build.Flags
		}
		if len(build.Ldflags) > 0 {
			ldflags = build.Ldflags
		}
	}
	data := koData(env, info)
	if flags, err = expandKo(flags, data); err != nil {
		return nil, nil, nil, err
	}
	if ldflags, err = expandKo(ldflags, data); err != nil {
		return nil, nil, nil, err
	}
	return env, flags, ldflags, noTools(env, flags)
}

// noTools refuses, as ko does, a flag that runs a command of the source's choice while it is compiled.
func noTools(env, flags []string) error {
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == "GOFLAGS" {
			flags = append(slices.Clone(flags), strings.Fields(v)...)
		}
	}
	for _, f := range flags {
		if name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "toolexec" {
			return fmt.Errorf("flag %s runs a command on this machine: remove it", f)
		}
	}
	return nil
}

// koData is what templates in a .ko.yaml may name (https://ko.build/configuration/#templating-support), as far as it depends neither
// on the time of day nor on this machine: of the environment there is what the .ko.yaml itself sets.
func koData(env []string, info product.BuildInfo) map[string]any {
	vars := map[string]string{"LDFLAGS": ""}
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			vars[k] = v
		}
	}
	commit, dirty := strings.CutSuffix(info.Revision, "-dirty")
	state, tag := "clean", ""
	if dirty {
		state = "dirty"
	}
	if info.SourceVersion != info.Revision { // a module's version; a directory has none
		tag = "v" + info.SourceVersion
	}
	var seconds int64
	if t, err := time.Parse(time.RFC3339, info.Created); err == nil {
		seconds = t.Unix()
	}
	return map[string]any{
		"Env":       vars,
		"Date":      info.Created,
		"Timestamp": seconds,
		"Git": map[string]any{
			"FullCommit": commit, "ShortCommit": commit[:min(7, len(commit))], "Tag": tag,
			"CommitDate": info.Created, "CommitTimestamp": seconds, "IsDirty": dirty, "IsClean": !dirty, "TreeState": state,
		},
	}
}

func expandKo(list []string, data map[string]any) ([]string, error) {
	var out []string
	for _, s := range list {
		t, err := template.New("").Option("missingkey=error").Parse(s)
		if err != nil {
			return nil, fmt.Errorf("template %q: %w", s, err)
		}
		var b strings.Builder
		if err := t.Execute(&b, data); err != nil {
			return nil, fmt.Errorf("template %q: %w: give the program its flags in slipway.yaml, where they depend on more than the source", s, err)
		}
		out = append(out, b.String())
	}
	return out, nil
}
