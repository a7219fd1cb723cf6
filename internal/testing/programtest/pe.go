// Package programtest makes small programs for tests: complete in what they need of libraries, and
// without code.
package programtest

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
)

// Needs is what a program asks for.
type Needs struct {
	Library            bool // a DLL or shared library
	Libraries, Delayed []string
	Interpreter        string // of an ELF program
	Runpath            string
	Text               string // at the end of the file
}

// PE returns a program for windows/amd64, with one section at the address and offset 0x400.
func PE(n Needs) []byte {
	const base = 0x400
	le := binary.LittleEndian
	var names, imports, delayed bytes.Buffer
	sizeOfLists := uint32(20*(len(n.Libraries)+1) + 32*(len(n.Delayed)+1))
	place := func(s string) uint32 {
		at := base + sizeOfLists + uint32(names.Len())
		names.WriteString(s + "\x00")
		return at
	}
	for _, s := range n.Libraries {
		write(&imports, le, [5]uint32{0, 0, 0, place(s), 0})
	}
	write(&imports, le, [5]uint32{})
	for _, s := range n.Delayed {
		write(&delayed, le, [8]uint32{1, place(s)})
	}
	write(&delayed, le, [8]uint32{})
	section := append(append(imports.Bytes(), delayed.Bytes()...), names.Bytes()...)

	h := pe.FileHeader{
		Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: 1, SizeOfOptionalHeader: 240,
		Characteristics: pe.IMAGE_FILE_EXECUTABLE_IMAGE,
	}
	if n.Library {
		h.Characteristics |= pe.IMAGE_FILE_DLL
	}
	o := pe.OptionalHeader64{Magic: 0x20b, Subsystem: pe.IMAGE_SUBSYSTEM_WINDOWS_CUI, NumberOfRvaAndSizes: 16}
	o.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_IMPORT] = pe.DataDirectory{
		VirtualAddress: base,
		Size:           uint32(imports.Len()),
	}
	if len(n.Delayed) > 0 {
		o.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT] = pe.DataDirectory{VirtualAddress: base +
			uint32(imports.Len()), Size: uint32(delayed.Len())}
	}
	size := uint32(len(section))
	s := pe.SectionHeader32{VirtualSize: size, VirtualAddress: base, SizeOfRawData: size, PointerToRawData: base}
	copy(s.Name[:], ".rdata")

	b := bytes.NewBuffer(make([]byte, 0x80))
	copy(b.Bytes(), "MZ")
	le.PutUint32(b.Bytes()[0x3c:], 0x80)
	b.WriteString("PE\x00\x00")
	write(b, le, h)
	write(b, le, o)
	write(b, le, s)
	b.Write(make([]byte, base-b.Len()))
	b.Write(section)
	b.WriteString(n.Text)
	return b.Bytes()
}

// write appends fixed-size data, which cannot fail.
func write(b *bytes.Buffer, order binary.ByteOrder, data any) {
	all, err := binary.Append(nil, order, data)
	if err != nil {
		panic(err)
	}
	b.Write(all)
}
