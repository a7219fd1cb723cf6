package main

import (
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slipway-dev/slipway/internal/testing/githubtest"
)

// hubs are the servers of a script, by the values of GITHUB_API_URL.
const hubs = "hubs"

// hub starts a server like GitHub, and sets the variables that GitHub Actions sets.
func hub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: github")
	}
	s := githubtest.New()
	s.Immutable, s.Page = true, 3
	ts.Defer(s.Close)
	ts.Setenv("GITHUB_API_URL", s.API())
	ts.Setenv("GITHUB_REPOSITORY", githubtest.Repository)
	ts.Setenv("GITHUB_TOKEN", githubtest.Token)
	known, _ := ts.Value(hubs).(*sync.Map)
	known.Store(s.API(), s)
}

// killed COMMAND… runs a command that makes a release at GitHub, kills it at the first request that
// changes something, and runs it again; then once more with the second such request, and so on.
// Each time there must be one release in the end, with each file once, published when it was
// complete.
func killed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: killed command…")
	}
	known, _ := ts.Value(hubs).(*sync.Map)
	value, ok := known.Load(ts.Getenv("GITHUB_API_URL"))
	s, isServer := value.(*githubtest.Server)
	if !ok || !isServer {
		ts.Fatalf("killed: begin with github")
	}
	path, err := lookPath(ts.Getenv("PATH"), args[0])
	ts.Check(err)
	start := func() *exec.Cmd {
		cmd := exec.Command(path, args[1:]...)
		cmd.Dir = ts.MkAbs(".")
		for _, name := range []string{"PATH", "HOME", "TMPDIR", "GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN"} {
			cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
		}
		return cmd
	}
	var whole []string
	for n := 0; ; n++ {
		s.Releases = nil
		cmd, seen := start(), 0
		var mu sync.Mutex
		s.Disturb(func(w http.ResponseWriter, q *http.Request, _ http.Handler) bool {
			mu.Lock()
			defer mu.Unlock()
			if q.Method != http.MethodGet {
				seen++
			}
			if seen > n {
				cmd.Process.Kill() //nolint:errcheck // it may be dead
				githubtest.Cut(w)
			}
			return seen > n
		})
		ts.Check(cmd.Start())
		err := cmd.Wait()
		s.Disturb(nil)
		if (err == nil) != (seen <= n) {
			ts.Fatalf("killed at request %d: %v", n+1, err)
		}
		again := start()
		out, runErr := again.CombinedOutput()
		if runErr != nil || len(s.Releases) != 1 || s.Releases[0].Draft {
			ts.Fatalf("after a kill at request %d: %v, %d releases\n%s", n+1, runErr, len(s.Releases), out)
		}
		have := slices.Sorted(slices.Values(s.Releases[0].At))
		if whole == nil {
			whole = have
		}
		if !slices.Equal(have, whole) || len(have) != len(slices.Compact(slices.Clone(have))) ||
			len(have) != len(s.Releases[0].Assets) {
			ts.Fatalf("after a kill at request %d the release has %q, want %q", n+1, have, whole)
		}
		if err == nil {
			ts.Logf("killed at each of %d requests; the release has %d files", n, len(have))
			ts.Check(os.WriteFile(ts.MkAbs("assets"), []byte(strings.Join(have, "\n")+"\n"), 0o644))
			return
		}
	}
}
