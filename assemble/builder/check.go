package builder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/platform"
)

// ErrEmulation is in the error of a check for a platform whose programs the builder cannot run. A
// Dockerfile can be built for it all the same where its RUN lines are in stages of
// --platform=$BUILDPLATFORM.
var ErrEmulation = errors.New("programs of it do not run there")

// trial is a Dockerfile that needs no image and runs nothing.
const trial = "FROM scratch\nARG SOURCE_DATE_EPOCH\nLABEL slipway.trial=1\n"

// Check tries whether the builder works, by an image without files, and asks whether it can run
// programs of the platforms. Only that image stays, in the builder's cache.
func (t Tool) Check(ctx context.Context, on []platform.Platform) error {
	dir, done, err := scratch()
	if err != nil {
		return err
	}
	defer done()
	file := filepath.Join(dir, "Dockerfile")
	if err := disk.Write(file, []byte(trial), disk.ModeFile); err != nil {
		return err
	}
	var errs []error
	for n, p := range on {
		into := filepath.Join(dir, fmt.Sprint(n))
		if err := disk.MkdirAll(into); err != nil {
			return err
		}
		r := Request{File: file, Shown: "a trial", Platform: p, Epoch: time.Unix(1, 0)}
		if err := t.Build(ctx, r, into); err != nil {
			return err // the others would fail alike
		}
		if !t.canRun(p) {
			errs = append(errs, fmt.Errorf("builder %s: %s: %w: install emulation, such as Debian's "+
				"qemu-user-static or docker run --privileged --rm tonistiigi/binfmt --install %s",
				t.Name, p, ErrEmulation, p.Architecture))
		}
	}
	return errors.Join(errs...)
}

// canRun reports whether the builder can run programs of a platform, or does not tell.
func (t Tool) canRun(p platform.Platform) bool {
	return len(t.runs) == 0 || slices.ContainsFunc(t.runs, func(q platform.Platform) bool {
		// The kernels of distributions for amd64 run programs for 386, too.
		return usual(q) == usual(p) || q.OS == p.OS && q.Architecture == "amd64" && p.Architecture == "386"
	}) || t.emulates && emulated(p.Architecture)
}

// usual returns a platform without the default variant of its architecture.
func usual(p platform.Platform) platform.Platform {
	if slices.Contains([]string{"arm64/v8", "arm/v7", "amd64/v1"}, p.Architecture+"/"+p.Variant) {
		p.Variant = ""
	}
	return p
}

// qemu has the names of QEMU for architectures where they differ.
var qemu = map[string]string{
	"amd64": "x86_64", "386": "i386", "arm64": "aarch64", "loong64": "loongarch64", "mips64le": "mips64el",
}

// binfmt is where the kernel lists what runs programs for it.
const binfmt = "/proc/sys/fs/binfmt_misc"

// emulated reports whether the kernel of this machine has an emulator for an architecture. Names
// are those of QEMU's packages, and those of tonistiigi/binfmt.
func emulated(arch string) bool {
	entries, err := os.ReadDir(binfmt)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		name, ok := strings.CutPrefix(e.Name(), "qemu-")
		return ok && (name == arch || name == qemu[arch])
	})
}
