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
	dir, mod, version, err := planeModule()
	if err != nil {
		return "", err
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

// planeModule returns the module's directory, its go.mod, and the version of Kubernetes in that; ""
// for none.
func planeModule() (dir string, mod *modfile.File, version string, err error) {
	if dir, err = find(plane); err != nil {
		return "", nil, "", err
	}
	file := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, "", err
	}
	if mod, err = modfile.Parse(file, text, nil); err != nil {
		return "", nil, "", err
	}
	for _, r := range mod.Require {
		if r.Mod.Path == "k8s.io/kubernetes" {
			version = r.Mod.Version
		}
	}
	return dir, mod, version, nil
}
