package executable

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
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
