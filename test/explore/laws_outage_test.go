//go:build linux

package explore

import (
	"net/http"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// emptied gives commands a flag that is empty, as where a variable of a script is not set: none of
// them begins.
func (w *world) emptied() {
	w.copyTo("any")
	defer remove(w.path("any"))
	for range rapid.IntRange(1, 6).Draw(w.t, "lines") {
		name := pick(w.t, "command", lineNames()...)
		d := drawLine(name, newGround(w, "any")).Draw(w.t, "line")
		var valued []int
		for n, a := range d.args {
			if flag, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(flag, "-") && value != "true" && value != "false" {
				valued = append(valued, n)
			}
		}
		if len(valued) == 0 {
			continue
		}
		at := pick(w.t, "flag", valued...)
		flag, _, _ := strings.Cut(d.args[at], "=")
		d.args[at] = flag + "=" + pick(w.t, "empty", "", " ")
		before := w.tree("any")
		r := w.runIn("any", d.args...)
		if r.code != 2 {
			w.fail(r, "%s is given and empty", flag)
		}
		if diff := differ(before, w.tree("any")); diff != "" {
			w.fail(r, "a mistake in the command line changes files:\n%s", diff)
		}
	}
}

// outage makes the release while its registry answers so many requests and then no more. It fails,
// by an exit code of a failure, and the next run completes it.
func (w *world) outage() {
	if !w.p.pushes {
		return
	}
	w.copyTo("any")
	defer remove(w.path("any"))
	args := slices.Concat([]string{
		"release", "-product=src/slipway.yaml", "-store=store", "-out=cut", "-binary=false",
		"-registry=" + w.host + "/any/cut",
	}, w.named())
	status := http.StatusServiceUnavailable // rarely, since the command waits and asks again
	if !maybe(w.t, 4, "a server that fails") {
		status = pick(w.t, "status", http.StatusForbidden, http.StatusNotFound)
	}
	w.status.Store(int64(status))
	w.up.Store(int64(rapid.IntRange(1, 80).Draw(w.t, "requests")))
	r := w.runIn("any", args...)
	w.up.Store(0)
	if r.code != 0 && r.code != 1 && r.code != 3 {
		w.fail(r, "it ends with %d after an outage", r.code)
	}
	if r.code != 0 && w.exists("any/cut/SHA256SUMS") {
		w.fail(r, "it has failed, and there are checksums")
	}
	again := w.runIn("any", args...)
	if again.code != 0 && !told(again) && r.code == 0 {
		w.fail(again, "it succeeded while the registry failed")
	}
	if again.code == 0 {
		w.complete(again, "any/cut")
		w.resolves("any/cut")
	}
}

// failing answers with an outage once as many requests as up says were answered; 0 answers all.
func (w *world) failing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.up.Load() != 0 && w.up.Add(-1) < 1 {
			w.up.Store(1)
			http.Error(rw, `{"errors": [{"code": "UNAVAILABLE"}]}`, int(w.status.Load()))
			return
		}
		next.ServeHTTP(rw, r)
	})
}

// cold makes the release from an empty store: what was pushed and what is written are the same.
func (w *world) cold() {
	if w.now.pushed == "" {
		return
	}
	w.copyTo("any")
	defer remove(w.path("any"))
	r := w.runIn("any", slices.Concat([]string{
		"release", "-product=src/slipway.yaml", "-store=cold", "-out=cold-out",
	}, w.makes(w.now), w.key())...)
	if r.code != 0 {
		w.fail(r, "it fails with an empty store")
	}
	if diff := differ(w.unsigned(w.tree("out")), w.unsigned(w.tree("any/cold-out"))); diff != "" {
		w.fail(r, "with an empty store it makes other files:\n%s", diff)
	}
}
