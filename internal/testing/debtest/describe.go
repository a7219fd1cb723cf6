package debtest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Described is a package of a repository, for one architecture.
type Described struct {
	Suite string

	name, version, arch string
	control             string // its stanza without what says where the file is
	deb                 []byte
	path                string // in the repository
}

// Name returns the name of its file, and Deb the bytes.
func (d Described) Name() string { return fmt.Sprintf("%s_%s_%s.deb", d.name, d.version, d.arch) }

// Deb returns the bytes of the package.
func (d Described) Deb() []byte { return d.deb }

// stanza returns what Packages has.
func (d Described) stanza() string {
	return fmt.Sprintf("%sFilename: %s\nSize: %d\nSHA256: %x\n", d.control, d.path, len(d.deb), sha256.Sum256(d.deb))
}

// Describe makes packages from stanzas, separated by empty lines, of fields as control files have
// them. Architecture: any makes one for each of architectures. Besides, a stanza may have:
//
//	Suite: bookworm-security         the default is bookworm
//	File: /usr/bin/hello some text   a file; as often as needed
//	Fill: /usr/share/fill 100000     a file of that many bytes
//	Link: /usr/lib/a /etc            a symbolic link; the files below it are so in the package
//	Device: /usr/lib/null            a device
//	Postinst: #!/bin/sh              also Preinst, Prerm, Postrm, Templates, Triggers, Conffiles;
//	 true                            more lines are indented by a space
//	Named: other                     the package calls itself that, and the index does not
//	Bomb: yes                        it unpacks to far more than it has
func Describe(text string, architectures []string) (all []Described) {
	for stanza := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		fields := split(stanza)
		arches := []string{"all"}
		for _, f := range fields {
			switch {
			case f.name == "Architecture" && f.value == "any":
				arches = architectures
			case f.name == "Architecture":
				arches = []string{f.value}
			}
		}
		for _, arch := range arches {
			all = append(all, described(fields, arch))
		}
	}
	return all
}

// field is a field of a stanza.
type field struct{ name, value string }

func split(stanza string) (all []field) {
	for line := range strings.SplitSeq(strings.Trim(stanza, "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, " "); ok && len(all) > 0 {
			all[len(all)-1].value += "\n" + rest
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, "#"):
		case !ok:
			panic("not a field: " + line)
		default:
			all = append(all, field{name, strings.TrimPrefix(value, " ")})
		}
	}
	return all
}

func described(fields []field, arch string) Described {
	d := Described{Suite: "bookworm", arch: arch}
	p := Package{Info: map[string]string{}}
	named, isBomb := "", false
	for _, f := range fields {
		words := strings.SplitN(f.value, " ", 2)
		switch f.name {
		case "Suite":
			d.Suite = f.value
		case "Architecture":
		case "Named":
			named = f.value
		case "Bomb":
			isBomb = true
		case "File":
			p.Files = append(p.Files, File{Name: "." + words[0], Text: words[1] + "\n"})
		case "Fill":
			n, err := strconv.Atoi(words[1])
			must(err)
			p.Files = append(p.Files, File{Name: "." + words[0], Text: strings.Repeat("x", n)})
		case "Link":
			p.Files = append(p.Files, File{Name: "." + words[0], Link: words[1]})
		case "Device":
			p.Files = append(p.Files, File{Name: "." + words[0], Type: '3'})
		case "Preinst", "Postinst", "Prerm", "Postrm", "Templates", "Triggers", "Conffiles":
			p.Info[strings.ToLower(f.name)] = f.value + "\n"
		default:
			if f.name == "Package" {
				d.name = f.value
			}
			if f.name == "Version" {
				d.version = f.value
			}
			d.control += f.name + ": " + strings.ReplaceAll(f.value, "\n", "\n ") + "\n"
		}
	}
	if d.version == "" {
		d.version = "1.0"
		d.control += "Version: 1.0\n"
	}
	d.control += "Architecture: " + arch + "\nMaintainer: Test <test@example.com>\nDescription: for a test\n"
	p.Control = d.control
	if named != "" {
		p.Control = strings.Replace(p.Control, "Package: "+d.name+"\n", "Package: "+named+"\n", 1)
	}
	d.deb = Make(p)
	if isBomb {
		d.deb = bombed(p)
	}
	d.path = fmt.Sprintf("pool/main/%s/%s_%s_%s.deb", d.name, d.name, strings.ReplaceAll(d.version, ":", "%3a"), arch)
	return d
}

// bombed is a package that unpacks to 300 MB.
func bombed(p Package) []byte {
	return Archive(
		Member{"debian-binary", []byte("2.0\n")},
		Member{"control.tar", Tar([]File{{Name: "./"}, {Name: "./control", Text: p.Control}})},
		Member{"data.tar.gz", bomb()},
	)
}

var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	must(err)
	const size = 300 << 20
	zeros := make([]byte, 1<<20)
	h := Tar([]File{{Name: "./"}, {Name: "./usr/"}, {Name: "./usr/bomb"}})
	h = h[:3*512]
	copy(h[2*512+124:], fmt.Sprintf("%011o", size))
	sum := 0
	copy(h[2*512+148:], "        ")
	for _, c := range h[2*512:] {
		sum += int(c)
	}
	copy(h[2*512+148:], fmt.Sprintf("%06o\x00 ", sum))
	_, err = w.Write(h)
	must(err)
	for n := 0; n < size; n += len(zeros) {
		_, err := w.Write(zeros)
		must(err)
	}
	must(w.Close())
	return b.Bytes()
})
