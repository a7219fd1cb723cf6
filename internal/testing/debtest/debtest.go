// Package debtest makes .deb files for tests.
package debtest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"strings"
)

// File is a file of a package: a directory if its name ends with a slash, a symbolic link if Link
// is set, else a regular file.
type File struct {
	Name, Text string
	Link, Hard string
	Mode       fs.FileMode // zero is 0755 for directories and 0644 for files
	UID, GID   int
	User       string
	Type       byte // another type of tar entry
}

// Package is a package.
type Package struct {
	Control string            // without what Make adds: Architecture, Maintainer, Description
	Info    map[string]string // other files of control.tar
	Files   []File
}

// Make returns the bytes of a .deb. The directories above each file are in it too.
func Make(p Package) []byte {
	text := p.Control
	for _, f := range []string{"Architecture: all", "Maintainer: Test <test@example.com>", "Description: for a test"} {
		name, _, _ := strings.Cut(f, ":")
		if !strings.Contains("\n"+text, "\n"+name+":") {
			text = strings.TrimSuffix(text, "\n") + "\n" + f + "\n"
		}
	}
	control := []File{{Name: "./"}, {Name: "./control", Text: text}}
	for _, name := range []string{
		"conffiles", "md5sums", "postinst", "postrm", "preinst", "prerm", "shlibs", "templates", "triggers", "odd.name",
	} {
		if text, ok := p.Info[name]; ok {
			f := File{Name: "./" + name, Text: text}
			if strings.HasPrefix(text, "#!") {
				f.Mode = 0o755
			}
			control = append(control, f)
		}
	}
	return Archive(
		Member{"debian-binary", []byte("2.0\n")}, Member{"control.tar", Tar(control)},
		Member{"data.tar", Tar(parents(p.Files))},
	)
}

// parents adds directories.
func parents(files []File) []File {
	seen := map[string]bool{"./": true}
	all := []File{{Name: "./"}}
	for _, f := range files {
		name := f.Name
		if !strings.HasPrefix(name, "./") {
			all = append(all, f)
			continue
		}
		for n := 2; n < len(name)-1; n++ {
			if seen[name[:n]] && name[n] == '/' {
				break // of a link
			}
			if dir := name[:n+1]; name[n] == '/' && !seen[dir] {
				seen[dir] = true
				all = append(all, File{Name: dir})
			}
		}
		if !seen[name] {
			seen[name] = strings.HasSuffix(name, "/") || f.Link != ""
			all = append(all, f)
		}
	}
	return all
}

// Tar returns a tar of files.
func Tar(files []File) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{
			Name: f.Name, Mode: 0o644, Uid: f.UID, Gid: f.GID, Uname: f.User, Typeflag: tar.TypeReg,
			Size: int64(len(f.Text)), Format: tar.FormatGNU,
		}
		switch {
		case f.Type != 0:
			h.Typeflag, h.Size = f.Type, 0
		case strings.HasSuffix(f.Name, "/"):
			h.Typeflag, h.Mode, h.Size = tar.TypeDir, 0o755, 0
		case f.Hard != "":
			h.Typeflag, h.Linkname, h.Size = tar.TypeLink, f.Hard, 0
		case f.Link != "":
			h.Typeflag, h.Linkname, h.Mode, h.Size = tar.TypeSymlink, f.Link, 0o777, 0
		}
		if f.Mode != 0 {
			h.Mode = int64(f.Mode.Perm())
			for bit, mode := range map[int64]fs.FileMode{
				0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky,
			} {
				if f.Mode&mode != 0 {
					h.Mode |= bit
				}
			}
		}
		must(w.WriteHeader(h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte(f.Text))
			must(err)
		}
	}
	must(w.Close())
	return b.Bytes()
}

// Member is a member of an ar archive.
type Member struct {
	Name string
	Data []byte
}

// Archive returns an ar archive.
func Archive(members ...Member) []byte {
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range members {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.Name, 0, 0, 0, "100644", len(m.Data))
		b.Write(m.Data)
		if len(m.Data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// must is for writing into memory, which does not fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
