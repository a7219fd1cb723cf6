package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

var info = product.BuildInfo{
	Version: "1.2.3", Revision: "0123456789abcdef", Created: "2025-01-16T21:57:50Z",
	SourceVersion: "0.16.1",
}

func TestParseKo(t *testing.T) {
	for _, tc := range []struct {
		name, pkg, text     string
		env, flags, ldflags []string
	}{
		{name: "empty", pkg: "./cmd/a"},
		{
			name: "defaults", pkg: "./cmd/a",
			text: "defaultEnv: [A=b]\ndefaultFlags: [-tags, x]\ndefaultLdflags: " +
				"[-s]\ndefaultBaseImage: example.com/base\n",
			env: []string{"A=b"}, flags: []string{"-tags", "x"}, ldflags: []string{"-s"},
		},
		{
			name: "build for the package", pkg: "./cmd/a",
			text: "defaultFlags: [-v]\nbuilds:\n- id: b\n  main: ./cmd/b\n  flags: [-tags=b]\n- id: " +
				"a\n  main: ./cmd/a\n  env: [GOAMD64=v2]\n  ldflags: [-w]\n",
			env:     []string{"GOAMD64=v2"},
			flags:   []string{"-v"},
			ldflags: []string{"-w"},
		},
		{
			name: "build by its file", pkg: "./cmd/a", text: "builds: [{main: cmd/a/start.go, flags: [-v]}]",
			flags: []string{"-v"},
		},
		{
			name: "build by its directory", pkg: "./cmd/a", text: "builds: [{dir: ./cmd/a, flags: [-v]}]",
			flags: []string{"-v"},
		},
		{
			name: "build by both", pkg: "cmd/a", text: "builds: [{dir: cmd, main: ./a, flags: [-v]}]",
			flags: []string{"-v"},
		},
		{name: "build of the root", pkg: ".", text: "builds: [{flags: [-v]}]", flags: []string{"-v"}},
		{
			name: "build of the root's file", pkg: "./", text: "builds: [{main: main.go, flags: [-v]}]",
			flags: []string{"-v"},
		},
		{
			name: "flags in one string", pkg: ".", text: "builds: [{flags: -v  -tags=x, ldflags: -s -w}]",
			flags: []string{"-v", "-tags=x"}, ldflags: []string{"-s -w"},
		},
		{
			name: "templates", pkg: ".",
			text: `builds:
- env: [MODE=fast]
  flags: ["-tags={{.Env.MODE}}"]
  ldflags:
  - -X main.commit={{.Git.FullCommit}}
  - -X main.short={{.Git.ShortCommit}}
  - -X main.tag={{.Git.Tag}}
  - -X main.date={{.Date}} -X main.at={{.Timestamp}}
  - -X main.committed={{.Git.CommitDate}} -X main.committedAt={{.Git.CommitTimestamp}}
  - -X main.state={{.Git.TreeState}} -X main.dirty={{.Git.IsDirty}}{{.Git.IsClean}}
  - "{{.Env.LDFLAGS}}"
`,
			env:   []string{"MODE=fast"},
			flags: []string{"-tags=fast"},
			ldflags: []string{
				"-X main.commit=0123456789abcdef", "-X main.short=0123456", "-X main.tag=v0.16.1",
				"-X main.date=2025-01-16T21:57:50Z -X main.at=1737064670",
				"-X main.committed=2025-01-16T21:57:50Z -X main.committedAt=1737064670",
				"-X main.state=clean -X main.dirty=falsetrue", "",
			},
		},
		{name: "flags that only look like tools", pkg: ".", text: "builds: [{flags: [-tags=toolexec, " +
			"-ldflags=-X a=-toolexec]}]", flags: []string{"-tags=toolexec", "-ldflags=-X a=-toolexec"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := withKo(t, tc.text, tc.pkg, info, true)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([][]string{tc.env, tc.flags, tc.ldflags}, [][]string{p.Env, p.Flags, p.Ldflags}); d != "" {
				t.Errorf("env, flags, ldflags (-want +got):\n%s", d)
			}
		})
	}
}

func TestParseKoDirectory(t *testing.T) {
	dirty := info
	dirty.Revision, dirty.SourceVersion = "0123456789abcdef-dirty", "0123456789abcdef-dirty"
	p, err := withKo(t, `defaultLdflags: ["{{.Git.ShortCommit}}|{{.Git.FullCommit}}|{{.Git.Tag}}|{{.Git.TreeState}}"]`,
		".", dirty, true)
	if d := cmp.Diff([]string{"0123456|0123456789abcdef||dirty"}, p.Ldflags); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestParseKoErrors(t *testing.T) {
	for _, tc := range []struct{ text, says string }{
		{"builds: 1", "cannot unmarshal"},
		{"builds: [", "yaml"},
		{"defaultFlags: {a: b}", "map"},
		{"defaultLdflags: ['{{.Env.VERSION}}']", "slipway.yaml"},
		{"defaultLdflags: ['{{.Nothing}}']", "slipway.yaml"},
		{"defaultLdflags: ['{{']", "template"},
		{"defaultFlags: [-toolexec=/bin/sh]", "-toolexec=/bin/sh"},
		{"defaultFlags: [--toolexec, /bin/sh]", "--toolexec"},
		{"defaultFlags: ['-{{print `toolexec`}}=x']", "-toolexec=x"},
		{"defaultEnv: ['GOFLAGS=-v -toolexec=x']", "-toolexec=x"},
	} {
		if p, err := withKo(t, tc.text, ".", info, true); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%q gives %q, %q, %q and the error %v, want one that says %q", tc.text, p.Env,
				p.Flags, p.Ldflags, err, tc.says)
		}
	}
}

// withKo reads a .ko.yaml for a program of the product's own source
// tree or of a third party's.
func withKo(t testing.TB, text, pkg string, info product.BuildInfo, own bool) (Program, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".ko.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p := Program{Name: "p", Package: pkg, Tree: source.Tree{Dir: dir, Source: product.Source{Name: "s", Own: own}}}
	return p, p.readKo(info)
}

// TestNew checks that the flags of a program follow those of its source, and that .ko.yaml
// counts only if slipway.yaml has neither.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	ko := "defaultEnv: [FROM=ko]\ndefaultFlags: [-tags=ko]\ndefaultLdflags: [-X ko]\n"
	if err := os.WriteFile(filepath.Join(dir, ".ko.yaml"), []byte(ko), 0o644); err != nil {
		t.Fatal(err)
	}
	type lists = product.GoFlags
	said := func(env, flags, ldflags []string) lists { return lists{Env: env, Flags: flags, Ldflags: ldflags} }
	for _, tc := range []struct {
		name                  string
		source, program, want lists
	}{
		{"nothing said", lists{}, lists{}, said([]string{"FROM=ko"}, []string{"-tags=ko"}, []string{"-X ko"})},
		{
			"the source says",
			lists{Ldflags: []string{"-X {{.Version}}"}},
			lists{},
			said([]string{"FROM=ko"}, []string{"-tags=ko"}, []string{"-X 1.2.3"}),
		},
		{
			"an empty list says that there are none",
			said([]string{}, []string{}, []string{}),
			lists{},
			said([]string{}, []string{}, []string{}),
		},
		{
			"both say",
			said([]string{"A=1"}, []string{"-v"}, []string{"-s"}),
			said([]string{"B=2"}, []string{"-a"}, []string{"-X {{.Revision}}"}),
			said([]string{"A=1", "B=2"}, []string{"-v", "-a"}, []string{"-s", "-X abc"}),
		},
		{
			"tags of the program",
			lists{},
			lists{Tags: []string{"b", "ko"}},
			said([]string{"FROM=ko"}, []string{"-tags=ko,b"}, []string{"-X ko"}),
		},
		{
			"tags of both",
			lists{Tags: []string{"a"}, Flags: []string{}},
			lists{Tags: []string{"b", "a"}},
			said([]string{"FROM=ko"}, []string{"-tags=a,b"}, []string{"-X ko"}),
		},
		{
			"tags and flags",
			lists{Flags: []string{"-tags=x,y", "-v"}},
			lists{Flags: []string{"--tags=z"}, Tags: []string{"b"}},
			said([]string{"FROM=ko"}, []string{"-v", "-tags=z,b"}, []string{"-X ko"}),
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := source.Tree{Dir: dir, Source: product.Source{
				Name: "s", Directory: dir, Own: true, Revision: "abc", GoFlags: tc.source,
			}}
			p, err := New(product.Program{Name: "p", Package: ".", GoFlags: tc.program}, tree, "1.2.3",
				platform.Platform{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, said(p.Env, p.Flags, p.Ldflags)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	tree := source.Tree{Dir: dir}
	if _, err := New(product.Program{Name: "p", GoFlags: lists{Ldflags: []string{"{{.Nope}}"}}},
		tree, "1", platform.Platform{}); err == nil || !strings.Contains(err.Error(), "program p: ldflags") {
		t.Errorf("an unknown field gives %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ko.yaml"), []byte("builds: 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := New(product.Program{Name: "p"}, tree, "1", platform.Platform{}); err == nil ||
		!strings.Contains(err.Error(), filepath.Join(dir, ".ko.yaml")) {
		t.Errorf("a broken .ko.yaml gives %v", err)
	}
}

// FuzzParseKo checks that no .ko.yaml causes a panic, and that no flag that
// runs a command is accepted.
func FuzzParseKo(f *testing.F) {
	for _, s := range []string{
		"", "defaultFlags: [-v]", "defaultFlags: -v -tags=x",
		"builds:\n- main: ./cmd/a\n  ldflags: ['-X a={{.Git.Tag}}']\n  env: [A=b]\n",
		"builds: [{dir: cmd, main: a/main.go}]", "defaultEnv: [GOFLAGS=-toolexec=x]", "a: &a [*a]",
		"defaultLdflags: ['{{range 3}}x{{end}}']",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if strings.Contains(string(b), "range") {
			return // a template may loop for a long time
		}
		p, err := withKo(t, string(b), "./cmd/a", info, false)
		if err != nil {
			if err.Error() == "" {
				t.Error("the error says nothing")
			}
			return
		}
		all := strings.Join(slices.Concat(p.Flags, p.Env), "\n")
		for _, s := range []string{
			"toolexec", "GOFLAGS", "CACHEPROG", "CC=", "linkmode", "-extld ",
			"-extld=", "overlay", "modfile", "\n@",
		} {
			if strings.Contains(all, s) && !strings.Contains(all, "tags") && !strings.Contains(all, "-X") &&
				!strings.Contains(all, "buildid") {
				t.Errorf("%q came through in %q", s, all)
			}
		}
	})
}
