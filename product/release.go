package product

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

func (c *checker) release() {
	in := &c.in.Release
	out := &c.out.Release
	forEach(in.Templates, func(t *templateYAML) {
		out.Templates = append(out.Templates, c.inSource(&t.Source, &t.Path, "template"))
	})
	forEach(in.Kustomize, func(t *templateYAML) {
		out.Kustomize = append(out.Kustomize, c.inSource(&t.Source, &t.Path, "directory"))
	})
	forEach(in.Helm, func(h *helmYAML) { out.Helm = append(out.Helm, c.helm(h)) })
	c.imageMappings()
	out.Values, out.ValuePos = in.Values, c.valueTexts(&in.Values)
	forEach(in.Env, func(e *envYAML) { out.Env = append(out.Env, c.env(e)) })
}

// valueTexts checks the strings of values and returns their positions by their paths.
func (c *checker) valueTexts(values *map[string]any) map[string]yamlfile.Pos {
	all := map[string]yamlfile.Pos{}
	for _, s := range c.Strings(values) {
		c.releaseText(s.Pos, s.Value)
		all[s.Path] = s.Pos
	}
	return all
}

func (c *checker) helm(in *helmYAML) Helm {
	h := Helm{
		Chart: in.Chart, Name: in.Name, Namespace: in.Namespace, Values: in.Values,
		ValuePos: c.valueTexts(&in.Values),
	}
	c.refer(&in.Chart, c.charts)
	if in.Path != "" {
		h.Template = c.inSource(&in.Source, &in.Path, "chart")
	} else if in.Source != "" {
		c.Errorf(&in.Source, "a chart of this file has its source there: take it out, or write the path in the source")
	}
	return h
}

// inSource checks a path in a source where the source is at hand; that in a module is checked when
// it is rendered.
func (c *checker) inSource(source, path *string, what string) Template {
	t := Template{*source, *path, c.Pos(path)}
	if t.Path == "" {
		return t
	}
	if t.Source == "" {
		if !c.Bad(source) {
			c.path(path, exists, what)
		}
		return t
	}
	if !filepath.IsLocal(filepath.FromSlash(t.Path)) {
		c.Errorf(path, "%s %s leads out of source %s: write a path in it", what, t.Path, t.Source)
		return t
	}
	if !c.refer(source, c.sources) {
		return t
	}
	if dir := c.out.Source(t.Source).Directory; dir != "" {
		full := filepath.Join(dir, filepath.FromSlash(t.Path))
		if _, err := os.Stat(full); err != nil {
			c.Errorf(path, "source %s has no %s %s: correct the path, which starts in %s", t.Source, what, t.Path, dir)
		} else if why := c.leaves(t.Source, full); why != "" {
			c.Errorf(path, "%s", why)
		}
	}
	return t
}

var (
	kinds        = []string{"CronJob", "DaemonSet", "Deployment", "Job", "Pod", "StatefulSet"}
	variableForm = form{
		lazyregexp.New(`^[A-Za-z_.-][A-Za-z0-9_.-]*$`),
		"use letters, digits, _ . and -, and no digit first",
	}
)

func (c *checker) env(in *envYAML) WorkloadEnv {
	if in.Kind != "" && !slices.Contains(kinds, in.Kind) {
		c.Errorf(&in.Kind, "unknown kind of workload %s: %s", in.Kind, yamlfile.Suggest(in.Kind, kinds))
	}
	out := WorkloadEnv{
		Kind: in.Kind, Namespace: in.Namespace, Name: in.Name, Container: in.Container,
		Pos: c.Pos(&in.Kind),
	}
	seen := map[string]bool{}
	for i := range in.Variables {
		v := &in.Variables[i]
		c.checkForm(&v.Name, "variable", variableForm)
		if seen[v.Name] && v.Name != "" {
			c.Errorf(&v.Name, "%s is set twice: keep one", v.Name)
		}
		seen[v.Name] = true
		c.releaseText(c.Pos(&v.Value), v.Value)
		out.Variables = append(out.Variables, Variable{v.Name, v.Value, c.Pos(&v.Value)})
	}
	return out
}

// releaseText tries a template of release.values or release.env.
func (c *checker) releaseText(pos yamlfile.Pos, s string) {
	_, err := expand(s, BuildInfo{Version: c.out.Version}, releaseFields, func(image string) (string, error) {
		if why := c.images.unknown(image); why != "" {
			return "", errorText(why)
		}
		return "registry.example/repository@sha256:" + sampleDigest, nil
	})
	if err != nil {
		c.At(pos, "%v", err)
	}
}
