package deb

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/archive"
)

const magic = "!<arch>\n"

// member is a member of the ar archive.
type member struct {
	name         string
	offset, size int64
}

// compressions are the ends of the names of control.tar and data.tar. The content says itself
// which it has.
var compressions = map[string]bool{"": true, ".gz": true, ".xz": true, ".zst": true, ".bz2": true}

// readMembers reads a .deb. A reader that finds damage has the last word, so that what control.tar
// says is as the digest of the .deb has it.
func (d *Deb) readMembers() error {
	r, err := d.content.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	err = d.readUpToData(&arReader{r: r, left: d.content.Size})
	if _, damage := io.Copy(io.Discard, r); damage != nil {
		return damage
	}
	return err
}

// readUpToData reads the members before the files of data.tar.
func (d *Deb) readUpToData(a *arReader) error {
	if head, err := a.text(int64(len(magic))); err != nil || head != magic {
		return fmt.Errorf("it is not a .deb: it has no ar archive")
	}
	m, err := a.next()
	if err != nil {
		return err
	}
	if m.name != "debian-binary" || m.size > 64 {
		return fmt.Errorf("it is not a .deb: its first member is %.20q, not debian-binary", m.name)
	}
	version, err := a.text(m.size)
	if err != nil {
		return err
	}
	if v, _, ok := strings.Cut(version, "\n"); !ok || v != "2" && !strings.HasPrefix(v, "2.") {
		return fmt.Errorf("its format is version %.20q, and only 2.0 is known", v)
	}
	controlled := false
	for {
		if m, err = a.next(); err != nil {
			return err
		}
		switch ext, isControl := strings.CutPrefix(m.name, "control.tar"); {
		case strings.HasPrefix(m.name, "_"):
			// a member that readers may skip
		case isControl && compressions[ext] && !controlled:
			controlled = true
			if err := d.readControl(io.LimitReader(a.r, m.size), a); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		case strings.HasPrefix(m.name, "data.tar") && compressions[m.name[len("data.tar"):]] && controlled:
			if m.size > a.left {
				return fmt.Errorf("it ends within %s", m.name)
			}
			d.data = m
			return nil
		default:
			return fmt.Errorf("it has a member %.20q where control.tar and data.tar have to be", m.name)
		}
	}
}

// arReader reads an ar archive from its begin.
type arReader struct {
	r    io.Reader
	at   int64
	left int64 // bytes to the end
	end  int64 // where the next member begins
}

// text reads n bytes.
func (a *arReader) text(n int64) (string, error) {
	b := make([]byte, n)
	read, err := io.ReadFull(a.r, b)
	a.moved(int64(read))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "", fmt.Errorf("it ends where more has to come")
	}
	return string(b), err
}

func (a *arReader) moved(n int64) { a.at, a.left = a.at+n, a.left-n }

// next reads the header of the next member. What was not read of the one before is skipped.
func (a *arReader) next() (member, error) {
	if skip := a.end - a.at; skip > 0 {
		n, err := io.CopyN(io.Discard, a.r, skip)
		if a.moved(n); errors.Is(err, io.EOF) {
			return member{}, fmt.Errorf("it ends within a member")
		}
		if err != nil {
			return member{}, err
		}
	}
	const header = 60
	h, err := a.text(header)
	if err != nil {
		return member{}, err
	}
	size, err := strconv.ParseInt(strings.TrimSpace(h[48:58]), 10, 64)
	if h[58:] != "`\n" || err != nil || size < 0 {
		return member{}, fmt.Errorf("byte %d is not the begin of a member", a.at-header)
	}
	a.end = a.at + size + size%2
	return member{strings.TrimSuffix(strings.TrimRight(h[:16], " "), "/"), a.at, size}, nil
}

// maxControl bounds the files of control.tar in bytes. The largest are md5sums and templates.
const maxControl = 64 << 20

// readControl reads the files of control.tar.
func (d *Deb) readControl(r io.Reader, a *arReader) error {
	c := &counted{r: r}
	defer func() { a.moved(c.n) }()
	plain, err := archive.Decompress(c)
	if err != nil {
		return err
	}
	defer plain.Close()
	t := tar.NewReader(io.LimitReader(plain, maxControl))
	total := 0
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
		if h.Typeflag == tar.TypeDir && name == "" {
			continue
		}
		if err := d.checkInfo(name, h); err != nil {
			return err
		}
		text, err := io.ReadAll(t)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if total += len(text); total > maxControl/2 {
			return fmt.Errorf("it has more than %d MiB", maxControl>>21)
		}
		d.Info = append(d.Info, Info{
			name, h.FileInfo().Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky),
			h.Uid, h.Gid, h.Uname, h.Gname, text,
		})
	}
}

// checkInfo checks a file of control.tar as dpkg does.
func (d *Deb) checkInfo(name string, h *tar.Header) error {
	const maxName = 100
	switch {
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%s is not a regular file", name)
	case name == "" || strings.Contains(name, "/") || len(name) > maxName || strings.ContainsAny(name, "\n\x00"):
		return fmt.Errorf("%.60q is not the name of a file there", h.Name)
	case d.Script(name) != nil:
		return fmt.Errorf("it has %s twice", name)
	}
	return nil
}

// counted counts what was read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
