package builder_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/internal/subprocess"
	"github.com/slipway-dev/slipway/platform"
)

var (
	scratch = regexp.MustCompile(`/\S*/slipway-[0-9]+\.tmp`)
	random  = regexp.MustCompile(`slipway-[a-z0-9]{20,}:`)
)

// buildKit is how BuildKit reports a RUN that fails.
const buildKit = `cat <<'X'
#8 [2/3] RUN make all
#8 0.134 other/agent.Dockerfile:9
#8 ERROR: process "/bin/sh -c make all" did not complete successfully: exit code: 2
------
 > [2/3] RUN make all:
0.134 make: nothing to do
------
agent.Dockerfile:3
--------------------
   2 |     COPY a /
   3 | >>> RUN make all
--------------------
X
echo "$REASON: failed to solve: process \"/bin/sh -c make all\" did not complete successfully: exit code: 2"; exit 1`

// TestFailure: the first line has the place and the reason, and the builder's lines follow it
// without what could move a cursor.
func TestFailure(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{builder.Docker, "REASON='ERROR: failed to build'\n" + buildKit, "agent.Dockerfile:3: process \"/bin/sh -c make all\" did not " +
			"complete successfully: exit code: 2\n  #8 [2/3] RUN make all\n"},
		{builder.Buildctl, "REASON=error\n" + buildKit, `agent.Dockerfile:3: process "/bin/sh -c make all" did not`},
		{
			builder.Docker, `echo 'ERROR: failed to solve: dockerfile parse error on line 2: unknown instruction: COPI'; exit 1`,
			"agent.Dockerfile:2: dockerfile parse error on line 2: unknown instruction: COPI\n",
		},
		{
			builder.Podman, `test "$1" = build || exit 0; echo "STEP 3/3: RUN make all"
echo 'Error: building at STEP "RUN make   all": while running runtime: exit status 2' >&2; exit 2`,
			`agent.Dockerfile:3: building at STEP "RUN make   all": while running runtime: exit status 2` + "\n",
		},
		{
			builder.Podman, `echo "[1/2] STEP 4/7: RUN other"
echo 'Error: building at STEP "RUN other": while running runtime: exit status 2' >&2; exit 2`,
			`STEP 4/7: building at STEP`,
		},
		{builder.Docker, `printf 'a\033[31mred\033[0m \033]0;title\007\001\tb\r'; exit 1`, "ared \\x01    b\n  ared \\x01    b"},
		{builder.Docker, `exit 7`, "it ended with 7 and printed nothing"},
		{builder.Docker, `kill -9 $$`, "it was ended by a signal (killed): run again"},
		{builder.Docker, `echo "https://me:secret1@host/ says no"; exit 1`, "https://[redacted]@host/ says no"},
		{
			builder.Docker, `echo "ERROR: failed to build: OCI exporter is not supported for the docker driver. Switch to a different driver"; exit 1`,
			"Switch to a different driver: make a builder that can, by docker buildx create --use",
		},
		{builder.Docker, `echo "exec /bin/sh: exec format error"; exit 1`, "install emulation, such as"},
		{
			builder.Buildctl, `echo 'error: listing workers: connection error: dial unix /run/x.sock: connect: permission denied'; exit 1`,
			"let this user reach the socket",
		},
		{builder.Podman, `test "$1" != save || { echo "Error: no space left on device"; exit 1; }`, "make room: "},
	} {
		standIn(t, tt.name, tt.body)
		err := find(t, tt.name).Build(t.Context(), request(t), t.TempDir())
		var failed *builder.Error
		if err == nil || !strings.HasPrefix(err.Error(), "builder "+tt.name+": building agent.Dockerfile for linux/amd64: ") ||
			!strings.Contains(err.Error(), tt.want) || !errors.As(err, &failed) {
			t.Errorf("%s %q: the error is %v, want %q", tt.name, tt.body, err, tt.want)
		}
	}
}

// TestLastLines: the error has the last twenty lines.
func TestLastLines(t *testing.T) {
	standIn(t, builder.Docker, `seq 1 100; head -c 100000 /dev/zero | tr '\0' x; echo; exit 1`)
	err := find(t, builder.Docker).Build(t.Context(), request(t), t.TempDir())
	var failed *builder.Error
	if !errors.As(err, &failed) || len(failed.Last) != 20 || failed.Last[0] != "82" || len(failed.Last[19]) != 4096 {
		t.Errorf("the error is %v", err)
	}
}

// TestPassword: a builder that asks on its terminal, or reads an answer, finds neither and ends.
func TestPassword(t *testing.T) {
	for _, body := range []string{
		`printf 'Password: '; read answer </dev/tty || { echo "sudo: a terminal is required to read the password"; exit 1; }`,
		`printf 'Password: '; read answer || { echo "a password is required"; exit 1; }; sleep 600`,
	} {
		standIn(t, builder.Docker, body)
		err := find(t, builder.Docker).Build(t.Context(), request(t), t.TempDir())
		if err == nil || !strings.Contains(err.Error(), "it asks for a password, and has no terminal: ") {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestCancel: a builder ends with its context, and the children of it.
func TestCancel(t *testing.T) {
	grace := subprocess.Grace
	t.Cleanup(func() { subprocess.Grace = grace })
	subprocess.Grace = 200 * time.Millisecond
	for _, name := range builder.Names() {
		ctx, cancel := context.WithCancel(t.Context())
		standIn(t, name, "echo begun; sh -c 'sleep 600'; echo on")
		tool, r := find(t, name), request(t)
		r.Note = func(string) { cancel() }
		begin := time.Now()
		if err := tool.Build(ctx, r, t.TempDir()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if d := time.Since(begin); d > time.Minute {
			t.Errorf("%s: it took %s", name, d)
		}
		cancel()
	}
}

// TestPodmanLeavesNothing: the name of the image is removed after a success, and also where podman
// cannot save it; an image that was there before stays.
func TestPodmanLeavesNothing(t *testing.T) {
	for _, tt := range []struct{ body, before, want string }{
		{makes, "sha256:4567", "\nrmi\nlocalhost/slipway-"},
		{`test "$1" != save || exit 1`, "", "\nrmi\nlocalhost/slipway-"},
		{makes, "sha256:0123", "\nuntag\nsha256:0123\nlocalhost/slipway-"},
	} {
		recorded := standIn(t, builder.Podman, tt.body)
		t.Setenv("BEFORE", tt.before)
		err := find(t, builder.Podman).Build(t.Context(), request(t), t.TempDir())
		if got := recorded(); !strings.Contains(got, tt.want) || (err == nil) != (tt.body == makes) {
			t.Errorf("podman was asked for %s (%v)", got, err)
		}
	}
}

// TestFind: what is wrong with a builder is one line, with what to do.
func TestFind(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"kaniko", "", `unknown builder "kaniko": there are buildctl, docker, podman`},
		{builder.Docker, "docker: unknown command: docker buildx\n\nRun 'docker --help' for more information", "docker has no buildx: install"},
		{builder.Docker, "docker: 'buildx' is not a docker command.\nSee 'docker --help'", "docker has no buildx: install"},
		{builder.Docker, "Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?", "start its daemon"},
	} {
		dir := t.TempDir()
		write(t, dir+"/"+tt.name, "#!/bin/sh\ncat <<'X'\n"+tt.body+"\nX\nexit 1\n", 0o755)
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		_, err := builder.Find(t.Context(), tt.name)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %v, want %q", tt.body, err, tt.want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	for _, name := range builder.Names() {
		if _, err := builder.Find(t.Context(), name); err == nil || !strings.Contains(err.Error(), "is not in PATH: ") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestOld: versions are compared as numbers; what is no release is taken as new.
func TestOld(t *testing.T) {
	for _, tt := range []struct{ name, from, to, want string }{
		{builder.Docker, "buildx v0.19.3", "buildx 0.9.1+ds1", "docker buildx 0.9.1+ds1 is too old: 0.10.0 is the oldest"},
		{builder.Docker, "v0.17.2", "v0.12.5", "BuildKit 0.12.5 is too old: 0.13.0 is the oldest"},
		{builder.Docker, "BuildKit version:      v0.17.2", "Error: connection refused", "connection refused: start the builder"},
		{builder.Docker, "BuildKit version:", "Nothing:", "reports no version of BuildKit"},
		{builder.Buildctl, "v0.16.0", "v0.12.0", "buildctl 0.12.0 is too old"},
		{builder.Buildctl, "v0.15.1", "v0.9.0", "buildkitd 0.9.0 is too old"},
		{builder.Buildctl, "'[{", "'[]'; exit; echo '[{", "reports no worker"},
		{builder.Podman, "4.3.1", "3.4.4", "podman 3.4.4 is too old: 4.2.0 is the oldest"},
		{builder.Docker, "buildx v0.19.3", "buildx v0.0.0+unknown", ""},
		{builder.Docker, "v0.17.2", "master-6ad3f1c", ""},
		{builder.Docker, "v0.17.2", "v0.13.0-rc1", ""},
		{builder.Podman, "4.3.1", "5.0.0-dev", ""},
	} {
		was := answers[tt.name]
		answers[tt.name] = strings.Replace(was, tt.from, tt.to, 1)
		standIn(t, tt.name, makes)
		answers[tt.name] = was
		_, err := builder.Find(t.Context(), tt.name)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: the error is %v, want %q", tt.to, err, tt.want)
		}
	}
}

// TestCheck: a check builds an image without files for each platform, and reports those whose
// programs do not run.
func TestCheck(t *testing.T) {
	for _, name := range builder.Names() {
		recorded := standIn(t, name, makes)
		tool := find(t, name)
		must(t, tool.Check(t.Context(), []platform.Platform{amd64}))
		if !strings.Contains(recorded(), "Dockerfile") {
			t.Errorf("%s was asked for %s", name, recorded())
		}
		riscv := platform.Platform{OS: "linux", Architecture: "riscv64"}
		t.Setenv("LAYOUT", image(t, riscv))
		err := tool.Check(t.Context(), []platform.Platform{riscv})
		if !errors.Is(err, builder.ErrEmulation) || !strings.Contains(err.Error(), "linux/riscv64") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
