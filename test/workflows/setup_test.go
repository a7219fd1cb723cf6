package workflows

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// TestSetup sets Slipway up in jobs whose Go is older than Slipway demands and downloads no other,
// as setup-go leaves it, and logs in where programs look for the login.
func TestSetup(t *testing.T) {
	testprog.Need(t, "act")
	repository := clone(t, "unused")
	flags := []string{
		"--env=GOPROXY=file://" + newerSlipway(t), "--env=GOSUMDB=off", "--env=GOFLAGS=-modcacherw",
		"--env=GOMODCACHE=" + t.TempDir(),
	}
	for _, action := range []string{"checkout", "setup-go"} {
		dir, err := filepath.Abs(filepath.Join("testdata/actions", action))
		must(t, err)
		flags = append(flags, "--local-repository=actions/"+action+"@v7="+dir)
	}
	artifacts, out, err := act(t, repository, "setup.yml", "", flags...)
	if err == nil || !strings.Contains(out, "Job 'half' failed") || strings.Contains(out, "Job 'setup' failed") {
		t.Errorf("act: %v; only half, which has half a login, fails", err)
	}
	for _, registry := range []string{"docker.io/me", "index.docker.io/me", "ghcr.io/me", "registry.example:5000"} {
		t.Setenv("DOCKER_CONFIG", filepath.Join(artifacts, registry))
		host, _, _ := strings.Cut(registry, "/")
		r, err := name.NewRegistry(host)
		must(t, err)
		found, err := authn.DefaultKeychain.Resolve(r)
		must(t, err)
		login, err := found.Authorization()
		must(t, err)
		if login.Username != "me" || login.Password != "secret" {
			t.Errorf("%s: the login is that of %q", registry, login.Username)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// newerSlipway makes a module proxy with a version of Slipway that needs another Go, and a program
// that replaces that Go.
func newerSlipway(t *testing.T) (proxy string) {
	t.Helper()
	const module, version, toolchain = "github.com/slipway-dev/slipway", "v1.2.3", "go1.99.0"
	bin := t.TempDir()
	compiles := "#!/bin/sh\ntest \"$1\" = install && printf '#!/bin/sh\\n' >\"$GOBIN/slipway\" " +
		"&& chmod +x \"$GOBIN/slipway\"\n"
	must(t, os.WriteFile(filepath.Join(bin, toolchain), []byte(compiles), 0o755))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))

	proxy = t.TempDir()
	info, err := json.Marshal(map[string]string{"Version": version})
	must(t, err)
	gomod := fmt.Sprintf("module %s\n\ngo %s\n", module, strings.TrimPrefix(toolchain, "go"))
	for file, text := range map[string]string{
		module + "/@v/" + version + ".info": string(info),
		module + "/@v/" + version + ".mod":  gomod,
		"golang.org/toolchain/@v/list":      "v0.0.1-" + toolchain + ".linux-amd64\n",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(proxy, file)), 0o755))
		must(t, os.WriteFile(filepath.Join(proxy, file), []byte(text), 0o644))
	}
	f, err := os.Create(filepath.Join(proxy, module, "@v", version+".zip"))
	must(t, err)
	z := zip.NewWriter(f)
	for file, text := range map[string]string{
		"go.mod":              gomod,
		"cmd/slipway/main.go": "package main\n\nfunc main() {}\n",
	} {
		w, err := z.Create(module + "@" + version + "/" + file)
		must(t, err)
		_, err = w.Write([]byte(text))
		must(t, err)
	}
	must(t, z.Close())
	must(t, f.Close())
	return proxy
}
