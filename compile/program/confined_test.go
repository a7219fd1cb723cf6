package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/product"
)

// TestConfined checks that nothing in a third-party release names a program.
func TestConfined(t *testing.T) {
	tree := source.Tree{Source: product.Source{Own: true, Confined: true}}
	for _, p := range []Program{
		{Flags: []string{"-toolexec=sh ./evil.sh"}},
		{Flags: []string{"-toolexec", "sh ./evil.sh"}},
		{Flags: []string{"--overlay=x.json"}},
		{Flags: []string{"-modfile=x.mod"}},
		{Flags: []string{"-C=/etc"}},
		{Flags: []string{"-exec=sh"}},
		{Flags: []string{"-pgo=/etc/passwd"}},
		{Flags: []string{"-compiler=gccgo"}},
		{Flags: []string{"-gccgoflags=-B/tmp"}},
		{Flags: []string{"-buildvcs=true"}},
		{Flags: []string{"-mod=mod"}},
		{Flags: []string{"-race"}},
		{Flags: []string{"-ldflags=-extld=sh"}},
		{Flags: []string{"-gcflags=-importcfg=x"}},
		{Ldflags: []string{"-linkmode=external"}},
		{Ldflags: []string{"-extld", "sh"}},
		{Ldflags: []string{"@flags"}},
		{Env: []string{"GOCACHEPROG=sh"}},
		{Env: []string{"CC=sh"}},
		{Env: []string{"CXX=sh"}},
		{Env: []string{"AR=sh"}},
		{Env: []string{"FC=sh"}},
		{Env: []string{"PKG_CONFIG=sh"}},
		{Env: []string{"CGO_ENABLED=1"}},
		{Env: []string{"GOTOOLCHAIN=path"}},
		{Env: []string{"GOFLAGS=-toolexec=sh"}},
		{Env: []string{"GOENV=env"}},
		{Env: []string{"GOPROXY=file:///tmp"}},
		{Env: []string{"GOVCS=*:all"}},
		{Env: []string{"GOAUTH=sh"}},
		{Env: []string{"GOWORK=go.work"}},
		{Env: []string{"GODEBUG=execerrdot=0"}},
		{Env: []string{"PATH=."}},
		{Env: []string{"LD_PRELOAD=x.so"}},
	} {
		p.Name, p.Tree = "app", tree
		err := p.Check()
		if err == nil || !strings.Contains(err.Error(), "may run commands on this machine") ||
			!strings.Contains(err.Error(), "-allow-commands") {
			t.Errorf("%q %q %q: %v", p.Env, p.Flags, p.Ldflags, err)
		}
		if _, err := (&batch{programs: []member{{Program: p}}}).run(t.Context(), nil); err == nil {
			t.Errorf("%q %q %q is compiled", p.Env, p.Flags, p.Ldflags)
		}
	}
	good := Program{
		Tree: tree, Env: []string{"GOAMD64=v3", "CGO_ENABLED=0"},
		Flags: []string{"-tags=a,b", "-trimpath", "-gcflags=all=-l"}, Ldflags: []string{"-s -w", "-X main.v=1"},
	}
	if err := good.checkConfined(); err != nil {
		t.Error(err)
	}
}

// TestLinkIsNoProgram checks that nothing is read through a link that a program in the sandbox has
// left in place of what is compiled.
func TestLinkIsNoProgram(t *testing.T) {
	dir := t.TempDir()
	secret, app := filepath.Join(dir, "id_ed25519"), filepath.Join(dir, "app")
	programs := []member{{Program{Name: "app"}, app}}
	if err := os.WriteFile(secret, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, app); err != nil {
		t.Fatal(err)
	}
	if err := checkOutputs(programs); err == nil ||
		!strings.Contains(err.Error(), "made a symbolic link instead of a program") {
		t.Errorf("a link is a program: %v", err)
	}
	if err := os.Rename(secret, app); err != nil {
		t.Fatal(err)
	}
	if err := checkOutputs(programs); err != nil {
		t.Error(err)
	}
}
