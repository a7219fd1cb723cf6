package registries

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/lock"
)

// shards runs the machines of a divided release: each has a directory and a store of its own.
type shards struct {
	*releaser
	front   front
	at      string // of the registry
	base    string // has the directories of the machines
	bin     string // has a go command that writes what it is asked for to calls
	mu      sync.RWMutex
	current http.Handler
	stored  string   // the directory of the registry
	puts    []string // what it took: a repository and a digest, or a name
}

func newShards(t *testing.T) *shards {
	t.Helper()
	w := &shards{releaser: newReleaser(t, sharded), base: t.TempDir(), bin: t.TempDir()}
	path, err := exec.LookPath("go")
	must(t, err)
	script := "#!/bin/sh\necho \"$1\" >>" + w.bin + "/calls\n" +
		"if test \"$1\" = build && test -e " + w.bin + "/kill; then rm " +
		w.bin + "/kill; kill -9 $PPID; exit 1; fi\n" +
		"exec " + path + " \"$@\"\n"
	must(t, os.WriteFile(filepath.Join(w.bin, "go"), []byte(script), 0o755))
	w.at = w.front.serve(t, http.HandlerFunc(w.serve))
	w.use(t, t.TempDir())
	return w
}

// serve answers a request, and notes what the registry took. Others wait for it before they change
// the registry: a process that was killed may have had requests under way.
func (w *shards) serve(rw http.ResponseWriter, q *http.Request) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	s := &status{ResponseWriter: rw}
	w.current.ServeHTTP(s, q)
	path, kind, ok := strings.Cut(strings.TrimPrefix(q.URL.Path, "/v2/"), "/blobs/uploads/")
	if q.Method != http.MethodPut || s.code != http.StatusCreated {
		return
	}
	if ok {
		kind = " blob " + q.URL.Query().Get("digest")
	}
	w.front.mu.Lock()
	defer w.front.mu.Unlock()
	w.puts = append(w.puts, path+kind)
}

// status remembers the status of an answer.
type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) { s.code = code; s.ResponseWriter.WriteHeader(code) }

// state is what a registry has.
type state struct {
	dir  string
	tags map[name.Tag]*remote.Descriptor
}

// snapshot keeps what the registry has, but for the tags of images, of which it has none.
func (w *shards) snapshot(t *testing.T) state {
	t.Helper()
	s := state{dir: t.TempDir(), tags: map[name.Tag]*remote.Descriptor{}}
	repo, err := name.NewRepository(w.at + "/demo/sharded-plans")
	must(t, err)
	list, err := remote.List(repo)
	must(t, err)
	for _, tag := range list {
		s.tags[repo.Tag(tag)], err = remote.Get(repo.Tag(tag))
		must(t, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	must(t, os.CopyFS(s.dir, os.DirFS(w.stored)))
	return s
}

// restore makes the registry have what it had, and forgets what it took since.
func (w *shards) restore(t *testing.T, s state) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(s.dir)))
	w.use(t, dir)
	w.front.reset(0)
	for tag, d := range s.tags {
		must(t, remote.Put(tag, d))
	}
	w.forget()
}

// use makes the registry have what is in a directory.
func (w *shards) use(t *testing.T, dir string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stored, w.current = dir, stored(t, dir)
}

func (w *shards) forget() {
	w.front.mu.Lock()
	defer w.front.mu.Unlock()
	w.puts = nil
}

// once fails if the registry took something twice.
func (w *shards) once(t *testing.T, where string) {
	t.Helper()
	w.mu.Lock() // requests of a killed process have ended
	defer w.mu.Unlock()
	w.front.mu.Lock()
	defer w.front.mu.Unlock()
	if twice := repeated(w.puts); len(twice) > 0 {
		t.Errorf("%s: sent twice: %q", where, twice)
	}
}

// repeated returns what is in a list more than once.
func repeated(all []string) (twice []string) {
	all = slices.Sorted(slices.Values(all))
	for n, s := range all[min(1, len(all)):] {
		if s == all[n] {
			twice = append(twice, s)
		}
	}
	return twice
}

// dir is the directory of the machine of a shard; -1 is that of the merge.
func (w *shards) dir(k int) string { return filepath.Join(w.base, fmt.Sprint(k)) }
func (w *shards) out(k int) string { return filepath.Join(w.dir(k), "out") }

func (w *shards) run(k int, args ...string) *exec.Cmd {
	cmd := exec.Command(w.program, append(args, "-q", "-out="+w.out(k), "-store="+filepath.Join(w.dir(k), "store"))...)
	cmd.Dir = w.releaser.dir
	cmd.Env = append(os.Environ(), "SLIPWAY_PASSWORD=", "SLIPWAY_REGISTRY="+w.at+"/demo", "SLIPWAY_VERSION=",
		"SOURCE_DATE_EPOCH=", "PATH="+w.bin+":"+os.Getenv("PATH"))
	if k >= -1 && args[0] != "plan" { // it has no clone
		cmd.Dir = w.base
		cmd.Env = append(cmd.Env, "SLIPWAY_REGISTRY=")
	}
	return cmd
}

// shard makes a shard. Without a sandbox, the go that counts its calls is the one that compiles.
func (w *shards) shard(t *testing.T, ref string, k int) *exec.Cmd {
	t.Helper()
	return w.run(k, "release", "-binary=false", "-plan="+ref, "-sandbox=off", fmt.Sprintf("-shard=%d", k))
}

func (w *shards) merge(ref string) *exec.Cmd {
	return w.run(-1, "merge", "-binary=false", "-push", "-plan="+ref)
}

// one releases on one machine, and returns the files.
func (w *shards) one(t *testing.T) map[string]string {
	t.Helper()
	w.finish(t, w.run(-2, "release", "-binary=false"))
	all := contentsOf(t, w.out(-2))
	w.use(t, t.TempDir())
	return all
}

// plan puts a plan into the registry, and returns its reference and the number of shards.
func (w *shards) plan(t *testing.T) (ref string, n int) {
	t.Helper()
	cmd := w.run(-2, "plan", "-shards=3", "-push")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	must(t, err)
	return strings.TrimSpace(string(out)), 3
}

// finish runs a command to its end.
func (w *shards) finish(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args[1:], " "), err, out)
	}
}

// killed runs a command that may be killed, and reports whether it was.
func (w *shards) killed(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	return w.front.run(t, cmd)
}

// shardKilled ends a shard at a request, or, if that is 0, when it begins to compile, and runs it
// again. It reports whether it was ended before it was done.
func (w *shards) shardKilled(t *testing.T, ref string, k, at int) bool {
	t.Helper()
	must(t, os.RemoveAll(w.dir(k)))
	must(t, os.RemoveAll(filepath.Join(w.bin, "calls")))
	if at == 0 {
		must(t, os.WriteFile(filepath.Join(w.bin, "kill"), nil, 0o644))
	}
	w.forget()
	w.front.reset(at)
	ended := w.killed(t, w.shard(t, ref, k))
	w.front.reset(0)
	compiled := len(w.taken()) > 0 // it sends nothing before
	must(t, os.RemoveAll(filepath.Join(w.bin, "calls")))
	w.finish(t, w.shard(t, ref, k))
	w.once(t, fmt.Sprintf("shard %d, request %d", k, at))
	calls, err := os.ReadFile(filepath.Join(w.bin, "calls"))
	must(t, err)
	if again := slices.Contains(strings.Fields(string(calls)), "build"); again && compiled || !again && at == 0 {
		t.Errorf("shard %d, request %d: the run before had sent something: %v, and the next compiles: %v",
			k, at, compiled, again)
	}
	return ended
}

// taken returns what the registry took.
func (w *shards) taken() []string {
	w.mu.Lock() // requests of a killed process have ended
	defer w.mu.Unlock()
	w.front.mu.Lock()
	defer w.front.mu.Unlock()
	return slices.Clone(w.puts)
}

// unnamed fails if an image has a tag.
func (w *shards) unnamed(t *testing.T) {
	t.Helper()
	for _, path := range []string{"app", "files"} {
		repo, err := name.NewRepository(w.at + "/demo/sharded/" + path)
		must(t, err)
		if tags, err := remote.List(repo); err == nil && len(tags) > 0 {
			t.Fatalf("before the merge there are the tags %v of %s", tags, repo)
		}
	}
}

// missing returns the images of a lock that its registry does not have.
func missing(t *testing.T, l *lock.Lock) (all []string) {
	t.Helper()
	for _, i := range l.Published() {
		ref, err := name.NewDigest(i.Reference())
		must(t, err)
		if _, err := remote.Head(ref); err != nil {
			all = append(all, i.Reference())
		}
	}
	return all
}

// contentsOf returns the files of a directory, without the times of compilers.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == times.FileName {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = fmt.Sprintf("%d bytes, %x", len(text), sha256.Sum256(text))
		return err
	}))
	return all
}
