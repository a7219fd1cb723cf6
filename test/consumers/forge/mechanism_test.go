package forge

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// family is a kind of forgeries.
type family struct {
	name string
	list []mechanism
}

// families are all forgeries. Each family is a file.
func families() []family {
	return []family{
		{"zstd frames", zstdFrames},
		{"tar members", tarMembers},
		{"tar headers", tarHeaders},
		{"JSON", jsonKeys},
		{"names", imageNames},
		{"order", orders},
		{"tags", imageTags},
		{"third-party images", thirdParty},
		{"statements", statements},
		{"files besides", besides},
		{"annotations and flags", annotations},
		{"volumes and deltas", volumesAndDeltas},
		{"layouts, archives and registries", layouts},
	}
}

// mechanism is one way to make a release be read otherwise. One of its fields makes it.
type mechanism struct {
	name string
	tar  func(a *archive)          // changes the tar of a bundle
	zstd func(f *frames)           // changes the frames of a bundle
	file func(a *archive) []byte   // makes a file from the tar of a bundle
	make func(f *forger) []forgery // makes whatever else
}

// forger makes the files of one forgery.
type forger struct {
	t   *testing.T
	w   *world
	dir string
}

// forgery is what slipway has to judge and consumers take.
type forgery struct {
	form  string
	door  []string // the arguments of slipway
	takes []string // bundles that consumers take if slipway accepts them
	// fields is set where every field has to be that of the bundle of all platforms.
	fields bool
	// reads reports what consumers of other files have that is not of the release, by the consumer.
	// It gets what slipway said.
	reads func(said string) map[string]string
}

// verify is a forgery of bundles.
func (f *forger) verify(form string, paths ...string) forgery {
	return forgery{
		form: form, door: append([]string{"verify", "-q", "-key=" + f.w.key}, paths...),
		takes: paths,
	}
}

// bundle writes a forged bundle.
func (f *forger) bundle(form string, text []byte) forgery {
	path := filepath.Join(f.dir, form, bundle)
	put(f.t, path, text)
	v := f.verify(form, path)
	v.fields = true
	return v
}

// forgeries makes the forms of a mechanism.
func (m mechanism) forgeries(f *forger) []forgery {
	a := f.w.all.clone()
	switch {
	case m.make != nil:
		return m.make(f)
	case m.file != nil:
		return []forgery{f.bundle("file", m.file(a))}
	case m.zstd != nil:
		fr := a.framed()
		m.zstd(fr)
		return []forgery{f.bundle("frames", fr.bytes())}
	}
	m.tar(a)
	return f.forms(a)
}

// forms writes a tar in the forms that a bundle may have: in frames with a table, in one frame
// without, and, if the tar only has more than that of the release, with that in a frame that the
// table hides.
func (f *forger) forms(a *archive) []forgery {
	all := []forgery{f.bundle("table", a.framed().bytes()), f.bundle("plain", compress(a.raw()))}
	if fr := f.w.all.hide(a.raw()); fr != nil {
		all = append(all, f.bundle("hidden", fr.bytes()))
	}
	return all
}

// hide returns the frames of the archive with what raw has more in a hidden one, or nil.
func (a *archive) hide(raw []byte) *frames {
	good := a.raw()
	more := len(raw) - len(good)
	if more <= 0 {
		return nil
	}
	fr := a.framed()
	at := 0
	for n := 0; n <= len(fr.list); n++ {
		if bytes.Equal(raw[:at], good[:at]) && bytes.Equal(raw[at+more:], good[at:]) {
			fr.list = slices.Insert(fr.list, n, hidden(compress(raw[at:at+more])))
			return fr
		}
		if n < len(fr.list) {
			at += int(fr.list[n].size)
		}
	}
	return nil
}

// safely calls a function that panics where two forgeries exclude each other.
func safely(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	f()
	return nil
}
