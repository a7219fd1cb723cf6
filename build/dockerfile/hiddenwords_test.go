package dockerfile_test

import (
	"strings"
	"testing"
)

// TestHiddenWords checks the words of a command that compiles, which a shell splits, and those that
// are not known.
func TestHiddenWords(t *testing.T) {
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
		{"RUN [ $A ] && set -- -tags foo; go build \"$@\" -o /x", unknown + "\"$@\", whose value is not known here"},
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

		{"RUN V=$(git describe); L=\"-s -X main.v=$V\"; go build -ldflags \"$L\" -o /x ./cmd/app", ""},
		{"RUN V=$(git describe); F=\"-v -ldflags=-X=main.v=$V\"; go build $F -o /x ./cmd/app", ""},
		{"RUN V=$(git describe) && go build -ldflags=-X=main.v=$V -o /bin/$V ./cmd/app $(cat more)", ""},
		{"RUN [ $V ] || V=$(git describe); go build -v -ldflags \"-X main.v=$V\" -o $V $(pwd)/cmd/app", ""},
		{"RUN if [ $A ]; then E=.exe; fi; go build -v -o /x$E ./cmd/$E", ""},
		{"RUN for a in x y; do GOARCH=$a go build -o bin/$a ./cmd/$a; done", ""},
		{"RUN sh -c \"$(curl https://x.example/install)\" && go build -o /x", ""},
	} {
		got := hiddenSettings(t, "FROM golang AS b\n"+c.stage+"\nFROM scratch\nCOPY --from=b /x /x\n", "b", "", "")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%q, want %q", c.stage, got, c.want)
		}
	}
}
