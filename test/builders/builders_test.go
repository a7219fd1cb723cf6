package builders

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

const dockerfile = `FROM docker.io/library/demobase:latest AS made
ARG WHO=nobody
ARG SOURCE_DATE_EPOCH
COPY . /context/
COPY --from=binaries linux_amd64/tool /tool
RUN /bin/busybox mkdir /made && \
    echo "$WHO $SOURCE_DATE_EPOCH" >/made/file
ENTRYPOINT ["/tool"]
FROM made AS not-asked-for
RUN exit 7
`

// checkout writes a context as another user might have it: other times, and other modes.
func checkout(t *testing.T, mode fs.FileMode, times time.Time) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Dockerfile": dockerfile, ".dockerignore": "*.log\nDockerfile\n", "a": "one", "b.log": "", ".slipway/x": "",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	must(t, os.Chmod(filepath.Join(dir, "a"), mode))
	must(t, os.Chtimes(filepath.Join(dir, "a"), times, times))
	return dir
}

// request returns what is asked of a builder, with a context that is staged.
func request(t *testing.T, base, checkout string) builder.Request {
	t.Helper()
	dir := t.TempDir()
	tool := filepath.Join(dir, "bin", "linux_amd64", "tool")
	write(t, tool, "program")
	must(t, os.Chmod(tool, 0o755))
	context := filepath.Join(dir, "context")
	must(t, os.Mkdir(context, 0o755))
	file := filepath.Join(checkout, "Dockerfile")
	must(t, builder.Stage(t.Context(), checkout, []string{".slipway"}, []string{file + ".dockerignore"},
		func(_ string, fi fs.FileInfo) (fs.FileMode, error) { return fi.Mode()&^0o777 | 0o644, nil }, context))
	return builder.Request{
		File: file, Shown: "Dockerfile", Context: context, Staged: true, Target: "made",
		Args:     map[string]string{"WHO": "me,=\"too\""},
		Labels:   map[string]string{"org.example": "a,b=c"},
		Contexts: map[string]string{"docker.io/library/demobase:latest": base, "binaries": filepath.Join(dir, "bin")},
		Platform: amd64, Epoch: epoch,
	}
}

// TestSame: each builder makes the image that was asked for, and the same one again: without what
// it remembers, from a checkout with other times and modes, and in another daemon.
func TestSame(t *testing.T) {
	base := base(t)
	for _, name := range builder.Names() {
		t.Run(name, func(t *testing.T) {
			tool := start(t, name)
			first := build(t, tool, request(t, base, checkout(t, 0o644, time.Now())))
			const at = " 2024-05-06 07:08:09"
			want := map[string]string{
				"/context/a": "one 644" + at, "/context/.dockerignore": "*.log\nDockerfile\n 644" + at,
				"/tool": "program 755" + at, "/made/file": "me,=\"too\" 1714979289\n 644" + at,
			}
			if !reflect.DeepEqual(first.files, want) {
				t.Errorf("the files are %q, want %q", first.files, want)
			}
			c := first.config
			if c.OS+"/"+c.Architecture != "linux/amd64" || !c.Created.Equal(epoch) || c.Config.Labels["org.example"] != "a,b=c" ||
				strings.Join(c.Config.Entrypoint, " ") != "/tool" {
				t.Errorf("the configuration is %+v", c)
			}
			fresh := request(t, base, checkout(t, 0o600, time.Unix(1, 0)))
			fresh.Fresh = true
			if again := build(t, tool, fresh); again.digest != first.digest {
				t.Errorf("a second build makes %s, not %s:\n%s\n%s", again.digest, first.digest, again, first)
			}
			other := start(t, name)
			if again := build(t, other, request(t, base, checkout(t, 0o755, time.Unix(1e9, 0)))); again.digest != first.digest {
				t.Errorf("another daemon makes %s, not %s:\n%s\n%s", again.digest, first.digest, again, first)
			}
		})
	}
}

// TestChanges: what a builder remembers hides neither another file of the same size nor another
// time.
func TestChanges(t *testing.T) {
	base := base(t)
	for _, name := range builder.Names() {
		t.Run(name, func(t *testing.T) {
			tool := start(t, name)
			dir := checkout(t, 0o644, time.Unix(1e9, 0))
			first := build(t, tool, request(t, base, dir))
			write(t, filepath.Join(dir, "a"), "two")
			must(t, os.Chtimes(filepath.Join(dir, "a"), time.Unix(1e9, 0), time.Unix(1e9, 0)))
			second := build(t, tool, request(t, base, dir))
			if second.digest == first.digest || !strings.HasPrefix(second.files["/context/a"], "two ") {
				t.Errorf("the file is %q", second.files["/context/a"])
			}
			later := request(t, base, dir)
			later.Epoch = epoch.Add(time.Hour)
			warm := build(t, tool, later)
			later.Fresh = true
			if cold := build(t, tool, later); warm.digest != cold.digest || warm.digest == second.digest {
				t.Errorf("with another time the image is %s, without a cache %s\n%q\n%q",
					warm.digest, cold.digest, warm.files, cold.files)
			}
		})
	}
}

// TestFailingLine: the error names the line of the Dockerfile, and has what its program printed.
func TestFailingLine(t *testing.T) {
	base := base(t)
	for _, name := range builder.Names() {
		t.Run(name, func(t *testing.T) {
			tool := start(t, name)
			for _, tt := range []struct{ was, is, want string }{
				{"echo \"$WHO", "echo why; exit 3; echo \"$WHO", "Dockerfile:6: "},
				{"linux_amd64/tool", "linux_arm64/tool", "Dockerfile:5: "},
				{"ENTRYPOINT", "ENTRYPOIND", "Dockerfile:8: "},
				{"FROM docker.io/library/demobase:latest", "FROM demo.invalid/none", "Dockerfile:1: "},
			} {
				dir := checkout(t, 0o644, time.Now())
				write(t, filepath.Join(dir, "Dockerfile"), strings.Replace(dockerfile, tt.was, tt.is, 1))
				err := tool.Build(t.Context(), request(t, base, dir), t.TempDir())
				t.Logf("%v", err)
				if err == nil || !strings.HasPrefix(err.Error(), "builder "+name+": building Dockerfile for linux/amd64: "+tt.want) {
					t.Errorf("the error is not at %s", tt.want)
				}
				if tt.is == "echo why; exit 3; echo \"$WHO" && !strings.Contains(err.Error(), "why\n") {
					t.Error("the error lacks what the program printed")
				}
			}
		})
	}
}

// TestCancelled: a build that is canceled ends at once, and podman has no container of it.
func TestCancelled(t *testing.T) {
	base := base(t)
	for _, name := range builder.Names() {
		t.Run(name, func(t *testing.T) {
			tool := start(t, name)
			dir := checkout(t, 0o644, time.Now())
			write(t, filepath.Join(dir, "Dockerfile"),
				strings.Replace(dockerfile, "echo \"$WHO", "echo be''gun; /bin/busybox sleep 600; echo \"$WHO", 1))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := request(t, base, dir)
			r.Note = func(line string) {
				if strings.Contains(line, "begun") {
					cancel()
				}
			}
			begin := time.Now()
			if err := tool.Build(ctx, r, t.TempDir()); !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			t.Log(time.Since(begin))
			if name == builder.Podman {
				if left := testprog.Run(t, "podman", "ps", "--all", "--external", "--quiet"); left != "" {
					t.Errorf("podman has containers %s", left)
				}
			}
		})
	}
}

// TestCheck: a check of a builder that works succeeds; one for a platform that this machine has no
// emulation for says so.
func TestCheck(t *testing.T) {
	for _, name := range builder.Names() {
		t.Run(name, func(t *testing.T) {
			tool := start(t, name)
			must(t, tool.Check(t.Context(), []platform.Platform{amd64, {OS: "linux", Architecture: "386"}}))
			s390x := platform.Platform{OS: "linux", Architecture: "s390x"}
			t.Log(tool.Check(t.Context(), []platform.Platform{s390x}))
		})
	}
}
