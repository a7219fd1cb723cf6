package system

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// Flags of a library in the cache of the dynamic linker (sysdeps/generic/ldconfig.h of glibc).
const (
	flagELF         = 0x0001
	flagLibc6       = 0x0003
	flagX8664       = 0x0300
	flagS390        = 0x0400
	flagPowerPC     = 0x0500
	flagX32         = 0x0800
	flagARMHard     = 0x0900
	flagAArch64     = 0x0a00
	flagARMSoft     = 0x0b00
	flagRISCVSoft   = 0x0f00
	flagRISCVDouble = 0x1000
)

// Bits of e_flags.
const (
	armVersionMask = 0xff000000
	armVersion5    = 0x05000000
	armHard        = 0x400
	armSoft        = 0x200
	riscvFloat     = 0x6
	riscvDouble    = 0x4
	riscvKnown     = 0x7
)

// maxHeaders bounds the program headers and the dynamic section of a library, in bytes.
const maxHeaders = 1 << 20

// library is what the dynamic linker's cache has of a file.
type library struct {
	flags    int
	soname   string // empty for none
	isaLevel uint64 // the level of x86 that it needs
}

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
				Type: q.Type, Off: uint64(q.Off), Vaddr: uint64(q.Vaddr), Filesz: uint64(q.Filesz), Align: uint64(q.Align),
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

// interpreters are the dynamic linkers by which ldconfig knows a library of glibc 2.
var interpreters = []string{
	"/lib/ld-linux.so.2", "/libx32/ld-linux-x32.so.2", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-x86-64.so.2",
	"/lib/ld-linux-aarch64.so.1", "/lib/ld-linux.so.3", "/lib/ld-linux-armhf.so.3", "/lib/ld.so.1", "/lib/ld64.so.1",
	"/lib64/ld64.so.1", "/lib64/ld64.so.2", "/lib/ld-linux-riscv64-lp64d.so.1", "/lib/ld-linux-riscv64-lp64.so.1",
}

// library returns what the cache has of the file.
func (o *object) library(machine elf.Machine) (*library, error) {
	l := &library{flags: flagELF}
	var dynamic elf.Prog64
	for _, p := range o.progs {
		switch elf.ProgType(p.Type) {
		case elf.PT_DYNAMIC:
			dynamic = p
		case elf.PT_INTERP:
			name, err := o.text(p.Off)
			if err != nil {
				return nil, err
			}
			if slices.Contains(interpreters, name) {
				l.flags = flagLibc6
			}
		case elf.PT_GNU_PROPERTY:
			if machine == elf.EM_X86_64 || machine == elf.EM_386 {
				if err := o.properties(l, p); err != nil {
					return nil, err
				}
			}
		}
	}
	if dynamic.Filesz == 0 {
		return nil, errNoLibrary
	}
	if err := o.names(l, dynamic.Off); err != nil {
		return nil, err
	}
	return l, o.flags(l, machine)
}

// names reads the soname of a library, and whether it needs glibc 2.
func (o *object) names(l *library, off uint64) error {
	entries, err := o.dynamic(off)
	if err != nil {
		return err
	}
	strings := uint64(0)
	at := slices.IndexFunc(entries, func(d elf.Dyn64) bool { return elf.DynTag(d.Tag) == elf.DT_STRTAB })
	if at < 0 {
		return errNoLibrary
	}
	strings = o.offset(entries[at].Val)
	for _, d := range entries {
		tag := elf.DynTag(d.Tag)
		if tag != elf.DT_NEEDED && tag != elf.DT_SONAME {
			continue
		}
		name, err := o.text(strings + d.Val)
		if err != nil {
			return err
		}
		if tag == elf.DT_SONAME {
			l.soname = name
		} else if l.flags == flagELF && (name == "libc.so.6" || name == "libm.so.6") {
			l.flags = flagLibc6
		}
		if l.soname != "" && l.flags != flagELF {
			break
		}
	}
	return nil
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

// properties reads which level of x86 a library needs (NT_GNU_PROPERTY_TYPE_0).
func (o *object) properties(l *library, p elf.Prog64) error {
	const isaNeeded, propertyType = 0xc0008002, 5
	word := uint64(4)
	if o.wide {
		word = 8
	}
	if p.Align != word || p.Filesz > maxHeaders || p.Off > o.size || p.Filesz > o.size-p.Off {
		return nil
	}
	b := make([]byte, p.Filesz)
	if err := o.read(b, p.Off); err != nil {
		return err
	}
	align := func(n uint64) uint64 { return (n + word - 1) &^ (word - 1) }
	for len(b) > 12 {
		name, desc, kind := uint64(o.order.Uint32(b)), uint64(o.order.Uint32(b[4:])), o.order.Uint32(b[8:])
		end := align(12+name) + align(desc)
		if name == 4 && kind == propertyType && len(b) >= 16 && string(b[12:16]) == "GNU\x00" {
			b = b[16:min(uint64(len(b)), 16+desc)]
			for len(b) >= 8 {
				what, size := o.order.Uint32(b), uint64(o.order.Uint32(b[4:]))
				if what >= isaNeeded || 8+size > uint64(len(b)) {
					if what == isaNeeded && size == 4 && len(b) >= 12 {
						if needed := o.order.Uint32(b[8:]); needed != 0 {
							l.isaLevel = uint64(bits.Len32(needed) - 1) //nolint:gosec // it is at least 1
						}
					}
					return nil
				}
				b = b[min(uint64(len(b)), 8+align(size)):]
			}
			return nil
		}
		if end >= uint64(len(b)) {
			return nil
		}
		b = b[end:]
	}
	return nil
}

// flags completes the flags by the machine, as the readelflib.c of each does.
func (o *object) flags(l *library, machine elf.Machine) error {
	switch machine {
	case elf.EM_X86_64, elf.EM_386:
		return o.flagsOfX86(l, machine)
	case elf.EM_AARCH64, elf.EM_ARM:
		switch {
		case o.wide:
			l.flags = flagAArch64 | flagLibc6
		case o.header.Flags&armVersionMask != armVersion5:
		case o.header.Flags&armHard != 0:
			l.flags = flagARMHard | flagLibc6
		case o.header.Flags&armSoft != 0:
			l.flags = flagARMSoft | flagLibc6
		default:
			l.flags = flagLibc6
		}
	case elf.EM_PPC64, elf.EM_S390:
		if o.wide {
			l.flags = map[elf.Machine]int{elf.EM_PPC64: flagPowerPC, elf.EM_S390: flagS390}[machine] | flagLibc6
		}
	case elf.EM_RISCV:
		l.flags |= flagRISCVSoft
		if o.header.Flags&riscvFloat == riscvDouble {
			l.flags = l.flags&^flagRISCVSoft | flagRISCVDouble
		}
		if float := o.header.Flags & riscvFloat; float != 0 && float != riscvDouble || o.header.Flags&^riscvKnown != 0 {
			return errNoLibrary
		}
	default:
		return fmt.Errorf("ldconfig: %v is not known here: leave it out, and name the directory in LD_LIBRARY_PATH", machine)
	}
	return nil
}

func (o *object) flagsOfX86(l *library, machine elf.Machine) error {
	switch own := elf.Machine(o.header.Machine); {
	case own == elf.EM_X86_64 && o.wide:
		l.flags = flagX8664 | flagLibc6
	case own == elf.EM_X86_64:
		l.flags = flagX32 | flagLibc6
	case own != elf.EM_386 || o.wide:
		return errNoLibrary
	}
	_ = machine
	return nil
}

// linker is what is known of a system's ldconfig: by its own file.
type linker struct {
	machine   elf.Machine
	order     binary.ByteOrder
	generator string   // what it writes into the cache about itself
	dirs      []string // the built-in directories
	debian    bool
}

var (
	generatorText = regexp.MustCompile(`ldconfig [^\x00\n%]* release version [0-9]+\.[0-9]+[0-9.]*`)
	builtinDirs   = regexp.MustCompile(`\x00((?:/(?:usr/)?lib[a-zA-Z0-9_/-]*/\x00){2,})`)
)

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
