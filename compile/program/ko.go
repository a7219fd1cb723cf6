package program

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/product"
)

// koFile is the part of ko's configuration that configures how a program is built
// (https://ko.build/configuration/).
type koFile struct {
	DefaultEnv     []koString `yaml:"defaultEnv"`
	DefaultFlags   koFlags    `yaml:"defaultFlags"`
	DefaultLdflags koStrings  `yaml:"defaultLdflags"`
	Builds         []koBuild  `yaml:"builds"`
}

type koBuild struct {
	ID      string     `yaml:"id"`
	Dir     string     `yaml:"dir"`
	Main    string     `yaml:"main"`
	Env     []koString `yaml:"env"`
	Flags   koFlags    `yaml:"flags"`
	Ldflags koStrings  `yaml:"ldflags"`
}

// koString is a text and its position in the file.
type koString struct {
	text         string
	line, column int
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *koString) UnmarshalYAML(n *yaml.Node) error {
	s.line, s.column = n.Line, n.Column
	return n.Decode(&s.text)
}

// koStrings is a list of strings, or one string.
type koStrings []koString

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *koStrings) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*s = koStrings{{n.Value, n.Line, n.Column}}
		return nil
	}
	return n.Decode((*[]koString)(s))
}

// koFlags is a list of strings, or one string that is split at spaces.
type koFlags []koString

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *koFlags) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*s = nil
		for _, f := range strings.Fields(n.Value) {
			*s = append(*s, koString{f, n.Line, n.Column})
		}
		return nil
	}
	return n.Decode((*[]koString)(s))
}

// koSettings are the settings of a .ko.yaml for one program.
type koSettings struct{ env, flags, ldflags []koString }

// readKo fills in what slipway.yaml leaves open from the tree's .ko.yaml, where it has one. A
// list that slipway.yaml gives is not read in .ko.yaml, so that whatever is refused there can be
// replaced.
func (p *Program) readKo(info product.BuildInfo) error {
	const name = ".ko.yaml"
	root, err := regular.OpenRoot(p.Tree.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("program %s: %w", p.Name, err)
	}
	defer root.Close()
	b, err := root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	file := filepath.Join(p.Tree.Dir, name)
	if err != nil {
		return fmt.Errorf("program %s: reading %s: %w", p.Name, file, err)
	}
	ko, err := parseKo(b, p.Package)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	data := koData(ko.env, info)
	return errors.Join(
		p.take(&p.Env, koList{file, "env", ko.env, nil, refusedVariables, toolVariables}),
		p.take(&p.Flags, koList{file, "flags", ko.flags, data, refusedFlags, toolFlags}),
		p.take(&p.Ldflags, koList{file, "ldflags", ko.ldflags, data, refusedLdflags, nil}),
	)
}

// addTags adds build tags to the flags. The go command takes the last -tags only, so that all
// become one.
func (p *Program) addTags(tags []string) {
	if len(tags) == 0 {
		return
	}
	flags, all := splitTags(p.Flags)
	for _, t := range tags {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	flags = append(flags, "-tags="+strings.Join(all, ","))
	p.Flags = flags
}

// splitTags takes the build tags out of flags: those of the last -tags, nil without one.
func splitTags(all []string) (flags, tags []string) {
	for i := 0; i < len(all); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(all[i], "-"), "=")
		switch {
		case name != "tags":
			flags = append(flags, all[i])
			continue
		case !given && i+1 < len(all): // of a .ko.yaml
			i++
			value = all[i]
		}
		tags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return flags, tags
}

// Tags returns the build tags of the program: those of its flags, or else of GOFLAGS.
func (p Program) Tags() []string {
	_, tags := splitTags(p.Flags)
	for _, kv := range p.Env {
		if v, ok := strings.CutPrefix(kv, "GOFLAGS="); ok && tags == nil {
			_, tags = splitTags(strings.Fields(v))
		}
	}
	return tags
}

// koList is one list of a .ko.yaml. others and own check it in a third-party source and in the
// product's own.
type koList struct {
	file, field string
	list        []koString
	data        map[string]any // for its templates; nil for none
	others, own func([]string) []refusal
}

// take sets a list that slipway.yaml lacks, if nothing in it is refused.
func (p *Program) take(to *[]string, l koList) error {
	if *to != nil || len(l.list) == 0 {
		return nil
	}
	var errs []error
	fail := func(at koString, format string, args ...any) {
		where := fmt.Sprintf("%s:%d:%d: ", l.file, at.line, at.column)
		remedy := fmt.Sprintf(": give source %s or program %s its own %s in slipway.yaml, which replace these",
			p.Tree.Source.Name, p.Name, l.field)
		errs = append(errs, errors.New(where+fmt.Sprintf(format, args...)+remedy))
	}
	taken := make([]string, len(l.list))
	for i, s := range l.list {
		var err error
		if taken[i], err = expandKo(s.text, l.data); err != nil {
			fail(s, "%v", err)
		}
	}
	check, whose := l.others, "the .ko.yaml of another project"
	if p.Tree.Source.Own {
		check, whose = l.own, "a .ko.yaml"
	}
	if check != nil {
		for _, r := range check(taken) {
			fail(l.list[r.at], "%s may not have %q under %s: %s", whose, taken[r.at], l.field, r.why)
		}
	}
	*to = taken
	return errors.Join(errs...)
}

// parseKo returns the settings that a .ko.yaml has for a main package.
func parseKo(b []byte, pkg string) (koSettings, error) {
	var ko koFile
	if err := yaml.Unmarshal(b, &ko); err != nil {
		return koSettings{}, err
	}
	s := koSettings{ko.DefaultEnv, ko.DefaultFlags, ko.DefaultLdflags}
	for _, build := range ko.Builds {
		main := build.Main
		if strings.HasSuffix(main, ".go") {
			main = path.Dir(main)
		}
		if path.Join(".", build.Dir, main) != path.Join(".", pkg) {
			continue
		}
		if len(build.Env) > 0 {
			s.env = build.Env
		}
		if len(build.Flags) > 0 {
			s.flags = build.Flags
		}
		if len(build.Ldflags) > 0 {
			s.ldflags = build.Ldflags
		}
	}
	return s, nil
}

// koData is what templates in a .ko.yaml may name
// (https://ko.build/configuration/#templating-support), as far as it depends neither on the time
// of day nor on this machine: of the environment there is what the .ko.yaml itself sets.
func koData(env []koString, info product.BuildInfo) map[string]any {
	vars := map[string]string{"LDFLAGS": ""}
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv.text, "="); ok {
			vars[k] = v
		}
	}
	commit, dirty := strings.CutSuffix(info.Revision, "-dirty")
	state, tag := "clean", ""
	if dirty {
		state = "dirty"
	}
	if info.SourceVersion != info.Revision { // a module's version, which a directory lacks
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
			"CommitDate": info.Created, "CommitTimestamp": seconds, "IsDirty": dirty, "IsClean": !dirty,
			"TreeState": state,
		},
	}
}

func expandKo(text string, data map[string]any) (string, error) {
	if data == nil {
		return text, nil
	}
	t, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("template %q: %w", text, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("template %q: %w", text, err)
	}
	return b.String(), nil
}
