//go:build linux

package buildkit

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

func TestSameAsBuildKit(t *testing.T) {
	testprog.Need(t, "buildkit")
	buildctl := daemon(t)
	for name, a := range cases(t) {
		t.Run(name, func(t *testing.T) {
			c := dockerfiletest.Load(t, a)
			for _, p := range c.Platforms {
				t.Run(strings.ReplaceAll(p, "/", "-"), func(t *testing.T) {
					compare(t, buildctl, c, p)
				})
			}
		})
	}
}

// cases are those of containerfile, and the Dockerfiles of the product.
func cases(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	all := map[string]*txtar.Archive{}
	files, err := filepath.Glob("../../containerfile/testdata/*.txtar")
	must(t, err)
	shipped, err := filepath.Glob("../../dockerfiles/*.Dockerfile")
	must(t, err)
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		must(t, err)
		all[strings.TrimSuffix(filepath.Base(f), ".txtar")] = a
	}
	for _, f := range shipped {
		b, err := os.ReadFile(f)
		must(t, err)
		platforms := "linux/amd64"
		if strings.HasSuffix(f, ".windows.Dockerfile") {
			platforms = "windows/amd64:ltsc2019 windows/amd64:ltsc2022 windows/amd64:ltsc2025"
		}
		all[filepath.Base(f)] = &txtar.Archive{
			Comment: []byte("platform " + platforms + own + links(t, "../../dockerfiles/completion")),
			Files: []txtar.File{
				{Name: "Dockerfile", Data: b},
				{Name: "images/static", Data: []byte(static)},
				{Name: "images/nanoserver", Data: []byte(nanoserver)},
			},
		}
	}
	if len(files) == 0 || len(shipped) == 0 {
		t.Fatal("the cases are not where they were")
	}
	return all
}

// links are the directives that make a context which has nothing but symbolic links.
func links(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "link context/%s %s\n", filepath.ToSlash(rel), target)
		return err
	}))
	return b.String()
}

// What the product's own Dockerfiles need: their programs, and images like the bases that
// slipway.yaml names.
const (
	own = `
program linux_amd64/completion
program linux_amd64/rebase
program windows_amd64/completion.exe
`
	static = `
config {"Env":["PATH=/usr/local/bin:/usr/bin:/bin","SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],"User":"65532:65532","WorkingDir":"/home/nonroot"}
layer
dir 755 0:0 etc
file 644 0:0 etc/passwd "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"
dir 755 0:0 home
dir 700 65532:65532 home/nonroot
dir 1777 0:0 tmp
`
	nanoserver = `
config {"Env":["PATH=C:\\Windows\\system32;C:\\Windows"],"Cmd":["c:\\windows\\system32\\cmd.exe"],"User":"ContainerUser"}
layer
dir 755 0:0 Windows
dir 755 0:0 Windows/System32
file 644 0:0 Windows/System32/cmd.exe "MZ"
`
)

// result is what is compared.
type result struct {
	Config v1.Config
	Author string
	Files  tree
}

func compare(t *testing.T, buildctl func(...string) (string, error), c *dockerfiletest.Case, p string) {
	in := c.Input
	var err error
	in.Platform, err = platform.Parse(p)
	must(t, err)
	windows := in.Platform.OS == platform.Windows
	ours, errOurs := evaluate(t, in, windows)
	theirs, errTheirs := build(t, buildctl, c.Dir, standInsOf(t, c.Images, in.Platform), in, windows)
	if c.Differs != "" {
		if errOurs == nil && errTheirs == nil && cmp.Equal(theirs, ours, cmpopts.EquateEmpty()) {
			t.Errorf("the case says that BuildKit differs (%s), but it does not", c.Differs)
		}
		return
	}
	if errOurs != nil || errTheirs != nil {
		if errOurs == nil || errTheirs == nil {
			t.Errorf("one of the two refuses:\nours: %v\nBuildKit: %v", errOurs, errTheirs)
		}
		return
	}
	if diff := cmp.Diff(theirs, ours, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-BuildKit +ours:\n%s", diff)
	}
}

func evaluate(t *testing.T, in containerfile.Input, windows bool) (result, error) {
	t.Helper()
	r, err := containerfile.Build(t.Context(), in)
	if err != nil {
		return result{}, err
	}
	out := result{Config: r.Config, Author: r.Author, Files: tree{}}
	if r.Base.Image != nil {
		out.Files.addImage(t, r.Base.Image, windows)
	}
	for _, l := range r.Layers {
		out.Files.addEntries(t, l.Entries, windows)
	}
	return out, nil
}

var syntax = regexp.MustCompile(`(?im)^#\s*syntax\s*=.*$`)

// build lets BuildKit build a case in dir, and reads the image that it writes.
func build(t *testing.T, buildctl func(...string) (string, error), dir string, images map[string]standIn,
	in containerfile.Input, windows bool,
) (result, error) {
	t.Helper()
	dest := filepath.Join(t.TempDir(), "image")
	name := in.Platform.OS + "/" + in.Platform.Architecture
	if in.Platform.OSVersion != "" {
		name = in.Platform.OS + "(" + in.Platform.OSVersion + ")/" + in.Platform.Architecture
	}
	// BuildKit would fetch the frontend that a syntax line names; the line must stay a directive
	// for those below it to be ones.
	must(t, os.WriteFile(filepath.Join(dir, "Dockerfile"), syntax.ReplaceAll(in.Source, []byte("# check=skip=none")),
		0o644))
	args := []string{
		"build", "--progress=plain", "--frontend=dockerfile.v0", "--local=context=" + in.Context,
		"--local=dockerfile=" + dir,
		"--opt=platform=" + name, "--opt=target=" + in.Target, "--output=type=oci,tar=false,dest=" + dest,
	}
	for k, v := range in.Args {
		args = append(args, "--opt=build-arg:"+k+"="+v)
	}
	for n := range in.Contexts {
		args = append(args, "--opt=context:"+n+"=local:"+n, "--local="+n+"="+filepath.Join(dir, "contexts", n))
	}
	for n, image := range images {
		args = append(args, image.options(n)...)
	}
	if out, err := buildctl(args...); err != nil {
		return result{}, &buildError{out, err}
	}
	ix, err := layout.ImageIndexFromPath(dest)
	must(t, err)
	m, err := ix.IndexManifest()
	must(t, err)
	if len(m.Manifests) != 1 {
		t.Fatalf("BuildKit wrote %d manifests", len(m.Manifests))
	}
	img, err := ix.Image(m.Manifests[0].Digest)
	must(t, err)
	cf, err := img.ConfigFile()
	must(t, err)
	out := result{Config: cf.Config, Author: cf.Author, Files: tree{}}
	out.Files.addImage(t, img, windows)
	return out, nil
}

type buildError struct {
	out string
	err error
}

func (e *buildError) Error() string {
	lines := strings.Split(strings.TrimSpace(e.out), "\n")
	return e.err.Error() + "\n" + strings.Join(lines[max(0, len(lines)-25):], "\n")
}
