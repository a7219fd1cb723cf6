package consumers

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// What the tests saw goes into these tables of docs/results/consumers.md.
var (
	// nodes is what takes bundles and runs their images or looks them up.
	nodes = &consumertable.Table{
		Name:    "nodes",
		Columns: []string{"consumer", "call", "bundle", "names", "digests", "platforms", "container"},
		Keys:    3,
	}
	// archives is who reads a bundle as .tar.gz.
	archives = &consumertable.Table{
		Name:    "archives",
		Columns: []string{"consumer", "call", "the .tar.gz"},
		Keys:    2,
	}
	// kubelets is what containerd's CRI answers a kubelet about images that were imported.
	kubelets = &consumertable.Table{
		Name: "kubelets",
		Columns: []string{
			"containerd", "imported by", "bundle", "found by", "image ID", "RepoTags",
			"RepoDigests", "when room is made", "pod",
		},
		Keys: 3,
	}
	// shared is which blobs a node can give to others.
	shared = &consumertable.Table{
		Name:    "shared",
		Columns: []string{"containerd", "imported by", "bundle", "blobs with the label", "blobs that Spegel finds"},
		Keys:    3,
	}
	// hosts is which image a Windows node runs.
	hosts = &consumertable.Table{
		Name:    "hosts",
		Columns: []string{"host", "bundle", "rule", "our images", "third-party images"},
		Keys:    3,
	}
)

func TestMain(m *testing.M) {
	code := consumertable.Main(m, "../../docs/results/consumers.md", "test/consumers",
		nodes, archives, kubelets, shared, hosts, groups)
	if made.dir != "" {
		os.RemoveAll(made.dir)
		os.RemoveAll(filepath.Dir(maintainers(made.dir)))
	}
	os.Exit(code)
}

// packaged names a program of this system with the version that it says it has.
func packaged(t *testing.T, name, program string, args ...string) string {
	t.Helper()
	return consumertable.Packaged(name, testprog.Run(t, program, args...))
}

// module names a program or library with the version that a go.mod requires of its module.
func module(t *testing.T, name, file, path string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\s*(?:require )?` + regexp.QuoteMeta(path) + ` v(\S+)`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s does not require %s", file, path)
	}
	return consumertable.Built(name, string(m[1]))
}

// programs is the go.mod of what tests build.
const programs = "../programs/go.mod"
