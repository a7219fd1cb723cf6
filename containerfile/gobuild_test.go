package containerfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

const goSource = `
-- context/go.mod --
module example.com/tool/v2

-- context/main.go --
package main
-- context/cmd/a/main.go --
package main
-- context/cmd/a/more.go --
package main
-- context/cmd/b/main.go --
package main
-- context/lib/lib.go --
package lib
-- context/other/go.mod --
module example.com/other
-- context/other/main.go --
package main
`

// TestGoBuild checks which programs the stage before the last compiles, as the line says it.
func TestGoBuild(t *testing.T) {
	const copied = "WORKDIR /src\nCOPY . .\nRUN mkdir /out\n"
	for _, c := range []struct{ stage, want string }{
		{copied + "RUN go build -o /out/x", "x=. linux/amd64"},
		{copied + "RUN CGO_ENABLED=0 GOOS=windows go build -o /out/ .", "tool=. windows/amd64"},
		{copied + "RUN go build -o /out ./cmd/a ./cmd/b", "a=./cmd/a linux/amd64, b=./cmd/b linux/amd64"},
		{copied + "RUN go build -o /out ./cmd/...", "a=./cmd/a linux/amd64, b=./cmd/b linux/amd64"},
		{copied + "RUN go build -o /out example.com/tool/v2/cmd/a", "a=./cmd/a linux/amd64"},
		{copied + "RUN go build -o /out main.go", "tool=. linux/amd64"},
		{copied + "RUN go build -o /out/y cmd/a/*.go", "y=./cmd/a linux/amd64"},
		{"COPY --from=docker.io/tonistiigi/xx / /\n" +
			copied + "RUN xx-apk add gcc && GOOS=plan9 xx-go build -o /out/x && xx-verify /out/x", "x=. linux/amd64"},
		{copied + "RUN go build -C cmd/b -o /out .", "b=./cmd/b linux/amd64"},
		{copied + "RUN cd other && go build -o /out", "other=. linux/amd64 in other"},
		{copied + "RUN GOARCH=arm GOARM=6 go build -o /out/x", "x=. linux/arm/v6"},
		{
			copied + "ARG TARGETVARIANT=v7\nRUN GOARCH=arm GOARM=${TARGETVARIANT#v} go build -o /out/x",
			"x=. linux/arm/v7",
		},
		{
			copied +
				"ENV GOFLAGS=-mod=vendor GOAMD64=v3\nRUN export GOOS=windows && go build -v -a -trimpath " +
				"-tags 'x y' -gcflags=all=-l -ldflags \"-s \\\n -w\" -o /out/x",
			"x=. windows/amd64 [-s -w] -mod=vendor -gcflags=all=-l tags x y GOAMD64=v3",
		},
		{copied + "RUN go env -w CGO_ENABLED=0 && go mod download && go vet ./... && go test ./... " +
			"&& go install ./cmd/a && mv /go/bin/a /out/", "a=./cmd/a linux/amd64"},
		{
			copied + "RUN GOOS=windows go install ./cmd/a && cp /go/bin/windows_amd64/a.exe /out/",
			"a=./cmd/a windows/amd64",
		},
		{copied + "RUN go install example.com/gen@v1 && git config --global a b && apk add gcc " +
			"&& go build -o /out/x && chmod 700 /out/x && rm -rf /var/cache/apk/*", "x=. linux/amd64"},
		{copied + "RUN addgroup a && apt update && yum install b && microdnf update && tdnf update && xx-info env && " +
			"xx-apt install c && xx-apt-get install d && xx-go build -o /out/x", "x=. linux/amd64"},
		{copied + "RUN go build -o /out/unused ./cmd/b && rm /out/unused && go build -ldflags " +
			"\"-X a=$(git rev-parse HEAD)\" -o /out/x", "x=. linux/amd64 [-X a=abc]"},
		{
			"WORKDIR /src\nRUN --mount=target=. --mount=type=cache,target=/root/.cache go build -o /out/x ./cmd/a",
			"x=./cmd/a linux/amd64",
		},
		{"RUN --mount=source=other,target=/src cd /src && go build -o /out/x", "x=. linux/amd64 in other"},
		{"COPY go.mod /go/src/x/\nCOPY cmd /go/src/x/cmd\nRUN [\"go\", \"build\", \"-C\", \"/go/src/x\", " +
			"\"-o\", \"/out/x\", \"./cmd/b\"]", "x=./cmd/b linux/amd64"},

		{copied + "ARG NONE EMPTY=\nENV PATH=$PATH:$TOOLS/bin\nRUN A=$NONE go build -ldflags \"-X " +
			"a=$EMPTY$PATH\" -o /out/x", "[-X a=/go/bin:/usr/local/go/bin:/usr/local/sbin:"},
		{"RUN go version\nWORKDIR /out\nRUN echo x > y", ""},
		{"RUN go version && mkdir -p /out && echo x > /out/x && mkdir /out/y && touch /out/y/x", ""},

		{
			copied + "RUN go build -ldflags \"-X a=$GOLANG_VERSION\" -o /out/x",
			"nothing here sets the variable GOLANG_VERSION, and the base golang, which may, is not read",
		},
		{copied + "RUN go build -ldflags \"-X a=${VERSION:-dev}\" -o /out/x", "nothing here sets the variable VERSION"},
		{copied + "ENV A=${CERTS:-none}\nRUN go build -o /out/x", "5:7: nothing here sets the variable CERTS"},
		{copied + "COPY <<E /out/x\n$CERTS\nE\nRUN go build -o /out/x", "nothing here sets the variable CERTS"},
		{copied + "USER 5000\nRUN go build -o /out/x", "RUN after USER 5000 is not supported"},
		{"RUN go version && echo x > /out/x", "/out is not made in the stage b, and is looked for in its base"},
		{"RUN go version && mkdir /out/x", "/out is not made in the stage b, and is looked for in its base"},
		{
			"RUN go version && touch /out/x/y\nRUN mkdir -p /out",
			"/out is not made in the stage b, and is looked for in its base",
		},
		{
			"RUN git config --global a b && echo x > /out/x",
			"/out is not made in the stage b, and is looked for in its base",
		},
		{copied + "RUN CGO_ENABLED=1 go build -o /out/x", "CGO_ENABLED=1 needs a C compiler"},
		{copied + "RUN go build -race -o /out/x", "flag -race is not supported"},
		{copied + "RUN go build -toolexec=x -o /out/x", "flag -toolexec is not supported"},
		{copied + "RUN go build -o", "flag -o has no value"},
		{copied + "RUN go build -o /out/x ./cmd/...", "-o /out/x is one file, and there are 2 packages"},
		{copied + "RUN go build -o /out cmd/a/main.go", "main.go alone is not a package, which has more.go, too"},
		{
			copied + "RUN go build -o /out github.com/x/y",
			"package github.com/x/y is not one of the module example.com/tool/v2",
		},
		{copied + "RUN go build -o /out ../x", "../x is not in the module of /src"},
		{copied + "RUN go generate ./...", "RUN go generate is not supported"},
		{
			copied + "RUN go build -ldflags \"-X a=$(date)\" -o /out/x",
			"give the value under args in slipway.yaml, by the name $(date)",
		},
		{copied + "RUN go build -o /out/x && upx /out/x", "RUN upx needs a machine"},
		{copied + "RUN echo x > lib/embedded.txt\nRUN go build -o /out/x", "/src/lib/embedded.txt is not the file"},
		{copied + "RUN cp lib/lib.go cmd/a/\nRUN go build -o /out/x", "/src/cmd/a/lib.go is not the file"},
		{copied + "RUN echo x >> main.go && go build -o /out/x", "/src/main.go is not the file"},
		{copied + "COPY go.mod go.work\nRUN go build -o /out/x", "workspaces are not supported"},
		{"RUN go build -o /out/x", "neither /go nor a directory above has a go.mod"},
		{"RUN --mount=type=secret,id=x go build -o /out/x", "RUN --mount=type=secret is not supported"},
		{"WORKDIR /src\nRUN --mount=target=. go build -o x", "/src/x is in the mount /src, of which nothing stays"},
		{"RUN --mount=source=none,target=/src go version", "none is not there"},
		{"RUN --mount=type=cache,target=/c mkdir /c/x && go version", "/c is not the image's own while RUN runs"},
		{
			copied + "RUN go build -o /out/x\nRUN curl -o /out/y https://a.example/y",
			"nothing compares it with a checksum",
		},
		{
			copied + "RUN apt-get install -y tini && go version\nRUN cp /usr/bin/tini /out/ && go version",
			"RUN cp: /usr/bin/tini: the files of the base are unknown",
		},
	} {
		got := goBuilds(t, "FROM golang AS b\n"+c.stage+"\nFROM scratch\nCOPY --from=b /out /\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s, want %s", c.stage, got, c.want)
		}
	}
}

// TestGoBuildFiles checks that a program is compiled of the files that its stage has: what the disk
// has besides must not get into it.
func TestGoBuildFiles(t *testing.T) {
	const all = "WORKDIR /src/app\nCOPY app .\nCOPY lib /src/lib\n"
	const source = `
-- context/app/go.mod --
module example.com/app
go 1.24
require example.com/lib v0.0.0
replace example.com/lib => ../lib
-- context/app/go.sum --
-- context/app/main.go --
package main
import ("embed"; "example.com/app/in"; _ "example.com/lib/used")
//go:embed data *.txt
var files embed.FS
-- context/app/data/a --
-- context/app/data/.hidden --
-- context/app/note.txt --
-- context/app/more.go --
package main
-- context/app/more_test.go --
package main
-- context/app/more_plan9.go --
package main
-- context/app/tagged.go --
//go:build tagged
package main
-- context/app/asm_amd64.s --
-- context/app/default.pgo --
-- context/app/README.md --
-- context/app/in/in.go --
package in
-- context/app/other/other.go --
package main
-- context/app/vendor/modules.txt --
-- context/app/vendor/example.com/lib/used/used.go --
package used
-- context/lib/go.mod --
module example.com/lib
-- context/lib/used/used.go --
package used
-- context/lib/unused/unused.go --
package unused
`
	for _, c := range []struct{ ignore, stage, want string }{
		{"", all + "RUN go build -o /out/x", "x=. linux/amd64 in app"},
		{"app/vendor", all + "RUN go build -o /out/x", "x=. linux/amd64 in app -mod=readonly"},
		{"app/vendor", all + "RUN go build -mod=mod -o /out/x", "x=. linux/amd64 in app -mod=mod"},
		{
			"app/README.md\napp/*_test.go\napp/more_plan9.go\napp/tagged.go\napp/other\napp/data/.hidden\nlib",
			"WORKDIR /src\nCOPY app .\nRUN go build -o /out/x", "x=. linux/amd64 in app",
		},
		{"app/vendor\nlib/unused", all + "RUN go build -o /out/x", "x=. linux/amd64 in app -mod=readonly"},
		{"app/other\napp/vendor", all + "RUN go build -o /out/ ./...", "app=. linux/amd64 in app -mod=readonly"},
		{
			"", all + "RUN go build -ldflags \"-s \t -X 'main.A=a  b'\" -o /out/x",
			"x=. linux/amd64 in app [-s -X 'main.A=a  b']",
		},

		{"app/more.go", all + "RUN go build -o /out/x", "5:5: RUN go: /src/app/more.go is not in the stage, " +
			"and the program is compiled from the source, which has it: COPY it"},
		{"app/data/a", all + "RUN go build -o /out/x", "/src/app/data/a is not in the stage"},
		{"app/*.txt", all + "RUN go build -o /out/x", "/src/app/note.txt is not in the stage"},
		{"app/in", all + "RUN go build -o /out/x", "/src/app/in/in.go is not in the stage"},
		{"app/*.s", all + "RUN go build -o /out/x", "/src/app/asm_amd64.s is not in the stage"},
		{"app/default.pgo", all + "RUN go build -o /out/x", "/src/app/default.pgo is not in the stage"},
		{"app/go.sum", all + "RUN go build -o /out/x", "/src/app/go.sum is not in the stage"},
		{"app/more_plan9.go", all + "RUN GOOS=plan9 go build -o /out/x", "/src/app/more_plan9.go is not in the stage"},
		{"app/tagged.go", all + "RUN go build -tags tagged -o /out/x", "/src/app/tagged.go is not in the stage"},
		{"app/vendor", all + "RUN go build -mod=vendor -o /out/x", "/src/app/vendor/modules.txt is not in the stage"},
		{
			"app/vendor/example.com", all + "RUN go build -o /out/x",
			"/src/app/vendor/example.com/lib/used/used.go is not in the stage",
		},
		{"app/vendor\nlib/used", all + "RUN go build -o /out/x", "/src/lib/used/used.go is not in the stage"},
		{"app/vendor\nlib/go.mod", all + "RUN go build -o /out/x", "/src/lib/go.mod is not in the stage"},
		{
			"app/vendor", all + "RUN echo 'package used' > /src/lib/used/more.go\nRUN go build -o /out/x",
			"/src/lib/used/more.go is not the file",
		},
		{"", all + "RUN rm more.go && go build -o /out/x", "/src/app/more.go is not in the stage"},
		{"", "WORKDIR /src/app\nCOPY app/go.mod app/go.sum app/main.go ./\nCOPY app/in in\nCOPY " +
			"app/vendor vendor\nRUN go build -o /out/x", "is not in the stage"},
		{"", "RUN --mount=source=app,target=/src cd /src && go build -o /out/x", "x=. linux/amd64 in app"},
		{
			"app/more.go", "RUN --mount=source=app,target=/src cd /src && go build -o /out/x",
			"/src/more.go is not in the stage",
		},
		{"", all + "RUN go build -pgo=/prof -o /out/x", "-pgo=/prof is a file"},
	} {
		file := "FROM golang AS b\n" + c.stage + "\nFROM scratch\nCOPY --from=b /out /\n"
		got := goBuildsOf(t, file, source+"-- context/.dockerignore --\n"+c.ignore+"\n")
		if strings.HasPrefix(c.want, "x=") && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("without %q:\n%s\n%s, want %s", c.ignore, c.stage, got, c.want)
		}
	}
}

// TestOutputs puts files in the context and in stages, also where a check has only their names.
func TestOutputs(t *testing.T) {
	c := dockerfiletest.Load(t, txtar.Parse([]byte(`-- Dockerfile --
FROM golang AS builder
WORKDIR /w
RUN make tool > /dev/null
FROM scratch AS half
COPY dir /w/dir
FROM scratch
ADD bin/linux-amd64 /bin/
COPY --from=builder /w/tool* /etc/passwd /made/
COPY --from=half /w /half
COPY bin dir/. /dir/
-- context/dir/kept --
kept
-- context/bin/hidden --
-- context/.dockerignore --
bin
`)))
	in := c.Input
	in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
	for name, evaluate := range map[string]evaluation{"check": check, "build": build} {
		file := func(text string) map[string]containerfile.File {
			f := containerfile.File{Mode: 0o755}
			if name == "build" {
				f.Content = layer.Bytes([]byte(text))
			}
			return map[string]containerfile.File{text: f}
		}
		in.Outputs = map[string]map[string]containerfile.File{
			"": file("/bin/linux-amd64"), "builder": file("/w/tool"),
			"half": file("/w/dir/more"),
		}
		in.Outputs["builder"]["/etc/passwd"] = in.Outputs["builder"]["/w/tool"]
		r, err := evaluate(t, in)
		must(t, err)
		var got []string
		for _, l := range r.Layers {
			for _, e := range l.Entries {
				if e.Type == layer.Regular {
					got = append(got, e.Path)
				}
			}
		}
		const want = "/bin/linux-amd64 /made/passwd /made/tool /half/dir/kept /half/dir/more /dir/kept /dir/linux-amd64"
		if strings.Join(got, " ") != want {
			t.Errorf("%s: there are %s, want %s", name, got, want)
		}
	}
}

// goBuilds returns the programs of a Dockerfile, or what is wrong with it.
func goBuilds(t *testing.T, file string) string {
	t.Helper()
	return goBuildsOf(t, file, goSource)
}

func goBuildsOf(t *testing.T, file, source string) string {
	t.Helper()
	c := dockerfiletest.Load(t, txtar.Parse([]byte("-- Dockerfile --\n"+file+source)))
	in := c.Input
	in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
	in.Args = map[string]string{"$(git rev-parse HEAD)": "abc"}
	in.Compiler.Check = func(containerfile.GoBuild) error { return nil }
	r, err := check(t, in)
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, g := range r.Builds {
		s := fmt.Sprintf("%s=%s %s", g.Name, g.Package, g.Platform.String())
		if rel := strings.TrimPrefix(g.Dir, in.Context); rel != "" {
			s += " in " + rel[1:]
		}
		if g.Ldflags != "" {
			s += " [" + g.Ldflags + "]"
		}
		for _, f := range g.Flags {
			s += " " + f
		}
		if g.Tags != nil {
			s += " tags " + strings.Join(g.Tags, " ")
		}
		list = append(list, s+strings.Join(append([]string{""}, g.Env...), " "))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
