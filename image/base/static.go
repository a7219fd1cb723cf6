package base

import (
	"bytes"
	"context"
	"encoding/pem"
	"io/fs"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/crypto/x509roots/fallback/bundle"

	"github.com/slipway-dev/slipway/image/layer"
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
