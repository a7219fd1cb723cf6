package examples

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/internal/testing/wine"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
)

// workDir has the command.
var workDir string

// slipway returns the path of the command.
var slipway = sync.OnceValues(func() (string, error) { return testprog.Slipway(context.Background(), workDir) })

func TestMain(m *testing.M) {
	extent.Suite("wine, mingw and the Go modules of other products")
	dir, err := os.MkdirTemp("", "slipway-examples-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	workDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	if err := wine.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// product is a copy of an example, and where it is released.
type product struct {
	dir, out, store string
	env             []string
}

// copied copies an example, so that a test may change it and leaves nothing next to it.
func copied(t *testing.T, example string) *product {
	t.Helper()
	p := &product{dir: t.TempDir(), out: t.TempDir(), store: t.TempDir()}
	must(t, os.CopyFS(p.dir, os.DirFS(filepath.Join("..", "..", "examples", example))))
	// of a user who released the example by hand
	must(t, os.RemoveAll(filepath.Join(p.dir, ".slipway")))
	return p
}

// replace replaces texts in a file of the product; each has to be there.
func (p *product) replace(t *testing.T, file string, oldnew ...string) {
	t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(file))
	b, err := os.ReadFile(path)
	must(t, err)
	for i := 0; i < len(oldnew); i += 2 {
		if !bytes.Contains(b, []byte(oldnew[i])) {
			t.Fatalf("%s has no %s", file, oldnew[i])
		}
	}
	must(t, os.WriteFile(path, []byte(strings.NewReplacer(oldnew...).Replace(string(b))), 0o644))
}

// run runs the command on the product and returns what it writes to standard error.
func (p *product) run(ctx context.Context, t *testing.T, command string, args ...string) (string, error) {
	t.Helper()
	file, err := slipway()
	must(t, err)
	if !slices.Contains([]string{"check", "pin", "images"}, command) {
		args = append(args, "-store="+p.store)
	}
	args = append(args, "-product="+filepath.Join(p.dir, "slipway.yaml"))
	args = append([]string{command}, args...)
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Dir = p.dir
	cmd.Env = append(append(os.Environ(), "SLIPWAY_REGISTRY=", "SOURCE_DATE_EPOCH="), p.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	return stderr.String(), err
}

// release releases the product and returns its lock.
func (p *product) release(t *testing.T, args ...string) *lock.Lock {
	t.Helper()
	planned := p.plan(t, args...)
	said, err := p.run(t.Context(), t, "release", append([]string{"-out=" + p.out, "-binary=false"}, args...)...)
	if err != nil {
		t.Fatalf("slipway release: %v\n%s", err, said)
	}
	l, err := lock.Read(filepath.Join(p.out, lock.Name))
	must(t, err)
	var names []string
	for _, i := range l.Published() {
		for _, n := range i.Names() {
			names = append(names, n.Reference)
		}
	}
	if d := cmp.Diff(names, planned); d != "" {
		t.Errorf("the names of slipway plan differ from those of the release (-release +plan):\n%s", d)
	}
	return l
}

// plan returns the names that slipway plan lists.
func (p *product) plan(t *testing.T, args ...string) (names []string) {
	t.Helper()
	file, err := slipway()
	must(t, err)
	args = append([]string{
		"plan", "-json", "-product=" + filepath.Join(p.dir, "slipway.yaml"), "-store=" + p.store,
		"-out=" + p.out,
	}, args...)
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Dir = p.dir
	cmd.Env = append(append(os.Environ(), "SLIPWAY_REGISTRY=", "SOURCE_DATE_EPOCH="), p.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("slipway plan: %v\n%s", err, stderr.Bytes())
	}
	var plan release.Plan
	must(t, json.Unmarshal(out, &plan))
	for _, n := range plan.Names {
		names = append(names, n.Reference)
	}
	return names
}

// sums returns the files of the release by name, after holding each against SHA256SUMS.
func (p *product) sums(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.out, evidence.SumsName))
	must(t, err)
	all := map[string]string{}
	for line := range strings.Lines(string(b)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(p.out, filepath.FromSlash(name)))
		must(t, err)
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != sum {
			t.Errorf("%s has checksum %s, SHA256SUMS says %s", name, got, sum)
		}
		all[name] = sum
	}
	return all
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
