package script_test

import (
	"testing"

	"github.com/slipway-dev/slipway/containerfile/script"
)

// FuzzCalls reads any script, which may start itself.
func FuzzCalls(f *testing.F) {
	for _, seed := range []string{
		"bash -s -- a <<EOF\nmake TAGS=$1\nEOF", "eval \"A=b make\"", "echo -tags x | xargs -n 2 go build",
		"sh -c 'self a' b c", ". self && { echo a; } | sh < self", "cat <<<x | find . -exec sh -c make {} +",
		". <(make env) && make", "set -- a '' && set -- \"$@\" \"$@\" && go \"$@\" $1 ${X:=b}", "T='env -S \"$T\"'; env -S \"$T\"",
		"su x -c 'go -C'; $(go build) `x`", "f() { case $1 in a) T=\"$(b) -c\" ;; *) shift ;; esac; sudo -u $T {a,b}; }",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		around := script.Around{
			Env:    func(name string) (string, bool) { return name, name != "" },
			Files:  func(name string) (string, bool) { return source, name == "self" },
			System: func(string) bool { return false },
		}
		for _, c := range script.Calls(source, nil, around) {
			if len(c.Words) == 0 {
				t.Fatalf("a call without words of %q", source)
			}
		}
	})
}
