package system

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
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

// library is what the dynamic linker's cache has of a file.
type library struct {
	flags    int
	soname   string // empty for none
	isaLevel uint64 // the level of x86 that it needs
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
	at := slices.IndexFunc(entries, func(d elf.Dyn64) bool { return elf.DynTag(d.Tag) == elf.DT_STRTAB })
	if at < 0 {
		return errNoLibrary
	}
	strings := o.offset(entries[at].Val)
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
		return fmt.Errorf("ldconfig: %v is not known here: leave it out, and name the directory in LD_LIBRARY_PATH",
			machine)
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
	generatorText = lazyregexp.New(`ldconfig [^\x00\n%]* release version [0-9]+\.[0-9]+[0-9.]*`)
	builtinDirs   = lazyregexp.New(`\x00((?:/(?:usr/)?lib[a-zA-Z0-9_/-]*/\x00){2,})`)
)
