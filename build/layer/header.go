package layer

import (
	"archive/tar"
	"path"
	"strconv"

	"github.com/slipway-dev/slipway/platform"
)

const (
	whiteoutPrefix = ".wh."
	opaqueName     = ".wh..wh..opq"
)

// header returns the tar header of an entry. Names have no leading slash, as Docker and BuildKit write them.
func header(e Entry, o Options) *tar.Header {
	h := &tar.Header{
		Name:    e.Path[1:],
		Mode:    int64(e.Mode.Perm()),
		ModTime: modTime(e, o),
		Format:  tar.FormatPAX,
	}
	for bit, mode := range specialBits {
		if e.Mode&mode != 0 {
			h.Mode |= bit
		}
	}
	switch e.Type {
	case Regular:
		h.Typeflag, h.Size = tar.TypeReg, e.Content.Size
	case Dir, parentDir:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
	case Symlink:
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.Linkname, 0o777
	case Hardlink:
		h.Typeflag, h.Linkname = tar.TypeLink, e.Linkname[1:]
	case Whiteout:
		h.Typeflag, h.Name, h.Mode = tar.TypeReg, path.Join(path.Dir(h.Name), whiteoutPrefix+path.Base(h.Name)), 0
	case Opaque:
		h.Typeflag, h.Name, h.Mode = tar.TypeReg, path.Join(h.Name, opaqueName), 0
	}
	if o.OS == platform.Windows {
		return windowsHeader(h, e)
	}
	h.Uid, h.Gid = e.UID, e.GID
	return h
}

// usersOwn is the security descriptor O:BUG:BU in self-relative binary form and base64: owner and group BUILTIN\Users, no access
// control list. With it every account of a container, ContainerUser among them, reads and runs the file. ko and the
// buildpacks' imgutil write the same.
const usersOwn = "AQAAgBQAAAAkAAAAAAAAAAAAAAABAgAAAAAABSAAAAAhAgAAAQIAAAAAAAUgAAAAIQIAAA=="

// File attributes of https://learn.microsoft.com/windows/win32/fileio/file-attribute-constants.
const (
	attrReadOnly  = 0x1
	attrDirectory = 0x10
	attrArchive   = 0x20
)

// windowsHeader puts h under Files/ and adds the records that go-winio's backuptar turns back into a Windows file.
func windowsHeader(h *tar.Header, e Entry) *tar.Header {
	h.Name = "Files/" + h.Name
	h.PAXRecords = map[string]string{}
	attr := attrArchive
	switch e.Type {
	case Hardlink:
		h.Linkname = "Files/" + h.Linkname
		return h // the link shares its target's attributes and descriptor
	case Whiteout, Opaque:
		return h
	case parentDir:
		h.PAXRecords["MSWINDOWS.fileattr"] = strconv.Itoa(attrDirectory)
		return h
	case Dir:
		attr = attrDirectory
	case Regular:
		if e.Mode&0o222 == 0 && e.Mode&0o111 == 0 {
			attr |= attrReadOnly
		}
	case Symlink:
	}
	h.PAXRecords["MSWINDOWS.fileattr"] = strconv.Itoa(attr)
	h.PAXRecords["MSWINDOWS.rawsd"] = usersOwn
	return h
}

// writeRoots writes the two directories every Windows layer has.
func writeRoots(t *tar.Writer, o Options) error {
	for _, name := range []string{"Files/", "Hives/"} {
		err := t.WriteHeader(&tar.Header{
			Name: name, Typeflag: tar.TypeDir, Mode: 0o755, ModTime: modTime(Entry{}, o), Format: tar.FormatPAX,
			PAXRecords: map[string]string{"MSWINDOWS.fileattr": strconv.Itoa(attrDirectory)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
