//go:build linux

package explore

import "slices"

// sign signs the release by keys of its own: each key verifies what it signed, and no other.
func (w *world) sign() {
	if !w.p.pushes {
		return
	}
	w.copyTo("signed")
	defer remove(w.path("signed"))
	first := pick(w.t, "first key", "one", "two")
	for _, name := range []string{first, map[string]string{"one": "two", "two": "one"}[first]} {
		args := []string{
			"release", "-product=src/slipway.yaml", "-store=store", "-binary=false",
			"-out=made", "-registry=" + w.host + "/signed",
		}
		r := w.runIn("signed", slices.Concat(args, w.named(), []string{"-sign=keys/" + name + ".key"})...)
		if r.code != 0 {
			if name != first {
				w.fail(r, "a second key does not sign it")
			}
			return // what a release to a registry needs besides
		}
		for _, key := range []string{"one", "two"} {
			verified := w.runIn("signed", "verify", "-key=keys/"+key+".pub", "made")
			if (verified.code == 0) != (key == name) {
				w.fail(verified, "signed by %s, verified by %s", name, key)
			}
		}
		if r := w.runIn("signed", "verify", "-key=keys/one.pub", "-key=keys/two.pub", "-threshold=2",
			"made"); r.code == 0 {
			w.fail(r, "one of two has signed")
		}
		w.ok(w.runIn("signed", "verify", "-key=keys/one.pub", "-key=keys/two.pub", "made"))
		w.complete(nil, "signed/made")
	}
	if r := w.runIn("signed/keys", "keygen", "one"); r.code == 0 {
		w.fail(r, "it overwrites a key")
	}
}

// named are the flags of the release in out by which it has its version and channel.
func (w *world) named() (args []string) {
	if w.now == nil {
		return nil
	}
	for _, f := range w.now.flags {
		if flagOf(f) != "registry" {
			args = append(args, f)
		}
	}
	return args
}
