//go:build linux

package explore

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"pgregory.net/rapid"
)

// any runs some lines of any commands with any flags in a copy of all that the walk has.
func (w *world) any() {
	w.copyTo("any")
	n := 1 + below(12).Draw(w.t, "lines")
	for range n {
		name := pick(w.t, "command", lineNames()...)
		g := newGround(w, "any")
		g.plan = w.plan
		d := drawLine(name, g).Draw(w.t, "line")
		w.anyLine(name, d)
	}
	remove(w.path("any"))
}

// copyTo makes a directory with the product, the release, the store, and what lines name besides.
func (w *world) copyTo(dir string) {
	w.script = append(w.script, "mkdir "+dir, "exec cp -r src out store home "+dir)
	must(w.t, os.MkdirAll(w.path(dir), 0o755))
	for _, name := range append([]string{"src", "out", "store", "home"}, w.olds()...) {
		if w.exists(name) {
			must(w.t, os.CopyFS(w.path(dir+"/"+name), os.DirFS(w.path(name))))
		}
	}
	must(w.t, os.CopyFS(w.path(dir), os.DirFS(given())))
	must(w.t, os.Symlink("src", w.path(dir+"/link")))
}

func (w *world) olds() (dirs []string) {
	for _, o := range w.older {
		dirs = append(dirs, o.dir)
	}
	return dirs
}

// anyLine runs a line, and checks what holds for its command.
func (w *world) anyLine(name string, d drawn) {
	l, dir := lines[name], filepath.ToSlash(filepath.Join("any", d.dir))
	how := w.how
	switch {
	case name == "cacheprog":
		how.stdin = "any/cacheprog.stdin"
	case slices.Contains(d.args, "-nodes=-"):
		how.stdin = "any/keys/nodes.json"
	case name == "serve":
		w.serveLine(dir, d.args)
		return
	}
	if signs(d.args) {
		// The release in out has the signatures that are in its registry.
		for n, a := range d.args {
			if flagOf(a) == "registry" {
				d.args[n] = "-registry=" + w.host + "/any/signed"
			}
		}
	}
	before := w.tree("any")
	twin := l.writes && !l.slow && maybe(w.t, 3, "a twin")
	if twin {
		must(w.t, os.CopyFS(w.path("twin"), os.DirFS(w.path("any"))))
	}
	r := w.runAs(dir, how, d.args...)
	if ref := strings.TrimSpace(r.stdout); name == "plan" && r.code == 0 && strings.Contains(ref, "@sha256:") &&
		!strings.Contains(ref, "\n") {
		w.plan = ref
	}
	after := w.tree("any")
	if diff := differ(before, after); !l.writes && diff != "" {
		w.fail(r, "it only reads, and changes files:\n%s", diff)
	}
	if twin {
		w.twin(r, d, how, before, after)
		remove(w.path("twin"))
	}
}

// twin runs a line once more in a copy, from before it was run, in another condition, and
// interrupted at first: what comes of it is the same. A line that had made all its files when the
// signal came is not run again, as commands do not make a key or a product a second time.
func (w *world) twin(r *result, d drawn, how condition, before, after map[string]string) {
	dir := filepath.ToSlash(filepath.Join("twin", d.dir))
	args := slices.Clone(d.args)
	for n, a := range args {
		args[n] = strings.ReplaceAll(a, w.path("any"), w.path("twin"))
	}
	other := drawCondition(w.t)
	how.env = append(slices.Clone(how.env), other.env...)
	how.umask = pick(w.t, "umask", "", "077", "002")
	// What a signal finds depends on the machine's load, and a few walks are the same each time.
	if *long > 0 && maybe(w.t, 2, "an interruption") {
		hit := how
		hit.signal = pick(w.t, "signal", syscall.SIGINT, syscall.SIGTERM)
		hit.after = time.Duration(float64(r.took) * rapid.Float64Range(0, 1).Draw(w.t, "after"))
		w.runAs(dir, hit, args...)
		if made := names(w.tree("twin")); !slices.Equal(names(before), made) && slices.Equal(names(after), made) {
			return
		}
	}
	signed := signs(args)
	again := w.runAs(dir, how, args...)
	if r.code == 0 && again.code != 0 {
		w.fail(again, "it ended with 0 elsewhere: %s", r.stderr)
	}
	if r.code != 0 {
		return
	}
	if diff := differ(modeless(settled(after, signed)), modeless(settled(w.tree("twin"), signed))); diff != "" {
		w.fail(again, "it makes other files than without interruption and in another directory:\n%s", diff)
	}
}

// signs reports whether a command line signs something.
func signs(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-sign=") || strings.HasPrefix(a, "-signer=")
	})
}

// settled is a tree without what is another each time: signatures and what names them, the store.
// Bundles and locks are the same unless something was signed.
func settled(tree map[string]string, signed bool) map[string]string {
	out := map[string]string{}
	for name, text := range tree {
		base := filepath.Base(name)
		switch {
		case strings.HasPrefix(name, "store/"), strings.HasPrefix(name, "new-store/"),
			strings.Contains(name, ".slipway/"), strings.HasPrefix(name, "cacheprog"), strings.HasPrefix(name, "home/"):
		case strings.HasSuffix(base, ".key"), strings.HasSuffix(base, ".pub"), strings.HasSuffix(base,
			".sigstore.json"), strings.HasSuffix(base, ".sig"), strings.HasPrefix(base, "SHA256SUMS"):
		case base == "index.html", base == "page.html", base == ".gitignore", base == "provenance.json",
			base == "plan.json", base == "stats.jsonl":
		case signed && (base == "release.lock.json" || strings.Contains(base, ".tar.zst") ||
			strings.Contains(base, ".volumes.json")):
		default:
			out[name] = text
		}
	}
	return out
}

// drawCondition draws what no command depends on.
func drawCondition(t *rapid.T) condition {
	return condition{env: []string{
		"TZ=" + pick(t, "TZ", "UTC", "Pacific/Kiritimati", "America/New_York", ":/none"),
		"LC_ALL=" + pick(t, "LC_ALL", "C", "C.UTF-8", "tr_TR.UTF-8"),
		"LANG=" + pick(t, "LANG", "de_DE.UTF-8", "C"),
	}}
}

// serveLine starts a registry, and ends it when it has written where it is. What it prints before
// is its address.
func (w *world) serveLine(dir string, args []string) {
	w.script = append(w.script, w.how.line(dir, args))
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, command(), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = w.path(dir), w.env(), 10*time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	must(w.t, err)
	must(w.t, cmd.Start())
	address := ""
	for l := bufio.NewScanner(stdout); l.Scan(); {
		if address == "" {
			address = l.Text()
			w.served(address)
			must(w.t, cmd.Process.Signal(pick(w.t, "signal", os.Interrupt, os.Signal(syscall.SIGTERM))))
		}
	}
	err = cmd.Wait()
	r := &result{
		args: args, code: cmd.ProcessState.ExitCode(), stdout: address, stderr: stderr.String(),
		hung: ctx.Err() != nil,
	}
	counted(args, r.code, r.took)
	if address != "" && r.code != 0 {
		w.fail(r, "a registry that is told to end does not succeed: %v", err)
	}
	w.lawful(r)
}
