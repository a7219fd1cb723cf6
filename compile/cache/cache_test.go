package cache

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestMain keeps the credentials of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "docker-config")
	if err != nil {
		panic(err)
	}
	os.Setenv("DOCKER_CONFIG", dir) //nolint:errcheck // a name without = can be set
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// machine is a machine with an empty disk.
func machine(t testing.TB, s *registrytest.Server, change ...func(*Options)) *Cache {
	t.Helper()
	o := Options{
		Dir: t.TempDir(), Tag: "go1-linux-amd64",
		Network: network.Options{Wait: time.Microsecond, Attempts: 6, Idle: 5 * time.Second},
	}
	if s != nil {
		repo := s.Repo(t, "go-build-cache")
		o.Repository = &repo
	}
	for _, f := range change {
		f(&o)
	}
	c, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// goCommand talks to a cache as the go command does.
type goCommand struct {
	t    testing.TB
	in   *bufio.Writer
	next atomic.Int64
	done chan error

	mu      sync.Mutex
	waiting map[int64]chan response
}

func start(t testing.TB, c *Cache) *goCommand {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	g := &goCommand{t: t, in: bufio.NewWriter(inW), done: make(chan error, 1), waiting: map[int64]chan response{}}
	go func() {
		err := Serve(context.Background(), c, inR, outW)
		outW.CloseWithError(io.EOF)
		inR.CloseWithError(io.ErrClosedPipe)
		g.done <- err
	}()
	d := json.NewDecoder(outR)
	var hello response
	if err := d.Decode(&hello); err != nil || len(hello.KnownCommands) != 3 {
		t.Fatalf("the first message is %+v, %v", hello, err)
	}
	go func() {
		for {
			var r response
			if d.Decode(&r) != nil {
				return
			}
			g.mu.Lock()
			to := g.waiting[r.ID]
			g.mu.Unlock()
			to <- r
		}
	}()
	return g
}

// send sends a request, as cmd/go/internal/cache/prog.go does. The answer comes later.
func (g *goCommand) send(q request, body string) <-chan response {
	q.ID = g.next.Add(1)
	q.BodySize = int64(len(body))
	answer := make(chan response, 1)
	g.mu.Lock()
	g.waiting[q.ID] = answer
	g.mu.Unlock()
	text, err := json.Marshal(q)
	if err != nil {
		g.t.Fatal(err)
	}
	fmt.Fprintf(g.in, "%s\n\n", text)
	if body != "" {
		fmt.Fprintf(g.in, "%q\n", base64.StdEncoding.EncodeToString([]byte(body)))
	}
	if err := g.in.Flush(); err != nil {
		g.t.Fatalf("sending: %v", err)
	}
	return answer
}

func sum(s string) []byte {
	h := sha256.Sum256([]byte(s))
	return h[:]
}

func (g *goCommand) put(action, body string) {
	g.t.Helper()
	r := <-g.send(request{Command: cmdPut, ActionID: sum(action), OutputID: sum(body)}, body)
	if text, err := os.ReadFile(r.DiskPath); r.Err != "" || err != nil || string(text) != body {
		g.t.Fatalf("put %s: %+v, %v", action, r, err)
	}
}

// get returns the object of an action, and whether there is one.
func (g *goCommand) get(action string) (string, bool) {
	g.t.Helper()
	return g.read(<-g.send(request{Command: cmdGet, ActionID: sum(action)}, ""))
}

func (g *goCommand) read(r response) (string, bool) {
	g.t.Helper()
	if r.Err != "" {
		g.t.Fatalf("get: %s", r.Err)
	}
	if r.Miss {
		return "", false
	}
	text, err := os.ReadFile(r.DiskPath)
	if err != nil || int64(len(text)) != r.Size || string(sum(string(text))) != string(r.OutputID) || r.Time == nil {
		g.t.Fatalf("the object is %+v, %v", r, err)
	}
	return string(text), true
}

func (g *goCommand) close() {
	g.t.Helper()
	if r := <-g.send(request{Command: cmdClose}, ""); r.Err != "" {
		g.t.Fatalf("close: %s", r.Err)
	}
	if err := <-g.done; err != nil {
		g.t.Fatal(err)
	}
}

// build puts what some actions lack, as a build does, and returns how many those were.
func build(t testing.TB, c *Cache, actions ...string) (compiled int) {
	t.Helper()
	g := start(t, c)
	for _, a := range actions {
		want := "object of " + a
		switch got, ok := g.get(a); {
		case !ok:
			g.put(a, want)
			compiled++
		case got != want:
			t.Errorf("%s is %q", a, got)
		}
	}
	g.close()
	return compiled
}

func TestTwoMachines(t *testing.T) {
	s := registrytest.Serve(t)
	if n := build(t, machine(t, s), "a", "b", "c"); n != 3 {
		t.Errorf("first: %d compiled", n)
	}
	second := machine(t, s)
	if n := build(t, second, "a", "b", "c"); n != 0 {
		t.Errorf("second: %d compiled", n)
	}
	if st := second.Stats(); st.Remote != 3 || st.Read != 1 || st.Sent != 0 {
		t.Errorf("second: %+v", st)
	}
	s.Reset()
	again, err := Open(second.o)
	if err != nil {
		t.Fatal(err)
	}
	if n := build(t, again, "c", "b", "a"); n != 0 {
		t.Errorf("again: %d compiled", n)
	}
	if calls, _ := s.Reset(); len(calls) > 0 {
		t.Errorf("what is on the disk is asked for: %q", calls)
	}
	// one is changed
	if n := build(t, machine(t, s), "a", "b2", "c"); n != 1 {
		t.Errorf("changed: %d compiled", n)
	}
	if n := build(t, machine(t, s), "a", "b", "b2", "c"); n != 0 {
		t.Errorf("both: %d compiled", n)
	}
}

// TestManyObjects brings many objects to a second machine in some dozen requests.
func TestManyObjects(t *testing.T) { many(t, 600, 80_000) }

// BenchmarkManyObjects does so with as many as a product of Kubernetes' size has.
func BenchmarkManyObjects(b *testing.B) {
	for b.Loop() {
		many(b, 20_000, 4_000)
	}
}

// many sends n objects of up to so many bytes, and reads them on another machine.
func many(t testing.TB, n, size int) {
	t.Helper()
	s := registrytest.Serve(t)
	random := rand.New(rand.NewPCG(1, 2))
	bodies := make([]string, n)
	for k := range bodies {
		b := make([]byte, 200+random.IntN(size))
		for i := range b {
			b[i] = "0123456789abcdef"[random.IntN(16)]
		}
		bodies[k] = string(b)
	}
	first := machine(t, s)
	for k, b := range bodies {
		action, output := id(sum(fmt.Sprint(k))), id(sum(b))
		e := entry{output: output, size: int64(len(b)), time: time.Now()}
		if err := first.local.keep(e, strings.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		first.note(action, e)
	}
	first.stats.Puts = int64(n)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if calls, _ := s.Reset(); len(calls) > 40 || first.Stats().Sent < 2 {
		t.Errorf("%d requests were made to send %+v", len(calls), first.Stats())
	}
	second := machine(t, s)
	g := start(t, second)
	var answers []<-chan response
	for k := range bodies {
		answers = append(answers, g.send(request{Command: cmdGet, ActionID: sum(fmt.Sprint(k))}, ""))
	}
	for k, a := range answers {
		if got, ok := g.read(<-a); !ok || got != bodies[k] {
			t.Fatalf("object %d is missing", k)
		}
	}
	g.close()
	if calls, _ := s.Reset(); len(calls) > 20 {
		t.Errorf("%d requests were made to read %+v", len(calls), second.Stats())
	}
}

// TestReadOnly makes no request that writes.
func TestReadOnly(t *testing.T) {
	s := registrytest.Serve(t)
	build(t, machine(t, s), "a", "b")
	s.Reset()
	if n := build(t, machine(t, s, func(o *Options) { o.ReadOnly = true }), "a", "b", "c"); n != 1 {
		t.Errorf("%d compiled", n)
	}
	calls, _ := s.Reset()
	for _, c := range calls {
		if !strings.HasPrefix(c, "GET ") && !strings.HasPrefix(c, "HEAD ") {
			t.Errorf("a request that writes: %s", c)
		}
	}
	if len(calls) == 0 {
		t.Error("nothing was read")
	}
	if n := build(t, machine(t, s), "a", "b", "c"); n != 1 {
		t.Errorf("%d compiled on another machine", n)
	}
}

// TestTrouble lets a registry misbehave: nothing but time is lost, and the go command gets what it
// would compile.
func TestTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(s *registrytest.Server, n int32, w http.ResponseWriter, q *http.Request) bool
		works   bool // the cache is used in spite of it
	}{
		"every third fails": {func(_ *registrytest.Server, n int32, w http.ResponseWriter, _ *http.Request) bool {
			if n%3 == 0 {
				w.WriteHeader(http.StatusInternalServerError)
			}
			return n%3 == 0
		}, true},
		"all fail": {func(_ *registrytest.Server, _ int32, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}, false},
		"denied": {func(_ *registrytest.Server, _ int32, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusForbidden)
			return true
		}, false},
		"website": {func(_ *registrytest.Server, _ int32, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>") //nolint:errcheck // a test's answer
			return true
		}, false},
		"other bytes": {func(_ *registrytest.Server, _ int32, w http.ResponseWriter, q *http.Request) bool {
			if q.Method != http.MethodGet || !strings.Contains(q.URL.Path, "/blobs/sha256") {
				return false
			}
			w.Write(make([]byte, 100)) //nolint:errcheck // a test's answer
			return true
		}, false},
		"hangs": {func(s *registrytest.Server, _ int32, _ http.ResponseWriter, q *http.Request) bool {
			s.Hang(q)
			return true
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.Serve(t)
			build(t, machine(t, s), "a", "b")
			var n atomic.Int32
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool { return c.disturb(s, n.Add(1), w, q) })
			var warned []error
			second := machine(t, s, func(o *Options) {
				o.Budget = 300 * time.Millisecond
				o.Warn = func(err error) { warned = append(warned, err) }
				if c.works {
					o.Budget = time.Minute
				}
			})
			compiled := build(t, second, "a", "b", "c")
			if c.works && (compiled != 1 || second.Stats().Off != "" || len(warned) > 0) {
				t.Errorf("%d compiled, %+v, %v", compiled, second.Stats(), warned)
			}
			if !c.works && (compiled != 3 || second.Stats().Off == "" || len(warned) != 1) {
				t.Errorf("%d compiled, %+v, %v", compiled, second.Stats(), warned)
			}
			if c.works {
				return
			}
			before := n.Load()
			again, err := Open(second.o)
			if err != nil {
				t.Fatal(err)
			}
			if compiled := build(t, again, "a", "d"); compiled != 1 || n.Load() != before {
				t.Errorf("the next run: %d compiled, %d requests", compiled, n.Load()-before)
			}
		})
	}
}

// poison puts a cache into the registry, with a pack for each action whose object is another one,
// and which was used at some time.
func poison(t *testing.T, s *registrytest.Server, used time.Time, actions ...string) {
	t.Helper()
	forger := machine(t, s)
	x := &index{actions: map[id]link{}}
	for _, a := range actions {
		good, evil := "object of "+a, "Object of "+a
		e := entry{output: id(sum(good)), size: int64(len(good)), time: time.Now()}
		if err := forger.local.keep(entry{output: id(sum(evil)), size: int64(len(evil))},
			strings.NewReader(evil)); err != nil {
			t.Fatal(err)
		}
		p, blob, err := makePack(forger.local, []entry{{output: id(sum(evil))}})
		if err != nil {
			t.Fatal(err)
		}
		p.objects[0].output = e.output
		p.used = used.Unix()
		if err := ggcr.WriteLayer(s.Repo(t, "go-build-cache"), static.NewLayer(blob, packType)); err != nil {
			t.Fatal(err)
		}
		x.add([]pack{p}, map[id]entry{id(sum(a)): e})
	}
	if _, err := forger.remote.put(x); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedObject changes an object on the disk: the next process finds out, brings it from the
// registry or compiles it, and replaces it.
func TestDamagedObject(t *testing.T) {
	s := registrytest.Serve(t)
	for name, c := range map[string]*Cache{"alone": machine(t, nil), "with a registry": machine(t, s)} {
		if n := build(t, c, "a", "b"); n != 2 {
			t.Fatalf("%s: %d compiled", name, n)
		}
		if err := os.WriteFile(c.local.object(id(sum("object of a"))), make([]byte, len("object of a")),
			0o644); err != nil {
			t.Fatal(err)
		}
		next, want := again(t, c), 1
		if c.remote != nil {
			want = 0
		}
		if n := build(t, next, "a", "b"); n != want {
			t.Errorf("%s: %d compiled, want %d", name, n, want)
		}
		if n := build(t, again(t, c), "a", "b"); n != 0 {
			t.Errorf("%s: %d compiled once more", name, n)
		}
	}
}

// TestUnreadableIndex: an unreadable index is replaced by the next run.
func TestUnreadableIndex(t *testing.T) {
	s := registrytest.Serve(t)
	if _, err := machine(t, s).remote.put(&index{packs: []*pack{{}}}); err != nil {
		t.Fatal(err)
	}
	var warned []error
	c := machine(t, s, func(o *Options) { o.Warn = func(err error) { warned = append(warned, err) } })
	if n := build(t, c, "a"); n != 1 || c.Stats().Off != "" || len(warned) != 1 || !errors.Is(warned[0], errIndex) {
		t.Errorf("%d compiled, %+v, %v", n, c.Stats(), warned)
	}
	if n := build(t, machine(t, s), "a"); n != 0 {
		t.Errorf("%d compiled", n)
	}
}

// TestClockAhead: a machine whose clock is ahead takes nothing from others, and times that are
// still to come do not count.
func TestClockAhead(t *testing.T) {
	s := registrytest.Serve(t)
	if n := build(t, machine(t, s), "a"); n != 1 {
		t.Fatalf("%d compiled", n)
	}
	ahead := machine(t, s)
	x, _, err := ahead.remote.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		e := entry{output: id(sum(fmt.Sprint("ahead ", n))), size: 7, time: time.Now()}
		ahead.actions = map[id]entry{id(sum(fmt.Sprint("action ", n))): e}
		p := pack{
			digest: id(sum(fmt.Sprint("pack ", n))), size: 100, raw: 7,
			objects: []object{{output: e.output, size: 7}},
		}
		if !ahead.remote.change(x, []pack{p}, nil, time.Now().Add(31*24*time.Hour)) {
			t.Fatal("nothing was added")
		}
		if len(x.packs) != n+2 {
			t.Errorf("run %d: %d packs", n, len(x.packs))
		}
	}
	c := machine(t, s)
	x.packs[0].used = time.Now().Add(time.Hour).Unix()
	if x.notAfter(time.Now()); x.packs[0].used > time.Now().Unix() {
		t.Error("a pack was last used in the future")
	}
	later := time.Now().Add(48 * time.Hour)
	if err := disk.Write(c.remote.pauseFile(), nil, disk.ModeFile); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(c.remote.pauseFile(), later, later); err != nil {
		t.Fatal(err)
	}
	if off := again(t, c).Stats().Off; off != "" {
		t.Errorf("the registry is left out: %s", off)
	}
}

// TestPoisoned serves packs whose objects are others than their names, under right digests of
// blobs: the packs are refused, and nothing of them is used.
func TestPoisoned(t *testing.T) {
	s := registrytest.Serve(t)
	poison(t, s, time.Now(), "a")
	var warned []error
	second := machine(t, s, func(o *Options) { o.Warn = func(err error) { warned = append(warned, err) } })
	if n := build(t, second, "a", "b"); n != 2 || second.Stats().Refused != 1 || len(warned) != 1 ||
		second.Stats().Off != "" {
		t.Errorf("%d compiled, %+v, %v", n, second.Stats(), warned)
	}
}

// TestWriters lets machines write at the same time: what one of them has sent is there, and mostly
// what the others have.
func TestWriters(t *testing.T) {
	s := registrytest.Serve(t)
	const n = 4
	var wait sync.WaitGroup
	for k := range n {
		c := machine(t, s)
		wait.Go(func() { build(t, c, "all", fmt.Sprint("only ", k)) })
	}
	wait.Wait()
	actions := []string{"all"}
	for k := range n {
		actions = append(actions, fmt.Sprint("only ", k))
	}
	compiled := build(t, machine(t, s), actions...)
	if compiled > n-1 {
		t.Errorf("%d of %d were lost", compiled, n)
	}
	if again := build(t, machine(t, s), actions...); again != 0 {
		t.Errorf("%d were lost of a machine that was alone", again)
	}
}

// TestOtherTag names a tag that is an image's.
func TestOtherTag(t *testing.T) {
	s := registrytest.Serve(t)
	registrytest.Pause(t, s.Host()+"/go-build-cache:go1-linux-amd64", s.URL, []byte("x"))
	c := machine(t, s)
	if n := build(t, c, "a"); n != 1 ||
		c.Stats().Off != "" && !strings.Contains(c.Stats().Off, "is not a build cache") {
		t.Errorf("%d compiled, %+v", n, c.Stats())
	}
	ref, err := name.ParseReference(s.Host() + "/go-build-cache:go1-linux-amd64")
	if err != nil {
		t.Fatal(err)
	}
	if d, err := ggcr.Get(ref); err != nil || !d.MediaType.IsIndex() {
		t.Errorf("the tag has become %v, %v", d, err)
	}
}
