package deb_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
	"github.com/slipway-dev/slipway/internal/testing/debtest"
	"github.com/slipway-dev/slipway/store"
)

func archives(t testing.TB) *tree.Archives {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return tree.NewArchives(st, tree.Limits{})
}

const control = "Package: a\nVersion: 1\n"

// ar returns a .deb of some control files and files.
func ar(control, files []debtest.File) []byte {
	return debtest.Archive(debtest.Member{Name: "debian-binary", Data: []byte("2.0\n")},
		debtest.Member{Name: "control.tar", Data: debtest.Tar(control)}, debtest.Member{Name: "data.tar", Data: debtest.Tar(files)})
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b) //nolint:errcheck // into memory
	w.Close()  //nolint:errcheck // into memory
	return out.Bytes()
}

func TestDeb(t *testing.T) {
	p := debtest.Package{
		Control: control + "X-Field: y\n", Info: map[string]string{"postinst": "#!/bin/sh\n", "conffiles": "/etc/a\n"},
		Files: []debtest.File{{Name: "./etc/link", Link: "/x"}, {Name: "./etc/a", Text: "text"}, {Name: "./etc/hard", Hard: "./etc/a"}},
	}
	a := archives(t)
	for range 2 { // from the archive, and from what the store remembers of it
		d, err := deb.Open("a.deb", layer.Bytes(debtest.Make(p)), deb.Identity{"a", "1", "all"})
		if err != nil {
			t.Fatal(err)
		}
		if d.Control.Get("x-field") != "y" || string(d.Text("postinst")) != "#!/bin/sh\n" || d.Script("postinst").Mode != 0o755 {
			t.Errorf("control.tar: %+v", d)
		}
		var got []string
		err = d.Walk(t.Context(), a, func(m deb.Member) error {
			got = append(got, m.Path+" "+m.Link)
			if m.Path == "/etc/a" {
				text, err := m.Node.Content()
				if err != nil || text.Size != 4 {
					t.Errorf("the content is %+v, %v", text, err)
				}
			}
			return nil
		})
		if want := "/ |/etc/ |/etc/a |/etc/hard /etc/a|/etc/link /x"; err != nil || strings.Join(got, "|") != strings.ReplaceAll(want, "c/ ", "c ") {
			t.Errorf("the files are %q, %v", got, err)
		}
	}
}

func TestOtherForms(t *testing.T) {
	b := debtest.Archive(
		debtest.Member{Name: "debian-binary", Data: []byte("2.1\nmore\n")}, debtest.Member{Name: "_gpgbuilder", Data: []byte("odd")},
		debtest.Member{Name: "control.tar.gz/", Data: gzipped(debtest.Tar([]debtest.File{{Name: "control", Text: control + "Architecture: all\n"}}))},
		debtest.Member{Name: "data.tar.gz", Data: gzipped(debtest.Tar([]debtest.File{{Name: "etc/a", Text: "x"}}))},
		debtest.Member{Name: "more", Data: []byte("x")},
	)
	d, err := deb.Open("a.deb", layer.Bytes(b), deb.Identity{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := d.Walk(t.Context(), archives(t), func(deb.Member) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d files, %v", n, err)
	}
}

func TestBadArchive(t *testing.T) {
	good := debtest.Make(debtest.Package{Control: control, Files: []debtest.File{{Name: "./a", Text: "x"}}})
	member := func(name, data string) debtest.Member { return debtest.Member{Name: name, Data: []byte(data)} }
	binary := member("debian-binary", "2.0\n")
	named := func(text string) []byte { return ar([]debtest.File{{Name: "./control", Text: text}}, nil) }
	for _, c := range []struct {
		name string
		deb  []byte
		want string
	}{
		{"empty", nil, "no ar archive"},
		{"text", []byte("<html>not found</html>"), "no ar archive"},
		{"cut", good[:100], "it ends where more has to come"},
		{"cut in data", good[:len(good)-2000], "it ends within data.tar"},
		{"other", debtest.Archive(member("x", "y")), "not debian-binary"},
		{"version", debtest.Archive(member("debian-binary", "3.0\n")), "version"},
		{"no control", debtest.Archive(binary, member("data.tar", "")), `a member "data.tar"`},
		{"odd member", debtest.Archive(binary, member("control.tar.lzma", "")), `a member "control.tar.lzma"`},
		{"size", append([]byte("!<arch>\n"), bytes.Repeat([]byte("x"), 60)...), "not the begin of a member"},
		{"no control file", ar([]debtest.File{{Name: "./postinst", Text: "x"}}, nil), "no file control"},
		{"twice", ar([]debtest.File{{Name: "./control", Text: control}, {Name: "control", Text: control}}, nil), "control twice"},
		{"link", ar([]debtest.File{{Name: "./control", Link: "/etc/passwd"}}, nil), "not a regular file"},
		{"below", ar([]debtest.File{{Name: "./a/b", Text: "x"}}, nil), "not the name of a file there"},
		{"no field", named("Package a\n"), `control: line 1: "Package a" is not a field`},
		{"no line feed", named("Package: a"), "no line feed"},
		{"name", named("Package: ../a\nVersion: 1\nArchitecture: all\n"), "not the name of a package"},
		{"other name", named("Package: b\nVersion: 1\nArchitecture: all\n"), "its package is b, not a"},
		{"other version", named("Package: a\nVersion: 2\nArchitecture: all\n"), "its version is 2, not 1"},
		{"other architecture", named("Package: a\nVersion: 1\nArchitecture: arm64\n"), "its architecture is arm64, not all"},
		{"no architecture", named("Package: a\nVersion: 1\n"), "not an architecture"},
		{"no version", named("Package: a\nVersion: x\nArchitecture: all\n"), "not a version"},
		{"status", named("Package: a\nVersion: 1\nArchitecture: all\nStatus: install ok installed\n"), "does not have a field Status"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := deb.Open("pool/a.deb", layer.Bytes(c.deb), deb.Identity{"a", "1", "all"})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "package pool/a.deb: ") {
				t.Errorf("the error is %v, and has to say %q", err, c.want)
			}
		})
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []debtest.File
		want  string
	}{
		{"absolute", []debtest.File{{Name: "/etc/a", Text: "x"}}, `"/etc/a" is an absolute path`},
		{"outside", []debtest.File{{Name: "./etc/../../a", Text: "x"}}, "leads out of its place"},
		{"line feed", []debtest.File{{Name: "./a\nb", Text: "x"}}, "line feed"},
		{"device", []debtest.File{{Name: "./dev/null", Type: tar.TypeChar}}, `"/dev/null" is a device or pipe`},
		{"pipe", []debtest.File{{Name: "./run/pipe", Type: tar.TypeFifo}}, `"/run/pipe" is a device or pipe`},
		{"through a link", []debtest.File{{Name: "./x", Link: "/etc"}, {Name: "./x/passwd", Text: "x"}}, `"/x/passwd" goes through /x`},
		{"through a file", []debtest.File{{Name: "./x", Text: "x"}, {Name: "./x/y", Text: "x"}}, `"/x/y" goes through /x`},
		{"hard link outside", []debtest.File{{Name: "./x", Hard: "/etc/shadow"}}, "out of its place"},
		{"hard link up", []debtest.File{{Name: "./x", Hard: "./../x"}}, "out of its place"},
		{"hard link to nothing", []debtest.File{{Name: "./x", Hard: "./etc/shadow"}}, "no file before it"},
		{"twice", []debtest.File{{Name: "./x", Text: "x"}, {Name: "./x", Text: "y"}}, "there twice"},
		{"no name", []debtest.File{{Name: "./", Link: "x"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := ar([]debtest.File{{Name: "./control", Text: control + "Architecture: all\n"}}, c.files)
			d, err := deb.Open("a.deb", layer.Bytes(b), deb.Identity{})
			if err == nil {
				err = d.Walk(t.Context(), archives(t), func(deb.Member) error { return nil })
			}
			if c.want == "" {
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "package a.deb: ") {
				t.Errorf("the error is %v, and has to say %q", err, c.want)
			}
		})
	}
}

func TestBomb(t *testing.T) {
	var zeros bytes.Buffer
	w := gzip.NewWriter(&zeros)
	h := tar.NewWriter(w)
	const size = 300 << 20
	err := h.WriteHeader(&tar.Header{Name: "./zeros", Size: size, Mode: 0o644, Typeflag: tar.TypeReg})
	for range size >> 20 {
		h.Write(make([]byte, 1<<20)) //nolint:errcheck // into memory
	}
	w.Close() //nolint:errcheck // into memory
	if err != nil {
		t.Fatal(err)
	}
	b := debtest.Archive(debtest.Member{Name: "debian-binary", Data: []byte("2.0\n")},
		debtest.Member{Name: "control.tar", Data: debtest.Tar([]debtest.File{{Name: "./control", Text: control + "Architecture: all\n"}})},
		debtest.Member{Name: "data.tar.gz", Data: zeros.Bytes()})
	d, err := deb.Open("a.deb", layer.Bytes(b), deb.Identity{})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Walk(t.Context(), archives(t), func(deb.Member) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "package a.deb: ") || !strings.Contains(err.Error(), "100 times its size") {
		t.Errorf("the error is %v", err)
	}
}
