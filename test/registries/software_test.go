package registries

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry/handlers"
	"github.com/sirupsen/logrus"
	"golang.org/x/crypto/bcrypt"

	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// registry is a registry that listens on a loopback port.
type software struct {
	host      string            // 127.0.0.1:PORT
	transport http.RoundTripper // knows the certificate, where there is one; else nil
	// authorities is a PEM file with that certificate, or empty.
	authorities string
	// requests counts methods; nil where the registry is another process.
	requests *book
}

// user of registries with passwords.
const user, password = "ann", "correct horse battery"

// book counts requests by method.
type book struct {
	http.Handler
	mu    sync.Mutex
	count map[string]int
}

func (b *book) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.URL.Path != "/v2/" {
		b.mu.Lock()
		b.count[q.Method]++
		b.mu.Unlock()
	}
	b.Handler.ServeHTTP(w, q)
}

// reset returns the counts and begins anew.
func (b *book) reset() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.count
	b.count = map[string]int{}
	return c
}

// distribution3 runs distribution v3 in this process.
func distribution3(t *testing.T, passwords, tls bool) software {
	t.Helper()
	return run3(t, configuration.Validation{}, passwords, tls)
}

// lenient3 is a distribution v3 that takes indexes whatever they lack.
func lenient3(t *testing.T) software {
	t.Helper()
	var v configuration.Validation
	v.Manifests.Indexes.Platforms = "none"
	return run3(t, v, false, false)
}

func run3(t *testing.T, v configuration.Validation, passwords, tls bool) software {
	t.Helper()
	logrus.SetOutput(io.Discard)
	c := &configuration.Configuration{
		Validation: v,
		Storage:    configuration.Storage{"filesystem": {"rootdirectory": t.TempDir()}, "delete": {"enabled": true}},
	}
	c.HTTP.Secret = "for a test"
	c.Catalog.MaxEntries = 100
	if passwords {
		c.Auth = configuration.Auth{"htpasswd": {"realm": "test", "path": htpasswd(t)}}
	}
	b := &book{Handler: handlers.NewApp(t.Context(), c), count: map[string]int{}}
	var s *httptest.Server
	if tls {
		s = httptest.NewTLSServer(b)
	} else {
		s = httptest.NewServer(b)
	}
	t.Cleanup(s.Close)
	r := software{host: s.Listener.Addr().String(), requests: b}
	if tls {
		r.transport = s.Client().Transport
		r.authorities = writePEM(t, "CERTIFICATE", s.Certificate().Raw)
	}
	return r
}

func writePEM(t *testing.T, kind string, der []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), strings.ToLower(strings.ReplaceAll(kind, " ", "-"))+".pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// htpasswd writes a file with one user.
func htpasswd(t *testing.T) string {
	t.Helper()
	h, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "htpasswd")
	if err := os.WriteFile(path, []byte(user+":"+string(h)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// debian runs Debian's docker-registry, on a port that the kernel chooses and the registry writes
// to its log.
func debian(t *testing.T, passwords bool) software { return debianTLS(t, passwords, false) }

func debianTLS(t *testing.T, passwords, tls bool) software {
	t.Helper()
	testprog.Need(t, "registry")
	config := fmt.Sprintf("version: 0.1\nstorage:\n  delete: {enabled: true}\n  filesystem:\n    rootdirectory: %s\nhttp:\n  addr: "+
		"127.0.0.1:0\n  secret: test\n", t.TempDir())
	if passwords {
		config += fmt.Sprintf("auth:\n  htpasswd:\n    realm: test\n    path: %s\n", htpasswd(t))
	}
	var r software
	if tls {
		s := httptest.NewUnstartedServer(nil) // for its certificate, which is good for 127.0.0.1
		s.StartTLS()
		s.Close()
		key, err := x509.MarshalPKCS8PrivateKey(s.TLS.Certificates[0].PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		r.transport, r.authorities = s.Client().Transport, writePEM(t, "CERTIFICATE", s.Certificate().Raw)
		config = strings.Replace(config, "  secret: test\n",
			fmt.Sprintf("  secret: test\n  tls:\n    certificate: %s\n    key: %s\n", r.authorities,
				writePEM(t, "PRIVATE KEY", key)), 1)
	}
	path := filepath.Join(t.TempDir(), "config.yml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "docker-registry", "serve", path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); cmd.Wait() }) //nolint:errcheck // it was killed
	said := bufio.NewScanner(log)
	var lines []string
	for said.Scan() {
		lines = append(lines, said.Text())
		if m := regexp.MustCompile(`listening on (127\.0\.0\.1:\d+)`).FindStringSubmatch(said.Text()); m != nil {
			go io.Copy(io.Discard, log) //nolint:errcheck // ends with the process
			r.host = m[1]
			return r
		}
	}
	t.Fatalf("docker-registry ended: %s", strings.Join(lines, "\n"))
	return software{}
}
