//go:build linux

package explore

// nodes asks which nodes run the release: the text and the JSON end with the same code, and so do a
// file and a cluster of the same nodes.
func (w *world) nodes() {
	if !w.exists("out/release.yaml") {
		return
	}
	w.copyTo("asked")
	defer remove(w.path("asked"))
	args := []string{"nodes", "-release=out/release.yaml", "-nodes=keys/nodes.json"}
	text := w.runIn("asked", args...)
	if r := w.runIn("asked", append(args, "-json")...); r.code != text.code {
		w.fail(r, "as text it ends with %d", text.code)
	}
	cluster := w.runIn("asked", "nodes", "-release=out/release.yaml", "-kubeconfig=keys/kubeconfig.yaml")
	if r := w.runIn("asked", "nodes", "-release=out/release.yaml", "-kubeconfig=keys/kubeconfig.yaml",
		"-context=here", "-json"); r.code != cluster.code {
		w.fail(r, "as text it ends with %d", cluster.code)
	}
	linted := w.runIn("asked", "lint", "-out=out", "-product=src/slipway.yaml")
	for _, more := range []string{"-json", "-sarif", "-verbose"} {
		if r := w.runIn("asked", "lint", "-out=out", "-product=src/slipway.yaml", more); r.code != linted.code {
			w.fail(r, "without %s it ends with %d", more, linted.code)
		}
	}
}
