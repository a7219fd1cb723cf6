package mutants

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Hunt looks for mutants by walks.
type Hunt struct {
	root, dir    string
	walks, clean string // programs: the tests of package explore, and slipway as it is
}

// NewHunt compiles what a hunt needs into a directory.
func NewHunt(ctx context.Context, root, dir string) (*Hunt, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	h := &Hunt{root, dir, filepath.Join(dir, "explore.test"), filepath.Join(dir, "slipway")}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-o", h.walks, "./test/explore")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling walks: %w\n%s", err, out)
	}
	return h, BuildClean(ctx, root, h.clean)
}

// Find walks with a mutant until a law is broken that holds without it, or the time is over.
func (h *Hunt) Find(ctx context.Context, m Mutant, long time.Duration) (Result, error) {
	r := Result{Mutant: m.Name}
	dir, err := os.MkdirTemp(h.dir, "mutant-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "slipway")
	if err := m.Build(ctx, h.root, dir, program); err != nil {
		return r, err
	}
	var took time.Duration
	for seed := 1; took < long; {
		began := time.Now()
		law, at, err := h.walk(ctx, program, strconv.Itoa(seed), long-took)
		took += time.Since(began)
		if err != nil {
			return r, err
		}
		r.Seconds = int(took.Seconds())
		if law == "" {
			break
		}
		usual := law
		if !strings.HasPrefix(law, flaky) {
			if usual, _, err = h.walk(ctx, h.clean, at, alike); err != nil {
				return r, err
			}
		}
		if usual == "" {
			r.Law, r.Seed = law, at
			return r, nil
		}
		r.Others = append(r.Others, usual)
		n, err := strconv.Atoi(at)
		if err != nil {
			return r, err
		}
		seed = n + 1
	}
	return r, nil
}

// alike is how long a walk is that is compared: one seed. The value is not 0, as walks draw
// interruptions only where a time is given, and would be others.
const alike = time.Millisecond

// flaky begins a law that was broken once, and not by the same walk again, which proves nothing.
const flaky = "once: "

var (
	broken = regexp.MustCompile(`\[rapid\] (?:failed after \d+ tests|panic after \d+ tests): (.*)`)
	once   = regexp.MustCompile(`Original traceback \((.*)`)
	seeded = regexp.MustCompile(`--- FAIL: TestExplore/seed_(\d+)`)
)

// walk walks from a seed on, and returns the law that was broken, and the seed; "" if none was. A
// law that was broken once begins with flaky.
func (h *Hunt) walk(ctx context.Context, slipway, seed string, long time.Duration) (law, at string, err error) {
	cmd := exec.CommandContext(ctx, h.walks, "-test.run=^TestExplore$", "-test.v", "-test.timeout=0",
		"-rapid.shrinktime=1s", "-seed="+seed, "-time="+long.String())
	cmd.Dir, cmd.Env = filepath.Join(h.root, "test", "explore"), append(os.Environ(), "SLIPWAY_TESTS=all", "SLIPWAY_COMMAND="+slipway)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, time.Minute
	out, err := cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	where := seeded.FindSubmatch(out)
	if what := broken.FindSubmatch(out); what != nil && where != nil {
		return strings.TrimSpace(string(what[1])), string(where[1]), nil
	}
	if what := once.FindSubmatch(out); what != nil && where != nil {
		return flaky + strings.TrimSpace(string(what[1])), string(where[1]), nil
	}
	return "", "", fmt.Errorf("walking: %w\n%s", err, out)
}
