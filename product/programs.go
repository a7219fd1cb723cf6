package product

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

func (c *checker) program(in *programYAML) {
	c.once(in.OS)
	if in.File != "" || in.Files != nil || in.URL != "" {
		c.out.Programs = append(c.out.Programs, Program{
			Name: in.Name, Pos: c.Pos(&in.Name), OS: in.OS, Prebuilt: c.prebuilt(in),
		})
		return
	}
	known := c.refer(&in.Source, c.sources)
	c.mainPackage(in, known)
	if c.Given(&in.Member) {
		c.Errorf(&in.Member, "member is for programs in archives, which file, files or url name: take it out")
	}
	of := c.out.Source(in.Source)
	c.goFlags(in.Ldflags, in.Flags, in.Env, of)
	c.goTags(in.Tags)
	c.out.Programs = append(c.out.Programs, Program{
		Name: in.Name, Pos: c.Pos(&in.Name), Source: in.Source, Package: in.Package, OS: in.OS,
		GoFlags: GoFlags{in.Ldflags, in.Flags, in.Env, in.Tags}, Systems: c.systems(in.Systems, in.OS, of),
		CC: c.compilers(in),
	})
}

// compilers checks the C compilers of a program. The compile step looks them up.
func (c *checker) compilers(in *programYAML) map[string]string {
	c.platformKeys(&in.CC, in.CC)
	for key, cc := range in.CC {
		if strings.TrimSpace(cc) == "" {
			c.Errorf(yamlfile.Entry(&in.CC, key),
				"the name of the C compiler is empty: write its command, such as x86_64-w64-mingw32-gcc")
		}
	}
	return in.CC
}

func (c *checker) mainPackage(in *programYAML, known bool) {
	p := in.Package
	if p == "" {
		return
	}
	if p != "." && !strings.HasPrefix(p, "./") || !filepath.IsLocal(filepath.FromSlash(p)) ||
		strings.Contains(p, "...") {
		c.Errorf(&in.Package, "package %q is malformed: write ./ and the directory of one main package, as in ./cmd/%s",
			p, in.Name)
		return
	}
	if dir := c.out.Source(in.Source).Directory; known && dir != "" {
		full := filepath.Join(dir, filepath.FromSlash(p))
		if fi, err := os.Stat(full); err != nil || !fi.IsDir() {
			c.Errorf(&in.Package, "source %s has no package %s: correct the path, which starts in %s",
				in.Source, path.Clean(p), dir)
		} else if why := c.leaves(in.Source, full); why != "" {
			c.Errorf(&in.Package, "%s", why)
		}
	}
}

// goFlags checks the arguments of the go command for programs of source s. What a source does
// not say is made up for the trial.
func (c *checker) goFlags(ldflags, flags, env []string, s Source) {
	_, version, _ := strings.Cut(s.Module, "@v")
	info := BuildInfo{
		Version:       c.out.Version,
		Revision:      cmp.Or(s.Revision, strings.Repeat("0", 40)),
		Created:       s.Created.UTC().Format(time.RFC3339),
		SourceVersion: cmp.Or(version, s.Revision, strings.Repeat("0", 40)),
	}
	for i := range ldflags {
		if ldflags[i] == "" {
			continue
		}
		if _, err := Expand(ldflags[i], info); err != nil {
			c.Errorf(&ldflags[i], "%v", err)
		}
	}
	for i := range flags {
		switch name, _, _ := strings.Cut(strings.TrimLeft(flags[i], "-"), "="); {
		case flags[i] == "":
		case !strings.HasPrefix(flags[i], "-"):
			c.Errorf(&flags[i],
				"%q is not a flag of go build: start it with -, and write name and value as one, -name=value", flags[i])
		case slices.Contains([]string{"o", "ldflags", "C"}, name):
			c.Errorf(&flags[i], "-%s is set by slipway: take it out; flags for the linker go under ldflags", name)
		}
	}
	c.assigned(env)
}
