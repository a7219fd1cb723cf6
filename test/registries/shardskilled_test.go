package registries

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/slipway-dev/slipway/lock"
)

// sharded has a shard for each of three systems: a program that takes no time to compile, in
// images of two Dockerfiles and for download.
var sharded = map[string]string{
	"slipway.yaml": `apiVersion: slipway/v1
name: sharded
version: v1.21.0
platforms: [linux/amd64, linux/arm64, "windows/amd64:ltsc2022"]
sources:
  - {name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z, ldflags: [-s -w]}
programs:
  - {name: app, source: here, package: .}
images:
  - {name: app, source: here, floatingTags: [latest], dockerfile: {file: Dockerfile, context: files, programs: [app]}}
  - {name: files, source: here, dockerfile: {file: Dockerfile.files, context: files}}
artifacts:
  - {name: app, programs: [app], forms: [binary]}
release:
  templates: [{path: config}]
`,
	"go.mod":  "module example.com/sharded\n\ngo 1.26\n",
	"main.go": "package main\n\nfunc main() { println(\"here\") }\n",
	"Dockerfile": "FROM scratch\nARG TARGETOS TARGETARCH\nCOPY . /share\nCOPY --from=binaries " +
		"${TARGETOS}_${TARGETARCH}/ /app/\n",
	"Dockerfile.files":   "FROM scratch\nCOPY . /\n",
	"files/readme":       "It is one file.",
	"config/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sharded}\ndata: {}\n",
}

var seed = flag.Uint64("seed", 1, "of the places where shards are ended")

// TestShardsKilled ends shards by SIGKILL, at a random request or when one begins to compile, takes
// the registry away from one, and ends the merge at requests that write. The next run makes the
// bytes of a release on one machine, and the registry is not sent again what it has. Images have no
// tag before the merge.
func TestShardsKilled(t *testing.T) {
	w := newShards(t)
	want := w.one(t)
	ref, n := w.plan(t)
	planned := w.snapshot(t)
	random := rand.New(rand.NewPCG(*seed, 0))

	// How many requests a shard makes, and its part, if nothing ends it.
	totals, parts := make([]int, n), make([]map[string]string, n)
	for k := range n {
		w.front.reset(0)
		w.finish(t, w.shard(t, ref, k))
		totals[k], parts[k] = w.front.count(), contentsOf(t, w.out(k))
	}
	w.unnamed(t)

	w.restore(t, planned)
	ended := 0
	for k := range n {
		places := []int{1 + random.IntN(totals[k])}
		if k == 0 {
			places = []int{0} // when it begins to compile
		}
		if k == n-1 && !*every {
			w.lost(t, ref, k, totals[k], parts[k])
			continue
		}
		if *every {
			places = places[:0]
			for at := range totals[k] + 1 {
				places = append(places, at)
			}
		}
		for _, at := range places {
			if *every {
				w.restore(t, planned)
			}
			if w.shardKilled(t, ref, k, at) {
				ended++
			}
			if got := contentsOf(t, w.out(k)); !maps.Equal(got, parts[k]) {
				t.Errorf("shard %d, request %d: the next run made\n%v\nwant\n%v", k, at, got, parts[k])
			}
			w.unnamed(t)
		}
	}
	if ended == 0 {
		t.Error("no shard was ended")
	}
	if *every { // the last registry has one shard only
		for k := range n {
			w.finish(t, w.shard(t, ref, k))
		}
	}
	made := w.snapshot(t)

	w.front.reset(0)
	w.finish(t, w.merge(ref))
	if twice := repeated(w.front.reads); len(twice) > 0 {
		t.Errorf("the merge reads again what it has: %q", twice)
	}
	if got := contentsOf(t, w.out(-1)); !maps.Equal(got, want) {
		t.Fatalf("merged:\n%v\nin one run:\n%v", got, want)
	}
	l, err := lock.Read(filepath.Join(w.out(-1), lock.Name))
	must(t, err)
	total, tagged := w.front.count(), 0
	step := max(1, total/3)
	if *every {
		step = 1
	}
	for at := total; at > 0; at -= step {
		w.restore(t, made)
		must(t, os.RemoveAll(w.dir(-1)))
		w.front.reset(at)
		w.killed(t, w.merge(ref))
		if tags := releaseTags(t, l); len(tags) > 0 {
			tagged++
			if lacking := missing(t, l); len(lacking) > 0 {
				t.Errorf("merge, request %d: there are the tags %v, and not the images %v", at, tags, lacking)
			}
		}
		w.front.reset(0)
		w.finish(t, w.merge(ref))
		if got := contentsOf(t, w.out(-1)); !maps.Equal(got, want) {
			t.Errorf("merge, request %d: the next run made\n%v\nwant\n%v", at, got, want)
		}
		w.once(t, fmt.Sprintf("merge, request %d", at))
	}
	if tagged == 0 || tagged*step >= total {
		t.Errorf("there were tags at %d of %d requests", tagged, total/step)
	}
	t.Logf("seed %d: %d shards ended at requests of %v; "+
		"the merge at each %d. of %d requests that write, with tags at %d", *seed, n, totals, step, total, tagged)
}

// lost takes the registry away from a shard half-way. It says so, and makes its part once the
// registry is there again, without sending twice what that has.
func (w *shards) lost(t *testing.T, ref string, k, total int, want map[string]string) {
	t.Helper()
	must(t, os.RemoveAll(w.dir(k)))
	w.forget()
	w.front.reset(total / 2)
	w.front.lose = true
	out, err := w.shard(t, ref, k).CombinedOutput()
	if err == nil ||
		!regexp.MustCompile(`(?m)\Aerror: .*: dial tcp [0-9.:]+: connect: connection refused.*\n\z`).Match(out) {
		t.Errorf("without a registry: %v\n%s", err, out)
	}
	w.front.again(t)
	w.front.reset(0)
	w.finish(t, w.shard(t, ref, k))
	w.once(t, "once the registry is there again")
	if got := contentsOf(t, w.out(k)); !maps.Equal(got, want) {
		t.Errorf("once the registry is there again, the part is\n%v\nwant\n%v", got, want)
	}
}
