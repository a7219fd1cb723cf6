package explore

import "pgregory.net/rapid"

func walk(t *rapid.T) {
	p := products.Draw(t, "product")
	w := newWorld(t, p)
	w.check()
	w.release()
}

func counted(args []string, code int) {}

func (w *world) places() []string {
	return []string{"-product=src/slipway.yaml", "-store=store", "-out=out"}
}

func (w *world) check() {
	w.reads("check", "-product=src/slipway.yaml")
}

func (w *world) release() {
	checked := w.run("check", "-product=src/slipway.yaml")
	r := w.run(append([]string{"release", "-binary=false"}, w.places()...)...)
	if (checked.code == 0) != (r.code == 0) {
		w.fail(r, "check ended with %d: %s%s", checked.code, checked.stdout, checked.stderr)
	}
	if r.code == 0 {
		w.complete(r, "out")
	} else {
		println(r.stderr)
	}
}
