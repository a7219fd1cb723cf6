package forge

import (
	"fmt"
	"strings"
)

// second puts the forger's members with changed headers before the end.
func second(name string, changes ...string) mechanism {
	return mechanism{name: name, tar: func(a *archive) { a.last(a.with(changes...)...) }}
}

// edited puts the forger's members before the end, whose headers a function changes.
func edited(name string, change func(h []byte)) mechanism {
	return mechanism{name: name, tar: func(a *archive) {
		list := a.evil()
		for n := range 2 {
			change(list[n].header)
		}
		a.last(list...)
	}}
}

// moved changes the headers of the documents of the release, so that some readers see them under
// another name, and adds the forger's in front.
func moved(name string, change func(h []byte)) mechanism {
	return mechanism{name: name, tar: func(a *archive) {
		for _, n := range []string{"index.json", "manifest.json"} {
			change(a.get(n).header)
		}
		a.insert(0, a.evil()...)
	}}
}

func field(h []byte, name, text string) {
	f := fields[name]
	clear(h[f[0]:f[1]])
	copy(h[f[0]:f[1]], text)
	checksum(h)
}

func number(h []byte, format string) {
	n := 0
	fmt.Sscanf(strings.Trim(string(h[124:136]), " \x00"), "%o", &n) //nolint:errcheck // it is a number
	field(h, "size", fmt.Sprintf(format, n))
}

// signedSum is the checksum of old Suns, which add bytes as signed numbers.
func signedSum(h []byte) {
	copy(h[265:297], "\xff\xfe\xfd")
	copy(h[148:156], "        ")
	n := 0
	for _, b := range h {
		n += int(int8(b))
	}
	copy(h[148:156], fmt.Sprintf("%06o\x00 ", n))
}

var tarHeaders = []mechanism{
	edited("signed checksum", signedSum),
	edited("checksum without NUL", func(h []byte) {
		copy(h[148:156], strings.Replace(string(h[148:156]), "\x00 ", "  ", 1))
	}),
	edited("checksum with leading spaces", func(h []byte) {
		copy(h[148:156], fmt.Sprintf("%6s\x00 ", strings.TrimLeft(string(h[148:154]), "0")))
	}),
	edited("checksum of eight digits", func(h []byte) { copy(h[148:156], "00"+string(h[148:154])) }),
	edited("size with spaces", func(h []byte) { number(h, "%11o ") }),
	edited("size without NUL", func(h []byte) { number(h, "%012o") }),
	edited("size that ends early", func(h []byte) { number(h, "%o\x00junk") }),
	second("negative time", "mtime=\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
	second("empty time", "mtime="),
	second("another time", "mtime=00000000000\x00"),
	second("time in base 256", "mtime=\x80\x00\x00\x00\x00\x00\x00\x00\x67\x00\x00\x00"),
	second("empty mode", "mode="),
	second("mode of a directory", "mode=0040755\x00"),
	second("mode with setuid", "mode=0104755\x00"),
	second("another user", "uid=0001750\x00", "gid=0001750\x00", "uname=evil", "gname=evil"),
	second("user in base 256", "uid=\x80\x00\x00\x00\x00\x00\x00\x01"),
	second("devices of a file", "devmajor=0000001\x00", "devminor=0000003\x00"),
	second("link name of a file", "link=oci-layout"),
	second("header of v7", "magic=", "devmajor=", "devminor="),
	second("header of GNU", "magic=ustar  \x00", "devmajor=", "devminor="),
	second("header of no magic that is known", "magic=tar\x00\x0000"),
	second("header of a draft", "magic=ustar\x00  "),
	second("header of star", "magic=ustar\x0000", "pad=        tar\x00"),
	second("bytes behind the header", "pad=evil"),
	second("prefix .", "prefix=."),
	second("prefix with slashes", "prefix=.//"),
	second("prefix under the magic of v7", "magic=", "prefix=x"),
	second("prefix under the magic of GNU", "magic=ustar  \x00", "prefix=x"),
	second("prefix behind NUL", "prefix=\x00x"),
	second("empty size field of a second member", "size="),
	moved("documents in a prefix that v7 ignores", func(h []byte) { field(h, "magic", ""); field(h, "prefix", "x") }),
	moved("documents in a prefix that GNU ignores",
		func(h []byte) { field(h, "magic", "ustar  \x00"); field(h, "prefix", "x") }),
	moved("documents in the prefix .", func(h []byte) { field(h, "prefix", ".") }),
	moved("documents of type NUL", func(h []byte) { field(h, "type", "\x00") }),
	moved("documents of type 7", func(h []byte) { field(h, "type", "7") }),
	moved("documents of a type that nobody knows", func(h []byte) { field(h, "type", "Z") }),
	moved("documents with another time", func(h []byte) { field(h, "mtime", "00000000000\x00") }),
	{name: "padding that is not zero", tar: func(a *archive) {
		list := a.evil()
		for n, e := range list {
			if rest := len(e.data) % 512; rest > 0 && n < 2 {
				list[n].data = append(e.data, []byte(strings.Repeat("x", 512-rest))...)
			}
		}
		a.last(list...)
	}},
	{name: "padding of the release that is not zero", tar: func(a *archive) {
		e := a.get("index.json")
		if rest := len(e.data) % 512; rest > 0 {
			e.data = append(e.data, []byte(strings.Repeat(" ", 512-rest))...)
		}
		a.insert(0, a.evil()...)
	}},
	{name: "checksum that is wrong", tar: func(a *archive) { a.last(a.with("sum=000000\x00 ")...) }},
}
