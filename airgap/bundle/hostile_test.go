package bundle_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// attacks are what may be wrong with a bundle that another user made, or that a disk or a network
// has changed.
var attacks = []attack{
	{"cut in the head", func(_ *testing.T, v *victim) []byte { return v.data[:300] }, "truncated", false},
	{"cut in a layer", func(t *testing.T, v *victim) []byte {
		return v.data[:len(v.data)-tableLength(t, v.data)-600]
	}, "truncated|is missing", false},
	{"cut in the seek table", func(_ *testing.T, v *victim) []byte {
		return v.data[:len(v.data)-20]
	}, "truncated|the end of its archive", false},
	{"bit flipped in the head", func(_ *testing.T, v *victim) []byte {
		return flipped(v.data, 200)
	}, "damaged|truncated", false},
	{"bit flipped in a layer", func(t *testing.T, v *victim) []byte {
		return flipped(v.data, v.layer(t))
	}, "damaged", true},
	{"bit flipped in the seek table", func(t *testing.T, v *victim) []byte {
		return flipped(v.data, len(v.data)-tableLength(t, v.data)+9)
	}, "damaged", false},
	{"layers reordered", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
			last := len(e) - 1
			e[v.first], e[last] = e[last], e[v.first]
			return e
		})
	}, "where sha256|it is at byte|is in its place|begins no frame|no frames for|ends early", true},
	{"manifest.json last", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged { return append(e[1:], e[0]) })
	}, `"oci-layout" is where manifest.json is expected`, false},
	{"manifest twice", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged { return slices.Insert(e, 4, e[3]) })
	}, "it has blob", false},
	{"layer twice", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged { return append(e, e[v.first]) })
	}, "its images take|the archive has it twice", false},
	{"file twice", func(_ *testing.T, v *victim) []byte {
		return slices.Concat(v.data, v.data)
	}, "the seek table is damaged", false},
	{"traversal in the head", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
			e[4].Name = "blobs/sha256/../../../../etc/passwd"
			return e
		})
	}, "unexpected entry", false},
	{"traversal in the layers", func(t *testing.T, v *victim) []byte {
		return v.forge(t,
			func(e []bundletest.Forged) []bundletest.Forged { e[v.first].Name = "../../../../etc/passwd"; return e })
	}, `"../../../../etc/passwd"`, true},
	{"absolute name", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged { e[v.first].Name = "/etc/passwd"; return e })
	}, `"/etc/passwd"`, true},
	{"symbolic link in the head", func(t *testing.T, v *victim) []byte {
		return v.link(t, 4, tar.TypeSymlink)
	}, "is not a plain file", false},
	{"hard link in the head", func(t *testing.T, v *victim) []byte {
		return v.link(t, 4, tar.TypeLink)
	}, "is not a plain file", false},
	{"symbolic link for a layer", func(t *testing.T, v *victim) []byte {
		return v.link(t, v.first, tar.TypeSymlink)
	}, "its images take|unexpected entry", false},
	{"hard link for a layer", func(t *testing.T, v *victim) []byte {
		return v.link(t, v.first, tar.TypeLink)
	}, "its images take|unexpected entry", false},
	{"a crowd of entries", func(t *testing.T, v *victim) []byte {
		return v.headed(t, true, crowd(t))
	}, "its images take|it belongs to no image|its bytes have the digest", false},
	{"a crowd without seek table", func(t *testing.T, v *victim) []byte {
		return v.headed(t, false, crowd(t))
	}, "its images take|it belongs to no image|its bytes have the digest", false},
	{"a crowd of frames", func(t *testing.T, v *victim) []byte {
		return v.crowdOfFrames(t)
	}, "its images take|the frame has 0 bytes, 1 in the seek table", false},
	{"a crowd announced", func(t *testing.T, v *victim) []byte {
		return v.index(t, `"dev.slipway.bundle.metadata-blobs":"`, `"dev.slipway.bundle.metadata-blobs":"1000`)
	}, "not a number up to 32768", false},
	{"huge manifest.json", func(t *testing.T, v *victim) []byte {
		return v.giant(t, 0, "manifest.json")
	}, "bytes where at most", false},
	{"huge index.json", func(t *testing.T, v *victim) []byte {
		return v.giant(t, 2, "index.json")
	}, "bytes where at most", false},
	{"huge manifest", func(t *testing.T, v *victim) []byte {
		return v.giant(t, 3, v.entries[3].Name)
	}, "bytes where at most", false},
	{"zeros in front", func(*testing.T, *victim) []byte { return bomb(100_000) }, "invalid bundle: it is empty", false},
	{"zeros behind the head", func(t *testing.T, v *victim) []byte {
		return append(v.headed(t, false, func(io.Writer) {}), bomb(100_000)...)
	}, "has no seek table|truncated", false},
	{"zeros behind the archive", func(t *testing.T, v *victim) []byte {
		return append(bytes.Clone(v.data[:len(v.data)-tableLength(t, v.data)]), bomb(100_000)...)
	}, "its images take|is too long|truncated|are behind", false},
	{"a frame that holds more than it says", func(t *testing.T, v *victim) []byte {
		return v.pretend(t, bomb(100_000), 1024)
	}, "its images take|larger than in the seek table|are behind", false},
	{"a frame that says too much", func(t *testing.T, v *victim) []byte {
		return v.pretend(t, bomb(1), 1<<32-1)
	}, "announce", false},
	{"a window of 2 GiB", func(*testing.T, *victim) []byte {
		return []byte("\x28\xb5\x2f\xfd\x00\xa8\x03\x00\x00\x00")
	}, "window is larger than 32 MiB", false},
	{"a layer with other bytes", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged { e[v.first].Data[0] ^= 1; return e })
	}, "the digest", true},
	{"a manifest with other bytes", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged { e[3].Data[20] ^= 1; return e })
	}, "the bytes of blob", false},
	{"deep manifest.json", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged { e[0].Data = deepJSON; return e })
	}, "nests more than 32 levels deep", false},
	{"deep index.json", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged { e[2].Data = deepJSON; return e })
	}, "nests more than 32 levels deep", false},
	{"deep index", func(t *testing.T, v *victim) []byte {
		return v.blob(t, 3, deepJSON)
	}, "nests more than 32 levels deep", false},
	{"deep annotation", func(t *testing.T, v *victim) []byte {
		return v.index(t, `"dev.slipway.bundle.omitted":"`,
			`"dev.slipway.bundle.omitted":"`+string(deepJSON)+`","another":"`)
	}, "nests more than 32 levels deep", false},
	{"a crowd of descriptors", func(t *testing.T, v *victim) []byte {
		return v.listed(t, "{}")
	}, "reading index.json: its JSON has more than 163840 values", false},
	{"a crowd of nulls", func(t *testing.T, v *victim) []byte {
		return v.listed(t, "null")
	}, "reading index.json: its JSON has more than 163840 values", false},
	{"nulls that are few enough", func(t *testing.T, v *victim) []byte {
		return v.index(t, `"manifests":[`, `"manifests":[`+strings.Repeat("null,", bundle.MaxValues*9/10))
	}, "is not a full name with a tag", false},
	{"very many manifest-only entries", func(t *testing.T, v *victim) []byte {
		var many strings.Builder
		for n := range 220_000 {
			fmt.Fprintf(&many, "sha256:%064x ", n)
		}
		return v.index(t, `"io.containerd.image.name":"slipway.local/demo/agent`, `"dev.slipway.image.manifest-only":"`+
			many.String()+`","io.containerd.image.name":"slipway.local/demo/agent`)
	}, "its index lists no manifest", false},
	{"one manifest under many names", func(t *testing.T, v *victim) []byte {
		return v.renamed(t, 50, 20_000)
	}, "list manifests and layers more than 131072 times", false},
	{"one small manifest under many names", func(t *testing.T, v *victim) []byte {
		return v.renamed(t, 5000, 200)
	}, "list manifests and layers more than 131072 times", false},
	{"a name that leaves the registry's prefix", func(t *testing.T, v *victim) []byte {
		return v.called(t, "slipway.local/demo/agent", "slipway.local/demo/../../agent")
	}, `".." is not a part of a repository's name`, false},
	{"a name with an empty part", func(t *testing.T, v *victim) []byte {
		return v.called(t, "slipway.local/demo/agent", "slipway.local/demo//agent")
	}, `"" is not a part of a repository's name`, false},
	{"a host that is a directory", func(t *testing.T, v *victim) []byte {
		return v.called(t, "slipway.local/demo/agent", "../demo/agent")
	}, `".." is not a host`, false},
	{"a tag that is a directory", func(t *testing.T, v *victim) []byte {
		return v.called(t, "demo/agent:", "demo/agent:..")
	}, "is not a tag", false},
	{"a name of a thousand characters", func(t *testing.T, v *victim) []byte {
		return v.called(t, "slipway.local/demo/agent", "slipway.local/demo/"+strings.Repeat("agent/", 200)+"agent")
	}, "is not a full name with a tag", false},
	{"a product with an escape sequence", func(t *testing.T, v *victim) []byte {
		return v.index(t, `"dev.slipway.bundle.product":"`, `"dev.slipway.bundle.product":"\u001b]0;owned\u0007`)
	}, "not a line of printable text", false},
	{"a version of two lines", func(t *testing.T, v *victim) []byte {
		return v.index(t, `"dev.slipway.bundle.version":"`, `"dev.slipway.bundle.version":"0\n✓ verified `)
	}, "not a line of printable text", false},
	{"a reason of two lines", func(t *testing.T, v *victim) []byte {
		return v.index(t, `"dev.slipway.bundle.omitted":"`,
			`"dev.slipway.bundle.omitted":"[{\"name\":\"a\",\"reason\":\"b\\nc\"}]","another":"`)
	}, "not a line of printable text", false},
	{"a volume that is a path", func(t *testing.T, v *victim) []byte {
		return v.index(t, `"dev.slipway.bundle.product"`,
			`"dev.slipway.bundle.volume":"1/../..","dev.slipway.bundle.product"`)
	}, "not 1/3 or the like", false},
	{"another name in the list", func(t *testing.T, v *victim) []byte {
		return v.index(t, `"io.containerd.image.name":"slipway.local/demo/agent`,
			`"dev.slipway.image.listed":"../x:1","io.containerd.image.name":"slipway.local/demo/agent`)
	}, "which is another name", false},
	{"an image layout of others", func(t *testing.T, v *victim) []byte {
		return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
			return append(e[1:v.first], e[v.first:]...)
		})
	}, "is where manifest.json is expected", false},
	{"a docker-archive of others", func(t *testing.T, v *victim) []byte {
		return bundletest.Compress(t,
			append(plainTar(t, []bundletest.Forged{v.entries[0], v.entries[v.first]}), make([]byte, 1024)...))
	}, "is where oci-layout is expected", false},
	{"an empty file", func(*testing.T, *victim) []byte {
		return nil
	}, "does not begin with a zstd frame|the base of a delta is a bundle or", false},
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 1
	return data
}

// layer is a place in the first layer's frame.
func (v *victim) layer(t *testing.T) int {
	t.Helper()
	b, err := bundle.OpenAny(v.path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	e, _ := seekTable(t, b.Archive().Raw()).EntryByDecompressedOffset(uint64(b.HeadSize()))
	return int(e.CompressedOffset) + int(e.CompressedSize)/2
}

func (v *victim) link(t *testing.T, at int, kind byte) []byte {
	return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
		e[at].Typeflag, e[at].Linkname, e[at].Data = kind, "/etc/passwd", nil
		return e
	})
}

// crowdOfFrames is a good bundle with as many frames behind it as a seek table may have, which
// says that each holds a byte.
func (v *victim) crowdOfFrames(t *testing.T) []byte {
	t.Helper()
	table := v.data[len(v.data)-tableLength(t, v.data):]
	frame := []byte("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00") // of nothing
	entry := []byte{byte(len(frame)), 0, 0, 0, 1, 0, 0, 0, 0x99, 0xe9, 0xd8, 0x51}
	n := maxFrames - (len(table)-tableHeader-tableFooter)/12
	data := slices.Concat(v.data[:len(v.data)-len(table)], bytes.Repeat(frame, n), table[:len(table)-tableFooter],
		bytes.Repeat(entry, n), table[len(table)-tableFooter:])
	return announced(data, maxFrames)
}

// operation is something that an operator does with a bundle.
type operation struct {
	name string
	do   func(t *testing.T, path, dir string) error
	of   *victim
	deep bool // it reads layers
	// limit is how many bytes of heap it may take.
	limit int64
}

// TestMemoryAttacks does everything that can be done with a bundle to every attack: one error
// that states the damage, in bounded memory, and nothing is left behind, not even under another
// name.
func TestMemoryAttacks(t *testing.T) {
	extent.Long(t, "measures the memory of each of 60 forged bundles")
	st, l := bundletest.Demo(t, 2000)
	next := bundletest.Later(t, st, l)
	dir := t.TempDir()
	old := newVictim(t, bundletest.Pack(t, st, l, filepath.Join(dir, "old"), bundletest.Targets(t)[5])[0].Path)
	deltas, err := airgap.PackDelta(t.Context(), st, next, bundletest.Targets(t), []string{old.path},
		airgap.PackOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	delta := newVictim(t, deltas[0].Path)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			dir, made := t.TempDir(), map[*victim]string{}
			for _, v := range []*victim{old, delta} {
				made[v] = filepath.Join(dir, filepath.Base(v.path))
				if err := os.WriteFile(made[v], a.make(t, v), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, op := range operations(st, next, old, delta) {
				op.try(t, made[op.of], a.want, a.deep)
			}
		})
	}
	for name, path := range unreadable(t) {
		t.Run(name, func(t *testing.T) {
			for _, op := range operations(st, next, old, delta) {
				op.try(t, path, filepath.Base(path), false)
			}
		})
	}
}

// spare is what each operation may take beside windows of decoders. On a busy machine half of it is
// garbage that was made while a collection ran.
const spare = 128 << 20

// readLimit is what reading may take.
const readLimit = seekable.MaxWindow + spare

func operations(st *store.Store, next *lock.Lock, old, delta *victim) []operation {
	packing := spare + int64(seekable.Cores)*48<<20
	return []operation{
		{
			"inspect", func(_ *testing.T, path, _ string) error { _, err := bundle.Inspect(path); return err }, old, false,
			readLimit,
		},
		{"verify", func(t *testing.T, path, _ string) error {
			r, err := bundle.Verify(t.Context(), path, bundle.VerifyOptions{})
			if err != nil {
				return err
			}
			var all []string
			for _, p := range r.Problems {
				all = append(all, p.String())
			}
			if len(all) == 0 {
				return nil
			}
			return errors.New(strings.Join(all, " · "))
		}, old, true, int64(seekable.Cores)*seekable.MaxWindow + spare},
		{"push", func(t *testing.T, path, _ string) error {
			b, err := bundle.OpenAny(path)
			if err != nil {
				return err
			}
			defer b.Close()
			r := registrytest.Serve(t)
			_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
			calls, _ := r.Reset()
			if n := registrytest.Count(calls, "PUT", "/manifests/"); n > 0 {
				t.Errorf("%d manifests were pushed", n)
			}
			return err
		}, old, true, readLimit},
		{"extract", func(t *testing.T, path, dir string) error {
			b, err := bundle.Open(path)
			if err != nil {
				return err
			}
			defer b.Close()
			_, err = b.Extract(t.Context(), b.Contents().Images[0].Name,
				bundle.ExtractOptions{To: filepath.Join(dir, "image")})
			return err
		}, old, true, readLimit},
		{"apply", func(t *testing.T, path, dir string) error {
			_, err := bundle.Apply(t.Context(), path, old.path, filepath.Join(dir, "made.tar.zst"),
				bundle.ApplyOptions{})
			return err
		}, delta, true, packing},
		{"apply to", func(t *testing.T, path, dir string) error {
			_, err := bundle.Apply(t.Context(), delta.path, path, filepath.Join(dir, "made.tar.zst"),
				bundle.ApplyOptions{})
			return err
		}, old, true, packing},
		{"split", func(t *testing.T, path, dir string) error {
			_, err := bundle.Split(t.Context(), path, bundle.SplitOptions{MaxSize: 1 << 40, Dir: dir})
			return err
		}, old, true, packing},
		{"pack -base", func(t *testing.T, path, dir string) error {
			_, err := airgap.PackDelta(t.Context(), st, next, bundletest.Targets(t), []string{path},
				airgap.PackOptions{Dir: dir})
			return err
		}, old, false, readLimit},
	}
}

func (op operation) try(t *testing.T, path, want string, deep bool) {
	t.Helper()
	dir := t.TempDir()
	var err error
	used := bundletest.Peak(func() { err = op.do(t, path, dir) })
	// What is allocated while a collection runs counts as in use, and on a busy machine that takes
	// long. What the operation needs, it needs each time.
	for n := 0; n < 2 && used > op.limit; n++ {
		used = min(used, bundletest.Peak(func() { err = op.do(t, path, dir) }))
	}
	if deep && !op.deep {
		return
	}
	found := false
	for _, w := range strings.Split(want, "|") {
		found = found || err != nil && strings.Contains(err.Error(), w)
	}
	switch {
	case !found:
		t.Errorf("%s: error %.300v, want %q in it", op.name, err, want)
	case strings.Contains(err.Error(), "\n"):
		t.Errorf("%s: more than one line: %.300v", op.name, err)
	}
	if used > op.limit {
		t.Errorf("%s: %d MiB of heap, want at most %d", op.name, used>>20, op.limit>>20)
	}
	bundletest.Empty(t, dir)
}
