package render_test

import (
	"testing"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/render"
)

// FuzzRead reads and checks manifests of unknown origin: neither panics, whatever the bytes.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		deployment("image: $APP\nenv: [{name: INIT_IMAGE, valueFrom: {configMapKeyRef: {name: a, key: image}}}]") + configMap("a", "image", "$APP"),
		"apiVersion: v1\nkind: List\nitems:\n- 1\n- {apiVersion: v1, kind: List, items: []}\n",
		"a: &a [*a]\n", "? {a: b}\n: c\n", "? [a]\n: !!binary x\n", "!!set {a, b}", "<<: {a: 1}\na: 2\n", "- 1\n---\n...\n", "\t", "'", "{", "a: 2001-01-01\nb: .inf\n1: 2\n",
	} {
		f.Add([]byte(s))
	}
	l := &lock.Lock{Images: []lock.Image{image(1, "app", "linux/amd64")}, ThirdParty: []lock.ThirdParty{{Reference: "busybox", Digest: digest(2)}}}
	f.Fuzz(func(_ *testing.T, manifest []byte) {
		docs, err := render.Read("release.yaml", manifest)
		if err == nil {
			_ = render.Check(docs, l)
		}
	})
}
