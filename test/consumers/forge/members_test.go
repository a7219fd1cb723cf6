package forge

import (
	"fmt"
	"strings"
)

// renamed are members by other names.
func renamed(list []entry, f func(name string) string) []entry {
	all := make([]entry, len(list))
	for n, e := range list {
		all[n] = file(f(e.name), e.data)
	}
	return all
}

// with are members whose documents have changed headers.
func (a *archive) with(changes ...string) []entry {
	list := a.evil()
	for n := range 2 {
		list[n] = file(list[n].name, list[n].data, changes...)
	}
	return list
}

// behind are the forger's members, of which the documents stand behind other members each.
func (a *archive) behind(before func(e entry) []entry) []entry {
	list := a.w.evil.blobs[:len(a.w.evil.blobs):len(a.w.evil.blobs)]
	for _, e := range a.heads() {
		list = append(list, before(e)...)
	}
	return list
}

// pax is an extended header with records.
func pax(kind string, records ...string) entry {
	var b strings.Builder
	for _, r := range records {
		n := len(r) + 3
		for len(fmt.Sprint(n))+len(r)+2 != n {
			n++
		}
		fmt.Fprintf(&b, "%d %s\n", n, r)
	}
	return file("PaxHeaders/0", []byte(b.String()), "type="+kind)
}

// covered are members in the content of one whose type has none, by some readers.
func covered(kind string) func(a *archive) {
	return func(a *archive) {
		inner := tarred(a.evil())
		e := entry{"", header("cover", len(inner), "type="+kind), inner}
		if kind == "1" || kind == "2" {
			e.header = header("cover", len(inner), "type="+kind, "link=oci-layout")
		}
		a.add(e)
	}
}

var tarMembers = []mechanism{
	{name: "second documents before the end", tar: func(a *archive) { a.last(a.evil()...) }},
	{name: "second documents before the first layer", tar: func(a *archive) { a.add(a.evil()...) }},
	{name: "second documents before the first", tar: func(a *archive) { a.insert(0, a.evil()...) }},
	{name: "second index.json alone", tar: func(a *archive) { a.last(append(a.heads()[:1], a.w.evil.blobs...)...) }},
	{name: "second manifest.json alone", tar: func(a *archive) {
		a.insert(0, append(a.heads()[1:], a.w.evil.blobs...)...)
	}},
	{name: "second documents, blobs in place of referrers", tar: func(a *archive) {
		a.last(a.heads()...)
		for n, e := range a.w.evil.blobs {
			a.entries[len(a.entries)-3-n-2] = e
		}
	}},
	{name: "names that begin with ./", tar: func(a *archive) {
		a.last(renamed(a.evil(), func(n string) string { return "./" + n })...)
	}},
	{name: "names that begin with /", tar: func(a *archive) {
		a.last(renamed(a.evil(), func(n string) string { return "/" + n })...)
	}},
	{name: "names that begin with //", tar: func(a *archive) {
		a.last(renamed(a.evil(), func(n string) string { return "//" + n })...)
	}},
	{name: "names with ..", tar: func(a *archive) {
		a.last(renamed(a.evil(), func(n string) string { return "blobs/../" + n })...)
	}},
	{name: "names with /./", tar: func(a *archive) {
		a.last(renamed(a.evil(), func(n string) string { return ".//./" + n })...)
	}},
	{name: "names in upper case", tar: func(a *archive) { a.last(renamed(a.evil(), strings.ToUpper)...) }},
	{name: "names in upper case before", tar: func(a *archive) { a.insert(0, renamed(a.evil(), strings.ToUpper)...) }},
	{name: "names that end in a slash", tar: func(a *archive) {
		a.last(renamed(a.evil(), func(n string) string { return n + "/" })...)
	}},
	{name: "names with text behind NUL", tar: func(a *archive) {
		a.last(renamed(a.evil(), func(n string) string { return n + "\x00.bak" })...)
	}},
	{name: "symbolic links to blobs", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			b := blob(e.data)
			return []entry{b, {e.name, header(e.name, 0, "type=2", "link="+b.name), nil}}
		})...)
	}},
	{name: "hard links to blobs", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			b := file("x-"+e.name, e.data)
			return []entry{b, {e.name, header(e.name, 0, "type=1", "link="+b.name), nil}}
		})...)
	}},
	{name: "symbolic links to members that follow", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			return []entry{{e.name, header(e.name, 0, "type=2", "link=x-"+e.name), nil}, file("x-"+e.name, e.data)}
		})...)
	}},
	{name: "GNU long names", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			return []entry{
				file("././@LongLink", []byte(e.name+"\x00"), "type=L", "magic=ustar  \x00"),
				file("x", e.data, "magic=ustar  \x00"),
			}
		})...)
	}},
	{name: "GNU long names twice", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			l := func(n string) entry {
				return file("././@LongLink", []byte(n+"\x00"), "type=L", "magic=ustar  \x00")
			}
			return []entry{l("x"), l(e.name), file("y", e.data, "magic=ustar  \x00")}
		})...)
	}},
	{name: "GNU long links", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			return []entry{
				file("x-"+e.name, e.data),
				file("././@LongLink", []byte("x-"+e.name+"\x00"), "type=K", "magic=ustar  \x00"),
				{e.name, header(e.name, 0, "type=1", "link=y", "magic=ustar  \x00"), nil},
			}
		})...)
	}},
	{name: "PAX paths", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry { return []entry{pax("x", "path="+e.name), file("x", e.data)} })...)
	}},
	{name: "PAX paths twice", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			return []entry{pax("x", "path=y", "path="+e.name), file("x", e.data)}
		})...)
	}},
	{name: "PAX paths that hide", tar: func(a *archive) {
		a.insert(0, pax("x", "path=x"))
		a.last(a.evil()...)
	}},
	{name: "PAX sizes", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			return []entry{pax("x", fmt.Sprint("size=", len(e.data))), {e.name, header(e.name, 0), e.data}}
		})...)
	}},
	{name: "PAX links", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			return []entry{
				file("x-"+e.name, e.data), pax("x", "linkpath=x-"+e.name),
				{e.name, header(e.name, 0, "type=1", "link=y"), nil},
			}
		})...)
	}},
	{name: "PAX header for all", tar: func(a *archive) {
		a.last(append([]entry{pax("g", "comment=x")}, a.evil()...)...)
	}},
	{name: "PAX path for all", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry { return []entry{pax("g", "path="+e.name), file(e.name, e.data)} })...)
	}},
	{name: "PAX headers of Solaris", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry { return []entry{pax("X", "path="+e.name), file(e.name, e.data)} })...)
	}},
	{name: "PAX sparse names", tar: func(a *archive) {
		a.last(a.behind(func(e entry) []entry {
			n := len(e.data)
			return []entry{
				pax("x", "GNU.sparse.major=0", "GNU.sparse.minor=1", "GNU.sparse.name="+e.name,
					fmt.Sprint("GNU.sparse.size=", n), "GNU.sparse.numblocks=1", fmt.Sprint("GNU.sparse.map=0,", n)),
				file("x", e.data),
			}
		})...)
	}},
	{name: "type NUL", tar: func(a *archive) { a.last(a.with("type=\x00")...) }},
	{name: "type 7", tar: func(a *archive) { a.last(a.with("type=7")...) }},
	{name: "type that nobody knows", tar: func(a *archive) { a.last(a.with("type=Z")...) }},
	{name: "size in base 256", tar: func(a *archive) {
		list := a.evil()
		for n := range 2 {
			s := len(list[n].data)
			list[n] = file(list[n].name, list[n].data, "size=\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00"+
				string([]byte{byte(s >> 8), byte(s)}), "magic=ustar  \x00")
		}
		a.last(list...)
	}},
	{name: "content of a directory", tar: covered("5")},
	{name: "content of a hard link", tar: covered("1")},
	{name: "content of a symbolic link", tar: covered("2")},
	{name: "content of a device", tar: covered("3")},
	{name: "content of a pipe", tar: covered("6")},
}
