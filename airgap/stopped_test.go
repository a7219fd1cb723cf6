package airgap_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestStopped: whatever writes files leaves none behind when it is interrupted, and says so.
func TestStopped(t *testing.T) {
	st, l := bundletest.Demo(t, 20_000)
	next := bundletest.Later(t, st, l)
	from := t.TempDir()
	base := bundletest.Pack(t, st, l, from, bundletest.Targets(t)[5])[0].Path
	deltas, err := airgap.PackDelta(t.Context(), st, next, bundletest.Targets(t), []string{base},
		airgap.PackOptions{Dir: from})
	if err != nil {
		t.Fatal(err)
	}
	b := bundletest.Opened(t, base)
	linux := bundletest.Parse(t, "linux/amd64")
	for name, do := range map[string]func(ctx context.Context, dir string) error{
		"pack": func(ctx context.Context, dir string) error {
			_, _, err := airgap.Pack(ctx, st, l, []airgap.Target{{Name: "x"}}, airgap.PackOptions{Dir: dir})
			return err
		},
		"pack since": func(ctx context.Context, dir string) error {
			_, err := airgap.PackDelta(ctx, st, next, bundletest.Targets(t),
				[]string{base}, airgap.PackOptions{Dir: dir})
			return err
		},
		"apply": func(ctx context.Context, dir string) error {
			_, err := bundle.Apply(ctx, deltas[0].Path, base, filepath.Join(dir, "made.tar.zst"), bundle.ApplyOptions{})
			return err
		},
		"split": func(ctx context.Context, dir string) error {
			_, err := bundle.Split(ctx, base, bundle.SplitOptions{MaxSize: 1 << 40, Dir: dir})
			return err
		},
		"extract": func(ctx context.Context, dir string) error {
			_, err := b.Extract(ctx, b.Contents().Images[0].Name,
				bundle.ExtractOptions{To: filepath.Join(dir, "image")})
			return err
		},
		"extract an archive": func(ctx context.Context, dir string) error {
			_, err := b.Extract(ctx, b.Contents().Images[0].Name,
				bundle.ExtractOptions{To: filepath.Join(dir, "image.tar"), Platform: linux})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			dir := t.TempDir()
			if err := do(ctx, dir); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want that it was canceled", err)
			}
			bundletest.Empty(t, dir)
		})
	}
}
