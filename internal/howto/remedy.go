package howto

import (
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// kind is a kind of error of the network or the disk, and what to do about it.
type kind struct {
	is   func(error) bool
	todo string
}

// kinds are tried in this order.
var kinds = []kind{
	{
		as[x509.UnknownAuthorityError],
		"name its certificate authority with -ca-file, or set SSL_CERT_FILE to its PEM file",
	},
	{as[x509.HostnameError], "use a name that its certificate has"},
	{as[x509.CertificateInvalidError], "renew its certificate; if that is valid, set the clock of this machine"},
	{func(err error) bool {
		var dns *net.DNSError
		return errors.As(err, &dns) && dns.IsNotFound
	}, "correct the name of the host, or set HTTPS_PROXY if only a proxy knows it"},
	{is(syscall.ECONNREFUSED), "correct the host and port, or start the server that is to listen there"},
	{func(err error) bool {
		var failed net.Error
		return is(syscall.EHOSTUNREACH, syscall.ENETUNREACH)(err) || errors.As(err, &failed) && failed.Timeout()
	}, "check the network, or set HTTPS_PROXY"},
	{is(syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG), "free space there, or name another place"},
	{is(syscall.EROFS), "name a place that can be written"},
	{is(fs.ErrPermission), "change its permissions, or name another place"},
	{is(fs.ErrNotExist), "correct the path"},
}

func as[T error](err error) bool { return errors.As(err, new(T)) }

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
}

// Remedied returns the text of an error with what to do about it. An error that says more than its
// cause at its end has a remedy already.
func Remedied(err error) string {
	text, cause := err.Error(), err
	for next := cause; next != nil; next = errors.Unwrap(next) {
		cause = next
	}
	if !strings.HasSuffix(text, cause.Error()) {
		return text
	}
	for _, k := range kinds {
		if k.is(err) {
			return text + ": " + ofScratch(err, k.todo)
		}
	}
	return text
}

// ofScratch returns what to do about a file in the system's directory for temporary files, whose
// place no flag names.
func ofScratch(err error, todo string) string {
	var e *fs.PathError
	dir := os.TempDir()
	if !errors.As(err, &e) || e.Path != dir && !strings.HasPrefix(e.Path, filepath.Join(dir, "slipway-")) {
		return todo
	}
	return strings.NewReplacer("name ", "set TMPDIR to ", "correct the path", "set TMPDIR to a directory").Replace(todo)
}
