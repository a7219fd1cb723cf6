package layer

import (
	"archive/tar"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/platform"
)

// header returns the tar header of an entry. Names have no leading slash, as Docker and BuildKit
// write them.
func header(e Entry, o Options) *tar.Header {
	h := &tar.Header{
		Name:    e.Path[1:],
		Mode:    int64(e.Mode.Perm()),
		ModTime: modTime(e, o),
		Format:  tar.FormatPAX,
	}
	for bit, mode := range SpecialBits {
		if e.Mode&mode != 0 {
			h.Mode |= bit
		}
	}
	switch e.Type {
	case Regular:
		h.Typeflag, h.Size = tar.TypeReg, e.Content.Size
	case Dir, parentDir:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
	case Symlink, directoryLink:
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.Linkname, 0o777
	case Hardlink:
		h.Typeflag, h.Linkname = tar.TypeLink, e.Linkname[1:]
	case Whiteout:
		dir, base := path.Split(h.Name)
		h.Typeflag, h.Name = tar.TypeReg, dir+whiteoutPrefix+base
	}
	if o.OS == platform.Windows {
		return windowsHeader(h, e)
	}
	h.Uid, h.Gid = e.UID, e.GID
	if e.Capability != "" {
		h.PAXRecords = map[string]string{CapabilityRecord: e.Capability}
	}
	return h
}

// CapabilityRecord is the PAX record of a file's capabilities, as containerd and Docker write and
// read it.
const CapabilityRecord = "SCHILY.xattr.security.capability"

// usersOwn is the security descriptor O:BUG:BU in self-relative binary form and base64: owner and
// group BUILTIN\Users, no access control list. With it every account of a container,
// ContainerUser among them, reads and runs the file. ko and the buildpacks' imgutil write the
// same.
const usersOwn = "AQAAgBQAAAAkAAAAAAAAAAAAAAABAgAAAAAABSAAAAAhAgAAAQIAAAAAAAUgAAAAIQIAAA=="

// File attributes of https://learn.microsoft.com/windows/win32/fileio/file-attribute-constants.
const (
	attrReadOnly  = 0x1
	attrDirectory = 0x10
	attrArchive   = 0x20
	attrReparse   = 0x400 // a symbolic link, among others
)

// File types of Unix modes, which go-winio writes, too.
const (
	modeDirectory = 0o040000
	modeRegular   = 0o100000
	modeSymlink   = 0o120000
)

// windowsHeader puts h under Files/ and makes of it what go-winio's backuptar writes of such a
// file when Windows exports a layer. Only the permissions are ours, for tools that unpack a layer
// elsewhere.
func windowsHeader(h *tar.Header, e Entry) *tar.Header {
	h.Name = "Files/" + h.Name
	switch e.Type {
	case Hardlink:
		h.Linkname = "Files/" + h.Linkname
		return windowsFile(h, regularAttr(e)) // the descriptor is its target's
	case parentDir:
		h.Mode |= modeDirectory
		return windowsFile(h, attrDirectory)
	case Dir:
		h.Mode |= modeDirectory
		windowsFile(h, attrDirectory)
	case Regular, Whiteout:
		h.Mode |= modeRegular
		windowsFile(h, regularAttr(e))
	case Symlink:
		h.Mode |= modeSymlink
		windowsFile(h, attrReparse|attrArchive)
	case directoryLink:
		h.Mode |= modeSymlink | modeDirectory
		windowsFile(h, attrReparse|attrDirectory)
	}
	h.Linkname = strings.ReplaceAll(h.Linkname, "/", `\`)
	h.PAXRecords["MSWINDOWS.rawsd"] = usersOwn
	return h
}

func regularAttr(e Entry) int {
	if e.Mode&0o222 == 0 && e.Mode&0o111 == 0 {
		return attrArchive | attrReadOnly
	}
	return attrArchive
}

// windowsFile gives h attributes and times. Without the times go-winio would set those of the
// year 1754.
func windowsFile(h *tar.Header, attr int) *tar.Header {
	h.ModTime = h.ModTime.Truncate(100 * time.Nanosecond) // the clock of NTFS
	h.AccessTime, h.ChangeTime = h.ModTime, h.ModTime
	h.PAXRecords = map[string]string{
		"MSWINDOWS.fileattr":      strconv.Itoa(attr),
		"LIBARCHIVE.creationtime": paxTime(h.ModTime),
	}
	return h
}

// paxTime writes a time as the decimal number of seconds of PAX records.
func paxTime(t time.Time) string {
	sec, nsec := t.Unix(), t.Nanosecond()
	if nsec == 0 {
		return strconv.FormatInt(sec, 10)
	}
	sign := ""
	if sec < 0 {
		sign, sec, nsec = "-", -(sec + 1), 1e9-nsec
	}
	return strings.TrimRight(fmt.Sprintf("%s%d.%09d", sign, sec, nsec), "0")
}

// writeRoots writes the two directories every Windows layer has.
func writeRoots(t *tar.Writer, o Options) error {
	for _, name := range []string{"Files/", "Hives/"} {
		h := &tar.Header{
			Name: name, Typeflag: tar.TypeDir, Mode: modeDirectory | 0o755, ModTime: modTime(Entry{}, o),
			Format: tar.FormatPAX,
		}
		if err := t.WriteHeader(windowsFile(h, attrDirectory)); err != nil {
			return err
		}
	}
	return nil
}
