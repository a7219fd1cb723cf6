package executable

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
)

// machines are Go's names for machines of ELF, by class and byte order where these make another
// architecture.
var machines = map[elf.Machine]func(wide, little bool) string{
	elf.EM_386:       func(bool, bool) string { return "386" },
	elf.EM_X86_64:    func(wide, _ bool) string { return pick(wide, "amd64", "amd64p32") },
	elf.EM_ARM:       func(bool, bool) string { return "arm" },
	elf.EM_AARCH64:   func(bool, bool) string { return "arm64" },
	elf.EM_RISCV:     func(wide, _ bool) string { return pick(wide, "riscv64", "riscv") },
	elf.EM_LOONGARCH: func(bool, bool) string { return "loong64" },
	elf.EM_S390:      func(wide, _ bool) string { return pick(wide, "s390x", "s390") },
	elf.EM_PPC64:     func(_, little bool) string { return pick(little, "ppc64le", "ppc64") },
	elf.EM_MIPS: func(wide, little bool) string {
		return pick(wide, "mips64", "mips") + pick(little, "le", "")
	},
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// marked are systems that mark their programs; Linux does not.
var marked = map[elf.OSABI]string{
	elf.ELFOSABI_NETBSD: "netbsd", elf.ELFOSABI_SOLARIS: "solaris", elf.ELFOSABI_FREEBSD: "freebsd",
	elf.ELFOSABI_OPENBSD: "openbsd",
}

// readELF reads the header of an ELF file
// (https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html).
func readELF(b []byte) (System, bool) {
	const header = 20 // up to e_machine
	if len(b) < header {
		return System{}, false
	}
	var order binary.ByteOrder = binary.LittleEndian
	little := elf.Data(b[elf.EI_DATA]) == elf.ELFDATA2LSB
	if !little {
		order = binary.BigEndian
	}
	if kind := elf.Type(at(b, order, 16, 2)); kind != elf.ET_EXEC && kind != elf.ET_DYN {
		return System{}, false
	}
	machine := elf.Machine(at(b, order, 18, 2))
	s := System{Format: "ELF", OS: "linux", Architecture: fmt.Sprintf("machine %#x", uint16(machine))}
	if name, ok := machines[machine]; ok {
		s.Architecture = name(elf.Class(b[elf.EI_CLASS]) == elf.ELFCLASS64, little)
	}
	if os, ok := marked[elf.OSABI(b[elf.EI_OSABI])]; ok {
		s.OS = os
	}
	return s, true
}

// Interpreter returns the path of the program that Linux starts a file with: that of the first
// line of a script, or the loader of shared libraries of an ELF program; "" for a program that
// starts by itself, and where the path is not in the head of the file. argument is the rest of a
// script's line, which Linux gives the interpreter as one word.
func Interpreter(r io.Reader) (by, argument string, err error) {
	b, err := io.ReadAll(io.LimitReader(r, Head))
	if err != nil {
		return "", "", err
	}
	switch {
	case bytes.HasPrefix(b, []byte("#!")):
		const most = 256 // BINPRM_BUF_SIZE
		line, _, _ := bytes.Cut(b[2:min(len(b), most)], []byte("\n"))
		by, argument, _ = strings.Cut(strings.Trim(strings.ReplaceAll(string(line), "\t", " "), " "), " ")
		return by, strings.TrimLeft(argument, " "), nil
	case bytes.HasPrefix(b, []byte(elf.ELFMAG)):
		return loader(b), "", nil
	}
	return "", "", nil
}

// loader reads the segment PT_INTERP of an ELF file
// (https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.pheader.html).
func loader(b []byte) (name string) {
	for s := range segments(b) {
		if elf.ProgType(s.Type) == elf.PT_INTERP {
			if s.Off > uint64(len(b)) || s.Filesz > uint64(len(b))-s.Off {
				return ""
			}
			name, _, _ := bytes.Cut(b[s.Off:s.Off+s.Filesz], []byte{0})
			return string(name)
		}
	}
	return ""
}

// End returns where the program headers and the segments end that the head of an ELF program names,
// in bytes from its start; 0 for other files. A shorter file was cut.
func End(head []byte) int64 {
	if !bytes.HasPrefix(head, []byte(elf.ELFMAG)) {
		return 0
	}
	h, wide, _, ok := header(head)
	end := uint64(binary.Size(h))
	if ok && !wide {
		end = uint64(binary.Size(elf.Header32{}))
	}
	end = max(end, h.Phoff+uint64(h.Phnum)*uint64(h.Phentsize))
	for s := range segments(head) {
		if t := elf.ProgType(s.Type); t == elf.PT_LOAD || t == elf.PT_INTERP {
			end = max(end, s.Off+s.Filesz)
		}
	}
	return int64(min(end, math.MaxInt64)) //nolint:gosec // it is no more
}

// segments yields the program headers that are in the head of an ELF file.
func segments(b []byte) iter.Seq[elf.Prog64] {
	return func(yield func(elf.Prog64) bool) {
		h, wide, order, ok := header(b)
		if !ok {
			return
		}
		for n := range uint64(h.Phnum) {
			if h.Phoff > uint64(len(b)) {
				return
			}
			at := h.Phoff + n*uint64(h.Phentsize)
			if at > uint64(len(b)) {
				return
			}
			if s, ok := segment(b[at:], wide, order); !ok || !yield(s) {
				return
			}
		}
	}
}

// header reads the head of an ELF file: where its tables are, and in which form they are.
func header(b []byte) (h elf.Header64, wide bool, order binary.ByteOrder, ok bool) {
	if len(b) < elf.EI_NIDENT {
		return h, false, nil, false
	}
	order = binary.LittleEndian
	if elf.Data(b[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	if elf.Class(b[elf.EI_CLASS]) == elf.ELFCLASS64 {
		return h, true, order, binary.Read(bytes.NewReader(b), order, &h) == nil
	}
	var narrow elf.Header32
	ok = binary.Read(bytes.NewReader(b), order, &narrow) == nil
	return elf.Header64{
		Phoff: uint64(narrow.Phoff), Phentsize: narrow.Phentsize, Phnum: narrow.Phnum,
		Shoff: uint64(narrow.Shoff), Shentsize: narrow.Shentsize, Shstrndx: narrow.Shstrndx,
	}, false, order, ok
}

func segment(b []byte, wide bool, order binary.ByteOrder) (p elf.Prog64, ok bool) {
	if wide {
		return p, binary.Read(bytes.NewReader(b), order, &p) == nil
	}
	var narrow elf.Prog32
	ok = binary.Read(bytes.NewReader(b), order, &narrow) == nil
	return elf.Prog64{Type: narrow.Type, Off: uint64(narrow.Off), Filesz: uint64(narrow.Filesz)}, ok
}
