package howto

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRemedied(t *testing.T) {
	written := func(errno syscall.Errno) error {
		return fmt.Errorf("packing a: %w", &fs.PathError{Op: "write", Path: "a", Err: errno})
	}
	scratch := func(errno syscall.Errno) error {
		return &fs.PathError{Op: "write", Path: filepath.Join(os.TempDir(), "slipway-1.tmp", "a"), Err: errno}
	}
	dialed := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for name, c := range map[string]struct {
		err  error
		todo string // "" is none
	}{
		"refused":           {dialed(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "correct the host and port"},
		"no route":          {dialed(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), "check the network"},
		"timeout":           {dialed(context.DeadlineExceeded), "check the network"},
		"unknown host":      {dialed(&net.DNSError{Err: "no such host", Name: "a", IsNotFound: true}), "correct the name of the host"},
		"slow name server":  {dialed(&net.DNSError{Err: "i/o timeout", Name: "a", IsTimeout: true}), "check the network"},
		"unknown authority": {fmt.Errorf("a: %w", x509.UnknownAuthorityError{}), "-ca-file, or set SSL_CERT_FILE"},
		"expired": {
			x509.CertificateInvalidError{Reason: x509.Expired, Cert: &x509.Certificate{}},
			"renew its certificate; if that is valid, set the clock",
		},
		"other host":    {x509.HostnameError{Host: "a", Certificate: &x509.Certificate{}}, "use a name that its certificate has"},
		"full disk":     {written(syscall.ENOSPC), "free space there"},
		"quota":         {written(syscall.EDQUOT), "free space there"},
		"read-only":     {written(syscall.EROFS), "name a place that can be written"},
		"denied":        {written(syscall.EACCES), "change its permissions"},
		"no file":       {written(syscall.ENOENT), "correct the path"},
		"full scratch":  {scratch(syscall.ENOSPC), "free space there, or set TMPDIR to another place"},
		"no scratch":    {scratch(syscall.ENOENT), "set TMPDIR to a directory"},
		"another":       {written(syscall.EIO), ""},
		"text":          {errors.New("a"), ""},
		"has a remedy":  {fmt.Errorf("%w: write it", written(syscall.ENOENT)), ""},
		"several":       {errors.Join(errors.New("a"), written(syscall.ENOENT)), "correct the path"},
		"at its middle": {fmt.Errorf("a: %w, which is a fault", written(syscall.ENOSPC)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, more := strings.CutPrefix(Remedied(c.err), c.err.Error())
			if !more || c.todo == "" && got != "" || !strings.HasPrefix(got, ": ") && got != "" || !strings.Contains(got, c.todo) {
				t.Errorf("%q, want the remedy %q", got, c.todo)
			}
		})
	}
}
