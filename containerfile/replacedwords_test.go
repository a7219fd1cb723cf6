package containerfile_test

import (
	"strings"
	"testing"
)

// TestReplacedWords checks the words of a command that compiles, which a shell splits, and those
// that are not known.
func TestReplacedWords(t *testing.T) {
	const foo, race = "RUN sets the build tags foo, and the program app", "RUN sets -race, and the program app"
	const unknown = "RUN sets build tags by "
	for _, c := range []struct{ stage, want string }{
		{"RUN FLAGS=\"-tags foo\" && go build $FLAGS -o /x ./cmd/app", foo},
		{"RUN FLAGS='-v -tags foo'; go build -v ${FLAGS} -o /x", foo},
		{"ENV MYF=\"-tags foo\"\nRUN go build $MYF -o /x ./cmd/app", foo},
		{"RUN MYFLAGS=\"-race -tags foo\" && go build $MYFLAGS -o /x", race},
		{"RUN FLAGS='-tags foo' && go build \"$FLAGS\" -o /x", ""},
		{"ENV NONE=\nRUN $NONE go build $NONE -tags foo -o /x", foo},
		{"RUN set -- -tags foo; go build \"$@\" -o /x", foo},
		{"RUN set -e -- -race -tags foo; shift && go build $* -o /x", foo},
		{"RUN set -ex; go build \"$@\" -o /x", ""},
		{"RUN [ $A ] && set -- -tags foo; go build \"$@\" -o /x", unknown + "\"$@\", whose value is unknown"},
		{"RUN f() { go build \"$@\" -o /x; }; f -tags foo", unknown + "\"$@\", "},
		{"RUN f() { go build $1 -o /x; }; f -race", unknown + "$1, "},
		{"RUN sh -c 'go build \"$@\" -o /x' sh -tags foo", foo},
		{"RUN if [ $A ]; then T=\"-tags foo\"; fi; go build $T -o /x", "2:49: " + unknown + "$T, whose value"},
		{"RUN T=-v; if [ $A ]; then T=-race; else go build -v $T -o /x; fi", unknown + "$T, "},
		{"RUN case $A in a) T=-race ;; b) go build $T -o /x ;; esac", unknown + "$T, "},
		{"RUN if [ $A ]; then T='-ldflags -s'; go build $T -o /x; fi", ""},
		{"RUN T='-tags foo'; [ $A ] || T=; go build $T -o /x", unknown + "$T, "},
		{"RUN [ $A ] && T=-v; go build -v $T -o /x", unknown + "$T, "},
		{"RUN T='-tags foo'; (T=); go build $T -o /x", foo},
		{"RUN read T < flags; go build -v $T -o /x", unknown + "$T, "},
		{"RUN : ${T:=-race}; go build -v $T -o /x", unknown + "$T, "},
		{"RUN T=$(cat flags); go build -v $T -o /x", unknown + "$T, "},
		{"RUN T=$(cat flags); go build ${T:+-race} -o /x", "RUN sets -race by ${T:+-race}, whose value"},
		{"RUN go build {-tags,foo} -o /x", unknown + "{-tags,foo}, "},
		{"RUN export \"F=-tags foo\" && go build $F -o /x", foo},
		{"RUN export $(cat env) && make", "RUN sets variables by $(cat env), whose"},
		{"RUN env $(cat env) make", "RUN sets variables by $(cat env), whose"},
		{"RUN GOFLAGS=$(cat flags) go build -o /x", unknown + "GOFLAGS=$(cat flags), "},
		{"RUN export GOFLAGS=\"-v $F $(cat flags)\" && make", unknown + "GOFLAGS="},
		{"RUN GOFLAGS=-race; if [ $A ]; then GOFLAGS=-v; fi; go build -o /x", "RUN sets -race by GOFLAGS=-v, "},
		{"ENV GOFLAGS=-race\nRUN if [ $A ]; then export GOFLAGS=-v; fi; go build -o /x", "RUN sets -race by GOFLAGS=-v, "},
		{"RUN for f in -v -race; do go build $f -o /x; done", unknown + "$f, "},
		{"RUN for f in race; do go build -$f -o /x; done", "RUN sets -race by "},
		{"RUN for c in vet build; do go $c -race -o /x; done", race},
		{"RUN for g in go1.25 go1.26; do $g build -race -o /x; done", race},
		{"RUN $(which go) build -tags foo -o /x", foo},
		{"RUN sh -c \"$(cat build)\"", "RUN sets variables by \"$(cat build)\", whose value"},

		{"RUN V=$(git describe); L=\"-s -X main.v=$V\"; go build -ldflags \"$L\" -o /x ./cmd/app", ""},
		{"RUN V=$(git describe); F=\"-v -ldflags=-X=main.v=$V\"; go build $F -o /x ./cmd/app", ""},
		{"RUN V=$(git describe) && go build -ldflags=-X=main.v=$V -o /bin/$V ./cmd/app $(cat more)", ""},
		{"RUN [ $V ] || V=$(git describe); go build -v -ldflags \"-X main.v=$V\" -o $V $(pwd)/cmd/app", ""},
		{"RUN if [ $A ]; then E=.exe; fi; go build -v -o /x$E ./cmd/$E", ""},
		{"RUN for a in x y; do GOARCH=$a go build -o bin/$a ./cmd/$a; done", ""},
		{"RUN for p in ./cmd/*; do go build -v -o bin/$(basename $p) $p; done", ""},
		{"RUN for p in app other; do go build $p; done", ""},
		{"RUN if [ $A ]; then export GOFLAGS=-mod=vendor; fi; go build -o /x", ""},
		{"RUN V=$(git describe) && GOFLAGS=\"-v -ldflags=-X=main.v=$V\" go build -o /x", ""},
		{"RUN export A=$(cat env) B && make", ""},
		{"RUN sh -c \"$(curl https://x.example/install)\" && go build -o /x", ""},
	} {
		got := replacedSettings(t, "FROM golang AS b\n"+c.stage+"\nFROM scratch\nCOPY --from=b /x /x\n", "b", "", "")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%q, want %q", c.stage, got, c.want)
		}
	}
}

// TestReplacedGo checks the commands that are the go command, and those that start it.
func TestReplacedGo(t *testing.T) {
	const foo, race = "RUN sets the build tags foo, and the program app", "RUN sets -race, and the program app"
	for _, c := range []struct{ stage, want string }{
		{"RUN go -C /src build -tags foo -o /x ./cmd/app", "2:28: " + foo},
		{"RUN CGO_ENABLED=1 go -C /src build -o /x ./cmd/app", "2:5: RUN sets CGO_ENABLED=1"},
		{"RUN go -C=/src build -race -o /x ./cmd/app", race},
		{"RUN go --C \"$D\" build -race -o /x ./cmd/app", race},
		{"RUN go -C /src env -w GOFLAGS=-tags=foo\nRUN make", foo},
		{"RUN go env -w $(cat env) && make", "RUN sets variables by $(cat env), whose"},
		{"RUN go1.26.1 build -tags foo -o /x", foo},
		{"RUN /opt/go/bin/go1.26rc1 -C x install -tags foo ./cmd/app", foo},
		{"RUN go \"$(cat words)\"", "RUN sets build tags by \"$(cat words)\", whose"},
		{"RUN go $(cat words) -o /x", "RUN sets build tags by $(cat words), whose"},
		{"RUN go-wrapper build -tags foo && golint build -tags foo && go build -o /x", ""},

		{"RUN su x -c \"go build -tags foo -o /x\"", foo},
		{"RUN su - x --command='go build -tags foo -o /x'", foo},
		{"RUN su x <<E\ngo build -tags foo -o /x\nE", foo},
		{"RUN sudo -u x sh -c 'go build -tags foo -o /x'", foo},
		{"RUN sudo -E -u x make TAGS=foo", foo},
		{"RUN sudo --user=x -- TAGS=foo make", foo},
		{"RUN gosu x:y make TAGS=foo && runuser -u x -- make", foo},
		{"RUN timeout -s KILL \"$T\" make TAGS=foo", foo},
		{"RUN chroot /c env -u A nice -n 5 make TAGS=foo", foo},
		{"RUN env -S 'go build -tags foo -o /x'", foo},
		{"RUN retry 3 go build -tags foo -o /x", foo},
		{"RUN ./retry bash -ec 'go build -tags foo -o /x'", foo},
		{"RUN echo go build -tags foo && rm -rf go build -race && go build -o /x", ""},

		{"RUN echo $(go build -tags foo -o /x 2>&1)", foo},
		{"RUN echo \"x `go build -tags foo -o /x`\" y", foo},
		{"RUN OUT=$(CGO_ENABLED=1 go build -o /x); echo $OUT", "RUN sets CGO_ENABLED=1"},
		{"RUN export OUT=$(T=-race; go build $T -o /x)", race},
		{"RUN for f in $(go build -race -o /x); do echo; done", race},
		{"RUN cat <<E\n$(make TAGS=foo)\nE", foo},
		{"RUN cat <(make TAGS=foo)", foo},
		{"RUN echo $(TAGS=foo make)", foo},
		{"ENV CGO_ENABLED=1\nRUN V=$(make version-x)$(./v.sh) && CGO_ENABLED=0 go build -ldflags \"$V\" -o /x", ""},
		{"ENV GOEXPERIMENT=x\nRUN V=$(./v.sh) ./compile", "ENV sets GOEXPERIMENT=x"},
	} {
		got := replacedSettings(t, "FROM golang AS b\n"+c.stage+"\nFROM scratch\nCOPY --from=b /x /x\n", "b", "", "")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%q, want %q", c.stage, got, c.want)
		}
	}
}
