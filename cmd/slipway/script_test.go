package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/hsmtest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/render/renderer"
)

func TestMain(m *testing.M) {
	hurried()
	renderer.Main()
	sandbox.Main()
	testscript.Main(m, map[string]func(){
		"slipway": main, verifierName: main, "get": get, "unzstd": unzstd, "hsm": hsmtest.Main,
	})
}

// TestScript runs the scripts in testdata/script, which use the command as users do.
func TestScript(t *testing.T) {
	p := onlyTools(t, parameters(t))
	p.Dir = "testdata/script"
	testscript.Run(t, p)
}

// TestPrograms runs the scripts that need programs besides Go and git.
func TestPrograms(t *testing.T) {
	extent.Long(t, "needs programs that package consumer lists")
	files, err := filepath.Glob("testdata/programs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	p := parameters(t)
	for _, also := range []string{"airgap_key.txtar", "github_release.txtar"} {
		files = append(files, filepath.Join("testdata", "script", also))
	}
	p.Files = files
	p.Condition = testprog.Condition
	testscript.Run(t, p)
}

// TestLong runs the scripts of several machines, of rebuilds and of many faults.
func TestLong(t *testing.T) {
	extent.Long(t, "has machines that share nothing, rebuilds, and a mistake of each kind")
	p := onlyTools(t, parameters(t))
	p.Dir = "testdata/long"
	testscript.Run(t, p)
}

// parameters are those of scripts with the commands below.
func parameters(t *testing.T) testscript.Params {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	if i := slices.IndexFunc(values[:2], func(v string) bool { return v == "" || v == "off" }); i >= 0 {
		t.Fatalf("go env %s is %q, and scripts compile: set HOME, or this variable", names[i], values[i])
	}
	cache := t.TempDir()
	return testscript.Params{
		RequireExplicitExec: true,
		Condition:           noProgram,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv(shared, cache)
			env.Setenv("GOGC", os.Getenv("GOGC")) // magefiles lets the garbage collector run less often
			env.Values[listening], env.Values[hubs] = &heard{}, &sync.Map{}
			for i, name := range names {
				env.Setenv(name, values[i])
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"interrupt": interrupt, "github": hub,
			"killed": killed, "copytree": copytree, "registry": startRegistry, "downloads": downloads,
			"guide": guide, "windowsbase": windowsBase, "linuxbase": linuxBase, "filesbase": filesBase,
			"stopregistry": stopRegistry, "untagged": untagged, "spiteful": spiteful, "eavesdrop": eavesdrop,
			"brokenindex": brokenIndex, "forge": forge, "exported": exportImage,
			"unheard": unheard, "signedreleases": func(ts *testscript.TestScript, neg bool, args []string) {
				signedReleases(t, ts, neg, args)
			}, "oddregistry": func(ts *testscript.TestScript, neg bool, args []string) {
				oddRegistry(t, ts, neg, args)
			},
		},
	}
}

// noProgram answers the conditions of scripts about programs, all of which TestPrograms runs.
func noProgram(condition string) (bool, error) {
	if !strings.HasPrefix(condition, "program:") {
		return false, fmt.Errorf("unknown condition %s", condition)
	}
	return false, nil
}

// interrupt REGEXP COMMAND… interrupts the command once a line of its standard error
// matches, and expects exit code 130.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt regexp command…")
	}
	path, err := lookPath(ts.Getenv("PATH"), args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "TMPDIR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	when, sent := regexp.MustCompile(args[0]), false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		ts.Logf("%s", lines.Text())
		if !sent && when.MatchString(lines.Text()) {
			sent = true
			ts.Check(cmd.Process.Signal(os.Interrupt))
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !sent {
		ts.Fatalf("no line matched %s", args[0])
	}
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		ts.Fatalf("interrupted command: %v, want exit code 130", err)
	}
}

// copytree SOURCE TARGET copies a directory of the repository.
func copytree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copytree source target")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(args[0])))
}

// startRegistry NAME [REPOSITORY] starts a local registry until the script ends and sets
// an environment variable to its address. It denies pushes to the repository.
func startRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: registry variable [repository]")
	}
	all := registrytest.Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(args) > 1 && r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v2/"+args[1]+"/") {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"errors": [{"code": "DENIED", "message": "requested access is denied"}]}`) //nolint:errcheck // a test's answer
			return
		}
		all.ServeHTTP(w, r)
	}))
	ts.Defer(s.Close)
	ts.Value(hubs).(*sync.Map).Store(s.Listener.Addr().String(), s)
	ts.Setenv(args[0], s.Listener.Addr().String())
}

// stopRegistry ADDRESS stops what registry started.
func stopRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: stopregistry address")
	}
	s, ok := ts.Value(hubs).(*sync.Map).Load(args[0])
	if !ok {
		ts.Fatalf("there is no registry at %s", args[0])
	}
	s.(*httptest.Server).Close()
}

// filesBase REFERENCE pushes an index of images for linux/amd64 and linux/arm64 that have a file.
func filesBase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: filesbase reference")
	}
	ref, err := name.ParseReference(args[0])
	ts.Check(err)
	var files bytes.Buffer
	archive, text := tar.NewWriter(&files), "root:x:0:0::/:/bin/sh\n"
	ts.Check(archive.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: "etc/passwd", Mode: 0o644,
		Size: int64(len(text)),
	}))
	io.WriteString(archive, text) //nolint:errcheck // it is in memory
	ts.Check(archive.Close())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	})
	ts.Check(err)
	var index v1.ImageIndex = empty.Index
	for _, arch := range []string{"amd64", "arm64"} {
		img, err := mutate.ConfigFile(empty.Image,
			&v1.ConfigFile{OS: "linux", Architecture: arch, Config: v1.Config{Env: []string{"BASE=" + arch}}})
		ts.Check(err)
		img, err = mutate.AppendLayers(img, layer)
		ts.Check(err)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	ts.Check(remote.WriteIndex(ref, index))
}

// downloads VARIABLE DIRECTORY serves the files of a directory by HTTPS until the script ends. It
// sets a variable to the server's URL, and trusts it.
func downloads(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: downloads variable directory")
	}
	s := httptest.NewTLSServer(http.FileServer(http.Dir(ts.MkAbs(args[1]))))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
	trusted := ts.MkAbs("trusted.pem")
	ts.Check(os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		0o644))
	ts.Setenv("SSL_CERT_FILE", trusted)
}

// windowsBase REFERENCE VERSION DAY pushes a Windows image with that
// os.version, created on that day.
func windowsBase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: windowsbase reference version day")
	}
	ref, err := name.ParseReference(args[0])
	ts.Check(err)
	day, err := time.Parse(time.DateOnly, args[2])
	ts.Check(err)
	img, err := random.Image(1000, 1)
	ts.Check(err)
	cf, err := img.ConfigFile()
	ts.Check(err)
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture, cf.OSVersion, cf.Created = "windows", "amd64", args[1], v1.Time{Time: day}
	img, err = mutate.ConfigFile(img, cf)
	ts.Check(err)
	ts.Check(remote.Write(ref, img))
}

// linuxBase REFERENCE pushes an image for linux/amd64.
func linuxBase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: linuxbase reference")
	}
	ref, err := name.ParseReference(args[0])
	ts.Check(err)
	img, err := random.Image(1000, 1)
	ts.Check(err)
	cf, err := img.ConfigFile()
	ts.Check(err)
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture = "linux", "amd64"
	img, err = mutate.ConfigFile(img, cf)
	ts.Check(err)
	ts.Check(remote.Write(ref, img))
}

// untagged REPOSITORY checks that a registry has no tag in a repository.
func untagged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: untagged repository")
	}
	repo, err := name.NewRepository(args[0])
	ts.Check(err)
	if tags, _ := remote.List(repo); len(tags) > 0 { // a repository that is not there is an error
		ts.Fatalf("%s has the tags %q", repo, tags)
	}
}

// spiteful VARIABLE starts a registry and sets a variable to its address. It refuses
// every request with a long answer that repeats the credentials sent and contains
// terminal escape sequences.
func spiteful(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: spiteful variable")
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		user, password, ok := q.BasicAuth()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, "<html>\x1b]0;owned\a\nerror: forged\nyou are %s, %s\nAuthorization: %s\n\u202e%s",
			user, password, q.Header.Get("Authorization"), strings.Repeat("filler ", 1000))
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.Listener.Addr().String())
}

// listening is the key of the *heard value in a script.
const listening = "listening"

// heard records what eavesdrop received, as a value of the script.
type heard struct {
	mu       sync.Mutex
	requests []string
}

// eavesdrop VARIABLE starts a proxy for plain HTTP and sets a variable to its URL. The
// proxy records every request and answers it itself.
func eavesdrop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: eavesdrop variable")
	}
	h := ts.Value(listening).(*heard)
	registry := registrytest.Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodConnect { // for HTTPS, which the proxy does not support
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		h.mu.Lock()
		h.requests = append(h.requests, q.Method+" "+q.URL.String()+" "+q.Header.Get("Authorization"))
		h.mu.Unlock()
		if q.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		registry.ServeHTTP(w, q)
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}

// unheard fails if the proxy of eavesdrop received anything.
func unheard(ts *testscript.TestScript, neg bool, args []string) {
	h := ts.Value(listening).(*heard)
	h.mu.Lock()
	defer h.mu.Unlock()
	if neg || len(args) != 0 || len(h.requests) > 0 {
		ts.Fatalf("over plain HTTP were sent: %q", h.requests)
	}
}

func lookPath(path, name string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if file := filepath.Join(dir, name); exec.Command(file).Err == nil {
			if _, err := os.Stat(file); err == nil {
				return file, nil
			}
		}
	}
	return "", exec.ErrNotFound
}
