package system

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// maxHeaders bounds the program headers and the dynamic section of a library, in bytes.
const maxHeaders = 1 << 20

// contentAt reads a content at any place. One that cannot seek is read again from its begin.
type contentAt struct {
	c layer.Content
	r io.ReadCloser
}

func (c *contentAt) ReadAt(p []byte, off int64) (int, error) {
	if at, ok := c.r.(io.ReaderAt); ok {
		return at.ReadAt(p, off)
	}
	r, err := c.c.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if _, err := io.CopyN(io.Discard, r, off); err != nil {
		return 0, err
	}
	return io.ReadFull(r, p)
}

func (c *contentAt) Close() error { return c.r.Close() }

// open returns a reader of a file's content, and its size.
func open(p string, n *tree.Node) (*contentAt, int64, error) {
	c, err := n.Content()
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", p, err)
	}
	if c.Open == nil || n.Stub {
		return nil, 0, fmt.Errorf("reading %s: %w", p, ErrUnread)
	}
	r, err := c.Open()
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", p, err)
	}
	return &contentAt{c, r}, c.Size, nil
}

// errNoLibrary is about a file that ldconfig passes over.
var errNoLibrary = errors.New("not a shared library")

// object reads the headers of an ELF file as ldconfig does.
type object struct {
	r      io.ReaderAt
	size   uint64
	order  binary.ByteOrder
	wide   bool // 64 bits
	header elf.Header64
	progs  []elf.Prog64
}

// readObject reads the headers. Files of the other byte order are none.
func readObject(r io.ReaderAt, size int64, order binary.ByteOrder) (*object, error) {
	o := &object{r: r, size: uint64(max(size, 0)), order: order}
	var ident [elf.EI_NIDENT]byte
	if err := o.read(ident[:], 0); err != nil {
		return nil, err
	}
	if string(ident[:4]) != elf.ELFMAG {
		return nil, errNoLibrary
	}
	switch elf.Class(ident[elf.EI_CLASS]) {
	case elf.ELFCLASS64:
		o.wide = true
		if err := o.decode(&o.header, 0); err != nil {
			return nil, err
		}
	case elf.ELFCLASS32:
		var h elf.Header32
		if err := o.decode(&h, 0); err != nil {
			return nil, err
		}
		o.header = elf.Header64{
			Type: h.Type, Machine: h.Machine, Phoff: uint64(h.Phoff), Flags: h.Flags, Phnum: h.Phnum,
		}
	default:
		return nil, errNoLibrary
	}
	if elf.Type(o.header.Type) != elf.ET_DYN {
		return nil, errNoLibrary
	}
	return o, o.readSegments()
}

func (o *object) readSegments() error {
	for n := range uint64(o.header.Phnum) {
		var p elf.Prog64
		if o.wide {
			if err := o.decode(&p, o.header.Phoff+n*uint64(binary.Size(p))); err != nil {
				return err
			}
		} else {
			var q elf.Prog32
			if err := o.decode(&q, o.header.Phoff+n*uint64(binary.Size(q))); err != nil {
				return err
			}
			p = elf.Prog64{
				Type: q.Type, Off: uint64(q.Off), Vaddr: uint64(q.Vaddr), Filesz: uint64(q.Filesz),
				Align: uint64(q.Align),
			}
		}
		o.progs = append(o.progs, p)
	}
	return nil
}

// read reads bytes at an offset, all of which must be there.
func (o *object) read(b []byte, off uint64) error {
	if off > o.size || uint64(len(b)) > o.size-off {
		return errNoLibrary
	}
	if _, err := o.r.ReadAt(b, int64(off)); err != nil && !errors.Is(err, io.EOF) { //nolint:gosec // it is below size
		return err
	}
	return nil
}

func (o *object) decode(v any, off uint64) error {
	b := make([]byte, binary.Size(v))
	if err := o.read(b, off); err != nil {
		return err
	}
	_, err := binary.Decode(b, o.order, v)
	return err
}

// text reads the text that ends in a zero byte at an offset.
func (o *object) text(off uint64) (string, error) {
	if off >= o.size {
		return "", errNoLibrary
	}
	b := make([]byte, min(4096, o.size-off))
	if err := o.read(b, off); err != nil {
		return "", err
	}
	n := bytes.IndexByte(b, 0)
	if n < 0 {
		return "", errNoLibrary
	}
	return string(b[:n]), nil
}

// dynamic reads the dynamic section up to its end.
func (o *object) dynamic(off uint64) ([]elf.Dyn64, error) {
	var list []elf.Dyn64
	for n := uint64(0); n < maxHeaders; {
		var d elf.Dyn64
		if o.wide {
			if err := o.decode(&d, off+n); err != nil {
				return nil, err
			}
			n += uint64(binary.Size(d))
		} else {
			var e elf.Dyn32
			if err := o.decode(&e, off+n); err != nil {
				return nil, err
			}
			d = elf.Dyn64{Tag: int64(e.Tag), Val: uint64(e.Val)}
			n += uint64(binary.Size(e))
		}
		if elf.DynTag(d.Tag) == elf.DT_NULL {
			return list, nil
		}
		list = append(list, d)
	}
	return nil, errNoLibrary
}

// offset returns where an address is in the file.
func (o *object) offset(addr uint64) uint64 {
	for _, p := range o.progs {
		if elf.ProgType(p.Type) == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return addr - p.Vaddr + p.Off
		}
	}
	return addr
}

// scan calls do with the bytes of a content, piece by piece. Each begins with the end of the one
// before, so that a text within overlap bytes is whole in one of them.
func scan(ctx context.Context, r io.Reader, overlap int, do func(b []byte)) error {
	b := make([]byte, 0, 1<<18)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(r, b[len(b):cap(b)])
		b = b[:len(b)+n]
		do(b)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		b = b[:copy(b, b[len(b)-overlap:])]
	}
}
