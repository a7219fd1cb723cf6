package airgap_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// loaders are the scripts of demo's release, whose bundles have a .tar.gz or not.
func loaders(t *testing.T, gzip bool) map[string]string {
	t.Helper()
	st, l := bundletest.Demo(t, 100)
	pack := bundletest.Pack
	if gzip {
		pack = bundletest.PackTwins
	}
	all, err := airgap.Scripts(l.Name, l.Version, bundletest.Targets(t),
		pack(t, st, l, t.TempDir(), bundletest.Targets(t)...))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, s := range all {
		byName[s.Name] = string(s.Data)
	}
	return byName
}

func TestScripts(t *testing.T) {
	all := loaders(t, false)
	if len(all) != 2 {
		t.Fatalf("%d scripts, want 2", len(all))
	}
	for name, text := range all {
		golden.Compare(t, *update, "testdata/"+name, strings.ReplaceAll(text, "\r\n", "\n"))
	}
	none, err := airgap.Scripts("demo", "", nil, nil)
	if err != nil || len(none) != 0 {
		t.Errorf("scripts for no bundle: %v, %v", none, err)
	}
}

// TestShell: the shell script passes sh -n.
func TestShell(t *testing.T) {
	t.Run("zst", func(t *testing.T) { checkShell(t, loaders(t, false)["load-images.sh"]) })
	t.Run("gz", func(t *testing.T) { checkShell(t, loaders(t, true)["load-images.sh"]) })
}

func checkShell(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "load-images.sh")
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("sh", "-n", path).CombinedOutput(); err != nil {
		t.Errorf("sh -n: %v\n%s", err, out)
	}
	out, err := exec.Command("sh", path, "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "usage: load-images.sh [DIRECTORY]") ||
		strings.Contains(string(out), "set -eu") {
		t.Errorf("--help: %v\n%s", err, out)
	}
}

// TestShellcheck: shellcheck has nothing to say of the shell script.
func TestShellcheck(t *testing.T) {
	testprog.Need(t, "shellcheck")
	for _, gz := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "load-images.sh")
		if err := os.WriteFile(path, []byte(loaders(t, gz)["load-images.sh"]), 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("shellcheck", "--severity=style", path).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestPowerShell holds the structure of the PowerShell script as far as that can be without
// PowerShell: brackets and quotes close, variables are set before they are read, and bundles
// stand newest first.
func TestPowerShell(t *testing.T) {
	t.Run("zst", func(t *testing.T) { checkPowerShell(t, loaders(t, false)["load-images.ps1"], "26100 20348 17763") })
	t.Run("gz", func(t *testing.T) { checkPowerShell(t, loaders(t, true)["load-images.ps1"], "26100 20348 17763") })
}

func checkPowerShell(t *testing.T, text, wantBuilds string) {
	t.Helper()
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		t.Error("not every line ends as Windows has it")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	_, code, ok := strings.Cut(text, "#>\n")
	if !ok || !strings.HasPrefix(text, "<#\n.SYNOPSIS\n") {
		t.Fatal("the help does not stand first")
	}
	_, params, _ := strings.Cut(code, "\nparam(")
	params, _, _ = strings.Cut(params, "\n)\n")
	if n := strings.Count(params, "[string"); n < 5 || strings.Count(params, "[ValidateNotNullOrEmpty()][string") != n {
		t.Errorf("not every parameter refuses an empty value: %s", params)
	}
	var open []byte
	pairs := map[byte]byte{')': '(', '}': '{', ']': '['}
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '#':
			i += strings.IndexByte(code[i:], '\n')
		case '\'':
			end := strings.IndexByte(code[i+1:], '\'')
			if end < 0 || strings.Contains(code[i+1:][:end], "\n") {
				t.Fatalf("a quote does not close: %.40q", code[i:])
			}
			i += end + 1
		case '"':
			if len(open) > 0 && open[len(open)-1] == '"' {
				open = open[:len(open)-1]
			} else {
				open = append(open, c)
			}
		case '(', '{', '[':
			open = append(open, c)
		case ')', '}', ']':
			if len(open) == 0 || open[len(open)-1] != pairs[c] {
				t.Fatalf("%c closes nothing at %.40q", c, code[i:])
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %q", open)
	}
	known := map[string]bool{
		"_": true, "PSScriptRoot": true, "PSCommandPath": true, "LASTEXITCODE": true,
		"env": true, "true": true, "false": true, "null": true, "Matches": true,
	}
	for _, m := range regexp.MustCompile(
		`(?i)\[[a-z\[\]]+\]\$([a-z]+)|\$([a-z]+)(?:, \$([a-z]+))? \+?= |foreach \(\$([a-z]+) in`).FindAllStringSubmatch(
		code, -1) {
		for _, name := range m[1:] {
			known[name] = true
		}
	}
	for _, m := range regexp.MustCompile(`\$\{?([A-Za-z_]+)`).FindAllStringSubmatch(code, -1) {
		if !known[m[1]] {
			t.Errorf("$%s is read and never set", m[1])
		}
	}
	var builds []string
	for _, m := range regexp.MustCompile(`Build +=\s([0-9]+)`).FindAllStringSubmatch(code, -1) {
		builds = append(builds, m[1])
	}
	if got := strings.Join(slices.Compact(builds), " "); got != wantBuilds {
		t.Errorf("builds in the order %s", got)
	}
}

// TestShellSelects runs the shell script with a ctr that notes its arguments: the bundle of this
// machine, checked, imported, and named by digest.
func TestShellSelects(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	dir := t.TempDir()
	files := bundletest.Pack(t, st, l, dir, bundletest.Targets(t)...)
	all, err := airgap.Scripts(l.Name, l.Version, bundletest.Targets(t), files)
	if err != nil {
		t.Fatal(err)
	}
	var sums strings.Builder
	for _, f := range files {
		sums.WriteString(f.SHA256 + "  " + filepath.Base(f.Path) + "\n")
	}
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("SHA256SUMS", sums.String(), 0o644)
	script := write("load-images.sh", string(all[1].Data), 0o755)
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	write("bin/uname", "#!/bin/sh\necho $MACHINE\n", 0o755)
	write("bin/ctr", "#!/bin/sh\ncat >/dev/null\necho \"$@\" >>"+filepath.Join(dir, "calls")+"\nexit ${CODE-0}\n",
		0o755)
	run := func(machine string, env ...string) (string, string, error) {
		t.Helper()
		os.Remove(filepath.Join(dir, "calls")) //nolint:errcheck // there may be none
		cmd := exec.Command("sh", script)
		cmd.Env = append(append(os.Environ(), "SNAPSHOT=yes", "PATH="+bin+":"+os.Getenv("PATH"), "MACHINE="+machine, "SNAPSHOT=yes"), env...)
		out, err := cmd.CombinedOutput()
		calls, _ := os.ReadFile(filepath.Join(dir, "calls"))
		return string(out), string(calls), err
	}
	for machine, p := range map[string]string{"x86_64": "linux/amd64", "aarch64": "linux/arm64"} {
		out, calls, err := run(machine, "ADDRESS=/run/c.sock")
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !strings.HasPrefix(calls,
			"--address /run/c.sock --namespace k8s.io images import --no-unpack --platform "+p+" ") {
			t.Errorf("%s: %s", machine, calls)
		}
		images := files[0].Contents.Images
		if p == "linux/arm64" {
			images = files[1].Contents.Images
		}
		for _, i := range images {
			if !strings.Contains(calls, "images tag --force "+i.Name+" "+i.Reference()+"\n") {
				t.Errorf("%s: the digest of %s got no name:\n%s", machine, i.Name, calls)
			}
		}
	}
	for name, c := range map[string]struct {
		machine string
		prepare func()
		env     string
		want    string
	}{
		"machine": {
			"vax",
			func() {}, "", "there is no bundle for this machine (vax), only for linux/amd64 linux/arm64",
		},
		"ctr":          {"x86_64", func() {}, "CTR=no-such-ctr", "no-such-ctr is not in PATH"},
		"no key":       {"x86_64", func() {}, "KEY=", "KEY is set and empty: give it a value, or unset it"},
		"no address":   {"x86_64", func() {}, "ADDRESS=", "ADDRESS is set and empty"},
		"no namespace": {"x86_64", func() {}, "NAMESPACE=", "NAMESPACE is set and empty"},
		"no ctr":       {"x86_64", func() {}, "CTR=", "CTR is set and empty"},
		"fails":        {"x86_64", func() {}, "CODE=3", ""},
		"checksum": {"x86_64", func() {
			write("SHA256SUMS", strings.Repeat("0", 64)+"  "+filepath.Base(files[0].Path)+"\n", 0o644)
		}, "", "copy it again"},
		"release": {"x86_64", func() {
			write("SHA256SUMS", sums.String()[strings.Index(sums.String(), "\n")+1:], 0o644)
		}, "", "it is of another release"},
	} {
		t.Run(name, func(t *testing.T) {
			defer write("SHA256SUMS", sums.String(), 0o644)
			c.prepare()
			out, calls, err := run(c.machine, c.env)
			if err == nil || !strings.Contains(out, c.want) || strings.Contains(out, "done:") {
				t.Errorf("%v\n%s\n%s", err, out, calls)
			}
			if name != "fails" && calls != "" {
				t.Errorf("ctr was called: %s", calls)
			}
		})
	}
}
