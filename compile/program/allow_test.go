package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/product"
)

// TestOthersMay accepts the usual settings of .ko.yaml files in third-party sources.
func TestOthersMay(t *testing.T) {
	const text = `
defaultEnv: [CGO_ENABLED=0, GOAMD64=v2, GOARM64=v8.0, "GOARM64=v8.1,lse", GOEXPERIMENT=jsonv2, GOFIPS140=latest, GOFIPS140=v1.0.0, GO111MODULE=on]
defaultFlags: [-a, -v, --trimpath, -trimpath=true, -buildvcs=false, -tags, "netgo,osusergo", --tags=a b, -mod=vendor, -buildmode=pie, -pgo=off, "-gcflags=all=-N -l", "-ldflags=-s -w"]
defaultLdflags: [-s -w, -X main.a=b, "-X 'main.c=d e'", "-X=main.f=-linkmode=external", '-extldflags "-static"', -extldflags=-static, -buildid=, -X, 'main.commit={{.Git.ShortCommit}}']
`
	p, err := withKo(t, text, ".", info, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Env) != 8 || len(p.Flags) != 13 || len(p.Ldflags) != 9 || p.Ldflags[8] != "main.commit=0123456" {
		t.Errorf("taken are %q, %q, %q", p.Env, p.Flags, p.Ldflags)
	}
}

// TestOthersMayNot rejects settings that would run a command on this machine or
// access a file or a server.
func TestOthersMayNot(t *testing.T) {
	for _, env := range []string{
		"GOFLAGS='-toolexec=sh evil.sh'", "GOFLAGS=-v", "GOCACHEPROG=sh ./evil.sh", "CC=sh evil.sh",
		"CXX=x", "AR=x", "PKG_CONFIG=x", "CGO_ENABLED=1", "CGO_CFLAGS=-x",
		"GO_EXTLINK_ENABLED=1", "GODEBUG=execerrdot=0", "GOTOOLCHAIN=go1.21.0", "GOAUTH=sh evil.sh",
		"GOPROXY=https://example.com", "GOSUMDB=off", "GOPRIVATE=*",
		"GOINSECURE=*", "GOROOT=.", "GOMODCACHE=.", "GOCACHE=.", "GOTMPDIR=.", "GOENV=env", "GOWORK=go.work",
		"GOOS=linux", "GOARCH=386", "GOBIN=.", "GOVCS=*:all",
		"PATH=.", "LD_PRELOAD=./evil.so", "HOME=.", "GIT_SSH_COMMAND=x", "NETRC=x", "TMPDIR=.", "MODE=fast",
		"", "=", "GOAMD64", "GOAMD64=../x", "GOFIPS140=../x", "goflags=x",
	} {
		notAllowed(t, "defaultEnv", env)
	}
	for _, flags := range [][]string{
		{"-toolexec=sh evil.sh"},
		{"--toolexec", "sh"},
		{"-exec=x"},
		{"-o=/etc/x"},
		{"-C=/"},
		{"-overlay=x.json"},
		{"-modfile=x.mod"},
		{"-pkgdir=x"},
		{"-compiler=gccgo"},
		{"-gccgoflags=x"},
		{"-mod=mod"},
		{"-mod", "mod"},
		{"-race"},
		{"-msan"},
		{"-asan"},
		{"-cover"},
		{"-linkshared"},
		{"-buildmode=plugin"},
		{"-buildvcs=true"},
		{"-buildvcs"},
		{"-pgo=/etc/passwd"},
		{"-gcflags=-cpuprofile=x"},
		{"-gcflags=all=-embedcfg=x"},
		{"-gcflags", "-N @x"},
		{"-asmflags=-I=/"},
		{"-ldflags=-extld=sh"},
		{"-ldflags=all=-linkmode=external"},
		{"-n"},
		{"-x"},
		{"-json"},
		{"-work"},
		{"-modcacherw"},
		{"./other"},
		{"-v", "/etc/x.go"},
		{"--"},
		{"-"},
		{"---v"},
		{"-=v"},
		{""},
		{"-tags"},
		{"-tags=a\n-b"},
		{"-trimpath=false"},
		{"-tags", "-toolexec=x", "-toolexec=x"},
		{"-v", "-tags=x", "{{`-toolexec=x`}}"},
	} {
		notAllowed(t, "defaultFlags", flags...)
	}
	for _, ldflags := range [][]string{
		{"-extld=sh"},
		{"-extld", "sh"},
		{"-s -w -extld sh"},
		{"-linkmode=external"},
		{"-linkmode", "external"},
		{"-extldflags=-fplugin=x"},
		{`-extldflags "-static -fplugin=x"`},
		{"-extar=x"},
		{"-r=/x"},
		{"-L=/x"},
		{"-I=/x"},
		{"-o=/x"},
		{"-tmpdir=/x"},
		{"-cpuprofile=x"},
		{"-capturehostobjs=x"},
		{"-importcfg=x"},
		{"@flags"},
		{"-X @flags"},
		{"-X", "@flags"},
		{"-X '@flags'"},
		{"'-extld' sh"},
		{`-X "main.a=b" -extld=sh`},
		{`-X main.a="b -extld=sh`},
		{"-X 'main.a=b", "c'"},
		{"all=-s"},
		{"-s\n-extld=sh"},
		{"-X"},
		{"-buildid", "@x"},
		{"-s=x"},
	} {
		notAllowed(t, "defaultLdflags", ldflags...)
	}
}

func notAllowed(t *testing.T, field string, list ...string) {
	t.Helper()
	text := "# theirs\n" + field + ":\n"
	for _, s := range list {
		text += "  - " + quote(s) + "\n"
	}
	p, err := withKo(t, text, ".", info, false)
	if err == nil {
		t.Errorf("%s %q is taken: %q %q %q", field, list, p.Env, p.Flags, p.Ldflags)
		return
	}
	name := strings.ToLower(strings.TrimPrefix(field, "default"))
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, filepath.Join(p.Tree.Dir, ".ko.yaml")+":") ||
			!strings.Contains(line, ":5: the .ko.yaml of another project may not have ") ||
			!strings.Contains(line, "give source s or program p its own "+name+" in slipway.yaml") {
			t.Errorf("%s %q: the error is %s", field, list, line)
		}
	}
	// Settings in slipway.yaml replace the list, so users can work around the error.
	p.Tree.Source.Own = false
	for _, l := range []*[]string{&p.Env, &p.Flags, &p.Ldflags} {
		*l = []string{}
	}
	if err := p.readKo(info); err != nil {
		t.Errorf("%s %q: with lists in slipway.yaml the error is %v", field, list, err)
	}
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// TestEachIsReported checks that one error reports all refused settings in the
// order of the file's lists.
func TestEachIsReported(t *testing.T) {
	_, err := withKo(t, "defaultEnv: [CC=sh, GOAMD64=v2, CXX=sh]\nbuilds:\n- main: .\n  ldflags: -s -w -extld=sh\n",
		".", info, false)
	var got []string
	for line := range strings.Lines(err.Error()) {
		_, line, _ = strings.Cut(line, ".ko.yaml:")
		at, _, _ := strings.Cut(line, ": ")
		got = append(got, at)
	}
	if d := cmp.Diff([]string{"1:14", "1:33", "4:12"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestKoLink checks that a .ko.yaml cannot be a link to another place.
func TestKoLink(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(other, []byte("defaultFlags: [-v]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, ".ko.yaml")); err != nil {
		t.Fatal(err)
	}
	p := Program{Name: "p", Tree: source.Tree{Dir: dir, Source: product.Source{Name: "s"}}}
	if err := p.readKo(info); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("the error is %v", err)
	}
}
