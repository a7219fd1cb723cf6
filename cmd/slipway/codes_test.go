package main

import (
	"io"
	"os"
	"os/exec"
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
		{"keygen", keys + "/key"},
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
		"stage build -platforms=plan9/x", "stage publish -floating=wrong", "stage render -destination=wrong",
		"promote -to=UPPER/x", "promote -to=a.example/x -from=UPPER/x", "promote -to=a.example/x -charts=wrong",
		"promote -to=a.example/x -floating=wrong", "promote -to=a.example/x -rename=x",
		"promote -to=a.example/x -rename=none=x", "promote -to=a.example/x -to=a.example/x",
		"promote " + bundle + " -to=a.example/x -release-to=x", "promote",
		"github-release -github-repository=x",
		"shard fetch x", "shard kubernetes x -image=example.com/x:1", "shard kubernetes x",
		"init -platforms=plan9/x", "init -example=wrong", "init -created=wrong new",
		"audit -fail=wrong x", "audit -platform=plan9/x x", "audit -case=x x", "audit -fix x", "audit -fix -to=x@y x",
		"audit -floating=wrong -fix -to=a.example/x x",
		"serve -addr=wrong", "pin -newer=wrong", "pin wrong", "store clean -older=x", "verifier -name=x -digest=x",
		"cacheprog -build-cache=x", "cacheprog -build-cache=a.example/x -build-cache-tag=a/b",
		"nodes -nodes=- -release=-", "nodes -nodes=x -context=y",
		"airgap pack -platforms=plan9/x", "airgap push " + bundle, "airgap push " + bundle + " -to=UPPER/x",
		"airgap push " + bundle + " -to=a.example/x -platforms=plan9/x",
		"airgap push " + bundle + " -to=a.example/x -floating=wrong",
		"airgap extract " + bundle + " x", "airgap extract " + bundle + " IMAGE -o=y -format=wrong",
		"airgap extract " + bundle + " IMAGE -o=y -platforms=plan9/x",
		"airgap extract " + bundle + " IMAGE -o=y -platforms=linux/amd64,linux/arm64", "airgap split " + bundle + " -max-size=x",
		"airgap mirror-config " + bundle + " -to=UPPER/x", "verify " + bundle + " -key=KEY.pub -threshold=2",
		"verify " + bundle + " -key=KEY.pub -key=KEY.pub", "reproduce dist -sign=KEY.key",
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
			if !strings.HasPrefix(got, "error: -"+f.Name+" has no effect without -"+f.Annotations[needed][0]) {
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

// TestOutages runs each command that asks a server where nothing listens. The exit code is 3 for
// each, and nothing is printed as a result.
func TestOutages(t *testing.T) {
	t.Parallel()
	const dead = "127.0.0.1:1"
	at := t.TempDir()
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
	put(t, at, "based.yaml", `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
bases: [{name: base, images: {linux/amd64: "`+dead+`/base:1"}}]
sources:
  - {name: here, directory: ., revision: abc, created: "2025-01-01T00:00:00Z"}
images:
  - {name: app, source: here, dockerfile: {file: Dockerfile, context: .}}
`)
	put(t, at, "pod.yaml", `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b},
spec: {nodeSelector: {kubernetes.io/os: linux}, containers: [{name: a, image: "`+dead+`/a:1"}]}}
`)
	put(t, at, "kubeconfig.yaml", `{apiVersion: v1, kind: Config, current-context: a,
contexts: [{name: a, context: {cluster: a, user: a}}], users: [{name: a, user: {}}],
clusters: [{name: a, cluster: {server: "http://`+dead+`"}}]}
`)
	registry := registrytest.Serve(t)
	run := func(line string) (int, string) {
		cmd := exec.CommandContext(t.Context(), slipway(t), strings.Fields(line)...)
		cmd.Dir, cmd.Env = at, append(os.Environ(), impatience+"=50ms", "GITHUB_TOKEN=secret", "GITHUB_API_URL=http://"+dead)
		out, _ := cmd.CombinedOutput() // the code tells
		return cmd.ProcessState.ExitCode(), string(out)
	}
	for _, line := range []string{
		"release -q -binary=false -registry=" + registry.Host() + "/me", "stage build -q -out=built",
		"release -q -binary=false -registry=" + registry.Host() + "/me -platforms=linux/amd64 -out=part",
	} {
		if code, out := run(line); code != 0 {
			t.Fatalf("slipway %s: exit code %d\n%s", line, code, out)
		}
	}
	plan := dead + "/plans@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for _, line := range []string{
		"release -registry=" + dead + "/me -out=new", "plan -registry=" + dead + "/me -out=new",
		"plan -registry=" + dead + "/me -shards=1 -push", "stage publish -registry=" + dead + "/me -out=built",
		"release -plan=" + plan + " -shard=0", "merge -plan=" + plan,
		"shard fetch " + plan, "shard kubernetes " + plan + " -image=example.com/slipway:1",
		"shard tekton " + plan + " -image=example.com/slipway:1",
		"promote -to=" + dead + "/me", "airgap push dist/demo-images.tar.zst -to=" + dead + "/me",
		"pin bases -product=based.yaml", "pin -product=based.yaml", "lint -remote pod.yaml", "audit " + dead + "/a:1",
		"audit -fix -to=" + dead + "/b:1 " + dead + "/a:1", "doctor -registry=" + dead + "/me",
		"github-release -github-repository=me/demo", "nodes -kubeconfig=kubeconfig.yaml -release=pod.yaml -lock=dist/release.lock.json",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if code, out := run(line); code != codeUnread {
				t.Errorf("exit code %d: %s", code, out)
			}
		})
	}
}
