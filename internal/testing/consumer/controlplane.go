package consumer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/internal/testing/cache"
)

// plane is the module whose go.mod pins the programs of a Kubernetes control plane, apart from
// those of other consumers, since Kubernetes wants its own versions.
const plane = "test/cluster/controlplane"

// ControlPlane returns a directory with the programs of a Kubernetes control plane, which are the
// tools of their module: kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, and
// etcd under the name of its package's directory, server. Their version is that of
// k8s.io/kubernetes in go.mod, since charts ask for it. The first time it takes some ten minutes on
// two processors.
func ControlPlane(ctx context.Context) (string, error) {
	dir, err := find(plane)
	if err != nil {
		return "", err
	}
	mod, err := planeModule(dir)
	if err != nil {
		return "", err
	}
	version := ""
	for _, r := range mod.Require {
		if r.Mod.Path == "k8s.io/kubernetes" {
			version = r.Mod.Version
		}
	}
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, found := strings.Cut(rest, ".")
	if !found {
		return "", fmt.Errorf("%s/go.mod requires k8s.io/kubernetes %q", plane, version)
	}
	ldflags := []string{"-s", "-w"}
	for _, p := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		ldflags = append(ldflags, "-X "+p+".gitVersion="+version, "-X "+p+".gitMajor="+major,
			"-X "+p+".gitMinor="+minor)
	}
	var tools []string
	for _, t := range mod.Tool {
		tools = append(tools, t.Path)
	}
	return cache.Module{Dir: dir, Name: "controlplane"}.Programs(ctx, version,
		[]string{"-ldflags=" + strings.Join(ldflags, " ")}, tools...)
}

func planeModule(dir string) (*modfile.File, error) {
	file := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(file, text, nil)
}
