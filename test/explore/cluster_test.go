//go:build linux

package explore

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// cluster makes the release as pods do that share the registry only: from a plan in it, in any
// order, and also twice. What is fetched in the end is what one machine makes.
func (w *world) cluster() {
	if !w.p.pushes {
		return
	}
	w.copyTo("pods")
	defer remove(w.path("pods"))
	to := "-registry=" + w.host + "/pods"
	at := []string{"-product=src/slipway.yaml", "-store=store"}
	whole := w.runIn("pods", slices.Concat([]string{"release", "-binary=false", "-out=whole", to}, at, w.named())...)
	if whole.code != 0 {
		return
	}
	n := 1 + below(3).Draw(w.t, "shards")
	planned := w.runIn("pods",
		slices.Concat([]string{"plan", "-q", "-push", fmt.Sprintf("-shards=%d", n), to}, at, w.named())...)
	if planned.code != 0 {
		w.fail(planned, "what was released cannot be planned")
	}
	plan := strings.TrimSpace(planned.stdout)
	w.plan = plan
	for _, cmd := range []string{"kubernetes", "tekton"} {
		w.ok(w.runIn("pods", "shard", cmd, plan, "-image=example.com/slipway:1", "-store=none"))
	}
	for _, k := range rapid.Permutation([]int{0, 1, 2}[:n]).Draw(w.t, "order") {
		for range 1 + below(2).Draw(w.t, "twice") {
			pod := fmt.Sprintf("pods/pod%d", k)
			must(w.t, os.MkdirAll(w.path(pod), 0o755))
			r := w.runIn(pod, "release", "-plan="+plan, fmt.Sprintf("-shard=%d", k), "-binary=false")
			if r.code != 0 && (strings.Contains(r.stderr, ": the plan has ") ||
				strings.Contains(r.stderr, "is not on this machine") && !w.p.git) {
				return // fewer shards than were asked for, or an image that another builder left here
			}
			w.ok(r)
		}
	}
	for range 1 + below(2).Draw(w.t, "merged twice") {
		must(w.t, os.MkdirAll(w.path("pods/merge"), 0o755))
		w.ok(w.runIn("pods/merge", "merge", "-plan="+plan, "-push", "-binary=false", "-wait=1ms"))
	}
	w.ok(w.runIn("pods", "shard", "fetch", plan, "-store=none", "-out=fetched"))
	w.complete(nil, "pods/fetched")
	w.sameAs("fetching what pods made", "pods/whole", "pods/fetched")
}
