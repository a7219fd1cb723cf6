package product

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/git"
)

const gitProduct = `apiVersion: slipway/v1
name: demo
version: git
platforms: [linux/amd64]
sources:
  - {name: src, directory: ., revision: abc1234, created: 2025-01-16T21:57:50Z}
images:
  - {name: demo, source: src, dockerfile: {file: Dockerfile}}
`

// repo is a git repository of a test.
type repo struct {
	*testing.T

	dir string
}

// newRepo makes a repository with a product and without a commit. Each commit is of
// 2026-11-21T09:30:00Z.
func newRepo(t *testing.T) repo {
	t.Helper()
	for k, v := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "SLIPWAY_VERSION": "", "SLIPWAY_REGISTRY": "",
		"LC_ALL":          "C",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "c",
		"GIT_COMMITTER_EMAIL": "c@example.com",
		"GIT_AUTHOR_DATE":     "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-11-21T10:30:00+01:00",
		// for submodules
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow", "GIT_CONFIG_VALUE_0": "always",
	} {
		t.Setenv(k, v)
	}
	r := repo{t, t.TempDir()}
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(r.dir))
	r.git("init", "-q", "-b", "main")
	r.write("slipway.yaml", gitProduct)
	r.write("Dockerfile", "FROM scratch\n")
	return r
}

// git runs git and returns what it prints.
func (r repo) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repo) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		r.Fatal(err)
	}
}

// commit commits everything and tags the commit.
func (r repo) commit(tags ...string) {
	r.Helper()
	r.git("add", ".")
	r.git("commit", "-q", "--allow-empty", "-m", "a commit for "+strings.Join(tags, ", "))
	for _, t := range tags {
		r.git("tag", t)
	}
}

// in is the repository in another directory.
func (r repo) in(dir string) repo { return repo{r.T, dir} }

func TestGitVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(r repo) repo // makes the repository; the product is loaded from what it returns
		want string            // the version, or the error; HASH is that of the commit
		from string            // where the version comes from
	}{
		"a tag": {
			func(r repo) repo { r.commit("v1.2.3", "latest", "v1", "chart-9.0.0"); return r },
			"v1.2.3", "tag v1.2.3 of commit HASH",
		},
		"an annotated tag": {
			func(r repo) repo { r.commit(); r.git("tag", "-a", "-m", "x", "1.2.3"); return r },
			"1.2.3", "tag 1.2.3 of commit HASH",
		},
		"a prerelease": {
			func(r repo) repo { r.commit("v1.2.3-rc.1"); return r }, "v1.2.3-rc.1",
			"tag v1.2.3-rc.1 of commit HASH",
		},
		"after a tag": {
			func(r repo) repo { r.commit("v1.2.3", "v1.2.0"); r.commit("nightly"); return r },
			"v1.2.4-0.20261121093000-HASH", "commit HASH after tag v1.2.3",
		},
		"after a tag without v": {
			func(r repo) repo { r.commit("1.2.9"); r.commit(); return r },
			"1.2.10-0.20261121093000-HASH", "commit HASH after tag 1.2.9",
		},
		"after a prerelease": {
			func(r repo) repo { r.commit("v1.2.3-rc.1"); r.commit(); return r },
			"v1.2.3-rc.1.0.20261121093000-HASH", "commit HASH after tag v1.2.3-rc.1",
		},
		"after build metadata": {
			func(r repo) repo { r.commit("v1.2.3+rke2r1"); r.commit(); return r },
			"v1.2.4-0.20261121093000-HASH", "commit HASH after tag v1.2.3+rke2r1",
		},
		"after a merge of a lower tag": {
			func(r repo) repo {
				r.commit("v1.2.0")
				r.git("checkout", "-q", "-b", "patch")
				r.commit("v1.1.9")
				r.git("checkout", "-q", "main")
				r.commit("v1.3.0")
				r.git("merge", "-q", "-m", "a merge", "patch")
				return r
			}, "v1.3.1-0.20261121093000-HASH", "commit HASH after tag v1.3.0",
		},
		"no tag": {
			func(r repo) repo { r.commit("latest"); return r }, "v0.0.0-20261121093000-HASH",
			"commit HASH",
		},
		"a prefix": {
			func(r repo) repo { r.prefix("chart-"); r.commit("chart-v1.0.0", "v2.0.0"); return r },
			"v1.0.0", "tag chart-v1.0.0 of commit HASH",
		},
		"the prefix v": {
			func(r repo) repo { r.prefix("v"); r.commit("v1.0.0"); return r },
			"1.0.0", "tag v1.0.0 of commit HASH",
		},
		"after a prefix": {
			func(r repo) repo { r.prefix("chart-"); r.commit("chart-1.0.0"); r.commit("v2.0.0"); return r },
			"1.0.1-0.20261121093000-HASH", "commit HASH after tag chart-1.0.0",
		},
		"no tag of a prefix": {
			func(r repo) repo { r.prefix("v"); r.commit("1.0.0"); return r },
			"0.0.0-20261121093000-HASH", "commit HASH",
		},
		"a detached head": {
			func(r repo) repo { r.commit("v1.0.0"); r.commit("v1.1.0"); r.git("checkout", "-q", "v1.0.0"); return r },
			"v1.0.0", "tag v1.0.0 of commit HASH",
		},
		"a worktree": {
			func(r repo) repo {
				r.commit("v1.0.0")
				dir := filepath.Join(r.TempDir(), "tree")
				r.git("worktree", "add", "-q", "-b", "other", dir)
				r.in(dir).commit("v1.1.0")
				return r.in(dir)
			}, "v1.1.0", "tag v1.1.0 of commit HASH",
		},
		"a submodule": {
			func(r repo) repo {
				r.commit("v1.0.0")
				outer := r.in(r.TempDir())
				outer.git("init", "-q")
				outer.git("submodule", "add", "-q", r.dir, "product")
				outer.commit("v9.0.0")
				return r.in(filepath.Join(outer.dir, "product"))
			}, "v1.0.0", "tag v1.0.0 of commit HASH",
		},
		"a subdirectory": {
			func(r repo) repo {
				r.write("sub/slipway.yaml", gitProduct)
				r.write("sub/Dockerfile", "FROM scratch\n")
				r.commit("v1.0.0")
				return r.in(filepath.Join(r.dir, "sub"))
			},
			"v1.0.0", "tag v1.0.0 of commit HASH",
		},
		"dirty": {
			func(r repo) repo { r.commit("v1.2.3"); r.write("Dockerfile", "FROM scratch\nUSER 1\n"); return r },
			"v1.2.4-0.20261121093000-HASH.dirty", "commit HASH after tag v1.2.3 and changes that are not committed",
		},
		"an untracked file": {
			func(r repo) repo { r.commit(); r.write("new", ""); return r },
			"v0.0.0-20261121093000-HASH.dirty", "commit HASH and changes that are not committed",
		},
		"an ignored product": {
			func(r repo) repo { r.write(".gitignore", "slipway.yaml\n"); r.commit("v1.2.3"); return r },
			"v1.2.4-0.20261121093000-HASH.dirty", "commit HASH after tag v1.2.3 and changes that are not committed",
		},
		"an ignored product after a tag": {
			func(r repo) repo { r.write(".gitignore", "slipway.yaml\n"); r.commit("v1.2.3"); r.commit(); return r },
			"v1.2.4-0.20261121093000-HASH.dirty", "commit HASH after tag v1.2.3 and changes that are not committed",
		},
		"a file of git where Slipway writes": {
			func(r repo) repo {
				r.write("out/template", "")
				r.commit("v1.2.3")
				r.write("out/template", "changed")
				return r
			},
			"v1.2.4-0.20261121093000-HASH.dirty", "commit HASH after tag v1.2.3 and changes that are not committed",
		},
		"what Slipway writes": {
			func(r repo) repo {
				r.commit("v1.2.3")
				r.write("out/release.yaml", "")
				r.write(".slipway/oci-layout", "")
				return r
			},
			"v1.2.3", "tag v1.2.3 of commit HASH",
		},
		"a shallow clone of a tag": {
			func(r repo) repo { r.commit(); r.commit("v1.2.3"); return r.shallow() }, "v1.2.3",
			"tag v1.2.3 of commit HASH",
		},
		"a shallow clone": {
			func(r repo) repo { r.commit("v1.2.3"); r.commit(); return r.shallow() },
			"slipway.yaml:3:10: version git: " +
				"this clone is shallow, and tags before commit HASH are unknown: " +
				"run git fetch --unshallow --tags (fetch-depth: " +
				"0 for actions/checkout), or give the version with -version or SLIPWAY_VERSION", "",
		},
		"several tags": {
			func(r repo) repo { r.commit("v1.2.3", "v1.2.3-rc.2", "chart-1.0.0"); return r },
			"slipway.yaml:3:10: version git: commit HASH has the version tags v1.2.3, v1.2.3-rc.2: " +
				"keep one of them, or give the version with -version or SLIPWAY_VERSION", "",
		},
		"build metadata": {
			func(r repo) repo { r.commit("v1.2.3+rke2r1"); return r },
			"slipway.yaml:3:10: version git: tag v1.2.3+rke2r1 of commit HASH has a +, which the tag of an image " +
				"cannot have: give the commit another tag, or give the version with -version or SLIPWAY_VERSION", "",
		},
		"two numbers": {
			func(r repo) repo { r.prefix("chart-"); r.commit("chart-v1.2"); return r },
			"slipway.yaml:3:10: version git: " +
				"tag chart-v1.2 of commit HASH is not a version such as chart-v1.2.3 or chart-v1.2.3-rc.1: " +
				"give the commit another tag, or give the version with -version or SLIPWAY_VERSION", "",
		},
		"no commit": {
			func(r repo) repo { return r },
			"slipway.yaml:3:10: version git: git log: your current branch 'main' does not have any commits yet: " +
				"commit the product, or give the version with -version or SLIPWAY_VERSION", "",
		},
		"no repository": {
			func(r repo) repo {
				if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
					r.Fatal(err)
				}
				return r
			},
			"slipway.yaml:3:10: version git: git: not a git repository (or any of the parent directories): " +
				"commit the product to git, or give the version with -version or SLIPWAY_VERSION", "",
		},
		"no git": {
			func(r repo) repo { r.commit("v1.0.0"); r.Setenv("PATH", r.TempDir()); return r },
			"slipway.yaml:3:10: version git: the git command is not in PATH: " +
				"install it, or give the version with -version or SLIPWAY_VERSION", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := tc.do(newRepo(t))
			t.Chdir(r.dir)
			p, err := Load(t.Context(), Options{Made: []string{"out"}})
			if err == nil {
				r.is(p, tc.want, tc.from)
			} else if got := strings.TrimSpace(err.Error()); got != r.hash(tc.want) {
				t.Errorf("the error is\n%s\nwant\n%s", got, r.hash(tc.want))
			}
		})
	}
}

// prefix sets tagPrefix in slipway.yaml.
func (r repo) prefix(text string) {
	r.Helper()
	r.write("slipway.yaml", strings.Replace(gitProduct, "version: git\n", "version: git\ntagPrefix: "+text+"\n", 1))
}

// shallow returns a clone of the last commit alone.
func (r repo) shallow() repo {
	r.Helper()
	dir := filepath.Join(r.TempDir(), "clone")
	r.git("clone", "-q", "--depth=1", "file://"+r.dir, dir)
	return r.in(dir)
}

// hash puts the hash of the commit into a text.
func (r repo) hash(text string) string {
	r.Helper()
	if !strings.Contains(text, "HASH") {
		return text
	}
	return strings.ReplaceAll(text, "HASH", r.git("rev-parse", "HEAD")[:12])
}

func (r repo) is(p *Product, version, from string) {
	r.Helper()
	if p.Version != r.hash(version) || p.VersionSource.String() != r.hash(from) {
		r.Errorf("the product is %s, want %s from %s", p.Title(), r.hash(version), r.hash(from))
	}
}

// TestChangedOnce: a file that git does not have is one change, and whoever only looks at the
// product gets it among the demands.
func TestChangedOnce(t *testing.T) {
	for dir, want := range map[string]string{".": "(slipway.yaml)", "sub": "(sub/)"} {
		r := newRepo(t)
		at := filepath.Join(dir, File)
		r.write(filepath.Join(dir, "Dockerfile"), "FROM scratch\n")
		r.git("add", "Dockerfile")
		if dir != "." {
			r.git("add", File)
		}
		r.git("commit", "-q", "-m", "all but "+at)
		r.write(at, gitProduct)
		p, err := Load(t.Context(), Options{
			Path: filepath.Join(r.dir, at), Registries: []string{"registry.example"}, Only: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Demands) != 1 || !strings.Contains(p.Demands[0], want) {
			t.Errorf("the demands are %q, want %s", p.Demands, want)
		}
	}
}

// TestChanged checks that a registry gets only what a commit has, and that a snapshot says so.
func TestChanged(t *testing.T) {
	r := newRepo(t)
	r.commit("v1.0.0")
	r.write("new", "")
	r.write("Dockerfile", "FROM scratch\nUSER 1\n")
	t.Chdir(r.dir)
	const want = "slipway.yaml:3:10: version git: the work tree has changes that are not committed " +
		"(Dockerfile and 1 more): commit them, or give the version with -version or SLIPWAY_VERSION"
	if _, err := Load(t.Context(), Options{Registries: []string{"registry.example"}}); err == nil ||
		err.Error() != want {
		t.Errorf("with a registry: %v", err)
	}
	p, err := Load(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Demands) != 1 || p.Demands[0] != want {
		t.Errorf("the demands are %q", p.Demands)
	}
	p, err = Load(t.Context(), Options{Registries: []string{"registry.example"}, Version: "v1.0.0"})
	if err != nil || p.Version != "v1.0.0" || p.VersionSource.String() != "-version" {
		t.Errorf("with a version: %+v, %v", p, err)
	}
	if _, err := Load(t.Context(), Options{Registries: []string{"registry.example"}, Version: "git"}); err == nil ||
		!strings.HasPrefix(err.Error(), "-version git: the work tree has changes") {
		t.Errorf("with -version=git: %v", err)
	}
}

// TestChannel checks what git decides of a channel.
func TestChannel(t *testing.T) {
	r := newRepo(t)
	r.write("slipway.yaml", strings.Replace(gitProduct, "version: git\n", `version: git
channels:
- {name: stable, versions: [release], floatingTags: [latest]}
- {name: nightly, versions: [commit], version: 'nightly-{{.Date}}-{{slice .Revision 0 7}}'}
`, 1))
	r.commit("v1.0.0")
	t.Chdir(r.dir)
	load := func(want string, o Options) {
		t.Helper()
		p, err := Load(t.Context(), o)
		if err == nil && p.Title() != r.hash(want) || err != nil && err.Error() != r.hash(want) {
			t.Errorf("%+v: the product is %v, %v, want %s", o, p, err, r.hash(want))
		}
	}
	seven := func() string { return r.git("rev-parse", "HEAD")[:7] }
	load("demo v1.0.0, from tag v1.0.0 of commit HASH, channel stable", Options{})
	load("demo v1.0.0, from -version, channel stable", Options{Version: "v1.0.0"})
	load("-channel nightly: it takes versions of the kind commit, and v1.0.0 is of the kind release: "+
		"use another channel or version", Options{Channel: "nightly"})
	r.commit()
	load("demo nightly-20261121-"+seven()+", from commit HASH after tag v1.0.0, channel nightly", Options{})
	load("-channel stable: it takes versions of the kind release, and v1.0.1-0.20261121093000-HASH "+
		"is of the kind commit: use another channel or version", Options{Channel: "stable"})
	r.write("new", "")
	load("demo nightly-20261121-"+seven()+
		".dirty, from commit HASH after tag v1.0.0 and changes that are not committed, channel nightly", Options{})
	load("slipway.yaml:3:10: version git: the work tree has changes that are not committed (new): commit them, "+
		"or give the version with -version or SLIPWAY_VERSION", Options{Registries: []string{"registry.example"}})
	// The commit is asked for, too, where the version is given.
	given := Options{Version: "v1.0.1-0.20261121093000-abcdefabcdef", Registries: []string{"registry.example"}}
	load("slipway.yaml:6:48: version of channel nightly: the work tree has changes that are not committed (new): "+
		"commit them, or give the version with -version or SLIPWAY_VERSION", given)
	if err := os.RemoveAll(".git"); err != nil {
		t.Fatal(err)
	}
	load("slipway.yaml:6:48: version of channel nightly: git: not a git repository (or any of the "+
		"parent directories): commit the product to git, or give the version with -version or SLIPWAY_VERSION", given)
}

// TestFloatingTags checks which templates of floating tags hold.
func TestFloatingTags(t *testing.T) {
	for _, tc := range []struct{ channel, version, image, want string }{
		{"", "1.2.3", "1.2.3", "own"},
		{"", "1.2.3", "v1.0.8", "own"},
		{"", "1.2.3", "v1.0.8-rc.1", ""},
		{"", "1.2.3-rc.1", "1.0.8", ""},
		{"", "2026.01.5", "2026.01.5", "own"},
		{"", "1.2.3.4", "1.2.3", "own"},
		{"", "1.2.3-0.20261121093000-abcdefabcdef", "2026.01.5", ""},
		{"{name: a}", "1.2.3-rc.1", "1.2.3-rc.1", "own"},
		{"{name: a, floatingTags: [b, c]}", "1.2.3-rc.1", "1.2.3-rc.1", "b,c"},
		{"{name: a, floatingTags: []}", "1.2.3", "1.2.3", ""},
		{"{name: a, floatingTags: [b]}\nimages: [{floatingTags: [mine]}]", "1.2.3", "1.2.3", "mine"},
		{"{name: a, floatingTags: [b]}\nimages: [{floatingTags: []}]", "1.2.3", "1.2.3", ""},
	} {
		channels, images, _ := strings.Cut(tc.channel, "\n")
		if images == "" {
			images = "images: [{name: x}]"
		}
		text := "version: " + tc.version + "\nnames: {floatingTags: [own]}\nchannels: [" + channels +
			"]\n" + images + "\n"
		c := newChecker("slipway.yaml", t.TempDir(), []byte(text))
		c.Errors = nil // other fields are missing
		o := Options{}
		if tc.channel != "" {
			o.Channel = "a"
		}
		c.version(t.Context(), o, func(string) string { return "" })
		if err := c.Err(); err != nil {
			t.Error(err)
		}
		if got := strings.Join(c.floatingTags(tc.image, &c.in.Images[0]), ","); got != tc.want {
			t.Errorf("%+v: the templates are %q", tc, got)
		}
		if images != "images: [{name: x}]" {
			continue // a chart has the tags that images have which have none of their own
		}
		if got := strings.Join(c.chartFloatingTags(tc.image, &chartYAML{FloatingTags: []string{"own"}}),
			","); got != tc.want {
			t.Errorf("%+v: the templates of a chart are %q", tc, got)
		}
		if got := c.chartFloatingTags(tc.image, &chartYAML{}); len(got) > 0 {
			t.Errorf("%+v: a chart without floating tags has %q", tc, got)
		}
	}
}

// TestBasesWithoutVersion checks that bases are locked without a repository.
func TestBasesWithoutVersion(t *testing.T) {
	r := newRepo(t)
	t.Chdir(r.dir)
	t.Setenv("SLIPWAY_VERSION", "1+2")
	if _, err := Load(t.Context(), Options{Bases: true}); err != nil {
		t.Error(err)
	}
}

func TestVersionKind(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.3": kindRelease, "v1.2.3": kindRelease, "v1.2": kindRelease, "1.2.3-rc.1": kindPrerelease,
		"v1.2.3-0":                             kindPrerelease,
		"v1.2.4-0.20261121093000-abcdefabcdef": kindCommit, "1.2.3-rc.1.0.20261121093000-abcdefabcdef": kindCommit,
		"v0.0.0-20261121093000-abcdefabcdef":         kindCommit,
		"v1.2.4-0.20261121093000-abcdefabcdef.dirty": kindCommit, "latest": "", "2024-05-06": "",
		"01.2.3": "", "vv1.2.3": "", "": "",
	} {
		if got := versionKind(version); got != want {
			t.Errorf("%s is %q, want %q", version, got, want)
		}
	}
}

// FuzzVersionOf checks that a version of a tag is semantic and the rest of the tag, that one
// without a fault can be an image's tag, and that what follows it is higher.
func FuzzVersionOf(f *testing.F) {
	for _, tag := range []string{
		"v1.2.3", "1.2.3-rc.1", "v1.2.3+k3s1", "v1.2", "v01.2.3", "v1.2.3-",
		"chart-1.0.0", "v99999999999999999999.0.0", "latest", "vv1.2.3", "v1.2.3-a..b",
	} {
		f.Add(tag, "")
		f.Add("chart-"+tag, "chart-")
		f.Add("v"+tag, "v")
	}
	commit := git.Commit{Hash: strings.Repeat("ab", 20), Time: time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)}
	f.Fuzz(func(t *testing.T, tag, prefix string) {
		v, fault := versionOf(tag, prefix)
		if v == "" {
			return
		}
		if prefix+v != tag || !semver.IsValid(withV(v)) || fault == "" && !tagForm.MatchString(v) {
			t.Errorf("tag %q with prefix %q: version %q, %q", tag, prefix, v, fault)
		}
		after, s, err := history{commit: commit, upTo: []string{tag}}.version(prefix)
		if err != nil || semver.Compare(withV(after), withV(v)) <= 0 || s.After != tag ||
			versionKind(after) != kindCommit {
			t.Errorf("after tag %q with prefix %q: version %q of %+v, %v", tag, prefix, after, s, err)
		}
	})
}
