package product

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

func (c *checker) release() {
	in := &c.in.Release
	out := &c.out.Release
	for i := range in.Templates {
		c.template(&in.Templates[i])
		out.Templates = append(out.Templates, Template(in.Templates[i]))
	}
	out.Values, out.ValuePos = in.Values, map[string]yamlfile.Pos{}
	for _, s := range c.Strings(&in.Values) {
		c.releaseText(s.Pos, s.Value)
		out.ValuePos[s.Path] = s.Pos
	}
	for i := range in.Env {
		out.Env = append(out.Env, c.env(&in.Env[i]))
	}
}

// template checks the path of a template where its source is at hand; a module's is looked at
// when it is rendered.
func (c *checker) template(t *templateYAML) {
	if t.Path == "" {
		return
	}
	if t.Source == "" {
		if !c.Bad(&t.Source) {
			c.path(&t.Path, exists, "template")
		}
		return
	}
	if !filepath.IsLocal(filepath.FromSlash(t.Path)) {
		c.Errorf(&t.Path, "template %s leads out of source %s: write a path in it", t.Path, t.Source)
		return
	}
	if !c.refer(&t.Source, c.sources) {
		return
	}
	if dir := c.out.Source(t.Source).Directory; dir != "" {
		full := filepath.Join(dir, filepath.FromSlash(t.Path))
		if _, err := os.Stat(full); err != nil {
			c.Errorf(&t.Path, "source %s has no template %s: correct the path, which starts in %s", t.Source, t.Path, dir)
		} else if why := c.leaves(t.Source, full); why != "" {
			c.Errorf(&t.Path, "%s", why)
		}
	}
}

var (
	kinds        = []string{"CronJob", "DaemonSet", "Deployment", "Job", "Pod", "StatefulSet"}
	variableForm = form{regexp.MustCompile(`^[A-Za-z_.-][A-Za-z0-9_.-]*$`), "use letters, digits, _ . and -, and no digit first"}
)

func (c *checker) env(in *envYAML) WorkloadEnv {
	if in.Kind != "" && !slices.Contains(kinds, in.Kind) {
		c.Errorf(&in.Kind, "unknown kind of workload %s: %s", in.Kind, yamlfile.Suggest(in.Kind, kinds))
	}
	out := WorkloadEnv{Kind: in.Kind, Namespace: in.Namespace, Name: in.Name, Container: in.Container, Pos: c.Pos(&in.Kind)}
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
