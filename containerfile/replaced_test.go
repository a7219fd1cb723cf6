package containerfile_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// TestReplacedSettings checks that what a stage sets for the compiler is compared with the program
// that takes the place of what it makes, wherever the stage sets it.
func TestReplacedSettings(t *testing.T) {
	for _, c := range []struct{ stage, env, tags, want string }{
		{"RUN make static TAGS=special", "", "", "4:17: RUN sets the build tags special, and the program app " +
			"(slipway.yaml:3:5), which takes the place of what stage b compiles, is compiled without: " +
			"write tags: [special] for it"},
		{"RUN make static TAGS=special", "", "special more", ""},
		{"RUN GOFLAGS=-tags=special make", "", "", "4:5: RUN sets the build tags special"},
		{"ENV GOFLAGS=-tags=special,two\nRUN make", "", "two", "4:5: ENV sets the build tags special,"},
		{"RUN export GOFLAGS='-mod=mod -tags special' && make", "", "", "4:12: RUN sets the build tags special"},
		{"RUN go build --tags special -o /x ./cmd/app", "", "", "4:21: RUN sets the build tags special"},
		{"RUN go build -tags=special -o /x ./cmd/app", "", "", "4:14: RUN sets the build tags special"},
		{"ARG TAGS=special\nRUN go build -tags \"$TAGS\" -o /x", "", "", "5:20: RUN sets the build tags special"},
		{"ARG GIVEN=special\nRUN make BUILD_TAGS=$GIVEN", "", "", "RUN sets the build tags given"},
		{"ARG TAGS\nRUN go build -tags \"$TAGS\" -o /x", "", "", ""},
		{"RUN make ARGS='-tags special'", "", "", "4:10: RUN sets the build tags special"},
		{"RUN sh -c 'make TAGS=special'", "", "", "RUN sets the build tags special"},
		{"RUN [\"make\", \"TAGS=special\"]", "", "", "RUN sets the build tags special"},
		{"RUN <<E\nset -e\nmake TAGS=special\nE", "", "", "RUN sets the build tags special"},
		{"RUN hack/build.sh -tags special", "", "", "RUN sets the build tags special"},
		{"RUN go build -tags $(cat tags) -o /x", "", "", "4:20: RUN sets build tags by $(cat tags), whose value is " +
			"unknown: write tags, [] for none, for the program app (slipway.yaml:3:5)"},
		{"RUN go build -tags $(cat tags) -o /x", "", "special", ""},

		{"RUN gox -tags special -output /x ./cmd/app", "", "", "4:15: RUN sets the build tags special"},
		{"ENV CGO_ENABLED=1\nRUN gox ./cmd/app", "", "", ""},
		{"RUN gox -cgo ./cmd/app", "", "", "4:9: RUN sets CGO_ENABLED=1"},
		{"RUN go build -race -o /x ./cmd/app", "", "", "4:14: RUN sets -race, and the program app (slipway.yaml:3:5), " +
			"which takes the place of what stage b compiles, is compiled without: write flags: [-race] for it"},
		{"RUN go build --cover=true -o /x ./cmd/app", "", "", "4:14: RUN sets -cover"},
		{"ENV GOFLAGS=\"-mod=mod -race\"\nRUN go build -o /x ./cmd/app", "", "", "4:5: ENV sets -race"},
		{"RUN make BUILD='-v -race'", "", "", "RUN sets -race"},
		{"RUN go test -race ./... && go build -o /x ./cmd/app", "", "", ""},
		{"RUN . ./env.sh && go build -o /x ./cmd/app", "", "", "4:7: RUN sets variables by ./env.sh, whose value is " +
			"unknown: write env, [CGO_ENABLED=0] for none, for the program app (slipway.yaml:3:5)"},
		{"RUN set -a; source hack/env; make", "", "", "RUN sets variables by hack/env"},
		{"RUN sh -c '. ./env.sh && make'", "", "", "RUN sets variables by ./env.sh"},
		{"RUN . ./env.sh && make", "CGO_ENABLED=0", "", ""},
		{"RUN . /etc/profile && make", "", "", ""},
		{"RUN . lib/env.sh && make", "", "", "RUN sets variables by lib/env.sh"},
		{"RUN . ./env.sh && npm install\nRUN make", "", "", ""},

		{"ENV GOEXPERIMENT=boringcrypto\nRUN make", "", "", "4:5: ENV sets GOEXPERIMENT=boringcrypto, and the program"},
		{"ENV GOEXPERIMENT=boringcrypto\nRUN make", "GOEXPERIMENT=boringcrypto", "", ""},
		{"ENV GOEXPERIMENT=boringcrypto\nRUN ./compile", "", "", "write env: [GOEXPERIMENT=boringcrypto] for it"},
		{"ENV GOEXPERIMENT=boringcrypto\nRUN apk add go", "", "", "4:5: ENV sets GOEXPERIMENT=boringcrypto"},
		{"RUN go env -w GOAMD64=v3 && make", "", "", "4:15: RUN sets GOAMD64=v3"},
		{"ENV CGO_ENABLED=1\nRUN make", "", "", "4:5: ENV sets CGO_ENABLED=1, and the program app (slipway.yaml:3:5), " +
			"which takes the place of what stage b compiles, is compiled without: write its C compiler under cc, " +
			"or env: [CGO_ENABLED=0] if it needs none, for it"},
		{"ENV CGO_ENABLED=1\nRUN make", "CGO_ENABLED=1", "", ""},
		{"ENV CGO_ENABLED=1\nRUN make", "CGO_ENABLED=0", "", ""},
		{"ENV CGO_ENABLED=1\nRUN CGO_ENABLED=0 go build -o /x", "", "", ""},
		{"ENV GOAMD64=v3\nRUN make", "", "", "4:5: ENV sets GOAMD64=v3"},
		{"ENV GOAMD64=v1 GOARM=6 GOFIPS140=off CGO_ENABLED=0\nRUN make", "", "", ""},
		{"ARG TARGETVARIANT\nRUN GOARM=${TARGETVARIANT#v} make", "", "", ""},

		{"ENV GOPROXY=x GOCACHE=/c GOOS=linux GOARCH=amd64 GOFLAGS=-mod=vendor\nRUN make", "", "", ""},
		{"ENV CGO_ENABLED=1\nRUN curl x && go test ./... && make test && CGO_ENABLED=0 make app", "", "", ""},
		{"RUN git fetch --tags origin && apk add --tags x && make", "", "", ""},
		{"RUN go test -tags integration ./... && go install -tags x example.com/y@v1 && make test-e2e TAGS=e", "", "", ""},
		{"RUN go build -tags other -o /other ./cmd/other && go build -o /x ./cmd/app", "", "", ""},
		{"RUN if [ $A = 1 ]; then go build -tags a -o /x; else go build -o /x; fi", "", "", ""},
		{"RUN if [ $A = 1 ]; then go build -tags a -o /x; else go build -tags b -o /x; fi", "", "", "the build tags a"},
		{"FROM golang AS unused\nENV CGO_ENABLED=1\nRUN make\nFROM b AS c", "", "", ""},
	} {
		file := "FROM golang AS base\nARG GIVEN\nFROM base AS b\n" + c.stage + "\nFROM scratch\nCOPY --from=b /x /x\n"
		got := replacedSettings(t, file, "b", c.env, c.tags)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, for a program with %q and tags %q:\n%q, want %q", c.stage, c.env, c.tags, got, c.want)
		}
	}
}

// TestReplacedFiles checks that files of settings of the go command, which are not read, must be
// answered by the program.
func TestReplacedFiles(t *testing.T) {
	const unknown = "whose value is unknown: write env, [CGO_ENABLED=0] for none, for the program app (slipway.yaml:3:5)"
	for _, c := range []struct{ stage, want string }{
		{"ENV GOENV=/src/go.env\nRUN make", "2:5: ENV sets variables by GOENV, " + unknown},
		{"ENV GOENV=off\nCOPY a /root/.config/go/env\nRUN make", ""},
		{"RUN GOENV=/src/x make", "2:5: RUN sets variables by GOENV=/src/x, " + unknown},
		{"COPY go.env /root/.config/go/env\nRUN make", "2:13: COPY sets variables by /root/.config/go/env, "},
		{"ADD env /root/.config/go/\nRUN make", "2:9: ADD sets variables"},
		{"COPY env x /usr/local/go/go.env\nRUN make", "2:12: COPY sets variables"},
		{"COPY home /root\nRUN make", "2:11: COPY sets variables by /root, " + unknown},
		{"COPY a /root/\nRUN make", ""},
		{"COPY --from=golang /root/.config /root/.config\nRUN make", "COPY sets variables"},
		{"COPY --from=golang /usr/local/go /usr/local/go\nRUN make", ""},
		{"WORKDIR /usr/local\nCOPY go.env go/go.env\nRUN make", "3:13: COPY sets variables"},
		{"COPY <<E /root/.config/go/env\nGOAMD64=v3\nE\nRUN make", "2:10: COPY sets variables"},
		{"RUN --mount=type=bind,source=go.env,target=/root/.config/go/env make build", "2:44: RUN sets variables " +
			"by /root/.config/go/env, " + unknown},
		{"RUN --mount=type=bind,source=go.env,target=/root/.config/go/env make lint\nRUN make", ""},
		{"RUN --mount=type=cache,target=/root/.cache make", ""},
		{"RUN mkdir -p /root/.config/go && echo GOAMD64=v3 > /root/.config/go/env\nRUN make", "2:52: RUN sets variables by"},
		{"RUN echo GOAMD64=v3 >> $(go env GOENV) && make", "RUN sets variables by go env GOENV, "},
		{"RUN cd /usr/local/go && cat x >> go.env\nRUN make", "RUN sets variables by go.env, "},
		{"RUN go env GOPATH && make", ""},

		{"ENV GOROOT=/g\nCOPY go.env /g/go.env\nRUN make", "3:13: COPY sets variables by /g/go.env, " + unknown},
		{"COPY go.env /g/\nRUN export GOROOT=/g && make", "2:13: COPY sets variables by /g/, "},
		{"COPY go.env /g/go.env\nRUN GOROOT=$(pwd)/g make", "2:13: COPY sets variables by /g/go.env, "},
		{"ENV GOROOT=/g\nRUN --mount=type=bind,source=go.env,target=/g/go.env make", "RUN sets variables by /g/go.env, "},
		{"COPY home /h\nENV HOME=/h\nRUN make", "2:11: COPY sets variables by /h, "},
		{"COPY home/.config /c\nENV XDG_CONFIG_HOME=/c\nRUN make", "COPY sets variables by /c, "},
		{"COPY --from=golang /usr/local/go /g\nENV GOROOT=/g\nCOPY go.env .\nRUN make", ""},
		{"COPY . /src\nENV HOME=/h XDG_CONFIG_HOME=/src/a GOROOT=/usr/local/go\nRUN make", ""},

		{"ENV BASH_ENV=/src/e.sh\nSHELL [\"/bin/bash\", \"-c\"]\nRUN make", "2:14: ENV sets variables by /src/e.sh, " + unknown},
		{"ENV ENV=/src/e.sh\nRUN make", "2:9: ENV sets variables by /src/e.sh, "},
		{"ENV ENV=production BASH_ENV=\nRUN make", ""},
		{"RUN BASH_ENV=e.sh bash -c make", "2:5: RUN sets variables by BASH_ENV=e.sh, "},
		{"RUN export BASH_ENV=e.sh && make", "RUN sets variables by BASH_ENV=e.sh, "},
		{"ENV BASH_ENV=/e.sh\nCOPY <<E /e.sh\nexport GOAMD64=v1\nE\nRUN make", ""},
		{"ENV BASH_ENV=/e.sh\nCOPY <<E /e.sh\nexport GOAMD64=v3\nE\nRUN make", "RUN sets GOAMD64=v3"},
		{"COPY e.sh /root/e.sh\nRUN . /root/e.sh && make", "RUN sets variables by /root/e.sh, "},
		{"COPY a /root/\nRUN . /root/.bashrc && make", ""},
	} {
		for _, tags := range []string{"", "special"} {
			if strings.Contains(c.want, "GOAMD64") && tags != "" {
				continue
			}
			got := replacedSettings(t, "FROM golang AS b\n"+c.stage+"\nFROM scratch\nCOPY --from=b /x /x\n", "b", "", tags)
			if (c.want == "" || tags != "") && got != "" || tags == "" && !strings.Contains(got, c.want) {
				t.Errorf("%s, for a program with tags %q:\n%q, want %q", c.stage, tags, got, c.want)
			}
		}
	}
}

// TestReplacedScripts checks the commands in texts that a command of a stage gets.
func TestReplacedScripts(t *testing.T) {
	const foo = "RUN sets the build tags foo, and the program app"
	const unknown = "RUN sets variables by "
	for _, c := range []struct{ stage, want string }{
		{"RUN bash <<EOF\nset -e\nCGO_ENABLED=1 GOAMD64=v3 make build\nEOF", "RUN sets GOAMD64=v3"},
		{"RUN bash <<EOF\ngo build -tags foo -o /x\nEOF", "3:16: " + foo},
		{"RUN sh -e <<-'EOF'\n\tgo build -tags foo -o /x\n\tEOF", foo},
		{"ENV T=foo\nRUN bash -s -- a <<EOF\ngo build -tags $T -o /x\nEOF", foo},
		{"RUN bash -s foo <<'EOF'\ngo build -tags \"$1\" -o /x\nEOF", foo},
		{"RUN sh <<< 'make TAGS=foo'", foo},
		{"RUN cat <<EOF | sh\nmake TAGS=foo\nEOF", foo},
		{"RUN eval \"GOFLAGS=-tags=foo make build\"", foo},
		{"RUN eval 'export TAGS=foo' && make", foo},
		{"RUN eval $(cat env) && make", unknown + "$(cat env), whose value is unknown"},
		{"RUN eval $(ssh-agent) && make", ""},
		{"RUN echo \"GOFLAGS=-tags=foo make\" | sh", foo},
		{"RUN echo \"GOFLAGS=-tags=$(cat tags) make\" | sh", "RUN sets build tags by GOFLAGS="},
		{"RUN printf 'make TAGS=foo\\n' | bash -e", foo},
		{"RUN gen | sh", unknown + "gen, whose value"},
		{"RUN curl https://x.example/install.sh | sh && make", ""},
		{"RUN sh -ec 'make TAGS=foo'", foo},
		{"RUN bash -o pipefail -c 'make TAGS=foo'", foo},
		{"RUN TAGS=foo sh -c make", foo},
		{"RUN sh -c 'go build -tags $0$1 -o /x' '' foo", foo},
		{"RUN [\"/bin/bash\", \"-c\", \"eval make TAGS=foo\"]", foo},
		{"COPY <<EOF /b.sh\nmake TAGS=foo\nEOF\nRUN sh /b.sh", "5:1: " + foo},
		{"WORKDIR /src\nCOPY <<b.sh .\nmake TAGS=$1\nb.sh\nRUN chmod +x b.sh && ./b.sh foo", foo},
		{"COPY <<EOF /b.sh\n/b.sh\nEOF\nRUN sh /b.sh", unknown},
		{"RUN echo -tags foo | xargs go build -o /x", foo},
		{"RUN cat flags | xargs -n 9 go build -o /x", "RUN sets build tags by cat flags, whose value"},
		{"RUN find . -name x -exec go build -tags foo -o /x {} +", foo},
		{"RUN go build $(cat flags) -o /x", "RUN sets build tags by $(cat flags), whose value"},
		{"RUN go build -ldflags \"$(cat flags)\" -o /x . $(cat packages)", ""},
		{"RUN nice -n 5 timeout 60 make TAGS=foo", foo},
		{"RUN bash -c '. <(gen) && make'", unknown + "<(gen), whose"},
		{"RUN . ./b.sh && make", unknown + "./b.sh, whose"},
		{"COPY <<EOF b.sh\nexport TAGS=foo\nEOF\nRUN . ./b.sh && make", foo},
		{"COPY <<EOF b.sh\necho\nEOF\nRUN . ./b.sh && make", ""},
		{"RUN yes | make TAGS=foo", foo},
	} {
		got := replacedSettings(t, "FROM golang AS b\n"+c.stage+"\nFROM scratch\nCOPY --from=b /x /x\n", "b", "", "")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%q, want %q", c.stage, got, c.want)
		}
	}
}

// TestReplacedStages checks that the settings of the stages count that a stage starts from, and of
// those that it copies from where it compiles nothing itself.
func TestReplacedStages(t *testing.T) {
	for _, file := range []string{
		"FROM golang AS base\nENV GOAMD64=v3\nFROM base AS b\nRUN make\n",
		"FROM golang AS base\nENV GOAMD64=v3\nRUN make\nFROM scratch AS b\nCOPY --from=base /x /x\n",
	} {
		got := replacedSettings(t, file+"FROM scratch\nCOPY --from=b /x /x\n", "b", "", "")
		if !strings.Contains(got, "2:5: ENV sets GOAMD64=v3, and the program app (slipway.yaml:3:5)") {
			t.Errorf("%s: %s", file, got)
		}
	}
}

// replacedSettings returns what is wrong with a Dockerfile of which a program is /x of a stage.
func replacedSettings(t *testing.T, file, stage, env, tags string) string {
	t.Helper()
	in := dockerfiletest.Load(t, txtar.Parse([]byte("-- Dockerfile --\n"+file+"-- context/a --\n-- context/home/.config/go/env --\n"))).Input
	in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
	in.Args = map[string]string{"GIVEN": "given"}
	g := &containerfile.GoBuild{Name: "app", Package: "./cmd/app", Platform: in.Platform, At: "slipway.yaml:3:5"}
	if env != "" {
		g.Env = []string{env}
	}
	if tags != "" {
		g.Tags = strings.Fields(tags)
	}
	in.Outputs = map[string]map[string]containerfile.File{stage: {"/x": {Mode: 0o755, Made: g}}}
	if _, err := check(t, in); err != nil {
		return err.Error()
	}
	return ""
}
