package executable

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"fmt"
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
