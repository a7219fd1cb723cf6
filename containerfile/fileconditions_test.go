package containerfile_test

import (
	"context"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// TestQuestions decides what lines ask of files: each line makes /yes, or is refused. That dash
// decides alike, TestDrawn of test/buildkit shows; here are the cases that need a stage, a mount
// or bash.
func TestQuestions(t *testing.T) {
	const source = goSource + `
-- context/f.txt --
f
-- context/sub/.keep --
-- context/sub/b.txt --
-- context/sub/a.txt --
a
-- images/base --
layer
dir 755 0:0 etc
file 644 0:0 etc/motd "hello"
file 755 0:0 etc/run "x"
file 644 0:0 etc/empty ""
link dangling nowhere
link motd etc/motd
`
	const bash = "SHELL [\"/bin/bash\", \"-c\"]\nRUN "
	for _, c := range []struct{ lines, want string }{
		{"RUN [ -f /etc/motd ] && [ -e /motd ] && [ ! -e /dangling ] && " +
			"[ -h /dangling ] && [ -x /etc/run ] && ! [ -x " +
			"/etc/motd ] && [ -s /etc/motd ] && ! test -s /etc/empty && [ -d /etc ] && touch /yes", ""},
		{"RUN rm /etc/motd && if [ -f /etc/motd ]; then touch /no; else touch /yes; fi", ""},
		{"RUN cd /etc && mv motd moved && for f in m*; do cp $f /yes; done", ""},
		{"RUN (cd /etc && X=1 && cp motd /yes) && [ -z \"$X\" ] && [ ! -e run ]", ""},
		{"RUN (cd /etc && exit 3) || (cp etc/motd /yes; exit 0; exit 1)", ""},
		{"RUN echo hello > /x && [ \"$(cat /x)\" = hello ] && touch /yes", ""},
		{
			"RUN { echo a; [ -s /yes ] && echo b; } > /yes && [ \"$(head -n1 /yes)\" = a ] && [ \"$(grep b /yes)\" = b ]",
			"",
		},
		{"RUN --mount=target=/m for f in /m/sub/*.txt; do echo ${f#/m/sub/} >> /yes; " +
			"done && [ \"$(head -n1 /yes)\" = a.txt ] && [ ! -e /m/none ]", ""},
		{bash + "[[ -f /etc/motd ]] && [[ $PATH == \"$PATH\" ]] && [[ ! $NONE ]] && touch /yes", ""},
		{"RUN for f in */* */none; do [ $f = etc/run ] && cp $f /yes; [ -e $f ] || [ $f = '*/none' ]; done", ""},
		{"RUN mkdir d && cp -r d d/ /etc && cp /etc/motd /etc/motd /yes", "/yes is not a directory"},
		{"RUN mkdir d && cp -r d d/ /etc && cp /etc/motd /etc/../etc/motd /d", "/d/motd was made by the same command"},
		{"RUN mkdir yes && cp -r yes yes/ /etc && cp /etc/motd /etc/motd yes", ""},
		{"RUN [ 10 -gt 9 ] && touch /yes", ""},

		{
			"RUN [[ -f /etc/motd ]] && touch /yes",
			"2:5: RUN is only carried out where it does nothing but change files: [[ is not known to every shell",
		},
		{
			bash + "[[ $PATH == /u* ]] && touch /yes",
			"3:5: RUN is only carried out where it does nothing but change files: [[ ",
		},
		{bash + "[[ 010 -eq 8 ]] && touch /yes", "it is supported in [ only"},
		{"RUN [ /etc/motd -nt /etc/run ] && touch /yes", "[ /etc/motd -nt /etc/run: it is not supported"},
		{"RUN [ -w /etc/motd ] && touch /yes", "[ -w /etc/motd: it is not supported"},
		{
			"RUN [ -e /proc/self ] && touch /yes",
			"2:10: RUN [ -e /proc/self ]: /proc is not the image's own while RUN runs",
		},
		{"RUN apt-get update && [ -f /etc/motd ] && touch /yes", "2:5: RUN apt-get needs a machine"},
		{"RUN mkdir /etc && [ -f /etc/motd ] && touch /yes", "2:5: RUN mkdir: /etc already exists"},
		{"RUN for f in /etc/*; do eval x; done", "eval is a command of the shell that is not supported"},
		{"RUN { mkdir /x; } > /yes", "mkdir in a group whose output goes into a file is not supported"},
		{"RUN X=$(cat /none) && touch /yes", "2:13: RUN cat: /none is not there"},
		{"RUN cat /etc/motd > /etc/motd && touch /yes", "/etc/motd is read and written by the same command"},
		{"RUN (exit 1); touch /yes", ""},
		{"RUN set -e; (exit 1); touch /yes", "(exit 1) ends the line with an error"},
		{
			"ENV LANG=de_DE.UTF-8\nRUN for f in /etc/*; do echo $f >> /yes; done",
			"LANG=de_DE.UTF-8 decides in which order the names are",
		},

		// in a stage that compiles, whose base is not read
		{"FROM golang AS b\nWORKDIR /src\nCOPY . .\nRUN [ -f go.mod ] && [ ! -d vendor ] && go " +
			"build -o /out/yes\nFROM base\nCOPY --from=b /out/yes /yes", ""},
		{"FROM golang AS b\nWORKDIR /src\nCOPY . .\nRUN apk add x && [ -f go.mod ] && go build " +
			"-o /out/yes\nFROM base\nCOPY --from=b /out/yes /yes", ""},
		{"FROM golang AS b\nWORKDIR /src\nCOPY . .\nRUN [ -f /etc/alpine-release ] || go build " +
			"-o /out/yes\nFROM base\nCOPY --from=b /out/yes /yes", "5:10: RUN [ -f /etc/alpine-release ]: " +
			"the files of the base are unknown, since the stage compiles programs"},
		{"FROM golang AS b\nWORKDIR /src\nCOPY . .\nRUN make\nRUN [ -d vendor ] || go build -o " +
			"/out/yes\nFROM base\nCOPY --from=b /out/yes /yes", "5:5: RUN make"},
		{"FROM golang AS b\nWORKDIR /src\nCOPY . .\nRUN make && for f in *.so; do cp $f /out/; " +
			"done\nFROM base\nCOPY --from=b /out /", "5:5: RUN make"},
	} {
		file := "FROM base\n" + c.lines
		in := dockerfiletest.Load(t, txtar.Parse([]byte("-- Dockerfile --\n"+file+"\n"+source))).Input
		in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
		evaluate := evaluation(build)
		if strings.Contains(file, "golang") {
			evaluate = check
		}
		in.Compiler.Check = func(containerfile.GoBuild) error { return nil }
		r, err := evaluate(t, in)
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) ||
			c.want == "" && (err != nil || !makes(r, "/yes")) {
			t.Errorf("%s: %v, want %q", c.lines, err, c.want)
		}
	}
}

// TestQuestionsOfStubs asks for files of a base that is not at hand. A check of a release to a
// registry leaves the line to that, a snapshot refuses it.
func TestQuestionsOfStubs(t *testing.T) {
	for _, line := range []string{
		"RUN [ -f /etc/x ] && touch /yes", "RUN for f in /etc/*; do cp $f /; done",
		"RUN [ \"$(cat /etc/x)\" = a ] || touch /yes",
		"COPY --from=other /x /x\nRUN [ -d /x ] || touch /yes",
		"COPY --from=other /dir/ /dir/\nRUN for f in /dir/*; do cp $f /; done",
	} {
		for _, snapshot := range []bool{true, false} {
			in := dockerfiletest.Load(t,
				txtar.Parse([]byte("-- Dockerfile --\nFROM base\n"+line+"\nRUN touch /after\n"))).Input
			in.Platform, in.Snapshot = platform.Platform{OS: "linux", Architecture: "amd64"}, snapshot
			in.Base = func(_ context.Context, name string, p platform.Platform) (base.Base, error) {
				return base.Base{
					Image: dockerfiletest.Image(t, []byte("layer\n"), p), Platform: p,
					Info: &base.Info{
						Name: name, Digest: v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)},
						Stub: true,
					},
				}, nil
			}
			_, err := check(t, in)
			const want = "the files of the base are unknown, since a snapshot replaces it by a stub"
			if snapshot != (err != nil && strings.Contains(err.Error(), want)) || !snapshot && err != nil {
				t.Errorf("%s: snapshot %v: %v", line, snapshot, err)
			}
		}
	}
}

func makes(r containerfile.Result, p string) bool {
	for _, l := range r.Layers {
		for _, e := range l.Entries {
			if e.Path == p {
				return true
			}
		}
	}
	return false
}
