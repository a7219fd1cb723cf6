package programtest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// ELF returns a program or library for linux/amd64, with a dynamic section.
func ELF(n Needs) []byte {
	le := binary.LittleEndian
	const header, segment, section = 64, 56, 64
	var names, dynamic bytes.Buffer
	names.WriteByte(0)
	place := func(s string) uint64 {
		at := names.Len()
		names.WriteString(s + "\x00")
		return uint64(at)
	}
	for _, s := range n.Libraries {
		write(&dynamic, le, elf.Dyn64{Tag: int64(elf.DT_NEEDED), Val: place(s)})
	}
	if n.Runpath != "" {
		write(&dynamic, le, elf.Dyn64{Tag: int64(elf.DT_RUNPATH), Val: place(n.Runpath)})
	}
	write(&dynamic, le, elf.Dyn64{})
	interpreter := n.Interpreter + "\x00"
	at := uint64(header + segment)
	atDynamic := at + uint64(len(interpreter))
	atNames := atDynamic + uint64(dynamic.Len())
	atSections := atNames + uint64(names.Len())

	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Ehsize: header,
		Phoff: header, Phentsize: segment, Shoff: atSections, Shentsize: section, Shnum: 3,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64),
		byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	p := elf.Prog64{Type: uint32(elf.PT_NULL)}
	if n.Interpreter != "" {
		p = elf.Prog64{
			Type: uint32(elf.PT_INTERP), Off: at, Filesz: uint64(len(interpreter)),
			Memsz: uint64(len(interpreter)),
		}
	}
	h.Phnum = 1

	var b bytes.Buffer
	write(&b, le, h)
	write(&b, le, p)
	b.WriteString(interpreter)
	b.Write(dynamic.Bytes())
	b.Write(names.Bytes())
	write(&b, le, []elf.Section64{
		{},
		{Type: uint32(elf.SHT_STRTAB), Off: atNames, Size: uint64(names.Len()), Name: 0},
		{Type: uint32(elf.SHT_DYNAMIC), Off: atDynamic, Size: uint64(dynamic.Len()), Link: 1, Entsize: 16},
	})
	b.WriteString(n.Text)
	return b.Bytes()
}
