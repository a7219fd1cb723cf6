package containerfile_test

import (
	"strings"
	"testing"
)

// TestGoSettings checks that a go build has the settings of the files that the go command reads,
// and that one which is not known is an error.
func TestGoSettings(t *testing.T) {
	const copied, build = "WORKDIR /src\nCOPY . .\n", "\nRUN go build -o /out/x"
	const has, plain = "x=. linux/amd64 tags foo GOAMD64=v3", "x=. linux/amd64"
	const printed = "printf 'GOAMD64=v3\\nGOFLAGS=-tags=foo\\n'"
	for _, c := range []struct{ stage, want string }{
		{"ENV GOENV=/src/go.env" + build, has},
		{"ENV GOENV=off\nCOPY go.env /root/.config/go/env" + build, plain},
		{"COPY go.env /root/.config/go/env" + build, has},
		{"RUN mkdir -p /root/.config/go && cp go.env /root/.config/go/env" + build, has},
		{"RUN mkdir -p /root/.config/go && " + printed + " > /root/.config/go/env" + build, has},
		{"ENV XDG_CONFIG_HOME=/cfg\nCOPY go.env /cfg/go/env" + build, has},
		{"COPY go.env /root/.config/go/env\nRUN XDG_CONFIG_HOME=/none go build -o /out/x", plain},
		{"ENV HOME=/home/a\nCOPY go.env /home/a/.config/go/env" + build, has},
		{"COPY go.env /usr/local/go/go.env" + build, has},
		{"COPY go.env /opt/go/go.env\nENV GOROOT=/opt/go" + build, has},
		{"COPY go.env /usr/local/go/go.env\nRUN go env -w GOAMD64=v2 && go build -o /out/x", "tags foo GOAMD64=v2"},
		{"RUN --mount=source=go.env,target=/root/.config/go/env go build -o /out/x", has},
		{"RUN --mount=source=go.env,target=/root/.config/go/env true" + build, plain},
		{"RUN --mount=type=cache,target=/root go build -o /out/x", plain},
		{"COPY go.env /root/.config/go/env\nENV GOAMD64=v4" + build, "tags foo GOAMD64=v4"},
		{"RUN go env -w GOAMD64=v3 GOFLAGS=-tags=foo" + build, has},
		{"RUN go env -w GOAMD64=v3 GOFLAGS=-tags=foo && go env -u GOAMD64" + build, "x=. linux/amd64 tags foo"},
		{"ENV GOAMD64=v4\nRUN go env -w GOAMD64=v3" + build, "x=. linux/amd64 GOAMD64=v4"},
		{"COPY --from=a /root/.config/go/env /root/.config/go/env" + build, "tags foo"},
		{"RUN go env -w GOBIN=/out && go install ./cmd/a", "a=./cmd/a linux/amd64"},
		{"RUN apk add git && curl -L https://x.example/y | tar -xz -C /usr/local" + build, plain},

		{"RUN cat go.env >> /usr/local/go/go.env" + build, "6:5: RUN cat: /usr/local/go/go.env: the files of the " +
			"base are unknown"},
		{"RUN gen > /root/.config/go/env" + build, "6:5: RUN gen needs a machine of the image's system"},
		{"RUN go env -w GOFLAGS=-tags=$(date)" + build, "6:29: RUN is only carried out where it does nothing but"},
		{"RUN apt-get install go -o=/root/.config/go/env" + build, "7:5: RUN go: apt-get install go " +
			"-o=/root/.config/go/env in line 6, which may write /root/.config/go/env, is not run"},
		{"ENV GOENV=off\nRUN go env -w GOAMD64=v3" + build, "7:5: RUN go: go env -w has no file to write"},
		{"COPY <<E /root/.config/go/env\nCGO_ENABLED=1\nE" + build, "9:1: RUN go build: CGO_ENABLED=1 needs a C compiler"},
		{"ENV GOTOOLCHAIN=go1.25.0" + build, "7:1: RUN go build: GOTOOLCHAIN=go1.25.0 is not supported"},
		{"ENV GOTOOLCHAIN=local" + build, plain},
	} {
		file := "FROM golang AS a\nRUN go env -w GOFLAGS=-tags=foo\nFROM golang AS b\n" + copied + c.stage +
			"\nFROM scratch\nCOPY --from=b /out /\n"
		got := goBuildsOf(t, file, goSource+"-- context/go.env --\nGOAMD64=v3\nGOFLAGS=-tags=foo\n")
		if strings.HasPrefix(c.want, "x=") && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s, want %s", c.stage, got, c.want)
		}
	}
}
