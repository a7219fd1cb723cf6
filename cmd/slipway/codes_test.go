package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestWrongValues gives commands values that are mistakes in the command line, each where all else
// is right. The exit code is 2 for each.
func TestWrongValues(t *testing.T) {
	registry, at, keys := registrytest.Serve(t), t.TempDir(), t.TempDir()
	put(t, at, "slipway.yaml", `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources:
  - {name: here, directory: ., revision: abc, created: "2025-01-01T00:00:00Z"}
images:
  - {name: app, source: here, dockerfile: {file: Dockerfile, context: .}}
`)
	put(t, at, "Dockerfile", "FROM scratch\nCOPY slipway.yaml /\n")
	put(t, at+"/new", "go.mod", "module example.com/new\n\ngo 1.24\n")
	t.Chdir(at)
	t.Setenv(passwordVariable, "correct horse")
	for _, args := range [][]string{
		{"release", "-q", "-binary=false", "-registry=" + registry.Host() + "/me"},
		{"keygen", "-name=" + keys + "/key"},
	} {
		var out, problems strings.Builder
		if code := run(args, &out, &problems); code != 0 {
			t.Fatalf("exit code %d\n%s", code, problems.String())
		}
	}
	bundle := "dist/demo-images.tar.zst"
	for _, line := range []string{
		"release -registry=UPPER/x", "release -platforms=plan9/x", "release -images=none", "release -version=a/b",
		"release -channel=none", "release -floating=wrong", "release -repository=x", "release -repository=none=x",
		"release -builder=x", "release -sandbox=wrong", "release -build-cache=wrong", "release -shard=x",
		"merge x -registry=UPPER/x", "merge -plan=x", "merge",
		"check -platforms=plan9/x", "plan -images=none", "plan -shards=0", "plan -shards=-1", "images -version=a/b",
		"build -platforms=plan9/x", "publish -floating=wrong", "render -destination=wrong",
		"promote -to=UPPER/x", "promote -to=a.example/x -from=UPPER/x", "promote -to=a.example/x -charts=wrong",
		"promote -to=a.example/x -floating=wrong", "promote -to=a.example/x -rename=x",
		"promote -to=a.example/x -rename=none=x", "promote -to=a.example/x -to=a.example/x",
		"promote " + bundle + " -to=a.example/x -release-to=x", "promote",
		"github-release -repository=x",
		"fetch x", "kubernetes x -image=example.com/x:1", "kubernetes x",
		"init -platforms=plan9/x", "init -example=wrong", "init -created=wrong new",
		"audit -fail=wrong x", "audit -platform=plan9/x x", "audit -case=x x", "audit -fix x", "audit -fix -to=x@y x",
		"audit -floating=wrong -fix -to=a.example/x x",
		"serve -addr=wrong", "bases -newer=wrong", "clean -older=x", "verifier -name=x -digest=x",
		"cacheprog -repository=x", "cacheprog -repository=a.example/x -tag=a/b",
		"nodes -nodes=- -release=-", "nodes -nodes=x -context=y",
		"airgap pack -platforms=plan9/x", "airgap push " + bundle, "airgap push " + bundle + " -to=UPPER/x",
		"airgap push " + bundle + " -to=a.example/x -platforms=plan9/x",
		"airgap push " + bundle + " -to=a.example/x -floating=wrong",
		"airgap extract x -from=" + bundle, "airgap extract IMAGE -from=" + bundle + " -to=y -format=wrong",
		"airgap extract IMAGE -from=" + bundle + " -to=y -platform=plan9/x", "airgap split " + bundle + " -max-size=x",
		"airgap mirror-config " + bundle + " -to=UPPER/x", "airgap verify " + bundle + " -key=KEY.pub -threshold=2",
		"airgap verify " + bundle + " -key=KEY.pub -key=KEY.pub", "reproduce dist -sign=KEY.key",
		"reproduce dist -sign=KEY.key -builder=x",
	} {
		var out, problems strings.Builder
		line = strings.NewReplacer("KEY", keys+"/key", "IMAGE", registry.Host()+"/me/demo/app:1.0.0").Replace(line)
		if code := run(strings.Fields(line), &out, &problems); code != 2 {
			t.Errorf("slipway %s: exit code %d: %s%s", line, code, out.String(), problems.String())
		}
	}
}

// TestIdleFlags gives each flag that needs another one without that.
func TestIdleFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	tried := 0
	for _, cmd := range everyCommand(newTree(io.Discard, io.Discard)) {
		words := strings.Fields(cmd.CommandPath())[1:]
		full := strings.Fields(strings.Repeat("x ", argumentsOf(cmd.Use).min))
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if len(f.Annotations[needed]) == 0 {
				return
			}
			tried++
			got := refused(t, append(append(words, full...), "-"+f.Name+"="+value(f))...)
			if !strings.HasPrefix(got, "error: -"+f.Name+" is of no use without -"+f.Annotations[needed][0]) {
				t.Errorf("%s -%s: %s", cmd.CommandPath(), f.Name, got)
			}
		})
	}
	if tried < 30 {
		t.Errorf("only %d flags were tried", tried)
	}
}

// value returns a value that a flag takes.
func value(f *pflag.Flag) string {
	known := map[string]string{
		"bool": "true", "int": "1", "int64": "1", "duration": "1s", "require|try|none": "try",
	}
	if v := known[f.Value.Type()]; v != "" {
		return v
	}
	return "off" // a text, and a mode of the sandbox
}

// TestAuthorities gives every command that asks registries a file of authorities, which is read
// before anything else is done.
func TestAuthorities(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, words := range askers {
		args := strings.Fields(words)
		cmd, _, err := newRoot().Find(args)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, strings.Fields(strings.Repeat("x ", argumentsOf(cmd.Use).min))...)
		if words == "promote" {
			args = append(args, "-to=registry.example/x")
		}
		var out, problems strings.Builder
		code := run(append(args, "-ca-file=none.pem"), &out, &problems)
		if want := "error: reading certificate authorities: "; code != 1 || !strings.HasPrefix(problems.String(), want) {
			t.Errorf("slipway %s: exit code %d: %s", words, code, problems.String())
		}
	}
}
