package executable

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"io"
)

// Offsets in a PE file (https://learn.microsoft.com/windows/win32/debug/pe-format), from its
// signature or its optional header.
const (
	offsetOfSignature = 0x3c
	fileHeader        = 4
	optionalHeader    = 24
	subsystem         = 68
)

// peMachines are Go's names for machines of PE.
var peMachines = map[uint64]string{
	pe.IMAGE_FILE_MACHINE_I386: "386", pe.IMAGE_FILE_MACHINE_AMD64: "amd64",
	pe.IMAGE_FILE_MACHINE_ARMNT: "arm", pe.IMAGE_FILE_MACHINE_ARM64: "arm64",
}

// readPE reads the headers of a PE file. A file that only begins like one is not a program.
func readPE(b []byte) (System, bool) {
	le := binary.LittleEndian
	start := int(at(b, le, offsetOfSignature, 4))
	if start < offsetOfSignature || start+optionalHeader > len(b) ||
		!bytes.Equal(b[start:start+4], []byte("PE\x00\x00")) {
		return System{}, false
	}
	machine := at(b, le, start+fileHeader, 2)
	opt := start + optionalHeader
	// of the data directories, of one of them, and where its size is
	const count, directory, size = 4, 8, 4
	directories := opt + 96
	if at(b, le, opt, 2) == 0x20b { // PE32+
		directories = opt + 112
	}
	switch at(b, le, opt+subsystem, 2) {
	case pe.IMAGE_SUBSYSTEM_NATIVE, pe.IMAGE_SUBSYSTEM_WINDOWS_GUI, pe.IMAGE_SUBSYSTEM_WINDOWS_CUI:
	default:
		return System{}, false
	}
	const managed = pe.IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR
	if at(b, le, directories-count, 4) > managed && at(b, le, directories+managed*directory+size, 4) > 0 {
		return System{}, false
	}
	s := System{Format: "PE", OS: "windows", Architecture: peMachines[machine]}
	if s.Architecture == "" {
		s.Architecture = fmt.Sprintf("machine %#x", machine)
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
	directories [pe.IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT + 1]pe.DataDirectory
	sections    []pe.SectionHeader32
}

// peNeeds reads the imports of a PE file. ok is false for drivers, which the kernel loads.
func peNeeds(r io.ReaderAt) (n Needs, ok bool) {
	f, ok := openPE(r)
	if !ok || f.subsystem == pe.IMAGE_SUBSYSTEM_NATIVE {
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
	le := binary.LittleEndian
	f.ReaderAt = r
	var start [4]byte
	if _, err := r.ReadAt(start[:], offsetOfSignature); err != nil {
		return f, false
	}
	at := int64(le.Uint32(start[:])) + fileHeader
	if !f.read(at, &f.file) {
		return f, false
	}
	at += int64(binary.Size(f.file))
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
	at += int64(f.file.SizeOfOptionalHeader)
	f.sections = make([]pe.SectionHeader32, min(f.file.NumberOfSections, 96)) // the loader's limit
	return f, f.read(at, f.sections)
}

// read reads fixed-size data at an offset.
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
