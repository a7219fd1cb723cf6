package base

import (
	"archive/tar"
	"bytes"
	"context"
	_ "embed"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/crypto/x509roots/fallback/bundle"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// The accounts of the static base; 65532 is the nonroot of Google's distroless images, which many
// policies know.
const (
	passwd = "root:x:0:0:root:/root:/sbin/nologin\n" +
		"nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n" +
		"nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"
	group = "root:x:0:\nnobody:x:65534:\ntty:x:5:\nstaff:x:50:\nnonroot:x:65532:\n"
	// nonRoot is the numeric user and group that the static base runs as: Kubernetes checks
	// runAsNonRoot by number only.
	nonRoot = "65532:65532"
)

// static makes a built-in Linux base: certificate roots, time zones, passwd and group, /tmp, home
// directories and the usual empty ones. The base static is for programs that need no rights, as
// distroless static:nonroot is; static-root has the same files and runs as root in /, as distroless
// static:latest does, for which many projects have written their Dockerfiles.
func static(ctx context.Context, st *store.Store, builtin string, p platform.Platform) (Base, error) {
	config := v1.Config{
		User:       nonRoot,
		WorkingDir: "/home/nonroot",
		Env: []string{
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
			"SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
		},
	}
	if builtin == "static-root" {
		config.User, config.WorkingDir = "0", "/"
	}
	name := builtinPrefix + builtin
	img, d, err := compose(ctx, st, p, staticEntries(), config, "slipway "+name)
	if err != nil {
		return Base{}, err
	}
	return Base{Image: img, Platform: p, Info: &Info{Name: name, Digest: d}}, nil
}

// builtinPrefix begins the names of bases that slipway makes.
const builtinPrefix = "builtin:"

// Entries returns the files of a base that slipway makes; none for another base.
func (b Base) Entries() []layer.Entry {
	if b.Info == nil || !strings.HasPrefix(b.Info.Name, builtinPrefix) {
		return nil
	}
	return staticEntries()
}

func staticEntries() []layer.Entry {
	file := func(path, text string) layer.Entry {
		return layer.Entry{Path: path, Mode: 0o644, Content: layer.Bytes([]byte(text))}
	}
	all := []layer.Entry{
		file("/etc/passwd", passwd),
		file("/etc/group", group),
		file("/etc/nsswitch.conf", "hosts: files dns\n"),
		file("/etc/ssl/certs/ca-certificates.crt", roots()),
		{Path: "/root", Type: layer.Dir, Mode: 0o700},
		{Path: "/home/nonroot", Type: layer.Dir, Mode: 0o700, UID: 65532, GID: 65532},
	}
	all = append(all, layer.Entry{Path: "/var/local", Type: layer.Dir, Mode: 0o775 | fs.ModeSetgid, GID: 50})
	for dir := range strings.FieldsSeq(emptyDirs) {
		all = append(all, layer.Entry{Path: dir, Type: layer.Dir, Mode: 0o755})
	}
	for dir := range strings.FieldsSeq(sharedDirs) {
		all = append(all, layer.Entry{Path: dir, Type: layer.Dir, Mode: 0o777 | fs.ModeSticky})
	}
	return append(all, zoneinfo()...)
}

// The directories of Debian's base-files, which programs expect to be there: they make no
// directories above their files.
const (
	emptyDirs = `/bin /boot /dev /etc /etc/ssl /etc/ssl/certs /home /lib /proc /run /sbin /sys /usr /usr/bin /usr/games /usr/include /usr/lib
/usr/sbin /usr/share /usr/share/zoneinfo /usr/src /var /var/backups /var/cache /var/lib /var/lib/misc /var/log /var/run /var/spool`
	sharedDirs = "/tmp /var/lock /var/tmp" // of all users
)

// roots returns Mozilla's certificate roots in PEM, without those that Mozilla trusts only under a
// condition: a PEM file cannot express the condition.
func roots() string {
	var b bytes.Buffer
	for r := range bundle.Roots() {
		if r.Constraint == nil {
			pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate}) //nolint:errcheck // a buffer takes all
		}
	}
	return b.String()
}

// StubLabel marks a stub base and every image on it.
const StubLabel = "dev.slipway.base.stub"

// Stub makes an image in place of one that only a registry has, or of one whose packages only an
// archive has: with the right os.version, architecture and environment, one file that explains the
// stub, and the label [StubLabel]. A stub cannot run, and publish keeps it off real registries.
func Stub(ctx context.Context, st *store.Store, ref string, p platform.Platform) (Base, error) {
	p = full(p)
	text := fmt.Sprintf("This layer replaces %s in a snapshot that was made without a network.\nIt cannot run. Name a "+
		"registry to build on the real base.\n", ref)
	entries := []layer.Entry{{Path: "/slipway-stub.txt", Mode: 0o444, Content: layer.Bytes([]byte(text))}}
	config := v1.Config{Labels: map[string]string{StubLabel: ref}}
	if p.OS == platform.Windows {
		config.User = "ContainerUser"
		config.Env = []string{`PATH=C:\Windows\system32;C:\Windows;`}
	}
	img, d, err := compose(ctx, st, p, entries, config, "slipway stub of "+ref)
	if err != nil {
		return Base{}, err
	}
	return Base{Image: img, Platform: p, Info: &Info{Name: ref, Digest: d, Stub: true}}, nil
}

// compose writes an image of one layer into the store.
func compose(ctx context.Context, st *store.Store, p platform.Platform, entries []layer.Entry, config v1.Config,
	by string,
) (v1.Image, v1.Hash, error) {
	l, err := layer.Write(ctx, st, entries, layer.Options{OS: p.OS, ModTime: layer.Epoch})
	if err != nil {
		return nil, v1.Hash{}, err
	}
	d, _, err := manifest.Write(st, manifest.Image{
		Platform: p, Config: config, Created: time.Unix(0, 0),
		Layers: []manifest.Layer{{Layer: l, CreatedBy: by}},
	})
	if err != nil {
		return nil, v1.Hash{}, err
	}
	img, err := st.Image(d.Digest)
	return img, d.Digest, err
}

// The time zones of the static base are the files of a package of Debian, as those of Google's
// distroless images are. Because they are part of this program, no toolchain and no machine decides
// which ones an image gets. TestDebian writes the archive with -update; then these follow.
const (
	// zoneinfoVersion is that of Debian's tzdata.
	zoneinfoVersion = "2026f-0+deb12u1"
	// zoneinfoSum is the SHA-256 of the archive.
	zoneinfoSum = "8b53b4b023b53b3efbe4b13cefdb6ee96501ca4ab11d817baa8dfa05e10d0b78"
	// zoneinfoDir is where the files go.
	zoneinfoDir = "/usr/share/zoneinfo"
)

//go:embed zoneinfo.tar.zst
var zoneinfoArchive []byte

var zoneinfo = sync.OnceValue(func() []layer.Entry {
	all, err := readZoneinfo(zoneinfoArchive)
	if err != nil {
		panic(fmt.Sprintf("reading the time zones in this program: %v", err)) // as a damaged program does
	}
	return all
})

// IsZone reports whether an entry of a built-in base is made from tzdata.zi, the text that has all
// time zones.
func IsZone(e layer.Entry) bool {
	return strings.HasPrefix(e.Path, zoneinfoDir+"/") && e.Path != zoneinfoDir+"/tzdata.zi"
}

func readZoneinfo(archive []byte) ([]layer.Entry, error) {
	z, err := zstd.NewReader(bytes.NewReader(archive), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var all []layer.Entry
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		e := layer.Entry{Path: path.Join(zoneinfoDir, h.Name), Mode: fs.FileMode(h.Mode)} //nolint:gosec // of our own archive
		switch h.Typeflag {
		case tar.TypeDir:
			e.Type = layer.Dir
		case tar.TypeSymlink:
			e.Type, e.Linkname = layer.Symlink, h.Linkname
		default:
			text, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			e.Content = layer.Bytes(text)
		}
		all = append(all, e)
	}
}
