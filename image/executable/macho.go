package executable

import (
	"debug/macho"
	"encoding/binary"
	"fmt"
)

// universal is the architecture of a file with programs for several.
const universal = "several architectures"

// javaClass is the least version that a Java class has where a universal file has the number of
// its programs: both begin with the same bytes.
const javaClass = 45

// cpus are Go's names for processors of Mach-O.
var cpus = map[macho.Cpu]string{
	macho.Cpu386: "386", macho.CpuAmd64: "amd64", macho.CpuArm: "arm",
	macho.CpuArm64: "arm64", macho.CpuPpc: "ppc", macho.CpuPpc64: "ppc64",
}

// isMachO reports whether a file may be one of macOS, by its first four bytes.
func isMachO(b []byte) bool {
	return binary.BigEndian.Uint32(b) == macho.MagicFat || machOrder(b) != nil
}

// machOrder returns the byte order of a file for one architecture.
func machOrder(b []byte) binary.ByteOrder {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if m := order.Uint32(b); m == macho.Magic32 || m == macho.Magic64 {
			return order
		}
	}
	return nil
}

// readMachO reads the header of a Mach-O file (mach-o/loader.h and mach-o/fat.h of
// https://github.com/apple-oss-distributions/xnu/tree/main/EXTERNAL_HEADERS).
func readMachO(b []byte) (System, bool) {
	const processor, kind, header = 4, 12, 16
	s := System{Format: "Mach-O", OS: "darwin"}
	order := machOrder(b)
	if order == nil {
		const programs = 4
		n := at(b, binary.BigEndian, programs, 4)
		s.Architecture = universal
		return s, n > 0 && n < javaClass
	}
	if len(b) < header {
		return System{}, false
	}
	switch macho.Type(at(b, order, kind, 4)) {
	case macho.TypeExec, macho.TypeDylib, macho.TypeBundle:
	default:
		return System{}, false
	}
	cpu := macho.Cpu(at(b, order, processor, 4)) //nolint:gosec // four bytes
	s.Architecture = cpus[cpu]
	if s.Architecture == "" {
		s.Architecture = fmt.Sprintf("machine %#x", uint32(cpu))
	}
	return s, true
}
