package airgap

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/product"
)

// TestStopped: whatever writes files leaves none behind when it is interrupted, and says so.
func TestStopped(t *testing.T) {
	st, l := demo(t, 20_000)
	next := later(t, st, l)
	from := t.TempDir()
	base := pack(t, st, l, from, bundles(t)[5])[0].Path
	deltas, err := PackDelta(t.Context(), st, next, bundles(t), []string{base}, PackOptions{Dir: from})
	if err != nil {
		t.Fatal(err)
	}
	b := opened(t, base)
	linux := parse(t, "linux/amd64")
	for name, do := range map[string]func(ctx context.Context, dir string) error{
		"pack": func(ctx context.Context, dir string) error {
			_, err := Pack(ctx, st, l, []product.Bundle{{Name: "x"}}, PackOptions{Dir: dir})
			return err
		},
		"pack since": func(ctx context.Context, dir string) error {
			_, err := PackDelta(ctx, st, next, bundles(t), []string{base}, PackOptions{Dir: dir})
			return err
		},
		"apply": func(ctx context.Context, dir string) error {
			_, err := Apply(ctx, deltas[0].Path, base, filepath.Join(dir, "made.tar.zst"), nil)
			return err
		},
		"split": func(ctx context.Context, dir string) error {
			_, err := Split(ctx, base, SplitOptions{MaxSize: 1 << 40, Dir: dir})
			return err
		},
		"extract": func(ctx context.Context, dir string) error {
			_, err := b.Extract(ctx, b.contents.Images[0].Name, ExtractOptions{To: filepath.Join(dir, "image")})
			return err
		},
		"extract an archive": func(ctx context.Context, dir string) error {
			_, err := b.Extract(ctx, b.contents.Images[0].Name, ExtractOptions{To: filepath.Join(dir, "image.tar"), Platform: linux})
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
			empty(t, dir)
		})
	}
}
