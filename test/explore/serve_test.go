//go:build linux

package explore

import (
	"context"
	"net/http"
	"strings"
)

// served asks a registry that serve has started, for its API and with a host that is not its own.
func (w *world) served(line string) {
	at := ""
	for _, word := range strings.Fields(line) {
		if strings.Contains(word, ":") {
			at = strings.TrimPrefix(strings.TrimSuffix(word, "/"), "http://")
		}
	}
	for host, want := range map[string]int{at: http.StatusOK, "example.com": http.StatusForbidden} {
		q, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+at+"/v2/", nil)
		must(w.t, err)
		q.Host = host
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			w.fail(nil, "%q is not an address: %v", line, err)
		}
		a.Body.Close()
		if ok := a.StatusCode == http.StatusOK; ok != (want == http.StatusOK) {
			w.fail(nil, "a registry at %s answers %s for %s", at, a.Status, host)
		}
	}
}

// serve serves the images of the release.
func (w *world) serve() {
	before := w.work()
	w.serveLine(".", append([]string{"serve", "-product=src/slipway.yaml", "-store=store", "-out=out"},
		some(w.t, "quiet", 0, "-quiet")...))
	if diff := differ(before, w.work()); diff != "" {
		w.fail(nil, "serving changes files:\n%s", diff)
	}
}
