package executable

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// offsetOfSignature is where a PE file states the offset of its signature
// (https://learn.microsoft.com/windows/win32/debug/pe-format).
const offsetOfSignature = 0x3c

// peMachines are Go's names for machines of PE.
var peMachines = map[uint16]string{
	pe.IMAGE_FILE_MACHINE_I386: "386", pe.IMAGE_FILE_MACHINE_AMD64: "amd64",
	pe.IMAGE_FILE_MACHINE_ARMNT: "arm", pe.IMAGE_FILE_MACHINE_ARM64: "arm64",
}

// readPE reads the headers of a PE file. A file that only begins like one is not a program, nor is
// a .NET assembly.
func readPE(b []byte) (System, bool) {
	f, ok := openPE(bytes.NewReader(b))
	systems := []uint16{
		pe.IMAGE_SUBSYSTEM_NATIVE, pe.IMAGE_SUBSYSTEM_WINDOWS_GUI, pe.IMAGE_SUBSYSTEM_WINDOWS_CUI,
	}
	managed := f.directories[pe.IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR].Size > 0
	if !ok || managed || !slices.Contains(systems, f.subsystem) {
		return System{}, false
	}
	s := System{Format: "PE", OS: "windows", Architecture: peMachines[f.file.Machine]}
	if s.Architecture == "" {
		s.Architecture = fmt.Sprintf("machine %#x", f.file.Machine)
	}
	return s, true
}

// importDescriptor is one entry of the import directory of a PE file, and delayDescriptor one of
// the delayed imports (https://learn.microsoft.com/windows/win32/debug/pe-format). Both lists end
// in an entry of zeros.
type importDescriptor struct{ Lookup, Time, Forwarder, Name, Addresses uint32 }

type delayDescriptor struct{ Attributes, Name, Module, Addresses, Names, Bound, Unload, Time uint32 }

// peFile has the headers of a PE file by which its directories are found.
type peFile struct {
	io.ReaderAt

	file        pe.FileHeader
	subsystem   uint16
	directories [pe.IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR + 1]pe.DataDirectory
	table       int64 // the offset of the sections
	sections    []pe.SectionHeader32
}

// peNeeds reads the imports of a PE file. ok is false for drivers, which the kernel loads.
func peNeeds(r io.ReaderAt) (n Needs, ok bool) {
	f, ok := openPE(r)
	f.sections = make([]pe.SectionHeader32, min(f.file.NumberOfSections, 96)) // the loader's limit
	if !ok || f.subsystem == pe.IMAGE_SUBSYSTEM_NATIVE || !f.read(f.table, f.sections) {
		return Needs{}, false
	}
	n.Library = f.file.Characteristics&pe.IMAGE_FILE_DLL != 0
	n.Libraries = list(f, pe.IMAGE_DIRECTORY_ENTRY_IMPORT, func(d importDescriptor) uint32 { return d.Name })
	n.Delayed = list(f, pe.IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT, func(d delayDescriptor) uint32 {
		if d.Attributes&1 == 0 {
			return 0 // addresses in memory, as linkers of the 1990s wrote them
		}
		return d.Name
	})
	return n, true
}

func openPE(r io.ReaderAt) (f peFile, ok bool) {
	f.ReaderAt = r
	var start uint32
	var head struct {
		Signature [4]byte
		File      pe.FileHeader
	}
	if !f.read(offsetOfSignature, &start) || !f.read(int64(start), &head) || string(head.Signature[:]) != "PE\x00\x00" {
		return f, false
	}
	f.file = head.File
	at := int64(start) + int64(binary.Size(head))
	var magic uint16
	if !f.read(at, &magic) {
		return f, false
	}
	var wide pe.OptionalHeader64
	var narrow pe.OptionalHeader32
	switch {
	case magic == 0x20b && f.read(at, &wide): // PE32+
		f.subsystem = wide.Subsystem
		copy(f.directories[:], wide.DataDirectory[:min(wide.NumberOfRvaAndSizes, uint32(len(wide.DataDirectory)))])
	case magic == 0x10b && f.read(at, &narrow):
		f.subsystem = narrow.Subsystem
		copy(f.directories[:],
			narrow.DataDirectory[:min(narrow.NumberOfRvaAndSizes, uint32(len(narrow.DataDirectory)))])
	default:
		return f, false
	}
	f.table = at + int64(f.file.SizeOfOptionalHeader)
	return f, true
}

func (f peFile) read(at int64, data any) bool {
	return binary.Read(io.NewSectionReader(f, at, int64(binary.Size(data))), binary.LittleEndian, data) == nil
}

// offset returns where in the file an address of the loaded program is.
func (f peFile) offset(address uint32) (int64, bool) {
	for _, s := range f.sections {
		if address >= s.VirtualAddress && address-s.VirtualAddress < s.SizeOfRawData {
			return int64(s.PointerToRawData) + int64(address-s.VirtualAddress), true
		}
	}
	return 0, false
}

// list reads the names in a directory of descriptors of type D, up to the first without a name.
func list[D any](f peFile, directory int, nameOf func(D) uint32) (names []string) {
	at, ok := f.offset(f.directories[directory].VirtualAddress)
	for ok && len(names) < maxLibraries {
		var d D
		if !f.read(at, &d) {
			break
		}
		at += int64(binary.Size(d))
		where, ok := f.offset(nameOf(d))
		if !ok {
			break
		}
		if s := name(f, where); s != "" {
			names = append(names, s)
		} else {
			break
		}
	}
	return names
}
